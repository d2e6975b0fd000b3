"""Functions of PyTorch that are replaced during a watch, and restored afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from penstock.frameworks.places import is_installed

Watched = Callable[..., Any]
"""Is called with the original function and the arguments of a call."""


class Replaced:
    """Replaced functions, the newest last."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def later(self, undo: Callable[[], None]) -> None:
        """Registers an action for the time when everything is restored."""
        self._undo.append(undo)

    def put_back(self) -> None:
        """Restores everything, the newest first."""
        while self._undo:
            self._undo.pop()()

    def function(self, owner: Any, name: str, watched: Watched) -> None:
        """Replaces a function by one that calls `watched(original, *arguments)`."""
        original = getattr(owner, name)

        def instead(*arguments: Any, **options: Any) -> Any:
            return watched(original, *arguments, **options)

        instead.__name__, instead.__doc__ = name, original.__doc__
        instead.__wrapped__ = original  # type: ignore[attr-defined]
        setattr(owner, name, instead)
        self._undo.append(lambda: setattr(owner, name, original))

    def apply(self, watched: Watched) -> None:
        """Makes each autograd.Function.apply call `watched(kind, original, arguments, options)`."""
        original = torch.autograd.Function.__dict__["apply"]
        torch.autograd.Function.apply = classmethod(
            lambda kind, *given, **named: watched(kind, original, given, named)
        )
        self._undo.append(lambda: setattr(torch.autograd.Function, "apply", original))

    def made(self, note: Callable[[Any, str, bool], None]) -> None:
        """Makes the creation of each parameter call `note(parameter, module, returned)`.

        `module` is its creator. `returned` says that the user's line gets the parameter itself: a line that
        calls a module's constructor gets the module.
        """
        original = torch.nn.Parameter.__new__

        def instead(kind: Any, *arguments: Any, **options: Any) -> Any:
            result = original(kind, *arguments, **options)
            if isinstance(result, torch.Tensor):
                maker = sys._getframe(1)
                name = maker.f_globals.get("__name__") or ""
                note(result, name, not is_installed(maker.f_code))
            return result

        torch.nn.Parameter.__new__ = staticmethod(instead)
        self._undo.append(lambda: setattr(torch.nn.Parameter, "__new__", staticmethod(original)))


__all__ = ["Replaced"]
