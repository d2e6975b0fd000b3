"""Functions that read Python's variables as they are now: TensorFlow traces a data set's function at once.

Here it runs when elements are asked for, and Python would then read the variables of its module and of the
functions around it as they have become: several data sets made in a loop would all use the last turn's.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

_LIVE = {"py_function", "numpy_function", "py_func"}
"""What calls a function of Python's for each element, which reads variables as they are then."""


def as_now(function: Any) -> Any:
    """Returns a function that reads variables as they are now; so do functions of its module that it names.

    Attributes of objects and items of lists are read when it runs, as are variables that it writes itself.
    """
    return _Now().of(function)


class _Now:
    """The variables of the module of a function, and the functions that read them, as they are now."""

    def __init__(self) -> None:
        self.module: dict[str, Any] | None = None
        self.variables: dict[str, Any] = {}
        self.made: dict[int, tuple[Any, Any]] = {}

    def of(self, function: Any) -> Any:
        """Returns a function of these variables, or what is none of this module as it is."""
        kind = type(function)
        if kind is types.MethodType:
            return types.MethodType(self.of(function.__func__), function.__self__)
        if kind is functools.partial:
            return functools.partial(self.of(function.func), *function.args, **function.keywords)
        if kind is not types.FunctionType:
            return function
        if self.module is None:
            self.module, self.variables = function.__globals__, dict(function.__globals__)
        if function.__globals__ is not self.module:
            return function
        if id(function) not in self.made:
            # The original is kept, so that no other function gets its number.
            self.made[id(function)] = function, function
            self._make(function)
        return self.made[id(function)][1]

    def _make(self, function: Any) -> None:
        code = function.__code__
        names, written, encloses = _facts(code)
        if any(operation in ("STORE_GLOBAL", "DELETE_GLOBAL") for operation, _ in written):
            return
        live = not names.isdisjoint(_LIVE)
        variables = function.__globals__ if live and encloses else self.variables
        around = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        cells = {
            name: cell
            if {("STORE_DEREF", name), ("DELETE_DEREF", name)} & written or _is_empty(cell)
            else types.CellType()
            for name, cell in around.items()
        }
        made: Any = types.FunctionType(
            code, variables, function.__name__, function.__defaults__, tuple(cells.values())
        )
        self.made[id(function)] = function, made
        made.__dict__.update(function.__dict__)
        for part in ("__kwdefaults__", "__qualname__", "__module__", "__doc__", "__annotations__"):
            setattr(made, part, getattr(function, part))
        for name, cell in around.items():
            if cells[name] is not cell:
                value = cell.cell_contents
                cells[name].cell_contents = value if live else self.of(value)
        if not live:
            for name in names:
                if type(variables.get(name)) is types.FunctionType:
                    variables[name] = self.of(variables[name])


@functools.lru_cache(maxsize=1024)
def _facts(code: types.CodeType) -> tuple[frozenset[str], frozenset[Any], bool]:
    """Returns the names in a function, what it writes, by instruction, and whether it has functions in it."""
    every = list(_codes(code))
    names = frozenset(name for one in every for name in one.co_names)
    found = ((one.opname, one.argval) for each in every for one in dis.get_instructions(each))
    written = frozenset(one for one in found if one[0].startswith(("STORE_", "DELETE_")))
    return names, written, len(every) > 1


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yields the code of a function, and of the functions in it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _codes(one)


def _is_empty(cell: Any) -> bool:
    return bool(cell == types.CellType())


__all__ = ["as_now"]
