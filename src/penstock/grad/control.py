"""Gradients through primitives that hold programs: which operands they reach, and how to compute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from penstock.functions.rewrite import BodyBuilder, computed, constant_like, emit, inline, is_dear
from penstock.grad.backward import backward, passes
from penstock.grad.holding import holding
from penstock.grad.rows import Rows
from penstock.ops import control
from penstock.ops.linear import matmul, matrix_transpose
from penstock.ops.pointwise import add
from penstock.ops.shape import reshape, transpose
from penstock.tiers.subprogram import Body
from penstock.trace.builder import Outcome
from penstock.trace.leaf import Argument, Leaf, Version
from penstock.trace.local import local
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call

Cotangents = Sequence[Tensor | None]


def reaches(body: Body) -> list[frozenset[int]]:
    """Returns, for each output of a program, the inputs that a gradient of it passes to."""
    found = body.facts.get("reaches")
    if found is None:
        behind: list[frozenset[int]] = []
        for call in body.calls:
            ends: frozenset[int] = frozenset()
            if isinstance(call.primitive, Argument) and differentiable(call.spec):
                ends = frozenset([call.slot])
            elif not isinstance(call.primitive, Leaf):
                ends = ends.union(*(behind[one] for i, one in enumerate(call.inputs) if passes(call, i)))
            behind.append(ends)
        found = body.facts["reaches"] = [behind[slot] for slot in body.outputs]
    return found


def pulled(
    builder: BodyBuilder, body: Body, inputs: Sequence[Tensor], cotangents: Cotangents, wanted: Sequence[int],
    kept: Mapping[int, Tensor] | None = None,
) -> list[Tensor | None]:  # fmt: skip
    """Appends a program over these inputs and its backward pass; returns the wanted inputs' cotangents.

    The backward pass recomputes the program, except for the slots whose values were `kept`.
    """
    made = inline(builder, body.calls, {**dict(enumerate(inputs)), **(kept or {})})
    calls = _settled(body)
    seeds = []
    for slot, one in zip(body.outputs, cotangents, strict=True):
        while isinstance(calls[slot].primitive, Version):
            slot = calls[slot].inputs[0]
        if one is not None:
            seeds.append((slot, one))
    sources, leaves = [[place] for place in wanted], dict.fromkeys(wanted, 0)
    found = backward(builder, calls, seeds, sources, leaves, lambda _: True, made.__getitem__)
    return [one.dense() if isinstance(one, Rows) else one for one in found]


def _settled(body: Body) -> list[Call]:
    """Returns the calls of a program, with repeated reads of a variable replaced by the value read."""
    found: list[Call] | None = body.facts.get("settled")
    if found is None:
        same: dict[int, int] = {}
        found = []
        for call in body.calls:
            inputs = tuple([same.get(one, one) for one in call.inputs])
            if isinstance(call.primitive, Version):
                same[call.slot] = inputs[0]
            if inputs != call.inputs:
                call = Call(call.primitive, inputs, call.params, call.slot, call.spec, call.site, call.within)
            found.append(call)
        body.facts["settled"] = found
    return found


def reversed_body(body: Body, given: tuple[int, ...], wanted: tuple[int, ...]) -> Body:
    """Returns the backward pass of a program.

    It takes the inputs of the program and the cotangents of its `given` outputs, and computes the cotangents
    of its `wanted` inputs: zeros where no cotangent arrives.
    """
    key = ("reversed", given, wanted)
    found = body.facts.get(key)
    if found is None:
        builder = BodyBuilder(None)
        with builder:
            inputs = builder.inputs(body.input_specs)
            arriving = builder.inputs([body.output_specs[one] for one in given])
            cotangents = dict(zip(given, arriving, strict=True))
            every = [cotangents.get(one) for one in range(len(body.outputs))]
            ends = pulled(builder, body, inputs, every, wanted)
            specs = [body.input_specs[one] for one in wanted]
            results = [
                constant_like(one) if end is None else end for end, one in zip(ends, specs, strict=True)
            ]
            found = body.facts[key] = builder.body(results)
    return found


def _params(call: Call) -> dict[str, Any]:
    return {name: value for name, value in call.params.items() if name != "output"}


def _present(cotangents: Cotangents) -> tuple[tuple[int, ...], list[Tensor]]:
    """Returns the numbers of the results at which a cotangent has arrived, and these cotangents."""
    given = tuple(place for place, one in enumerate(cotangents) if one is not None)
    return given, [one for one in cotangents if one is not None]


class _Call:
    def links(self, call: Call) -> Set[int]:
        output: int = call.params["output"]
        return reaches(call.params["body"])[output]

    def pullback(
        self, call: Call, operands: Sequence[Tensor], results: Sequence[Tensor], cotangents: Cotangents,
        wanted: Set[int],
    ) -> Mapping[int, Tensor]:  # fmt: skip
        given, arrived = _present(cotangents)
        places = tuple(sorted(wanted))
        body = reversed_body(call.params["body"], given, places)
        found = emit(local.trace, control.call, [*operands, *arrived], body=body, again=True)
        return dict(zip(places, found, strict=True))


class _Cond:
    def links(self, call: Call) -> Set[int]:
        output = call.params["output"]
        bodies = (call.params["then"], call.params["otherwise"])
        return {1 + place for body in bodies for place in reaches(body)[output]}

    def pullback(
        self, call: Call, operands: Sequence[Tensor], results: Sequence[Tensor], cotangents: Cotangents,
        wanted: Set[int],
    ) -> Mapping[int, Tensor]:  # fmt: skip
        given, arrived = _present(cotangents)
        places = tuple(sorted(wanted))
        inner = tuple(place - 1 for place in places)
        then, otherwise = (reversed_body(call.params[which], given, inner) for which in ("then", "otherwise"))
        found = emit(local.trace, control.cond, [*operands, *arrived], then=then, otherwise=otherwise)
        return dict(zip(places, found, strict=True))


class _Scan:
    def links(self, call: Call) -> Set[int]:
        params = _params(call)
        body: Body = params["body"]
        key = ("links", params["constants"], params["carried"], params["length"] > 0)
        if key not in body.facts:
            body.facts[key] = self._links(body, *key[1:])
        found: Set[int] = body.facts[key][call.params["output"]]
        return found

    def _links(self, body: Body, constants: int, carried: int, turns: bool) -> list[Set[int]]:
        ends = reaches(body)
        # The inputs that each carried value depends on at the start of a turn, over all turns.
        carry: list[Set[int]] = [
            {constants + i} if differentiable(body.input_specs[constants + i]) else set()
            for i in range(carried)
        ]

        def through(inner: Set[int]) -> Set[int]:
            found: set[int] = set()
            for place in inner:
                inside = constants <= place < constants + carried
                found |= carry[place - constants] if inside else {place}
            return found

        while True:
            after = [carry[i] | through(ends[i]) for i in range(carried)]
            if after == carry:
                break
            carry = after
        finals = [through(one) for one in ends[:carried]] if turns else carry
        return [*finals, *(through(one) for one in ends[carried:]), *carry]

    def pullback(
        self, call: Call, operands: Sequence[Tensor], results: Sequence[Tensor], cotangents: Cotangents,
        wanted: Set[int],
    ) -> Mapping[int, Tensor]:  # fmt: skip
        params = _params(call)
        body, fixed, carried, length = (params[key] for key in ("body", "constants", "carried", "length"))
        count, specs = len(body.outputs), body.input_specs
        moving = tuple(i for i in range(carried) if differentiable(body.output_specs[i]))
        key = (
            "turn", fixed, carried, moving,
            tuple(place for place in sorted(wanted) if place < fixed),
            tuple(place for place in sorted(wanted) if place >= fixed + carried),
            tuple(n for n in range(carried, count) if cotangents[n] is not None),
            tuple(i for i in moving if cotangents[count + i] is not None),
        )  # fmt: skip
        turn = body.facts.get(key)
        if turn is None:
            turn = body.facts[key] = _Turn(body, *key[1:])
        start = [_total(cotangents[i], None, specs[fixed + i]) for i in moving]
        start += [constant_like(specs[place]) for place in turn.summed]
        walked = [operands[place] for place in turn.slices]
        walked += [results[n] for n in (*(count + i for i in turn.before), *turn.known)]
        walked += [one for one in (cotangents[n] for n in range(carried, count)) if one is not None]
        walked += [one for one in (cotangents[count + i] for i in moving) if one is not None]
        made = emit(
            local.trace, control.scan, [*operands[:fixed], *start, *walked],
            body=turn.body, constants=fixed, carried=len(start), length=length,
            backwards=not params["backwards"],
        )  # fmt: skip
        places = [*(fixed + i for i in moving), *turn.summed, *turn.stacks]
        ends = dict(zip(places, made, strict=False))
        for place, factors in turn.factors.items():
            left, right = (walked[n] if given else made[n] for given, n in factors)
            ends[place] = _product_of_all(left, right)
        return {place: ends[place] for place in wanted}


def _product_of_all(left: Tensor, right: Tensor) -> Tensor:
    """Returns the sum over the first axis of the products of transposed matrices with matrices."""
    a, b = (reshape(one, shape=(one.shape[0] * one.shape[1], one.shape[2])) for one in (left, right))
    return matmul(matrix_transpose(a), b)


Factors = tuple[Tensor, Tensor]


class _Turn:
    """The program of one turn of a loop's backward pass, as `body`.

    Its inputs are the constants; the cotangents of the carried values; the running sums of the cotangents of
    the `summed` constants; then the values that differ from turn to turn: the slices, the carried values at
    the start of the turn, the outputs of the turn that are read (`slices`, `before` and `known`), and the
    cotangents that arrive here. Its outputs are the cotangents of the carried values, the sums, the
    cotangents of the slices, then `factors`.

    Where a constant's cotangent is a product of two matrices in each turn, and larger than both, it is
    computed as one product over all turns instead of a sum. `factors` says for each matrix whether it is an
    input or an output of the turn, and its place there.
    """

    body: Body
    factors: dict[int, tuple[tuple[bool, int], ...]]
    summed: tuple[int, ...]

    def __init__(
        self, loop: Body, fixed: int, carried: int, moving: tuple[int, ...], constants: tuple[int, ...],
        stacks: tuple[int, ...], made: tuple[int, ...], kept: tuple[int, ...],
    ) -> None:  # fmt: skip
        self.loop, self.fixed, self.moving, self.made, self.kept = loop, fixed, moving, made, kept
        self.constants, self.stacks = constants, stacks
        self.summed = constants
        self.slices = tuple(range(fixed + carried, loop.count))
        self.before = tuple(range(carried))
        self.known = tuple(
            n for n in range(carried, len(loop.outputs)) if is_dear(loop.calls[loop.outputs[n]])
        )
        self._build()
        # Build it again without the values that nothing reads, so that they are neither computed nor kept.
        first = fixed + len(moving) + len(constants)
        read = {place - first for place in self.body.taken}
        read |= {n for pair in self.factors.values() for given, n in pair if given}
        every = iter(range(len(self.slices) + len(self.before) + len(self.known)))
        self.slices, self.before, self.known = (
            tuple([one for one in group if next(every) in read])
            for group in (self.slices, self.before, self.known)
        )
        self.summed = tuple(place for place in constants if place not in self.factors)
        self._build()

    def _build(self) -> None:
        loop, specs, fixed = self.loop, self.loop.input_specs, self.fixed
        builder = BodyBuilder(None)
        with builder:
            inputs = dict(enumerate(builder.inputs(specs[:fixed])))
            after = builder.inputs([loop.output_specs[i] for i in self.moving])
            totals = dict(zip(self.summed, builder.inputs([specs[one] for one in self.summed]), strict=True))
            first = builder.count
            inputs |= zip(self.slices, builder.inputs([specs[one] for one in self.slices]), strict=True)
            before = [fixed + i for i in self.before]
            inputs |= zip(before, builder.inputs([specs[one] for one in before]), strict=True)
            known = builder.inputs([loop.output_specs[n] for n in self.known])
            beside = builder.inputs([loop.output_specs[n] for n in self.made])
            found_here = builder.inputs([specs[fixed + i] for i in self.kept])
            last = builder.count
            every = [inputs[i] if i in inputs else constant_like(one) for i, one in enumerate(specs)]
            arriving = dict(zip(self.moving, after, strict=True)) | dict(zip(self.made, beside, strict=True))
            cotangents = [arriving.get(n) for n in range(len(loop.outputs))]
            wanted = [*(fixed + i for i in self.moving), *self.constants, *self.stacks]
            values = {loop.outputs[n]: one for n, one in zip(self.known, known, strict=True)}
            ends = dict(zip(wanted, pulled(builder, loop, every, cotangents, wanted, values), strict=True))
            extra = dict(zip(self.kept, found_here, strict=True))
            carry = [_total(ends[fixed + i], extra.get(i), specs[fixed + i]) for i in self.moving]
            products = {}
            for place in self.constants:
                found = _factors(builder, ends[place], range(first, last))
                if found is not None:
                    products[place] = found
            sums = [
                _total(ends[place], one, specs[place])
                for place, one in totals.items()
                if place not in products
            ]
            parts = [_total(ends[place], None, specs[place]) for place in self.stacks]
            made = [*carry, *sums, *parts]
            stacked = {one._slot: len(carry) + len(sums) + i for i, one in enumerate(parts)}
            self.factors = {}
            for place, pair in products.items():
                for one in pair:
                    if one._slot not in range(first, last) and one._slot not in stacked:
                        stacked[one._slot] = len(made)
                        made.append(one)
                self.factors[place] = tuple(
                    (True, one._slot - first)
                    if one._slot in range(first, last)
                    else (False, stacked[one._slot])
                    for one in pair
                )
            self.body = builder.body(made)


def _factors(builder: BodyBuilder, end: Tensor | None, walked: range) -> Factors | None:
    """Returns a and b where a cotangent is the transpose of a matrix a times a matrix b.

    Returns None if they are larger together than their product. Inputs of the turn take no extra memory.
    """
    if end is None:
        return None
    call = builder.calls[end._slot]
    if call.primitive is not matmul or end._spec.ndim != 2:
        return None
    left, right = (builder.handle(Outcome(slot, builder.calls[slot].spec)) for slot in call.inputs)
    turned = builder.calls[left._slot]
    if turned.primitive is transpose and turned.params["axes"] == (1, 0):
        (slot,) = turned.inputs
        left = builder.handle(Outcome(slot, builder.calls[slot].spec))
    else:
        left = matrix_transpose(left)
    room = sum(one._spec.size for one in (left, right) if one._slot not in walked)
    return (left, right) if room < end._spec.size else None


def _total(a: Tensor | None, b: Tensor | None, own: Any) -> Tensor:
    if a is None and b is None:
        return constant_like(own)
    return add(a, b) if a is not None and b is not None else b if a is None else a  # type: ignore[return-value]


class _While:
    def links(self, call: Call) -> Set[int]:
        return frozenset()

    def pullback(self, *_: Any) -> Mapping[int, Tensor]:
        raise AssertionError("no gradient passes a loop of unknown length")


class _Custom:
    def links(self, call: Call) -> Set[int]:
        specs = call.params["body"].output_specs
        return {
            call.params["count"] + place
            for place, one in zip(call.params["given"], specs, strict=True)
            if differentiable(one)
        }

    def pullback(
        self, call: Call, operands: Sequence[Tensor], results: Sequence[Tensor], cotangents: Cotangents,
        wanted: Set[int],
    ) -> Mapping[int, Tensor]:  # fmt: skip
        params = _params(call)
        body, count = params["body"], params["count"]
        arrived = [
            constant_like(result._spec) if one is None else one
            for one, result in zip(cotangents, results, strict=True)
        ]
        # The body's own operands are the last ones.
        taken = operands[len(operands) - (body.count - count) :] if body.count > count else []
        found = computed(local.trace, body, [*arrived, *taken])
        ends = {count + place: one for place, one in zip(params["given"], found, strict=True)}
        return {place: ends[place] for place in wanted}


holding.update(
    {
        control.call: _Call(),
        control.cond: _Cond(),
        control.scan: _Scan(),
        control.while_loop: _While(),
        control.custom: _Custom(),
    }
)

__all__ = ["pulled", "reaches", "reversed_body"]
