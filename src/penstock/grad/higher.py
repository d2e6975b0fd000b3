"""Derivatives of more than one reverse pass: Jacobians, and products with a Jacobian from the right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from penstock.functions.batches import Batch
from penstock.functions.rewrite import BodyBuilder, constant_like, emit, inline
from penstock.grad import control as _control
from penstock.grad.backward import backward
from penstock.grad.query import JVP, Mode
from penstock.grad.rows import Rows
from penstock.ops import control, index, reduce
from penstock.ops.batching import moved
from penstock.ops.pointwise import add, multiply
from penstock.ops.shape import broadcast_to, reshape
from penstock.trace.builder import Builder, Outcome
from penstock.trace.leaf import TensorArgument
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call


class Walk:
    """A part of a path to be differentiated: the arguments of `backward`, except the request itself."""

    def __init__(
        self,
        builder: Builder,
        calls: Sequence[Call],
        sources: Sequence[Sequence[int]],
        leaves: Mapping[int, int],
        inside: Callable[[int], bool],
        handle: Callable[[int], Tensor],
    ) -> None:
        self.builder, self.calls, self.sources = builder, calls, sources
        self.leaves, self.inside, self.handle = leaves, inside, handle

    def ask(
        self,
        mode: Mode,
        targets: Sequence[tuple[int, Tensor | None]],
        specs: Sequence[Spec],
        tangents: Sequence[Tensor | None],
    ) -> tuple[list[Tensor | None], list[Spec]]:
        """Returns the results of a mode other than the gradient, and their specs."""
        if mode == JVP:
            found = [None if slot < 0 else self.jvp(slot, tangents) for slot, _ in targets]
            return found, [spec((), np.float32) if slot < 0 else self.calls[slot].spec for slot, _ in targets]
        if not targets:
            # The target is not on this path: its shape is unknown, and no path leads to it.
            return [None] * len(specs), list(specs)
        ((slot, _),) = targets
        target = self.calls[slot].spec
        each = mode[0] == "batch_jacobian"
        own = [spec(target.shape + one.shape[each:], one.dtype) for one in specs]
        every = self.rows(slot, each, mode[1])
        results: list[Tensor | None] = []
        for rows, one in zip(every, own, strict=True):
            if rows is not None and each:
                # [elements, batch, ...] to [batch, elements, ...]
                rows = moved(rows, 0, 1)
            results.append(None if rows is None else reshape(rows, shape=one.shape))
        return results, own

    # -- Jacobians --------------------------------------------------------------------------------------

    def rows(self, slot: int, each: bool, in_turn: bool) -> list[Tensor | None]:
        """Returns, for each source, the gradients of every element of a target, stacked as rows.

        With `each`, elements are those of one example, and their gradients are taken for all examples at
        once.
        """
        target = self.calls[slot].spec
        shape = target.shape[1:] if each else target.shape
        size = math.prod(shape)
        if size == 1:
            one = broadcast_to(self.builder.constant(1, target.dtype), shape=target.shape)
            found = self.gradients(self.builder, slot, one)
            return [None if g is None else reshape(g, shape=(1, *g.shape)) for g in found]
        first = self.builder.base.node.size + len(self.builder.calls)
        scratch = _Scratch(self.builder)
        with scratch:
            cotangent = scratch.handle(scratch.append(TensorArgument(-1, entry=-1), (), {}, target))
            found = self.gradients(scratch, slot, cotangent)
        made = scratch.calls[first - self.builder.base.node.size :]
        counted = index.arange(start=0, step=1, length=size, dtype=np.dtype(np.int64))
        unit = index.one_hot(counted, length=size, dtype=target.dtype)
        if each:
            unit = broadcast_to(reshape(unit, shape=(size, 1, *shape)), shape=(size, *target.shape))
        else:
            unit = reshape(unit, shape=(size, *shape))
        wanted = [None if g is None else g._slot for g in found]
        if in_turn:
            return self._in_turn(made, cotangent, unit, wanted)
        return self._together(made, cotangent, unit, wanted)

    def gradients(self, builder: Builder, slot: int, cotangent: Tensor) -> list[Tensor | None]:
        """Returns the gradients of one target, none of them as rows."""

        def handle(one: int) -> Tensor:
            known = self.handle(one)
            return builder.handle(Outcome(known._slot, known._spec))

        found = backward(
            builder, self.calls, [(slot, cotangent)], self.sources, self.leaves, self.inside, handle
        )
        return [one.dense() if isinstance(one, Rows) else one for one in found]

    def _taken(self, made: Sequence[Call]) -> dict[int, Tensor]:
        """Returns tensors for the slots that these calls read and do not make."""
        own = {call.slot for call in made}
        before = dict.fromkeys(one for call in made for one in call.inputs if one not in own)
        base = self.builder.base.node.program()
        specs = {one: base[one].spec if one < len(base) else None for one in before}
        for call in self.builder.calls:
            if call.slot in specs:
                specs[call.slot] = call.spec
        return {one: self.builder.handle(Outcome(one, own)) for one, own in specs.items() if own is not None}

    def _together(
        self, made: Sequence[Call], cotangent: Tensor, unit: Tensor, wanted: Sequence[int | None]
    ) -> list[Tensor | None]:
        batch = Batch(self.builder, unit.shape[0], apart=False)
        known = {slot: (tensor, False) for slot, tensor in self._taken(made).items()}
        known[cotangent._slot] = (unit, True)
        done = batch.calls(made, known)
        return [None if slot is None else batch.spread(done[slot]) for slot in wanted]

    def _in_turn(
        self, made: Sequence[Call], cotangent: Tensor, unit: Tensor, wanted: Sequence[int | None]
    ) -> list[Tensor | None]:
        taken = self._taken(made)
        inner = BodyBuilder(self.builder.site, self.builder.within)
        with inner:
            given = inner.inputs([one._spec for one in taken.values()])
            known = dict(zip(taken, given, strict=True))
            (known[cotangent._slot],) = inner.inputs([cotangent._spec])
            done = inline(inner, made, known)
            body = inner.body([done[slot] for slot in wanted if slot is not None])
        found = emit(
            self.builder, control.scan, [*taken.values(), unit], body=body, constants=len(taken),
            carried=0, length=unit.shape[0], backwards=False,
        )  # fmt: skip
        rows = iter(found)
        return [None if slot is None else next(rows) for slot in wanted]

    # -- products -----------------------------------------------------------------------------------------

    def jvp(self, slot: int, tangents: Sequence[Tensor | None]) -> Tensor | None:
        """Returns the derivative of a target along tangents of the sources.

        A gradient is linear in its cotangent, so the gradient of <gradient, tangent> by the cotangent is the
        wanted derivative, whatever the cotangent's value. (J. Townsend, "A new trick for calculating Jacobian
        vector products", 2017.)
        """
        target = self.calls[slot].spec
        cotangent = constant_like(target)
        found = self.gradients(self.builder, slot, cotangent)
        total = None
        for one, tangent in zip(found, tangents, strict=True):
            if one is None or tangent is None:
                continue
            term = reduce.sum(multiply(one, tangent), axes=tuple(range(len(one.shape))), keepdims=False)
            total = term if total is None else add(total, term)
        if total is None:
            return None
        calls = [*self.builder.base.node.program(), *self.builder.calls]
        first = len(calls) - len(self.builder.calls)

        def handle(one: int) -> Tensor:
            return self.builder.handle(Outcome(one, calls[one].spec))

        (derivative,) = backward(
            self.builder, calls, [(total._slot, None)], [[cotangent._slot]], {cotangent._slot: 0},
            lambda one: one >= first, handle,
        )  # fmt: skip
        return derivative.dense() if isinstance(derivative, Rows) else derivative


class _Scratch(Builder):
    """Continues a builder's slots on the side: the builder does not receive the calls appended here."""

    __slots__ = ()

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder.base, builder.numbers, builder.varying, builder.site, builder.within)
        self.calls = list(builder.calls)


assert _control

__all__ = ["JVP", "Mode", "Walk"]
