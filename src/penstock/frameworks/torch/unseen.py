"""The report's own work, which other active reports must not mistake for the program's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch


def unseen(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a hook whose calls of PyTorch are hidden from function modes."""

    @wraps(hook)
    def quiet(*arguments: Any) -> Any:
        with torch._C.DisableTorchFunction():
            return hook(*arguments)

    return quiet


__all__ = ["unseen"]
