"""Functions of PyTorch that are replaced during a watch, and restored afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from penstock.frameworks import replaced
from penstock.frameworks.places import is_installed
from penstock.frameworks.replaced import Watched


class Replaced(replaced.Replaced):
    """Replaced functions, the newest last."""

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
