"""Transforming programs for a whole batch: a recording for one example becomes one for all examples.

Apart from rewrite.py, so that a program that maps nothing does not import the rules of all primitives.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from penstock.functions.rewrite import BodyBuilder, computed, emit, placed
from penstock.ops import batching, control
from penstock.ops.control import Control
from penstock.ops.pointwise import logical_and, logical_not, where
from penstock.ops.random import fold_in
from penstock.ops.reduce import any as any_of
from penstock.ops.reduce import sum as sum_of
from penstock.ops.shape import reshape
from penstock.tiers.program import many
from penstock.tiers.subprogram import Body
from penstock.trace.builder import Builder
from penstock.trace.leaf import Version
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call

Batched = tuple[Tensor, bool]
"""A tensor, and whether it has a leading batch axis."""


class Batch:
    """Puts calls into a builder for a whole batch of `size` examples.

    `apart` gives each example its own random numbers. `mask` says for which examples the results count: the
    others cannot raise an error or keep a loop running.
    """

    def __init__(self, builder: Builder, size: int, apart: bool, mask: Tensor | None = None) -> None:
        self.builder, self.size, self.apart, self.mask = builder, size, apart, mask
        self.groups: dict[Any, list[Batched]] = {}

    def calls(self, calls: Sequence[Call], known: Mapping[int, Batched]) -> dict[int, Batched]:
        """Appends calls; returns the new value of each slot."""
        made = dict(known)
        for call in calls:
            if call.slot in made:
                continue
            if isinstance(call.primitive, Version):
                made[call.slot] = made[call.inputs[0]]
                continue
            with placed(self.builder, call):
                made[call.slot] = self.call(call, [made[one] for one in call.inputs])
        return made

    def call(self, call: Call, inputs: Sequence[Batched]) -> Batched:
        """Appends one call."""
        primitive = call.primitive
        if self.mask is not None and inputs and primitive.guard is not None:
            inputs = [self.excused(one) if i in primitive.guarded else one for i, one in enumerate(inputs)]
        operands, flags = [one for one, _ in inputs], [has for _, has in inputs]
        if many(call):
            return self.result(call, operands, flags)
        if not any(flags):
            if self.apart and primitive in batching.DRAWS:
                return batching.drawn_apart(self.size, primitive, operands[0], call.params), True
            slots = [one._slot for one in operands]
            return self.builder.handle(self.builder.append(primitive, slots, call.params, call.spec)), False
        if primitive is fold_in and self.apart and not flags[0]:
            return batching.folded_apart(self.size, *operands), True
        rule = batching.rules.get(primitive)
        if rule is None:
            return self.one_by_one(call, operands, flags), True
        found = rule(self.size, operands, flags, **call.params)
        expected = (self.size, *call.spec.shape)
        assert found.shape == expected and found.dtype == call.spec.dtype, (call, found._spec)
        return found, True

    def excused(self, one: Batched) -> Batched:
        """Returns a guarded operand with zeros, which no guard refuses, for examples that do not count."""
        x, has = one
        mask = self.mask
        assert mask is not None
        if has:
            return where(self.beside(mask, x), x, 0), True
        return where(any_of(mask, axes=(0,), keepdims=False), x, 0), False

    def beside(self, mask: Tensor, x: Tensor) -> Tensor:
        """Returns one boolean for each example, with the axes needed to select whole examples."""
        return reshape(mask, shape=(self.size, *(1,) * (len(x.shape) - 1)))

    def spread(self, one: Batched) -> Tensor:
        """Returns a tensor that has the batch axis."""
        return one[0] if one[1] else batching.spread(self.size, one[0])

    def one_by_one(self, call: Call, operands: Sequence[Tensor], flags: Sequence[bool]) -> Tensor:
        """Applies a primitive without a batching rule to one example after another."""
        site = self.builder.site
        warnings.warn_explicit(
            f"{call.primitive.name} has no batching rule: a loop runs the {self.size} examples one by one.",
            UserWarning,
            site.file if site is not None else __file__,
            site.line if site is not None else 1,
        )
        fixed = [one for one, has in zip(operands, flags, strict=True) if not has]
        stacks = [one for one, has in zip(operands, flags, strict=True) if has]
        inner = BodyBuilder(self.builder.site, call.within)
        with inner:
            specs = [one._spec for one in fixed]
            slices = [spec(one.shape[1:], one.dtype) for one in stacks]
            constants, parts = iter(inner.inputs(specs)), iter(inner.inputs(slices))
            order = [next(parts) if has else next(constants) for has in flags]
            made = inner.append(call.primitive, [one._slot for one in order], call.params, call.spec)
            body = inner.body([inner.handle(made)])
        return emit(
            self.builder, control.scan, [*fixed, *stacks],
            body=body, constants=len(fixed), carried=0, length=self.size, backwards=False,
        )[0]  # fmt: skip

    # -- programs within ------------------------------------------------------------------------------------

    def result(self, call: Call, operands: Sequence[Tensor], flags: Sequence[bool]) -> Batched:
        """Appends all results of a primitive that holds programs with the first of them."""
        params = {name: value for name, value in call.params.items() if name != "output"}
        key = (call.primitive, call.inputs, tuple(params.items()))
        if key not in self.groups:
            random = self.apart and any(map(draws, call.primitive.bodies(**params)))
            if any(flags) or random or self.minds(*call.primitive.bodies(**params)):
                self.groups[key] = _RULES[call.primitive](self, operands, list(flags), **params)
            else:
                same = emit(self.builder, call.primitive, operands, **params)
                self.groups[key] = [(one, False) for one in same]
        found: Batched = self.groups[key][call.params["output"]]
        return found

    def minds(self, *bodies: Body) -> bool:
        """Returns whether these programs have to know which examples count."""
        return self.mask is not None and any(map(careful, bodies))

    def body(
        self, body: Body, flags: Sequence[bool], wanted: Sequence[bool | None], masked: bool = False
    ) -> tuple[Body, list[bool]]:
        """Returns a body for the batch, and which of its outputs have the axis.

        `wanted` says of an output that it shall have it (True), or that it may (None). If it is `masked`, its
        first input says which examples count.
        """
        key = ("batch", self.size, self.apart, masked, tuple(flags), tuple(wanted))
        found = body.facts.get(key)
        if found is None:
            inner = BodyBuilder(self.builder.site, self.builder.within)
            with inner:
                mask = inner.inputs([spec((self.size,), np.bool_)])[0] if masked else None
                given = inner.inputs(
                    [
                        spec((self.size, *one.shape), one.dtype) if has else one
                        for one, has in zip(body.input_specs, flags, strict=True)
                    ]
                )
                batch = Batch(inner, self.size, self.apart, mask)
                made = batch.calls(body.calls, dict(enumerate(zip(given, flags, strict=True))))
                results = [made[slot] for slot in body.outputs]
                outputs = [
                    batch.spread(one) if want else one[0] for one, want in zip(results, wanted, strict=True)
                ]
                has = [bool(want) or one[1] for one, want in zip(results, wanted, strict=True)]
                found = body.facts[key] = (inner.body(outputs), has)
        return found


def careful(body: Body) -> bool:
    """Returns whether a program may refuse operands, or has a loop whose length depends on them."""
    found: bool | None = body.facts.get("careful")
    if found is None:
        found = body.guarded or any(
            many(call) and (call.primitive.open_ended or any(map(careful, programs_of(call))))
            for call in body.calls
        )
        body.facts["careful"] = found
    return found


def programs_of(call: Call) -> tuple[Body, ...]:
    """Returns the programs that a call holds."""
    params = {name: value for name, value in call.params.items() if name != "output"}
    found: tuple[Body, ...] = call.primitive.bodies(**params)
    return found


def draws(body: Body) -> bool:
    """Returns whether a program draws random numbers."""
    return any(
        call.primitive in batching.DRAWS or (many(call) and any(map(draws, programs_of(call))))
        for call in body.calls
    )


def _call(
    batch: Batch, operands: Sequence[Tensor], flags: list[bool], body: Body, again: bool
) -> list[Batched]:
    masked = batch.minds(body)
    inner, has = batch.body(body, flags, [None] * len(body.outputs), masked)
    given = [*_masks(batch, masked), *operands]
    return list(zip(emit(batch.builder, control.call, given, body=inner, again=again), has, strict=True))


def _masks(batch: Batch, masked: bool) -> list[Tensor]:
    """Returns the operand that says which examples count, for programs that need it."""
    return [batch.mask] if masked and batch.mask is not None else []


def _cond(
    batch: Batch, operands: Sequence[Tensor], flags: list[bool], then: Body, otherwise: Body
) -> list[Batched]:
    if not flags[0]:
        wanted: list[bool | None] = [True] * len(then.outputs)
        masked = batch.minds(then, otherwise)
        bodies = [batch.body(body, flags[1:], wanted, masked)[0] for body in (then, otherwise)]
        given = [operands[0], *_masks(batch, masked), *operands[1:]]
        found = emit(batch.builder, control.cond, given, then=bodies[0], otherwise=bodies[1])
        return [(one, True) for one in found]
    # Examples need different programs: both are computed, each for the examples that need it.
    known = dict(enumerate(zip(operands[1:], flags[1:], strict=True)))
    both = []
    for body, mask in ((then, operands[0]), (otherwise, logical_not(operands[0]))):
        if batch.mask is not None:
            mask = logical_and(mask, batch.mask)
        inner = Batch(batch.builder, batch.size, batch.apart, mask)
        made = inner.calls(body.calls, known)
        both.append([batch.spread(made[slot]) for slot in body.outputs])
    return [(where(batch.beside(operands[0], a), a, b), True) for a, b in zip(*both, strict=True)]


def _settled(carried: list[bool], turn: Callable[[list[bool]], list[bool]]) -> list[bool]:
    """Returns which carried values have the batch axis, once a turn gives it to no more of them."""
    while True:
        after = [a or b for a, b in zip(carried, turn(carried), strict=True)]
        if after == carried:
            return carried
        carried = after


def _scan(
    batch: Batch, operands: Sequence[Tensor], flags: list[bool],
    body: Body, constants: int, carried: int, length: int, backwards: bool,
) -> list[Batched]:  # fmt: skip
    fixed, stacks = flags[:constants], flags[constants + carried :]
    rest = [None] * (len(body.outputs) - carried)
    masked = batch.minds(body)

    def turn(carry: list[bool]) -> list[bool]:
        return batch.body(body, [*fixed, *carry, *stacks], [None] * carried + rest, masked)[1][:carried]

    carry = _settled(flags[constants : constants + carried], turn)
    wanted: list[bool | None] = [True if one else None for one in carry]
    inner, has = batch.body(body, [*fixed, *carry, *stacks], [*wanted, *rest], masked)
    given = list(operands)
    for place, one in enumerate(carry, constants):
        given[place] = batch.spread((given[place], flags[place])) if one else given[place]
    for place in range(constants + carried, len(given)):
        # The scanned axis comes first, the batch axis second.
        given[place] = batching.moved(given[place], 1, 0) if flags[place] else given[place]
    found = emit(
        batch.builder, control.scan, [*_masks(batch, masked), *given],
        body=inner, constants=constants + masked, carried=carried, length=length, backwards=backwards,
    )  # fmt: skip
    finals = list(zip(found[:carried], carry, strict=True))
    flags_of_stacks = [*has[carried:], *carry]
    return finals + [
        (batching.moved(one, 1, 0) if flag else one, flag)
        for one, flag in zip(found[carried:], flags_of_stacks, strict=True)
    ]


def _while(
    batch: Batch, operands: Sequence[Tensor], flags: list[bool],
    test: Body, body: Body, tested: int, constants: int,
) -> list[Batched]:  # fmt: skip
    asked, fixed = flags[:tested], flags[tested : tested + constants]
    first = tested + constants

    def turn(carry: list[bool]) -> list[bool]:
        return batch.body(body, [*fixed, *carry], [None] * len(carry))[1]

    varies = batch.mask is not None
    carry = flags[first:]
    if not varies:
        carry = _settled(carry, turn)
        asking, (varies,) = batch.body(test, [*asked, *carry], [None])
    if varies:
        return _together(batch, operands, flags, test, body, tested, constants)
    inner, _ = batch.body(body, [*fixed, *carry], [True if one else None for one in carry])
    given = [*operands[:first]]
    for place, one in enumerate(carry, first):
        given.append(batch.spread((operands[place], flags[place])) if one else operands[place])
    found = emit(
        batch.builder, control.while_loop, given, test=asking, body=inner, tested=tested, constants=constants
    )
    return list(zip(found, carry, strict=True))


def _together(
    batch: Batch, operands: Sequence[Tensor], flags: list[bool],
    test: Body, body: Body, tested: int, constants: int,
) -> list[Batched]:  # fmt: skip
    """Makes a loop that runs while any example does, and does not change finished examples."""
    first, every = tested + constants, [True] * (len(flags) - tested - constants)
    outer, masked = _masks(batch, True), careful(body)
    asking, _ = batch.body(test, [*flags[:tested], *every], [True], bool(outer))
    inner, _ = batch.body(body, [*flags[tested:first], *every], every, masked)
    tested += len(outer)
    own = inner.input_specs[masked:]

    def goes_on(builder: BodyBuilder, asked: Sequence[Tensor], carry: Sequence[Tensor]) -> Tensor:
        (answer,) = computed(builder, asking, [*asked, *carry])
        return logical_and(asked[0], answer) if outer else answer

    whole = BodyBuilder(batch.builder.site)
    with whole:
        given = whole.inputs(asking.input_specs)
        answer = goes_on(whole, given[:tested], given[tested:])
        until = whole.body([any_of(answer, axes=(0,), keepdims=False)])
    turn = BodyBuilder(batch.builder.site)
    with turn:
        asked = turn.inputs(asking.input_specs[:tested])
        fixed, carry = turn.inputs(own[:constants]), turn.inputs(own[constants:])
        answer = goes_on(turn, asked, carry)
        after = computed(turn, inner, [*([answer] if masked else []), *fixed, *carry])
        step = turn.body([where(batch.beside(answer, a), a, b) for a, b in zip(after, carry, strict=True)])
    asks = [*outer, *operands[: tested - len(outer)]]
    start = [batch.spread(one) for one in zip(operands[first:], flags[first:], strict=True)]
    found = emit(
        batch.builder, control.while_loop, [*asks, *asks, *operands[first - constants : first], *start],
        test=until, body=step, tested=tested, constants=tested + constants,
    )  # fmt: skip
    return [(one, True) for one in found]


def _custom(
    batch: Batch,
    operands: Sequence[Tensor],
    flags: list[bool],
    body: Body,
    count: int,
    given: tuple[int, ...],
) -> list[Batched]:
    arguments = len(flags) - count - (body.count - count)
    own = flags[count : count + arguments]
    inner, has = batch.body(body, [True] * count + flags[count + arguments :], [None] * len(body.outputs))
    outer = BodyBuilder(batch.builder.site)
    with outer:
        made = computed(outer, inner, outer.inputs(inner.input_specs))
        results = []
        for place, one, flag in zip(given, made, has, strict=True):
            if flag and not own[place]:
                # What all examples share has the sum of their gradients.
                one = sum_of(one, axes=(0,), keepdims=False)
            elif own[place] and not flag:
                one = batching.spread(batch.size, one)
            results.append(one)
        summed = outer.body(results)
    values = [batch.spread((one, flag)) for one, flag in zip(operands[:count], flags[:count], strict=True)]
    found = emit(
        batch.builder, control.custom, [*values, *operands[count:]], body=summed, count=count, given=given
    )
    return [(one, True) for one in found]


_RULES: dict[Control, Callable[..., list[Batched]]] = {
    control.call: _call,
    control.cond: _cond,
    control.scan: _scan,
    control.while_loop: _while,
    control.custom: _custom,
}

__all__ = ["Batch", "Batched", "draws"]
