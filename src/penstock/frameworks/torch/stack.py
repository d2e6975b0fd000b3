"""Puts a mode below all others on PyTorch's stack of function modes, and takes it from wherever it is."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode


class Standing:
    """One mode that is on the stack of one thread, or not; the program may have modes of its own above it.

    While the mode is on, what `torch.compile` has compiled runs as it was written: compiled code would be
    compiled again at every call under a mode, and show nothing of what it does.
    """

    def __init__(self, mode: Any) -> None:
        self.mode = mode
        self._thread = threading.get_ident()
        self._process = os.getpid()
        self._eager = False
        self._entered = False

    @property
    def is_on(self) -> bool:
        return self.mode in _get_current_function_mode_stack()

    def _is_home(self) -> bool:
        return threading.get_ident() == self._thread and os.getpid() == self._process

    def enter(self) -> None:
        """Puts the mode below those that are active, unless it is active itself or this is another thread."""
        if self._is_home() and not self.is_on:
            above = _take()
            _push_mode(self.mode)
            _put(above)
            self._entered = True
            self.follow_compiler()

    def leave(self) -> None:
        """Takes the mode away; those above and below it stay."""
        if self._entered and self._is_home():
            self._entered = False
            if self.is_on:
                _put([one for one in _take() if one is not self.mode])
                self.release_compiler()

    def follow_compiler(self) -> None:
        """Lets compiled functions run as they were written, if the compiler is there and left to itself."""
        compiler = sys.modules.get("torch._dynamo.eval_frame")
        if not self._eager and compiler is not None and hasattr(torch.compiler, "set_stance"):
            stance = getattr(compiler, "_stance", None)
            if getattr(stance, "stance", "default") == "default":
                torch.compiler.set_stance("force_eager")
                self._eager = True

    def release_compiler(self) -> None:
        """Lets them run compiled again."""
        if self._eager:
            self._eager = False
            torch.compiler.set_stance("default")


def _take() -> list[Any]:
    return [_pop_mode() for _ in range(len(_get_current_function_mode_stack()))][::-1]


def _put(modes: list[Any]) -> None:
    for one in modes:
        _push_mode(one)


__all__ = ["Standing"]
