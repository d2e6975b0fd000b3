"""The causes of an update: the shares of gradient, loss scale, momentum, clipping and decay in a change.

An application is recorded without them. When the split is requested, the application is expanded again, in
double precision, from the data on its node, after the path on which it was recorded. The split costs nothing
unless it is requested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from penstock.functions.array import reshape
from penstock.grad.rows import Rows
from penstock.ops.index import set_rows
from penstock.ops.pointwise import where
from penstock.ops.promotion import kind_of
from penstock.optimizers.application import Application, Expansion, Pair, filled
from penstock.tiers.program import extract, values_at
from penstock.tiers.reference import interpret
from penstock.trace.builder import Builder, Outcome
from penstock.trace.leaf import NumberArgument
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call, Node

Parts = dict[str, Any]
"""The changes of a variable by cause, in the order in which they are added."""


class Split(Expansion):
    """An application in double precision that computes each update as a sum of its parts."""

    def __init__(self, application: Application, builder: Builder, node: Node) -> None:
        super().__init__(application, builder, wide=True)
        bound = [call for call in node.calls if isinstance(call.primitive, NumberArgument)]
        # A number that varied is already bound, once for each dtype in which it was used.
        self.bound: dict[int, tuple[int, Spec]] = {}
        for (index, _), call in zip(node.scalars, bound, strict=True):
            held = self.bound.get(index)
            if held is None or call.spec.dtype.itemsize > held[1].dtype.itemsize:
                self.bound[index] = call.slot, call.spec

    def hyper(self, i: int, dtype: Any) -> Tensor:
        """Returns the i-th hyper-parameter, from its bound argument if it has one."""
        if i not in self.bound:
            return super().hyper(i, dtype)
        slot, own = self.bound[i]
        tensor = self.builder.handle(Outcome(slot, own))
        return tensor if own.dtype == dtype else tensor.astype(dtype)

    def _known(self, group: int, name: str) -> float | None:
        i = self.application.index.get((group, name), self.application.index.get((0, name)))
        return None if i in self.bound else super()._known(group, name)

    def parts(self) -> list[dict[str, int]]:
        """Records the parts of every update; returns their slots by cause."""
        shared = self.application.shared
        # The value of that time: it may have another one when the step is prepared.
        self.loss_scale = self.now[shared["loss_scale"]] if self.stages.scale == "dynamic" else None
        self.prepare()
        found = []
        pairs = self.application.pairs
        for pair, raw, clipped in zip(pairs, self.raw, self.gradients, strict=True):
            found.append({cause: part._slot for cause, part in self._parts(pair, raw, clipped).items()})
            self.move(pair, clipped)
        return found

    def _scale(self, dtype: Any) -> Tensor:
        """Returns the factor of the loss: one number for all the calls of a window."""
        if self.loss_scale is None:
            return self.number(0, "loss_scale_factor", dtype)
        return self.loss_scale.astype(dtype)

    def _parts(self, pair: Pair, raw: Any, clipped: Any) -> dict[str, Tensor]:
        value = self.value(pair)
        state = tuple([self.widened(self.cell(cell)) for cell in self.state(pair)])
        given = raw.dense() if isinstance(raw, Rows) else raw
        used, numbers = self.whole(pair, clipped, value.dtype)
        decayed = self.decayed(pair, value, numbers)
        shares = pair.rule.shares(decayed, used, state, numbers)
        own = shares.of_gradient(given)
        found = {"gradient": own}
        if self.stages.scale is not None:
            found["gradient"] = shares.of_gradient(given * self._scale(given.dtype))
            found["scale"] = own - found["gradient"]
        if shares.momentum is not None:
            found["momentum"] = shares.momentum
        if self.stages.clip is not None:
            found["clip"] = shares.of_gradient(used) - own
        decay = decayed - value if decayed is not value else None
        if shares.decay is not None:
            decay = shares.decay if decay is None else decay + shares.decay
        if decay is not None:
            found["decay"] = decay
        if isinstance(clipped, Rows) and self.by_rows(pair):
            ids = clipped.indices
            none, all_read = filled(0, value.shape[:1], value.dtype), filled(1, ids.shape, value.dtype)
            mask = reshape(set_rows(none, ids, all_read), (value.shape[0], *[1] * (value.ndim - 1)))
            # Weight decay of the whole variable also changes rows that were not read.
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
    """Returns the parts of the change that an application has made, for each of its pairs, as float64 arrays.

    `arguments` are the values bound on the path, by position; `known` the values of slots computed earlier.
    """
    calls, slots = parts_of(node)
    known = {slot: value for slot, value in known.items() if slot < node.size}
    wanted = [slot for one in slots for slot in one.values()]
    programs = node.facts.setdefault("programs of parts", {})
    key = frozenset(known)
    if key not in programs:
        programs[key] = extract(calls, wanted, known)
    program, taken = programs[key]
    values = values_at(taken, calls, known, arguments)
    # A part of -0.0 would mean more than no part at all: see `_added`.
    found = iter([value + 0.0 for value in interpret(program, values)])
    return [{cause: next(found) for cause in one} for one in slots]


# -- adding up -----------------------------------------------------------------------------------------------


def completed(before: Any, parts: Parts, after: Any, overwrites: bool = False) -> Parts:
    """Returns the parts with the remaining difference to the new value, so that `replay` gives it bit for
    bit.

    The difference comes from rounding; where averages replace values, it is called "state".
    """
    whole = {cause: _real(np.asarray(part)) for cause, part in parts.items()}
    made = _completed(_real(np.asarray(before)), whole, _real(np.asarray(after)), overwrites)
    return {cause: _like(after, part) for cause, part in made.items()}


def _completed(before: Any, parts: Parts, after: Any, overwrites: bool) -> Parts:
    name, parts = "state" if overwrites else "rounding", dict(parts)
    for _ in range(4):
        reached = _added(before, parts)
        wrong = ~same_bits(_narrowed(reached, after.dtype), after)
        if not wrong.any():
            break
        with np.errstate(all="ignore"):
            full = after.astype(np.float64)
            missing = np.where(wrong & (reached != full), full - reached, 0.0) + parts.get(name, 0.0)
        # A zero in the rounding part stores the sign of a zero result.
        negative = (missing == 0) & (after == 0) & np.signbit(after)
        parts[name] = np.where(negative, -0.0, missing) if name == "rounding" else missing
        name = "rounding"
    return parts


def difference(before: Any, cause: str, after: Any) -> Parts:
    """Returns the parts of a write that has one cause, as `completed` does.

    The difference of integers and of booleans is one of integers, modulo their range.
    """
    before, after = np.asarray(before), np.asarray(after)
    with np.errstate(all="ignore"):
        if kind_of(after.dtype) not in "fc":
            whole = np.uint64 if after.dtype == np.uint64 else np.int64
            return {cause: after.astype(whole) - before.astype(whole)}
        old, new = _real(before), _real(after)
        moved = new.astype(np.float64) - old.astype(np.float64)
        moved = np.where(same_bits(old, new), 0.0, moved)
        # No sum turns a non-finite value into zero, but see `_added`.
        zero = np.where(np.signbit(new), -0.0, 1.0)
        stuck = np.where(new == 0, zero, new.astype(np.float64))
        moved = np.where(np.isfinite(old) | same_bits(old, new), moved, stuck)
    return {name: _like(after, part) for name, part in _completed(old, {cause: moved}, new, False).items()}


def replay(before: Any, parts: Mapping[str, Any]) -> Any:
    """Returns a value after its parts: added up in order in double precision, and rounded once.

    >>> import numpy as np
    >>> replay(np.float32(1.0), {"gradient": np.float64(-0.25), "momentum": np.float64(-0.5)})
    array(0.25, dtype=float32)
    """
    before = np.asarray(before)
    if kind_of(before.dtype) not in "fc":
        whole = [np.asarray(part) for part in parts.values()]
        with np.errstate(all="ignore"):
            return sum(whole, before.astype(whole[0].dtype) if whole else before).astype(before.dtype)
    real = {cause: _real(np.asarray(part)) for cause, part in parts.items()}
    old = _real(before)
    return _like(before, _narrowed(_added(old, real), old.dtype))


def same_bits(one: Any, other: Any) -> Any:
    """Returns where two arrays of one dtype are equal bit for bit; all NaNs are equal."""
    one, other = np.asarray(one), np.asarray(other)
    if kind_of(one.dtype) == "c":
        return same_bits(one.real, other.real) & same_bits(one.imag, other.imag)
    if kind_of(one.dtype) != "f":
        return one == other
    alike = (one == other) & (np.signbit(one) == np.signbit(other))
    return alike | (np.isnan(one) & np.isnan(other))


def _real(value: Any) -> Any:
    """Returns complex numbers as pairs of real ones: complex sums would lose non-finite parts."""
    return np.stack([value.real, value.imag], axis=-1) if kind_of(value.dtype) == "c" else value


def _like(value: Any, real: Any) -> Any:
    """Returns real numbers as complex ones, if a value is complex."""
    if kind_of(np.asarray(value).dtype) != "c":
        return real
    made = np.empty(real.shape[:-1], np.result_type(real.dtype, np.complex64))
    made.real, made.imag = real[..., 0], real[..., 1]
    return made


def _narrowed(value: Any, dtype: Any) -> Any:
    with np.errstate(all="ignore"):
        return value.astype(dtype)


def _added(before: Any, parts: Mapping[str, Any]) -> Any:
    """Returns the sum in double precision.

    A part that is zero does not change even the sign of a zero, except the "rounding" part, which stores that
    sign. A non-finite value is replaced by the part added to it, even by -0.0, because no sum leads away from
    it.
    """
    total = before.astype(np.float64)
    with np.errstate(all="ignore"):
        for cause, part in parts.items():
            finite = np.isfinite(total)
            nothing = (part == 0) & (finite | ~np.signbit(part))
            total = np.where(nothing, total, np.where(finite, total + part, part))
            if cause == "rounding":
                total = np.where((total == 0) & (part == 0), part, total)
    return total


__all__ = ["Parts", "completed", "difference", "parts_of", "replay", "same_bits", "split"]
