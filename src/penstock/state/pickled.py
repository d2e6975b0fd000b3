"""Copies and pickles of objects that hold functions, and numbers valid in this process only."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

from penstock.errors import FunctionNotFoundError
from penstock.trace.source_site import here

_BY_VALUE = frozenset(("cloudpickle", "dill"))
"""Packages that can store functions without their names."""


class Copied:
    """An object of which `copy` and `pickle` keep the result of `_kept`, for `_take` of the copy.

    A function inside is copied as it is. It cannot be pickled unless another process finds it by its name.
    """

    def _kept(self) -> dict[str, Any]:
        """Returns the attributes for a copy."""
        return dict(self.__dict__)

    def _take(self, state: dict[str, Any]) -> None:
        """Gives a copy the attributes of its original."""
        self.__dict__.update(state)

    def _called(self) -> str:
        """Returns its name in messages."""
        return type(self).__name__

    def __getstate__(self) -> dict[str, Any]:
        state = self._kept()
        refuse_unfound(self._called(), state)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._take(dict(state))

    def __copy__(self) -> Any:
        made = object.__new__(type(self))
        made._take(self._kept())
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = object.__new__(type(self))
        made._take(copy.deepcopy(self._kept(), memo))
        return made


def refuse_unfound(holder: str, state: Mapping[str, Any]) -> None:
    """Raises if an object holds a function that another process cannot find by its name.

    `pickle` stores the name of a function, not the function: a lambda or a nested function has none.
    """
    # Use the name that the user knows, if there is one.
    for name, value in sorted(state.items(), key=lambda item: item[0].startswith("_")):
        for function in _functions(value):
            if not _is_found(function) and not _written_by_value():
                code = function.__code__
                raise FunctionNotFoundError(
                    f"{holder} cannot be pickled: its {name!r} is the function {function.__qualname__!r}.",
                    origin=f"defined at {code.co_filename}:{code.co_firstlineno}",
                    why="pickle stores a function by its name in a module, and this one has no such name.",
                    remedy="Define it with def at the top level of a module, or save only the values: "
                    "ps.save(...).",
                    site=here(),
                )


def _functions(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, functools.partial):
        yield from _functions((value.func, *value.args, *value.keywords.values()))
    elif type(value) in (list, tuple):
        for one in value:
            yield from _functions(one)
    elif isinstance(value, dict):
        yield from _functions(tuple(value.values()))


def _is_found(function: FunctionType) -> bool:
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function


def _written_by_value() -> bool:
    """Returns whether one of these packages is pickling: it decides itself what it can store."""
    frame: Any = sys._getframe()
    while frame is not None:
        if not _BY_VALUE.isdisjoint(frame.f_globals.get("__name__", "").split(".")):
            return True
        frame = frame.f_back
    return False


__all__ = ["Copied", "refuse_unfound"]
