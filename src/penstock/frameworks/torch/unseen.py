"""Work of the report's own, which no other report that is under way may take for the program's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch


def unseen(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a hook whose calls of PyTorch no function mode sees."""

    @wraps(hook)
    def quiet(*arguments: Any) -> Any:
        with torch._C.DisableTorchFunction():
            return hook(*arguments)

    return quiet


__all__ = ["unseen"]
