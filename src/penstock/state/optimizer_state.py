"""An optimizer in a checkpoint: how its state, hyper-parameters and counts are stored and restored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from penstock.errors import CheckpointError, PenstockError
from penstock.state.selection import name_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

SHARED = ("step", "loss_scale", "finite_steps")
"""The state that all variables of an optimizer share."""
ROWS = ("gradient_ids", "gradient_rows")
"""The ids and values of row gradients until their window is full."""
_APART = ("groups", "name", "site", "exclude_from_weight_decay", "built")
"""Attributes that are not hyper-parameters; groups are stored separately."""


class Kept:
    """An optimizer to save or load, below a prefix, with the names of its variables.

    `shell` is the program's object. A dialect's optimizer wraps a native one, in `_updates`.
    """

    def __init__(self, shell: Any, prefix: str, names: dict[int, str], candidates: Sequence[Any]) -> None:
        self.shell, self.prefix, self.names, self.candidates = shell, prefix, names, candidates
        self.optimizer: Any = getattr(shell, "_updates", shell)
        self.untold: list[str] = []
        self._before: tuple[Any, ...] = ()

    # -- contents --------------------------------------------------------------------------------------------

    def members(self) -> list[Any]:
        """Returns the variables for which the optimizer keeps state."""
        return [member.variable for member in self.optimizer._state.values()]

    def variables(self) -> Iterator[tuple[str, Any]]:
        """Yields the optimizer's own state by path, built from the names of the variables here."""
        for variable in self.members():
            for slot, cell in self.optimizer.slots(variable).items():
                yield self._key(self._name(variable), slot), cell
        for slot, cell in self.optimizer._shared.items():
            yield self._key(slot), cell
        for owner, word in self._owners():
            for name, value in self._numbers(owner).items():
                if isinstance(value, Cell):
                    yield self._key(f"{word}{name}"), value

    def described(self) -> dict[str, Any]:
        """Returns the metadata of the optimizer that a file stores besides its arrays."""
        return {
            "class": type(self.shell).__name__,
            "numbers": self._noted(self.shell, int | float | bool),
            # An option that is None, a string or a function of the step decides how the numbers are used.
            "options": self._noted(self.shell, str | None),
            "tensors": {
                name: [value.numpy().item(), value.dtype.name]
                for name, value in self._numbers(self.shell).items()
                if isinstance(value, Tensor)
            },
            "functions": [name for name, value in self._numbers(self.shell).items() if _function(value)],
            "groups": {
                pattern: self._noted(group, int | float | bool)
                for pattern, group in self.optimizer.groups.items()
            },
            "counting": self.optimizer._counting,
            "applied": self.optimizer._count[0],
            "members": {
                self._name(variable): {
                    slot: self._key(self._name(variable), slot) for slot in self.optimizer.slots(variable)
                }
                for variable in self.members()
            },
            "shared": {slot: self._key(slot) for slot in self.optimizer._shared},
        }

    def _owners(self) -> list[tuple[Any, str]]:
        """Returns the owners of hyper-parameters, each with the prefix of its names."""
        groups = self.optimizer.groups.items()
        return [(self.shell, ""), *[(group, f"{pattern}/") for pattern, group in groups]]

    def _numbers(self, owner: Any) -> dict[str, Any]:
        found = {name: value for name, value in vars(owner).items() if name[0] != "_" and name not in _APART}
        if owner is self.shell is not self.optimizer:
            found["learning_rate"] = owner._rate_schedule or owner._rate_variable or owner._rate_number
        return found

    def _noted(self, owner: Any, kinds: Any) -> dict[str, Any]:
        return {
            name: value
            for name, value in self._numbers(owner).items()
            if isinstance(value, kinds) and name != "pattern"
        }

    # -- restoring -------------------------------------------------------------------------------------------

    def under_names_here(
        self, described: dict[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Returns the arrays of a file, with the optimizer's state under the names it has here.

        It also changes the names in the metadata of the optimizer.
        """
        moved = {}
        for name, slots in described["members"].items():
            for slot, key in slots.items():
                moved[key] = slots[slot] = self._key(name, slot)
        shared = described.setdefault("shared", {slot: self._key(slot) for slot in SHARED})
        for slot, key in shared.items():
            moved[key] = shared[slot] = self._key(slot)
        return {moved.get(key, key): array for key, array in arrays.items()}

    def begin(
        self, described: Mapping[str, Any], arrays: Mapping[str, np.ndarray], settings: bool = True
    ) -> None:
        """Creates the state that the file has and this optimizer lacks so far, and sets the hyper-parameters.

        Raises CheckpointError for data that cannot be the state of this optimizer.
        """
        own: Any = self.optimizer
        owners = {id(one): one for one in (self.shell, own, *own.groups.values())}
        self._before = (
            [(one, dict(vars(one))) for one in owners.values()],
            [(member, dict(member.cells)) for member in own._state.values()],
            dict(own._shared),
            own._count[0],
        )
        if settings:
            self._set(described)
        shared = {slot: key for slot, key in described["shared"].items() if key in arrays}
        for slot, key in shared.items():
            own._check_loaded(slot, key, arrays[key])
        if self._key("learning_rate") in arrays:
            self.shell.learning_rate  # noqa: B018 - a dialect's becomes a variable when it is asked for
        if described.get("counting", False) and not own._counting:
            # The program has read `iterations`.
            own._counting = True
            own._restart()
        if own._stale:
            own._restructure()
        wanted = described["members"]
        known = {variable._uid for variable in self.members()}
        own._begin([v for v in self.candidates if self._name(v) in wanted and v._uid not in known])
        if wanted or shared:
            own._share()
        for slot, key in shared.items():
            if slot not in own._shared:
                if slot not in SHARED or arrays[key].shape:
                    raise self._unfit(slot, arrays[key], "no state that this optimizer shares")
                own._shared[slot] = own._keep(np.zeros_like(arrays[key]), None, slot)
        for member in own._state.values():
            self._complete(member, wanted.get(self._name(member.variable), {}), arrays)

    def undo(self) -> None:
        """Undoes `begin`: the file did not fit."""
        own: Any = self.optimizer
        if not self._before:
            return
        attributes, state, shared, count = self._before
        for owner, before in attributes:
            for name in vars(owner).keys() - before.keys():
                del vars(owner)[name]
            vars(owner).update(before)
        own._state = {member.variable._uid: member for member, _ in state}
        for member, cells in state:
            member.cells = cells
        own._shared = shared
        own._count[0] = count
        own._restart()

    def anew(self, described: Mapping[str, Any], given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns the start values of state that the saved optimizer did not have yet, by path.

        A checkpoint from before the optimizer's first step, or before a window, resets it to that point.
        """
        own: Any = self.optimizer
        found: dict[str, np.ndarray] = {}
        noted = {key for slots in described["members"].values() for key in slots.values()}
        for member in own._state.values():
            variable = member.variable
            name = self._name(variable)
            if name not in described["members"] and name not in given:
                continue
            starts = {slot.name: slot.start for slot in member.rule.start(variable._spec)}
            for slot, cell in member.cells.items():
                key = self._key(name, slot)
                if key in given or key in noted:
                    continue
                start: Any = starts.get(slot, 0)
                if slot == "average":
                    start = given.get(name, np.asarray(variable.numpy()))
                found[key] = np.full(cell._spec.shape, start, cell._spec.dtype)
        noted = set(described["shared"].values())
        starts = {"step": described["applied"], "loss_scale": 2.0**15}
        for slot, cell in own._shared.items():
            key = self._key(slot)
            if key not in given and key not in noted:
                found[key] = np.asarray(starts.get(slot, 0), cell._spec.dtype)
        return found

    def restore(self, described: Mapping[str, Any]) -> None:
        """Sets the counts to those of the file."""
        self.optimizer._count[0] = described["applied"]

    def _set(self, described: Mapping[str, Any]) -> None:
        """Sets hyper-parameters to those of the file; a function of the step is kept and reported."""
        noted = {**described["numbers"], **described.get("options", {})}
        for name, (value, dtype) in described.get("tensors", {}).items():
            noted[name] = np.asarray(value, dtype)
        self._set_all(self.shell, "", noted)
        for pattern, numbers in described.get("groups", {}).items():
            if pattern in self.optimizer.groups:
                self._set_all(self.optimizer.groups[pattern], f"{pattern}/", numbers)
        held = self._numbers(self.shell)
        for name in described.get("functions", ()):
            if name in held and not _function(held[name]):
                self.untold.append(
                    f"{self.optimizer.name}/{name} was a function of the step, but is a number here"
                )

    def _set_all(self, owner: Any, word: str, noted: Mapping[str, Any]) -> None:
        held = self._numbers(owner)
        for name, value in noted.items():
            if name not in held or name in _APART:
                continue
            now = held[name]
            if isinstance(now, Cell):
                continue
            if _function(now):
                self.untold.append(f"{self.optimizer.name}/{word}{name} is a function of the step here")
            elif isinstance(value, np.ndarray):
                if isinstance(now, Tensor):
                    self._assign(owner, name, _tensor(value))
            elif isinstance(now, Tensor):
                self.untold.append(f"{self.optimizer.name}/{word}{name} is a tensor here")
            elif type(now) is not type(value) or now != value:
                try:
                    self._assign(owner, name, value)
                except PenstockError as error:
                    raise CheckpointError(
                        f"load: {self.optimizer.name} does not accept {word}{name}={value!r} from the "
                        f"file: {error.fact}",
                        why="Nothing was changed.",
                        remedy="Load another copy, or the variables alone with only=.",
                        site=here(),
                    ) from None

    def _assign(self, owner: Any, name: str, value: Any) -> None:
        if owner is self.shell is not self.optimizer and name == "learning_rate":
            if isinstance(value, float):
                owner._rate_variable = None
                owner.learning_rate = value
            elif isinstance(value, Cell):
                owner._rate_variable = value
        elif name != "pattern" and self._numbers(owner).get(name) is not value:
            setattr(owner, name, value)

    def _complete(self, member: Any, slots: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> None:
        """Creates state that an optimizer creates late, such as the sum of an incomplete window."""
        variable = member.variable
        rows = [arrays[slots[one]].shape for one in ROWS if slots.get(one) in arrays]
        for slot, key in slots.items():
            if slot in member.cells or key not in arrays:
                continue
            shape = arrays[key].shape
            if slot in ROWS:
                fits = len(rows) == 2 and rows[1] == (*rows[0], *variable.shape[1:]) and len(rows[0]) == 2
            else:
                fits = shape == variable.shape
            if not fits:
                raise self._unfit(slot, arrays[key], f"no state of {variable.path!r}, {variable._spec!r}")
            member.cells[slot] = self.optimizer._keep(np.zeros_like(arrays[key]), variable, slot)
            self.optimizer._stale = True

    def _unfit(self, slot: str, array: np.ndarray, what: str) -> CheckpointError:
        return CheckpointError(
            f"load: {slot!r} of {self.prefix}{self.optimizer.name} is {array.dtype.name}{list(array.shape)} "
            f"in the file: {what}.",
            why="Nothing was changed.",
            remedy="Load it into an optimizer of the same kind, or select what to load with only=.",
            site=here(),
        )

    def _key(self, *parts: str) -> str:
        """Returns the path of a part of the state: below the optimizer's name, then the variable's."""
        return f"{self.prefix}{'/'.join((self.optimizer.name, *parts))}"

    def _name(self, variable: Any) -> str:
        return self.names.get(variable._uid) or name_of(variable)


def _function(value: Any) -> bool:
    return callable(value) and not isinstance(value, Tensor | Cell)


def _tensor(value: np.ndarray) -> Any:
    from penstock.trace.convert import convert

    return convert(value, value.dtype)


__all__ = ["Kept"]
