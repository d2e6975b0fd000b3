"""An optimizer in a checkpoint: its state by name, hyper-parameters and counts, and how they come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.state.selection import name_of
from penstock.trace.tensor import Cell, Tensor

SHARED = ("step", "loss_scale", "finite_steps")
"""What an optimizer keeps once for all variables."""
_APART = ("groups", "name", "site", "exclude_from_weight_decay", "built")
"""Attributes that are no hyper-parameters; groups are noted by themselves."""


class Kept:
    """An optimizer that is saved or loaded, below a prefix, for variables that go by these names.

    `shell` is what the program holds. A dialect's optimizer is one around a native one, in `_updates`.
    """

    def __init__(self, shell: Any, prefix: str, names: dict[int, str], candidates: Sequence[Any]) -> None:
        self.shell, self.prefix, self.names, self.candidates = shell, prefix, names, candidates
        self.optimizer: Any = getattr(shell, "_updates", shell)
        self.untold: list[str] = []
        self._before: tuple[Any, ...] = ()

    # -- what there is ---------------------------------------------------------------------------------------

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
        for owner, word in self._owners():
            for name, value in self._numbers(owner).items():
                if isinstance(value, Cell):
                    found[f"{self.prefix}{self.optimizer.name}/{word}{name}"] = value
        return found

    def described(self) -> dict[str, Any]:
        """Returns what a file notes of the optimizer beside its arrays."""
        return {
            "class": type(self.shell).__name__,
            "numbers": self._noted(self.shell, int | float | bool),
            # What is None, a word or a function of the step decides what becomes of the numbers.
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
                    slot: self._key(variable, cell) for slot, cell in self.optimizer.slots(variable).items()
                }
                for variable in self.members()
            },
            "shared": {slot: self.prefix + cell.path for slot, cell in self.optimizer._shared.items()},
        }

    def _owners(self) -> list[tuple[Any, str]]:
        """Returns who has hyper-parameters, each with what its names begin with."""
        groups = self.optimizer.groups.items()
        return [(self.shell, ""), *[(group, f"{pattern}/") for pattern, group in groups]]

    def _numbers(self, owner: Any) -> dict[str, Any]:
        found = {name: value for name, value in vars(owner).items() if name[0] != "_" and name not in _APART}
        if owner is self.shell is not self.optimizer:
            found["learning_rate"] = owner._schedule or owner._rate_variable or owner._rate
        return found

    def _noted(self, owner: Any, kinds: Any) -> dict[str, Any]:
        return {
            name: value
            for name, value in self._numbers(owner).items()
            if isinstance(value, kinds) and name != "pattern"
        }

    # -- coming back -----------------------------------------------------------------------------------------

    def begin(
        self, described: Mapping[str, Any], arrays: Mapping[str, np.ndarray], settings: bool = True
    ) -> None:
        """Makes the state that the file has and this one has not yet, and takes over the hyper-parameters."""
        own: Any = self.optimizer
        self._before = (
            {owner: dict(self._numbers(owner)) for owner, _ in self._owners()},
            [(member, dict(member.cells)) for member in own._state.values()],
            dict(own._shared),
            (own._counting, own._matched),
        )
        if settings:
            self._set(described)
        shared = described.get("shared")
        if shared is None:
            shared = {slot: f"{self.prefix}{own.name}/{slot}" for slot in SHARED}
        shared = {slot: key for slot, key in shared.items() if key in arrays}
        for slot, key in shared.items():
            own._check_loaded(slot, key, arrays[key])
        if self.prefix + own.name + "/learning_rate" in arrays:
            self.shell.learning_rate  # noqa: B018 - a dialect's becomes a variable when it is asked for
        if described.get("counting", False) and not own._counting:
            # Somebody has asked for `iterations`.
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
                own._shared[slot] = own._keep(np.zeros_like(arrays[key]), None, slot)
        for member in own._state.values():
            self._complete(member, wanted.get(self._name(member.variable), {}), arrays)

    def undo(self) -> None:
        """Forgets what `begin` has made, and sets what it has set: the file did not fit."""
        own: Any = self.optimizer
        numbers, state, shared, (counting, matched) = self._before
        for owner, before in numbers.items():
            for name, value in before.items():
                self._assign(owner, name, value)
        own._state = {member.variable._uid: member for member, _ in state}
        for member, cells in state:
            member.cells = cells
        own._shared = shared
        own._counting, own._matched = counting, matched
        own._restart()

    def anew(self, described: Mapping[str, Any], given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns what state starts at that the saved optimizer did not have yet, by path.

        A checkpoint that is older than an optimizer's first step, or than a window, takes it back to there.
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
                key = self._key(variable, cell)
                if key in given or key in noted:
                    continue
                start: Any = starts.get(slot, 0)
                if slot == "average":
                    start = given.get(name, np.asarray(variable.numpy()))
                found[key] = np.full(cell._spec.shape, start, cell._spec.dtype)
        noted = set(described.get("shared", {}).values())
        starts = {"step": described["applied"], "loss_scale": 2.0**15}
        for slot, cell in own._shared.items():
            key = self.prefix + cell.path
            if key not in given and key not in noted:
                found[key] = np.asarray(starts.get(slot, 0), cell._spec.dtype)
        return found

    def restore(self, described: Mapping[str, Any]) -> None:
        """Sets the counts to those of the file."""
        self.optimizer._count[0] = described["applied"]

    def _set(self, described: Mapping[str, Any]) -> None:
        """Sets hyper-parameters to those of the file; a function of the step is left as it is, and told."""
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
                self.untold.append(f"{self.optimizer.name}/{name} was a function of the step, here a number")

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
                self._assign(owner, name, value)

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
        """Makes what an optimizer makes late, such as the sum of a window that is not full yet."""
        for slot, key in slots.items():
            if slot not in member.cells and key in arrays:
                empty = np.zeros_like(arrays[key])
                member.cells[slot] = self.optimizer._keep(empty, member.variable, slot)
                self.optimizer._stale = True

    def _key(self, variable: Any, cell: Any) -> str:
        return self.prefix + str(cell.path).replace(variable.path, self._name(variable), 1)

    def _name(self, variable: Any) -> str:
        return self.names.get(variable._uid) or name_of(variable)


def _function(value: Any) -> bool:
    return callable(value) and not isinstance(value, Tensor | Cell)


def _tensor(value: np.ndarray) -> Any:
    from penstock.trace.convert import convert

    return convert(value, value.dtype)


__all__ = ["Kept"]
