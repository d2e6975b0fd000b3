"""The writes of a run split by cause, and a check that every variable changes only as recorded.

The law: the recorded writes, replayed on the value before, give the value after, bit for bit. It fails only
if something changed a value without a record.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.flow.recomputed import by_tier_of
from penstock.flow.report_model import CAUSES
from penstock.flow.sampling import HUGE
from penstock.flow.writes import Written
from penstock.optimizers.attribution import completed, difference, replay, same_bits, split
from penstock.tiers.commits import Commit
from penstock.tiers.program import extract, values_at
from penstock.trace.tree import Node

MEANINGS = {
    "gradient": "the gradient as it was given",
    "scale": "the part that division by the loss scale removes",
    "momentum": "gradients of earlier steps",
    "clip": "the part that clipping removes",
    "decay": "weight decay",
    "assign": "a line of the program",
    "state": "a layer's statistics, or an average that replaces the value",
    "load": "a checkpoint",
    "constraint": "the change that the variable's constraint makes",
    "rounding": "the difference between the step's arithmetic and double precision",
}


@dataclass(frozen=True, slots=True)
class Account:
    """One write split by cause: what each cause has added, and whether the sum gives the new value."""

    added: Mapping[str, Any]
    replayed: bool

    @property
    def norms(self) -> dict[str, float]:
        """The Euclidean norm of each part, by cause."""
        return {cause: norm(part) for cause, part in self.added.items()}


def norm(part: Any) -> float:
    """Returns the Euclidean norm of an array, computed in double precision."""
    with np.errstate(all="ignore"):
        size = np.abs(np.asarray(part)).astype(np.float64)
        return float(np.sqrt(np.sum(np.square(size))))


def accounts(commit: Commit, writes: Sequence[Written]) -> list[Account | None]:
    """Returns the account of each of these writes of a run; None if the earlier value is unknown."""
    parts = _parts_of_moves(commit, writes)
    return [_account(one, parts.get((one.event, one.value))) for one in writes]


def _account(written: Written, move: tuple[dict[str, Any], bool] | None) -> Account | None:
    if written.before is None or written.after is None:
        return None
    before, after = np.asarray(written.before), np.asarray(written.after)
    if move is None:
        cause = "state" if written.own else written.terms[0]
        added = difference(before, cause, after)
    else:
        added = completed(before, move[0], after, move[1])
    return Account(added, bool(same_bits(replay(before, added), after).all()))


def _parts_of_moves(
    commit: Commit, writes: Sequence[Written]
) -> dict[tuple[int, int], tuple[dict[str, Any], bool]]:
    """Returns the parts of the changes by optimizers, by event and new value.

    The second of each pair says whether an average may have replaced the value.
    """
    numbers = {one.event for one in writes if one.kind == "apply"}
    if not numbers:
        return {}
    nodes = {number: node for number, node in enumerate(commit.node.path()) if number in numbers}
    known = {**commit.known, **_gradients(commit, nodes)}
    found = {}
    for number, node in nodes.items():
        assert node.event is not None
        overwrites = node.event.details["application"].stages.overwrite is not None
        # In the list of results, the optimizer's state follows the variables.
        for slot, parts in zip(node.result, split(node, commit.arguments, known), strict=False):
            found[number, slot] = parts, overwrites
    return found


def _gradients(commit: Commit, nodes: Mapping[int, Node]) -> dict[int, Any]:
    """Returns the gradients that optimizers received, by slot, computed by the tier of the run.

    A gradient that consists of rounding alone differs between the tiers, and Adam's steps along it are as
    long as along any other.
    """
    calls = commit.node.program()
    slots: list[int] = []
    for node in nodes.values():
        assert node.event is not None
        for given in node.event.details["gradients"]:
            slots += given if isinstance(given, tuple) else (given,)
    wanted = [slot for slot in dict.fromkeys(slots) if slot not in commit.known]
    program, taken = extract(calls, wanted, commit.known)
    if not program.steps:
        return {}
    arguments = values_at(taken, calls, commit.known, commit.arguments)
    values = by_tier_of(commit, program, arguments)
    return {slot: np.asarray(value) for slot, value in zip(wanted, values, strict=True)}


class Balance:
    """Checks variables against the record: the next run must find the value that the last write left.

    `report` is called with a variable, the value after its last write and the value found later.
    """

    def __init__(self, report: Callable[[Any, Any, Any], None]) -> None:
        self._report = report
        self._left: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def open(self, commit: Commit) -> None:
        """Compares the variables at the start of a run with the values after their last writes."""
        found = {id(variable): value for variable, value, _ in commit.writes}
        for variable in commit.variables:
            self._compare(variable, found.get(id(variable), variable._value))

    def close(self, writes: Sequence[Written]) -> None:
        """Stores the values after the writes of a run."""
        for one in writes:
            self._keep(one.cell, one.after)

    def compare(self, variables: Sequence[Any]) -> None:
        """Compares variables with the values after their last writes."""
        left = self._left
        for variable in variables:
            if variable._uid in left or variable._spec.size <= HUGE:
                self._compare(variable, variable._value)

    def leave(self, written: Sequence[tuple[Any, Any]]) -> None:
        """Stores values after writes; very large variables are not compared before the next run."""
        for variable, value in written:
            self._keep(variable, value if variable._spec.size <= HUGE else None)

    def end(self) -> None:
        """Compares all variables once more, and forgets them."""
        for there, _ in list(self._left.values()):
            variable = there()
            if variable is not None:
                self._compare(variable, variable._value)
        self._left.clear()

    def _compare(self, variable: Any, value: Any) -> None:
        left = self._left.get(variable._uid)
        if value is None:
            return
        if left is not None:
            found = np.asarray(value)
            if found.dtype != left[1].dtype:
                # The layer was cast in place to another dtype: no written value is lost.
                self._keep(variable, value)
                return
            if _is_copy(left[1], found) or same_bits(left[1], found).all():
                return
            self._report(variable, left[1], value)
        self._keep(variable, value)

    def _keep(self, variable: Any, value: Any) -> None:
        if value is None:
            self._left.pop(variable._uid, None)
            return
        # A copy: code that holds the array's memory may write it in place, even if it is XLA's.
        uid, given = variable._uid, np.asarray(value)
        left = self._left.get(uid)
        if (
            left is not None
            and left[1].shape == given.shape
            and left[1].dtype == given.dtype
            and left[1].ndim
        ):
            np.copyto(left[1], given)
            return
        there = weakref.ref(variable, lambda _: self._left.pop(uid, None))
        self._left[uid] = there, np.array(given)


def _is_copy(one: np.ndarray, other: np.ndarray) -> bool:
    """Returns whether two arrays of one dtype have the same bytes, which is a fast test."""
    if one.shape != other.shape or not other.flags.c_contiguous or not one.flags.c_contiguous:
        return False
    if not one.ndim:
        return one.tobytes() == other.tobytes()
    # In words of eight bytes, if the size allows it.
    wide = np.uint64 if not one.nbytes % 8 else np.uint8
    return bool((one.reshape(-1).view(wide) == other.reshape(-1).view(wide)).all())


def summary(norms: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Returns the mean norm of each cause over several writes; an absent cause counts as zero."""
    present = [cause for cause in CAUSES if any(cause in one for one in norms)]
    return {cause: sum(one.get(cause, 0.0) for one in norms) / len(norms) for cause in present}


__all__ = ["CAUSES", "MEANINGS", "Account", "Balance", "accounts", "norm", "summary"]
