"""What goes into a checkpoint under which name: variables, optimizers with their state, plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.errors import CheckpointError
from penstock.state.selection import name_of, variables_of
from penstock.trace.site import here
from penstock.trace.tensor import Cell


class Contents:
    """The variables, optimizers and plain values that were handed to `save` or `load`, by name."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.optimizers: dict[str, Kept] = {}
        self.values: dict[str, Any] = {}

    def add(self, name: str, variable: Any, what: str) -> None:
        """Notes a variable; raises CheckpointError if another one has the name."""
        other = self.variables.setdefault(name, variable)
        if other is not variable:
            raise CheckpointError(
                f"{what}: two Variables have the name {name!r}.",
                origin=f"one created at {other.site}\nthe other created at {variable.site}",
                why="A file keeps one array under a name.",
                remedy="Name them: Variable(..., name='...'), Adam(..., name='...'), or pass them by name: "
                f"{what}(path, first=..., second=...).",
                site=here(),
            )

    def refresh(self, what: str) -> None:
        """Notes the variables that optimizers have made meanwhile."""
        for kept in self.optimizers.values():
            for name, variable in kept.variables().items():
                self.add(name, variable, what)


class Kept:
    """An optimizer in a checkpoint: its state by name, its hyper-parameters, its counts."""

    def __init__(self, optimizer: Any, prefix: str, names: dict[int, str]) -> None:
        self.optimizer, self.prefix, self.names = optimizer, prefix, names

    def members(self) -> list[Any]:
        """Returns the variables for which the optimizer keeps state."""
        return [member.variable for member in self.optimizer._state.values()]

    def variables(self) -> dict[str, Any]:
        """Returns the optimizer's own state by path, in which variables go by the names they have here."""
        found, seen = {}, set()
        for variable in self.members():
            for cell in self.optimizer.slots(variable).values():
                found[self._key(variable, cell)] = cell
                seen.add(cell._uid)
        for cell in self.optimizer.variables:
            if cell._uid not in seen:
                found[self.prefix + cell.path] = cell
        return found

    def described(self) -> dict[str, Any]:
        """Returns what a file notes of the optimizer beside its arrays."""
        optimizer = self.optimizer
        numbers = {
            name: value
            for name, value in vars(optimizer).items()
            if not name.startswith("_") and isinstance(value, int | float | bool)
        }
        return {
            "class": type(optimizer).__name__,
            "numbers": numbers,
            "applied": optimizer._count[0],
            "members": {
                self._name(variable): {
                    slot: self._key(variable, cell) for slot, cell in self.optimizer.slots(variable).items()
                }
                for variable in self.members()
            },
        }

    def begin(self, described: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Makes the state that the file has and the optimizer has not made yet."""
        own: Any = self.optimizer
        wanted = set(described["members"])
        known = {variable._uid for variable in self.members()}
        fresh = [
            variable
            for variable in self.candidates
            if self._name(variable) in wanted and variable._uid not in known
        ]
        if own._stale:
            own._restructure()
        own._begin(fresh)
        if wanted:
            own._share()
        for member in own._state.values():
            self._complete(member, described["members"].get(self._name(member.variable), {}), arrays)

    def restore(self, described: Mapping[str, Any]) -> None:
        """Sets hyper-parameters and counts to those of the file."""
        for name, value in described["numbers"].items():
            if getattr(self.optimizer, name, None) != value:
                setattr(self.optimizer, name, value)
        self.optimizer._count[0] = described["applied"]

    def _complete(self, member: Any, slots: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> None:
        """Makes what an optimizer makes late, such as the sum of a window that is not full yet."""
        for slot, key in slots.items():
            if slot not in member.cells and key in arrays:
                empty = np.zeros_like(arrays[key])
                member.cells[slot] = self.optimizer._keep(empty, member.variable, slot)
                self.optimizer._stale = True

    candidates: list[Any]

    def _key(self, variable: Any, cell: Any) -> str:
        return self.prefix + str(cell.path).replace(variable.path, self._name(variable), 1)

    def _name(self, variable: Any) -> str:
        return self.names.get(variable._uid) or name_of(variable)


def contents_of(things: tuple[Any, ...], named: Mapping[str, Any], what: str) -> Contents:
    """Returns what these stand for, under the names they go by."""
    contents = Contents()
    names: dict[int, str] = {}
    optimizers: list[tuple[str, Any]] = []
    for thing in things:
        _collect(thing, "", None, contents, names, optimizers, what)
    for name, thing in named.items():
        if isinstance(thing, int | float | str | bool) or thing is None:
            contents.values[name] = thing
        else:
            _collect(thing, f"{name}/", name, contents, names, optimizers, what)
    for prefix, optimizer in optimizers:
        kept = Kept(optimizer, prefix, names)
        kept.candidates = list(contents.variables.values())
        key = prefix + optimizer.name
        if key in contents.optimizers:
            raise CheckpointError(
                f"{what}: two optimizers have the name {key!r}.",
                why="A file keeps the state of one under a name.",
                remedy=f"Name them, Adam(..., name='...'), or pass them by name: {what}(path, first=...).",
                site=here(),
            )
        contents.optimizers[key] = kept
    contents.refresh(what)
    return contents


def _collect(
    thing: Any,
    prefix: str,
    alone: str | None,
    contents: Contents,
    names: dict[int, str],
    optimizers: list[tuple[str, Any]],
    what: str,
) -> None:
    """Notes a thing below a prefix; `alone` is the name it has if it is a Variable."""
    if isinstance(thing, Cell):
        name = alone or name_of(thing)
        contents.add(name, thing, what)
        names.setdefault(thing._uid, name)
    elif hasattr(thing, "apply_gradients") and hasattr(thing, "_state"):
        optimizers.append((prefix, thing))
    elif isinstance(thing, Mapping):
        for key, one in thing.items():
            _collect(one, f"{prefix}{key}/", f"{prefix}{key}", contents, names, optimizers, what)
    elif isinstance(thing, list | tuple):
        for number, one in enumerate(thing):
            _collect(one, prefix, f"{prefix}{number}" if alone else None, contents, names, optimizers, what)
    else:
        for variable in variables_of(thing):
            name = prefix + name_of(variable)
            contents.add(name, variable, what)
            names.setdefault(variable._uid, name)


__all__ = ["Contents", "Kept", "contents_of"]
