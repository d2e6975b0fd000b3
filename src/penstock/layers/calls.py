"""The layers that are being called in each thread, with their `training` arguments."""

from __future__ import annotations

import threading
from typing import Any


class _Calls(threading.local):
    """The layers that are being called in this thread, outermost first, with the `training` of each."""

    def __init__(self) -> None:
        self.layers: list[Any] = []
        self.training: list[Any] = []


calls = _Calls()

__all__ = ["calls"]
