"""The causes of a move: what an application owes to its gradient, to momentum, to decay and to clipping.

An application is recorded without them. When somebody asks, it is expanded once more, in double precision,
from what its node keeps, behind the path on which it was recorded; so nobody pays who does not ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from penstock.functions.array import reshape, zeros
from penstock.grad.rows import Rows
from penstock.ops.index import set_rows
from penstock.ops.pointwise import where
from penstock.ops.promotion import kind_of
from penstock.optimizers.application import Application, Expansion, Pair
from penstock.tiers.program import extract
from penstock.tiers.reference import interpret
from penstock.trace.recorder import Builder, Outcome
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor
from penstock.trace.tree import ARGUMENT, Call, Node

Parts = dict[str, Any]
"""What was added to a variable, by cause, in the order in which it is added."""


class Split(Expansion):
    """An application in double precision that tells each move as a sum."""

    def __init__(self, application: Application, builder: Builder, node: Node) -> None:
        super().__init__(application, builder, wide=True)
        bound = [
            call for call in node.calls if call.primitive is ARGUMENT and call.params["kind"] == "scalar"
        ]
        # A number that varied is bound already, once for each dtype in which it was used.
        self.bound: dict[int, tuple[int, Spec]] = {}
        for (index, _), call in zip(node.scalars, bound, strict=True):
            held = self.bound.get(index)
            if held is None or call.spec.dtype.itemsize > held[1].dtype.itemsize:
                self.bound[index] = call.slot, call.spec

    def hyper(self, i: int, dtype: Any) -> Tensor:
        """Returns the i-th hyper-parameter, from where it was bound if it was."""
        if i not in self.bound:
            return super().hyper(i, dtype)
        slot, own = self.bound[i]
        tensor = self.builder.handle(Outcome(slot, own))
        return tensor if own.dtype == dtype else tensor.astype(dtype)

    def _known(self, group: int, name: str) -> float | None:
        i = self.application.index.get((group, name), self.application.index.get((0, name)))
        return None if i in self.bound else super()._known(group, name)

    def parts(self) -> list[dict[str, int]]:
        """Records the parts of every move; returns their slots by cause."""
        self.prepare()
        found = []
        pairs = self.application.pairs
        for pair, raw, clipped in zip(pairs, self.raw, self.gradients, strict=True):
            found.append({cause: part._slot for cause, part in self._parts(pair, raw, clipped).items()})
            if isinstance(clipped, Rows):
                self._move_rows(pair, clipped)
            else:
                self._move(pair, clipped)
        return found

    def _parts(self, pair: Pair, raw: Any, clipped: Any) -> dict[str, Tensor]:
        value = self.widened(self.cell(pair.position))
        numbers = self.numbers(pair.group, value.dtype)
        state = tuple([self.widened(self.cell(cell)) for cell in self.state(pair)])
        given, used = (one.dense() if isinstance(one, Rows) else one for one in (raw, clipped))
        decayed = self.decayed(pair, value, numbers)
        shares = pair.rule.shares(decayed, used, state, numbers)
        own = shares.of_gradient(given)
        found = {"gradient": own}
        if shares.momentum is not None:
            found["momentum"] = shares.momentum
        if self.stages.clip is not None:
            found["clip"] = shares.of_gradient(used) - own
        decay = decayed - value if decayed is not value else None
        if shares.decay is not None:
            decay = shares.decay if decay is None else decay + shares.decay
        if decay is not None:
            found["decay"] = decay
        if isinstance(clipped, Rows):
            ids = clipped.indices
            ones = zeros((ids.shape[0],), dtype=value.dtype) + 1.0
            read = reshape(set_rows(zeros(value.shape[:1], dtype=value.dtype), ids, ones), (-1,))
            mask = reshape(read, (value.shape[0], *[1] * (value.ndim - 1)))
            # What decays everywhere does so in rows that were not read as well.
            everywhere = () if self.stages.lazy else ("decay",)
            found = {
                cause: part if cause in everywhere else where(mask > 0.0, part, 0.0)
                for cause, part in found.items()
            }
        if self.gate is not None:
            found = {cause: where(self.gate, part, 0.0) for cause, part in found.items()}
        return found


def parts_of(node: Node) -> tuple[list[Call], list[dict[str, int]]]:
    """Returns the calls of the path to an application, followed by those of its parts, and their slots.

    The slots are given by cause for each of the pairs, in order. They are found once and kept at the node.
    """
    kept: tuple[list[Call], list[dict[str, int]]] | None = node.facts.get("parts")
    if kept is None:
        assert node.event is not None and node.event.kind == "apply"
        details = node.event.details
        base: Any = SimpleNamespace(node=node, entered={}, current={}, variables=[])
        with Builder(base, details["hyper"], (), node.event.site, "parts") as builder:  # type: ignore[arg-type]
            slots = Split(details["application"], builder, node).parts()
        kept = node.facts["parts"] = ([*node.program(), *builder.calls], slots)
    return kept


def split(node: Node, arguments: Sequence[Any], known: Mapping[int, Any]) -> list[Parts]:
    """Returns the parts of what an application has added, for each of its pairs, as float64 arrays.

    `arguments` are the values bound on the path, by position; `known` those of slots computed earlier.
    """
    calls, slots = parts_of(node)
    known = {slot: value for slot, value in known.items() if slot < node.size}
    wanted = [slot for one in slots for slot in one.values()]
    program, taken = extract(calls, wanted, known)
    values = [known[slot] if slot in known else arguments[calls[slot].params["position"]] for slot in taken]
    found = iter(interpret(program, values))
    return [{cause: next(found) for cause in one} for one in slots]


def completed(before: Any, parts: Parts, after: Any, overwrites: bool = False) -> Parts:
    """Returns the parts with what is missing to the new value, so that `replay` gives it bit for bit.

    What is missing are roundings; where averages take the place of values, it is called "state".
    """
    name, parts = "state" if overwrites else "rounding", dict(parts)
    after = np.asarray(after)
    for _ in range(2):
        reached = _added(before, parts)
        with np.errstate(all="ignore"):
            missing = after.astype(_wide(after)) - reached
        missing = np.where(reached.astype(after.dtype) == after, 0.0, missing)
        missing = np.where(np.isnan(missing), 0.0, missing)
        if not missing.any():
            break
        parts[name if name not in parts else "rounding"] = missing
        name = "rounding"
    return parts


def replay(before: Any, parts: Parts) -> Any:
    """Returns a value after its parts: added up in order in double precision, and rounded once."""
    return _added(before, parts).astype(np.asarray(before).dtype)


def _wide(value: Any) -> Any:
    return np.complex128 if kind_of(np.asarray(value).dtype) == "c" else np.float64


def _added(before: Any, parts: Parts) -> Any:
    total = np.asarray(before).astype(_wide(before))
    with np.errstate(all="ignore"):
        for part in parts.values():
            # A part that is zero leaves even the sign of a zero as it is.
            total = np.where(np.asarray(part) == 0, total, total + part)
    return total


__all__ = ["Parts", "completed", "parts_of", "replay", "split"]
