"""What a program did, as a path in a tree that all traces of the process share."""

import sys
from types import ModuleType
from typing import Any, NoReturn


class _Room(ModuleType):
    """This module, named like a function of other libraries: a call raises an error that says so."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("penstock.trace is a module; the sum of a diagonal is ps.linalg.trace(x)")


sys.modules[__name__].__class__ = _Room
