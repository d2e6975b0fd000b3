"""Which layers are being called, in each thread, and what each says of training."""

from __future__ import annotations

import threading
from typing import Any


class _Calls(threading.local):
    """The layers that are being called in this thread, outermost first, with what each says of training."""

    def __init__(self) -> None:
        self.layers: list[Any] = []
        self.training: list[Any] = []


calls = _Calls()

__all__ = ["calls"]
