"""Loops whose rows do not depend on each other, by a function in C that XLA calls: docs/decisions/0068."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.ops import ffi
from penstock.ops.row_code import RowCode
from penstock.ops.row_reading import Columns, RowLoop, row_loop

function = ffi.Function("_row_loops", "penstock_row_loop")
TARGET, described, lack = function.target, function.described, function.lack


def takes(step: Any) -> bool:
    """Returns whether a step of a program is such a loop, and the function is there."""
    if step.primitive.name != "scan" or described() is None:
        return False
    params = step.params
    return row_loop(params["body"], params["constants"], params["carried"]) is not None


def computed(
    jax: Any, body: Any, operands: Sequence[Any], constants: int, carried: int, length: int, backwards: bool,
    history: Sequence[int],
) -> tuple[list[Any], list[Any], list[Any]] | None:  # fmt: skip
    """Returns the results of a loop, or None if XLA computes it: see `scan` in ops/control.py.

    They are the carried values at the end, the stacks of the body's other outputs, and the stacks of the
    carried values numbered in `history`, as they were before each turn.
    """
    if not ffi.is_allowed() or not length or jax.default_backend() != "cpu":
        return None
    loop = row_loop(body, constants, carried)
    # What is summed after the loop is not known before each turn.
    if loop is None or not loop.totals.keys().isdisjoint(history) or lack() is not None:
        return None
    given = _Given(jax, body, loop, operands, constants, carried)
    code = RowCode(loop, {j: one.shape[1] for j, one in given.rows.items()}, function.module.packed_length)
    before = [code.stack(Columns(("carried", j), 0, given.rows[j].shape[1])) for j in history]
    code.instructions += loop.instructions
    others = [code.stack(one) for one in loop.others]
    summed = {one: code.stack(one) for one in loop.stacked if one.base not in code.given}
    code.carry_on()
    words = code.words(length, backwards)
    rows, count = loop.rows, len(code.carried)
    made = [(rows, width) if i < count else (length, rows, width) for i, width in enumerate(code.results)]
    call = jax.ffi.ffi_call(TARGET, [jax.ShapeDtypeStruct(one, np.float32) for one in made])
    found = call(*map(given.argument, code.arguments), how=words)
    totals = given.totals({one: found[number] for one, number in summed.items()})
    finals = [totals[j] if j in totals else found[code.carried[j]] for j in range(carried)]
    return finals, [found[one] for one in others], [found[one] for one in before]


class _Given:
    """The operands of a loop as JAX traces them. `rows` are the carried values that have the loop's rows."""

    def __init__(
        self, jax: Any, body: Any, loop: RowLoop, operands: Sequence[Any], constants: int, carried: int
    ) -> None:
        self.jax, self.body, self.loop = jax, body, loop
        self.carry, self.stacks = operands[constants : constants + carried], operands[constants + carried :]
        self.rows = {j: one for j, one in enumerate(self.carry) if j not in loop.totals}
        self.known = dict(enumerate(body.program.constants, len(body.program.specs)))
        """The values that stay, and those after the loop, by their numbers in the body's program."""
        for number, taken in enumerate(body.taken):
            if taken < constants:
                self.known[number] = operands[taken]

    def value(self, number: int) -> Any:
        """Returns a value of the body's program that stays, or that is computed after the loop."""
        return self.body.computed(self.jax, number, self.known)

    def argument(self, source: Any) -> Any:
        """Returns an argument of the function: see RowCode."""
        kind, number, *rest = source
        if kind == "carried":
            return self.carry[number]
        if kind == "stack":
            return self.stacks[number]
        if kind == "matrix":
            return self.value(number)
        width, each = rest
        return self.jax.numpy.broadcast_to(self.value(number), (self.loop.rows if each else 1, width))

    def totals(self, stacked: Mapping[Columns, Any]) -> dict[int, Any]:
        """Returns the carried values that are sums; `stacked` has the columns that the loop has stacked."""

        def stack(columns: Columns) -> Any:
            if columns in stacked:
                return stacked[columns]
            _, number = columns.base
            return self.stacks[number][..., columns.start : columns.start + columns.width]

        for number, one in self.loop.sums.items():
            right = stack(one.right)
            if one.left is not None:
                found = self.jax.numpy.tensordot(stack(one.left), right, ((0, 1), (0, 1)))
            else:
                found = (right.sum() if one.all else right.sum((0, 1))).reshape(one.shape)
            self.known[number] = found
        return {j: self.carry[j] + self.value(number) for j, number in self.loop.totals.items()}
