"""Gradients through primitives that hold programs: which operands they reach, and programs that give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from penstock.functions.transform import BodyBuilder, computed, constant_like, emit, inline
from penstock.grad.backward import backward, holding, passes
from penstock.grad.rows import Rows
from penstock.ops import control
from penstock.ops.pointwise import add
from penstock.tiers.body import Body
from penstock.trace.leaf import Argument, Leaf
from penstock.trace.recorder import Outcome, local
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
    builder: BodyBuilder, body: Body, inputs: Sequence[Tensor], cotangents: Cotangents, wanted: Sequence[int]
) -> list[Tensor | None]:
    """Appends a program over these inputs, and its way back; returns the cotangents of the wanted inputs.

    The program is computed again there: what its way back needs of it is not stored.
    """
    made = inline(builder, body.calls, dict(enumerate(inputs)))
    calls = list(builder.calls)
    seeds = [
        (made[slot]._slot, one) for slot, one in zip(body.outputs, cotangents, strict=True) if one is not None
    ]
    sources = [[inputs[place]._slot] for place in wanted]
    leaves = {inputs[place]._slot: 0 for place in wanted}

    def handle(slot: int) -> Tensor:
        return builder.handle(Outcome(slot, calls[slot].spec))

    found = backward(builder, calls, seeds, sources, leaves, lambda _: True, handle)
    return [one.dense() if isinstance(one, Rows) else one for one in found]


def reversed_body(body: Body, given: tuple[int, ...], wanted: tuple[int, ...]) -> Body:
    """Returns the way back of a program: its inputs and the cotangents of its `given` outputs go in.

    Those of its `wanted` inputs come out, zeros where nothing arrives.
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
    """Returns the numbers of the results at which a cotangent has arrived, and these."""
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
        # What a carried value depends on at the start of a turn, over all turns.
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
        body, fixed, carried = params["body"], params["constants"], params["carried"]
        length, count = params["length"], len(body.outputs)
        constants = [place for place in sorted(wanted) if place < fixed]
        stacks = [place for place in sorted(wanted) if place >= fixed + carried]
        moving = [i for i in range(carried) if differentiable(body.output_specs[i])]
        made = [n for n in range(carried, count) if cotangents[n] is not None]
        kept = [i for i in moving if cotangents[count + i] is not None]
        turn = self._turn(body, fixed, carried, tuple(constants), tuple(stacks), tuple(moving), tuple(made),
                          tuple(kept))  # fmt: skip
        specs = body.input_specs
        start = [_total(cotangents[i], None, specs[fixed + i]) for i in moving]
        start += [constant_like(specs[place]) for place in constants]
        walked = [*operands[fixed + carried :], *(results[count + i] for i in range(carried))]
        walked += [one for one in (cotangents[n] for n in range(carried, count)) if one is not None]
        walked += [one for one in (cotangents[count + i] for i in moving) if one is not None]
        found = emit(
            local.trace, control.scan, [*operands[:fixed], *start, *walked],
            body=turn, constants=fixed, carried=len(start), length=length, backwards=not params["backwards"],
        )  # fmt: skip
        ends = {fixed + i: one for i, one in zip(moving, found, strict=False)}
        ends |= dict(zip(constants, found[len(moving) : len(start)], strict=True))
        ends |= dict(zip(stacks, found[len(start) : len(start) + len(stacks)], strict=True))
        return {place: ends[place] for place in wanted}

    def _turn(
        self, body: Body, fixed: int, carried: int, constants: tuple[int, ...], stacks: tuple[int, ...],
        moving: tuple[int, ...], made: tuple[int, ...], kept: tuple[int, ...],
    ) -> Body:  # fmt: skip
        """Returns what one turn of the way back computes.

        It takes the constants; the cotangents of the carried values and, added up so far, of the constants;
        this turn's slices, its carried values as it found them, and the cotangents that arrive here.
        """
        key = ("turn", fixed, carried, constants, stacks, moving, made, kept)
        if key in body.facts:
            return body.facts[key]  # type: ignore[no-any-return]
        specs = body.input_specs
        builder = BodyBuilder(None)
        with builder:
            given = builder.inputs(specs[:fixed])
            after = builder.inputs([body.output_specs[i] for i in moving])
            totals = builder.inputs([specs[place] for place in constants])
            slices = builder.inputs(specs[fixed + carried :])
            before = builder.inputs(specs[fixed : fixed + carried])
            beside = builder.inputs([body.output_specs[n] for n in made])
            found_here = builder.inputs([specs[fixed + i] for i in kept])
            arriving = dict(zip(moving, after, strict=True)) | dict(zip(made, beside, strict=True))
            cotangents = [arriving.get(n) for n in range(len(body.outputs))]
            wanted = [*(fixed + i for i in moving), *constants, *stacks]
            ends = dict(
                zip(
                    wanted, pulled(builder, body, [*given, *before, *slices], cotangents, wanted), strict=True
                )
            )
            extra = dict(zip(kept, found_here, strict=True))
            carry = [_total(ends[fixed + i], extra.get(i), specs[fixed + i]) for i in moving]
            sums = [
                _total(ends[place], one, specs[place]) for place, one in zip(constants, totals, strict=True)
            ]
            parts = [_total(ends[place], None, specs[place]) for place in stacks]
            body.facts[key] = builder.body([*carry, *sums, *parts])
        return body.facts[key]  # type: ignore[no-any-return]


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
