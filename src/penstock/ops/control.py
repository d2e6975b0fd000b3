"""Primitives that hold whole programs: call, cond, scan, while_loop, and custom gradients.

Each has several results. In a recording every result is a separate call, one after another, whose parameter
`output` says which it is; a run computes them together, and only those that are needed. The rules of these
primitives for gradients and batching are in grad/control.py and functions/batches.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from penstock.trace.builder import Builder, Outcome
from penstock.trace.spec import Spec, spec


class Body(Protocol):
    """The interface of the programs that primitives hold: see tiers/subprogram.py."""

    guarded: bool
    input_specs: tuple[Spec, ...]
    output_specs: tuple[Spec, ...]
    cost: int

    def only(self, outputs: tuple[int, ...]) -> Body: ...
    def numpy(self, arguments: Sequence[Any]) -> list[Any]: ...
    def xla(
        self, module: Any, arguments: Sequence[Any], given: Mapping[int, Any] = ...
    ) -> tuple[list[Any], Any]: ...


class Control:
    """A primitive that holds programs.

    `numpy(*operands, needed, **params)` returns a tuple with the results whose numbers are in `needed`, and
    None for the others. `xla(jax, ...)` does the same, with an additional last element: whether every guard
    inside has passed. `outputs(**params)` gives the spec of each result, `work(**params)` roughly counts
    arithmetic operations, and `bodies(**params)` lists the held programs. `alias`, if present, returns the
    operand whose value a result is; `open_ended` says that the running time depends on values.
    """

    many = True
    derivative = "smooth"
    vjp = ()
    guard = None
    xla_guard = None
    cost = None
    kinks = ()

    def __init__(
        self,
        name: str,
        numpy: Callable[..., tuple[Any, ...]],
        xla: Callable[..., tuple[Any, ...]],
        outputs: Callable[..., tuple[Spec, ...]],
        work: Callable[..., int],
        bodies: Callable[..., tuple[Any, ...]],
        alias: Callable[[int], int] | None = None,
        open_ended: bool = False,
    ) -> None:
        self.name, self.numpy, self.xla, self.alias = name, numpy, xla, alias
        self.open_ended = open_ended
        self.outputs, self.work, self.bodies = outputs, work, bodies

    def guarded(self, **params: Any) -> bool:
        """Returns whether a held program may refuse its operands by their values."""
        return any(body.guarded for body in self.bodies(**params))

    def append(self, builder: Builder, slots: Sequence[int], **params: Any) -> list[Outcome]:
        """Appends a call for each result."""
        specs = self.outputs(**params)
        return [
            builder.append(self, slots, {**params, "output": number}, one) for number, one in enumerate(specs)
        ]

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


def _placed(values: Sequence[Any], needed: tuple[int, ...], count: int) -> list[Any]:
    """Returns a list of all results, with those computed at their places."""
    placed: list[Any] = [None] * count
    for number, value in zip(needed, values, strict=True):
        placed[number] = value
    return placed


# -- call -----------------------------------------------------------------------------------------------


def _call_numpy(*operands: Any, body: Any, again: bool, needed: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(_placed(body.only(needed).numpy(operands), needed, len(body.output_specs)))


def _call_xla(jax: Any, *operands: Any, body: Any, again: bool, needed: tuple[int, ...]) -> tuple[Any, ...]:
    if again:
        # Otherwise XLA would find that it has computed this already, and keep values that should be dropped.
        operands = jax.lax.optimization_barrier(operands)
    values, passed = body.only(needed).xla(jax, operands)
    return (*_placed(values, needed, len(body.output_specs)), passed)


call = Control(
    "call",
    numpy=_call_numpy,
    xla=_call_xla,
    outputs=lambda body, again: body.output_specs,
    work=lambda body, again, **_: body.cost,
    bodies=lambda body, again, **_: (body,),
)
"""Computes a program. `again` says that it repeats an earlier computation and shares nothing with it."""

# -- cond -----------------------------------------------------------------------------------------------


def _cond_numpy(
    chosen: Any, *operands: Any, then: Any, otherwise: Any, needed: tuple[int, ...]
) -> tuple[Any, ...]:
    body = then if chosen else otherwise
    return tuple(_placed(body.only(needed).numpy(operands), needed, len(body.output_specs)))


def _cond_xla(
    jax: Any, chosen: Any, *operands: Any, then: Any, otherwise: Any, needed: tuple[int, ...]
) -> tuple[Any, ...]:
    def branch(body: Any) -> Any:
        return lambda given: body.only(needed).xla(jax, given)

    values, passed = jax.lax.cond(chosen, branch(then), branch(otherwise), operands)
    return (*_placed(values, needed, len(then.output_specs)), passed)


cond = Control(
    "cond",
    numpy=_cond_numpy,
    xla=_cond_xla,
    outputs=lambda then, otherwise: then.output_specs,
    work=lambda then, otherwise, **_: max(then.cost, otherwise.cost),
    bodies=lambda then, otherwise, **_: (then, otherwise),
)
"""Computes one of two programs. The first operand, a boolean, selects it; both take all the others."""

# -- scan -----------------------------------------------------------------------------------------------


def _stacked(one: Spec, length: int) -> Spec:
    return spec((length, *one.shape), one.dtype)


def _scan_outputs(body: Any, constants: int, carried: int, length: int, backwards: bool) -> tuple[Spec, ...]:
    finals, rest = body.output_specs[:carried], body.output_specs[carried:]
    return (*finals, *(_stacked(one, length) for one in (*rest, *finals)))


def _scan_numpy(
    *operands: Any, body: Any, constants: int, carried: int, length: int, backwards: bool,
    needed: tuple[int, ...],
) -> tuple[Any, ...]:  # fmt: skip
    specs = _scan_outputs(body, constants, carried, length, backwards)
    count = len(body.output_specs)
    wanted = tuple(n for n in needed if carried <= n < count)
    history = [n - count for n in needed if n >= count]
    inner = body.only((*range(carried), *wanted))
    fixed, carry = operands[:constants], list(operands[constants : constants + carried])
    stacks = operands[constants + carried :]
    results: list[Any] = [
        np.empty(one.shape, one.dtype) if n in needed else None for n, one in enumerate(specs)
    ]
    for position in reversed(range(length)) if backwards else range(length):
        for n in history:
            results[count + n][position] = carry[n]
        values = inner.numpy([*fixed, *carry, *(one[position] for one in stacks)])
        carry = values[:carried]
        for n, value in zip(wanted, values[carried:], strict=True):
            results[n][position] = value
    results[:carried] = carry
    return tuple(results)


def _turned(jax: Any, body: Any, fixed: Sequence[Any]) -> dict[int, Any]:
    """Returns, by the step, the transposes of a loop's constants, which each turn would compute again.

    A product with a matrix stored in the other order takes a third longer on the processor.
    """
    if jax.default_backend() != "cpu":
        return {}
    found = {}
    for number, step in enumerate(body.program.steps):
        place = step.inputs[0] if step.primitive.name == "transpose" else len(body.taken)
        if place < len(body.taken) and body.taken[place] < len(fixed):
            found[number] = jax.numpy.transpose(fixed[body.taken[place]], step.params["axes"])
    return found


def _scan_xla(
    jax: Any, *operands: Any, body: Any, constants: int, carried: int, length: int, backwards: bool,
    needed: tuple[int, ...],
) -> tuple[Any, ...]:  # fmt: skip
    count = len(body.output_specs)
    wanted = tuple(n for n in needed if carried <= n < count)
    history = [n - count for n in needed if n >= count]
    inner = body.only((*range(carried), *wanted))
    # Imported here: only programs that compile need it.
    from penstock.ops import row_loops

    by_rows = row_loops.computed(jax, inner, operands, constants, carried, length, backwards, history)
    if by_rows is not None:
        finals, made, kept = by_rows
        return *_results(finals, wanted, made, history, kept, count), jax.numpy.asarray(True)
    fixed, carry = operands[:constants], operands[constants : constants + carried]
    turned = _turned(jax, inner, fixed)

    def turn(state: Any, parts: Any) -> Any:
        carry, before = state
        values, passed = inner.xla(jax, [*fixed, *carry, *parts], turned)
        kept = (tuple(values[carried:]), tuple(carry[n] for n in history))
        return (tuple(values[:carried]), jax.numpy.logical_and(before, passed)), kept

    start = (tuple(carry), jax.numpy.asarray(True))
    stacks = tuple(operands[constants + carried :])
    (finals, passed), (made, kept) = jax.lax.scan(turn, start, stacks, length=length, reverse=backwards)
    return *_results(finals, wanted, made, history, kept, count), passed


def _results(
    finals: Sequence[Any], wanted: Sequence[int], made: Sequence[Any], history: Sequence[int],
    kept: Sequence[Any], count: int,
) -> list[Any]:  # fmt: skip
    """Returns a list of all results of a loop, with those computed at their places."""
    results: list[Any] = [*finals, *[None] * count]
    for n, value in zip(wanted, made, strict=True):
        results[n] = value
    for n, value in zip(history, kept, strict=True):
        results[count + n] = value
    return results


scan = Control(
    "scan",
    numpy=_scan_numpy,
    xla=_scan_xla,
    outputs=_scan_outputs,
    work=lambda body, length, **_: body.cost * length,
    bodies=lambda body, **_: (body,),
)
"""Computes a program `length` times. Operands: `constants` that stay, `carried` values that each turn
replaces, and stacks of which each turn takes one slice, from the end if it goes `backwards`. Results: the
carried values at the end, the stacked other results of each turn, and the carried values at the start of each
turn."""

# -- while_loop -----------------------------------------------------------------------------------------


def _while_numpy(
    *operands: Any, test: Any, body: Any, tested: int, constants: int, needed: tuple[int, ...]
) -> tuple[Any, ...]:
    asked, fixed = operands[:tested], operands[tested : tested + constants]
    carry = list(operands[tested + constants :])
    while test.numpy([*asked, *carry])[0]:
        carry = body.numpy([*fixed, *carry])
    return tuple(carry)


def _while_xla(
    jax: Any, *operands: Any, test: Any, body: Any, tested: int, constants: int, needed: tuple[int, ...]
) -> tuple[Any, ...]:
    asked, fixed = operands[:tested], operands[tested : tested + constants]

    def goes_on(state: Any) -> Any:
        carry, passed = state
        (answer,), _ = test.xla(jax, [*asked, *carry])
        # An index out of range ends the loop: the whole run is refused.
        return jax.numpy.logical_and(answer, passed)

    def turn(state: Any) -> Any:
        carry, before = state
        values, passed = body.xla(jax, [*fixed, *carry])
        _, asking = test.xla(jax, [*asked, *values])
        return tuple(values), jax.numpy.logical_and(before, jax.numpy.logical_and(passed, asking))

    carry = tuple(operands[tested + constants :])
    _, passed = test.xla(jax, [*asked, *carry])
    finals, passed = jax.lax.while_loop(goes_on, turn, (carry, passed))
    return (*finals, passed)


while_loop = Control(
    "while_loop",
    numpy=_while_numpy,
    xla=_while_xla,
    outputs=lambda test, body, tested, constants: body.output_specs,
    work=lambda test, body, **_: test.cost + body.cost,
    bodies=lambda test, body, **_: (test, body),
    open_ended=True,
)
"""Computes `body` as long as `test` is true. Operands: the `tested` ones that the test takes besides the
carried values, the `constants` of the body, the carried values. No derivative passes: the number of turns is
unknown before the run."""

# -- custom gradients -------------------------------------------------------------------------------------


def _custom_numpy(*operands: Any, **params: Any) -> tuple[Any, ...]:
    raise AssertionError("its results are operands: see alias")


custom = Control(
    "custom_gradient",
    numpy=_custom_numpy,
    xla=_custom_numpy,
    outputs=lambda body, count, given: body.input_specs[:count],
    work=lambda **_: 0,
    bodies=lambda body, **_: (body,),
    alias=lambda output: output,
)
"""Results whose gradient a program computes. Operands: the `count` results themselves, the arguments with a
gradient, and the program's other inputs. The program takes the cotangents of the results and these other
inputs; `given` lists the arguments whose gradients it returns."""
