"""Puts a mode below all others on PyTorch's stack of function modes, and takes it from wherever it is."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode


class Standing:
    """One mode that may be on the stack of one thread; the program may have its own modes above it.

    While the mode is on, functions compiled by `torch.compile` run uncompiled: under a mode they would be
    compiled again at every call, and would hide their operations.
    """

    def __init__(self, mode: Any) -> None:
        self.mode = mode
        self._thread = threading.get_ident()
        self._process = os.getpid()
        self._eager = False
        self.entered = False

    @property
    def is_on(self) -> bool:
        return self.mode in _get_current_function_mode_stack()

    def _is_home(self) -> bool:
        return threading.get_ident() == self._thread and os.getpid() == self._process

    def enter(self) -> None:
        """Puts the mode below the active ones, unless it is active itself or this is another thread."""
        if self._is_home() and not self.is_on:
            above = _take()
            _push_mode(self.mode)
            _put(above)
            self.entered = True
            self.follow_compiler()

    def leave(self) -> None:
        """Removes the mode; those above and below it stay."""
        if self.entered and self._is_home():
            self.entered = False
            if self.is_on:
                _put([one for one in _take() if one is not self.mode])
                self.release_compiler()

    def follow_compiler(self) -> None:
        """Makes compiled functions run uncompiled, if the compiler is present with default settings."""
        compiler = sys.modules.get("torch._dynamo.eval_frame")
        if not self._eager and compiler is not None and hasattr(torch.compiler, "set_stance"):
            stance = getattr(compiler, "_stance", None)
            if getattr(stance, "stance", "default") == "default":
                torch.compiler.set_stance("force_eager")
                self._eager = True

    def release_compiler(self) -> None:
        """Lets these functions run compiled again."""
        if self._eager:
            self._eager = False
            torch.compiler.set_stance("default")


def _take() -> list[Any]:
    return [_pop_mode() for _ in range(len(_get_current_function_mode_stack()))][::-1]


def _put(modes: list[Any]) -> None:
    for one in modes:
        _push_mode(one)


__all__ = ["Standing"]
