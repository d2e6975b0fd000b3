"""What a program does, in the form in which it is put into a graph: at once, or for each run of a function.

Tensors are known by keys: by identity in the running program, by name in a traced function.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.frameworks.tensorflow.operations import BODIES
from penstock.frameworks.tensorflow.variable import Parameter, Registry, Requested
from penstock.trace.source_site import Site

Key = int | str


@dataclass(slots=True)
class Type:
    """The dtype of a tensor, and its shape as text."""

    dtype: Any
    spec: str


@dataclass(slots=True)
class Operation:
    """An operation. `call` identifies the call of the program that it belongs to, with a `name`.

    `whole` says that the call is one of a layer or a loss, `typed` that the program itself has made it stop
    gradients. `held` are the tensors of a running program, in the order of `inputs` and `outputs`. `literal`
    is the value of a constant, `bodies` the names of the functions that it calls, by attribute.
    """

    kind: str
    inputs: tuple[Key, ...]
    outputs: tuple[Key, ...]
    types: tuple[Type, ...]
    site: Site | None
    call: object
    name: str = ""
    whole: bool = False
    typed: bool = False
    overridden: bool = False
    held: tuple[Any, ...] = ()
    literal: Any = None
    bodies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    states: int = 0


@dataclass(slots=True)
class Opened:
    """A tape that begins to record; `new` says that it has recorded nothing yet."""

    tape: int
    watches: bool
    new: bool
    site: Site | None


@dataclass(slots=True)
class Closed:
    """A tape that stops recording."""

    tape: int
    site: Site | None


@dataclass(slots=True)
class Watched:
    """A tensor or variable that a tape is told to watch."""

    tape: int
    thing: Any
    type: Type | None
    held: Any = ()


@dataclass(slots=True)
class Asked:
    """A request for gradients: for each target and each source a variable or a key.

    `gradients` are the keys of the results, None where there was none; `filled` says that there are zeros in
    place of None. `named` are the sources that are tensors, in the form for reports. `tape` is None if the
    whole program counts.
    """

    tape: int | None
    how: str
    site: Site | None
    targets: tuple[Any, ...]
    sources: tuple[Any, ...]
    gradients: tuple[Key | None, ...]
    types: tuple[Type | None, ...]
    named: tuple[Requested, ...] = ()
    held: tuple[Any, ...] = ()
    filled: bool = False


@dataclass(slots=True)
class Updated:
    """An update by an optimizer: the moved variables, and the keys of their gradients."""

    by: str
    site: Site | None
    moved: tuple[Parameter, ...]
    gradients: tuple[tuple[Key, ...], ...]
    optimizer: Any = None


@dataclass(slots=True)
class Assigned:
    """A write by a line of the program or by a layer: `thing` is a variable, or the key of its handle."""

    by: str
    site: Site | None
    thing: Any
    value: Key | None
    terms: tuple[str, ...]
    held: Any = None


Entry = Operation | Opened | Closed | Watched | Asked | Updated | Assigned


def type_of(tensor: Any) -> Type:
    """Returns the dtype of a tensor, and its shape as text."""
    shape = tensor.shape
    lengths = shape.as_list() if shape.rank is not None else ["..."]
    dims = ", ".join("?" if one is None else str(one) for one in lengths)
    return Type(tensor.dtype, f"{tensor.dtype.name}[{dims}]")


def bodies_of(given: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Returns the names of the functions among the attributes of an operation."""
    found: dict[str, tuple[str, ...]] = {}
    for name in BODIES:
        one = given.get(name)
        if one is None:
            continue
        if hasattr(one, "func") and one.func.name:
            found[name] = (one.func.name,)
        elif hasattr(one, "list") and one.list.func:
            found[name] = tuple([each.name for each in one.list.func])
    return found


class Running:
    """The numbers of the tensors of a running program, as long as they live."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._numbers: dict[Key, tuple[weakref.ref[Any], int]] = {}

    def number(self, key: Key) -> int | None:
        """Returns the present value of a tensor."""
        found = self._numbers.get(key)
        return found[1] if found is not None else None

    def bind(self, key: Key, number: int, tensor: Any) -> None:
        """Notes the value of a tensor."""
        numbers = self._numbers

        def forget(reference: weakref.ref[Any]) -> None:
            if key in numbers and numbers[key][0] is reference:
                del numbers[key]

        numbers[key] = weakref.ref(tensor, forget), number

    def variable(self, key: Key) -> Parameter | None:
        """Returns the variable with a handle."""
        return self._registry.of_key(key)

    def literal(self, key: Key) -> Any:
        """Returns the value of a constant of a traced function."""
        return None


class Inside:
    """The numbers of the tensors in one run of a traced function, and the variables behind its handles."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._variables: dict[Key, Parameter] = {}
        self._literals: dict[Key, Any] = {}

    def number(self, key: Key) -> int | None:
        """Returns the value of a tensor, if it depends on a variable."""
        return self._numbers.get(key)

    def bind(self, key: Key, number: int, tensor: Any = None) -> None:
        """Notes the value of a tensor."""
        self._numbers[key] = number

    def variable(self, key: Key) -> Parameter | None:
        """Returns the variable with a handle."""
        return self._variables.get(key)

    @property
    def variables(self) -> dict[Key, Parameter]:
        """The variables behind handles."""
        return self._variables

    def hold(self, key: Key, variable: Parameter) -> None:
        """Notes the variable of a handle."""
        self._variables[key] = variable

    def note(self, key: Key, literal: Any) -> None:
        """Notes the value of a constant."""
        self._literals[key] = literal

    def literal(self, key: Key) -> Any:
        """Returns the value of a constant."""
        return self._literals.get(key)


Numbers = Running | Inside

__all__ = [
    "Asked", "Assigned", "Closed", "Entry", "Inside", "Key", "Numbers", "Opened", "Operation", "Running",
    "Type", "Updated", "Watched", "bodies_of", "type_of",
]  # fmt: skip
