"""Updates that are computed in one pass over memory, where XLA would make three: docs/decisions/0055.

They are found among the operations of a program, whichever optimizer or vocabulary recorded them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.ops import ffi, updates
from penstock.tiers.program import Program

SINGLE = np.dtype(np.float32)
SMALL, CHEAP = 1 << 10, 1 << 22
"""In a program of fewer than CHEAP arithmetic operations, XLA computes updates of fewer than SMALL elements.

A call takes a quarter of a microsecond more than three tiny kernels; elsewhere it spares compiling these."""

Found = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Moments:
    """An update by Adam. Values are given by their numbers: arguments first, then constants, then steps.

    `old` are the variable's value, the mean gradient and the mean square, and `new` those after the update.
    `numbers`, `outside` and `decays` are those of ops/updates.py.
    """

    old: tuple[int, int, int]
    gradient: int
    numbers: tuple[int, ...]
    outside: bool
    decays: bool
    new: tuple[int, int, int]

    def computed(self, jax: Any, values: Sequence[Any], lent: Collection[int]) -> list[Any]:
        """Returns the new values; they overwrite the values with the numbers `lent`."""
        old = [values[number] for number in self.old]
        numbers = [values[number] for number in self.numbers]
        places = [place for place, number in enumerate(self.old) if number in lent]
        return updates.moments(jax, old, values[self.gradient], numbers, self.outside, self.decays, places)


class OnePass:
    """The updates of a program, by the number of the step that is computed last.

    `skipped` are the numbers of steps whose values an update brings along, or that nothing reads any more.
    """

    __slots__ = ("skipped", "updates")

    def __init__(self, program: Program | None = None) -> None:
        self.updates: Mapping[int, Moments] = {}
        self.skipped: frozenset[int] = frozenset()
        if program is not None:
            reader = _Reader(program)
            found = {number: reader.moments(number) for number in range(reader.first, len(reader.specs))}
            self.updates = {number - reader.first: one for number, one in found.items() if one is not None}
            if self.updates:
                self.skipped = reader.skipped(self.updates.values())


NONE = OnePass()


def one_pass(program: Program) -> OnePass:
    """Returns the updates that the function in C computes if the program is lowered now."""
    if not ffi.is_allowed() or updates.lack() is not None:
        return NONE
    return OnePass(program)


class _Reader:
    """Reads a program backwards from its values."""

    def __init__(self, program: Program) -> None:
        self.steps = program.steps
        self.first = len(program.specs) + len(program.constants)
        self.specs = program.every_spec
        self.outputs = program.outputs
        self.readers = Counter(number for step in program.steps for number in set(step.inputs))
        self.least = SMALL if program.cost < CHEAP else 1

    def operands(self, number: int | None, name: str) -> Found:
        """Returns the operands of a value; Nones if another operation made it."""
        step = self.steps[number - self.first] if number is not None and number >= self.first else None
        return step.inputs if step is not None and step.primitive.name == name else (None, None)

    def is_number(self, number: int | None) -> bool:
        """Returns whether a value is a single float32."""
        return number is not None and self.specs[number].shape == () and self.specs[number].dtype == SINGLE

    def averaged(self, number: int | None) -> Found:
        """Returns an average before, its new term and that term's weight: old + (term - old) * weight."""
        old, moved = self.operands(number, "add")
        away, weight = self.operands(moved, "multiply")
        term, same = self.operands(away, "subtract")
        return (old, term, weight) if old == same else (None, None, None)

    def decayed(self, number: int | None) -> Found:
        """Returns a value before, the share that it has lost and its rate: old - old * share * rate."""
        old, lost = self.operands(number, "subtract")
        part, rate = self.operands(lost, "multiply")
        same, share = self.operands(part, "multiply")
        numbers = self.is_number(share) and self.is_number(rate)
        return (old, share, rate) if old == same and numbers else (number, None, None)

    def moments(self, number: int) -> Moments | None:
        """Returns the update that ends at a value: base - mean * rate / (root + floor)."""
        base, moved = self.operands(number, "subtract")
        step, divisor = self.operands(moved, "divide")
        new_mean, rate = self.operands(step, "multiply")
        root, floor = self.operands(divisor, "add")
        plain, correction = self.operands(root, "divide")
        outside = plain is not None
        new_square = self.operands(plain if outside else root, "sqrt")[0]
        mean, gradient, weight = self.averaged(new_mean)
        square, squared, other_weight = self.averaged(new_square)
        value, share, decay_rate = self.decayed(base)
        numbers: list[int | None] = [weight, other_weight, rate, floor]
        numbers += [correction] * outside + [share, decay_rate] * (share is not None)
        arrays = (value, mean, square, gradient)
        if self.operands(squared, "square")[0] != gradient or not all(map(self.is_number, numbers)):
            return None
        same = all(one is not None and self.specs[one] == self.specs[number] for one in arrays)
        spec = self.specs[number]
        if not same or len(set(arrays)) < 4 or spec.dtype != SINGLE or spec.size < self.least:
            return None
        new: Any = (number, new_mean, new_square)
        # The means come with the value, so nothing else may read them before, nor what is computed from them.
        between = {moved, step, divisor, root, plain} - {None}
        outputs = set(self.outputs)
        if not outputs.issuperset(new) or not outputs.isdisjoint(between):
            return None
        if any(self.readers[one] != 1 for one in (*new[1:], *between)):
            return None
        found: Any = (value, mean, square), gradient, tuple(numbers), outside, share is not None, new
        return Moments(*found)

    def skipped(self, found: Collection[Moments]) -> frozenset[int]:
        """Returns the steps that need not be computed one by one if these updates are computed at once."""
        brought = {number: one for one in found for number in one.new}
        needed: set[int] = set()
        stack = [*self.outputs, *(number for step in self.steps if step.guarded for number in step.inputs)]
        while stack:
            number = stack.pop()
            if number in needed:
                continue
            needed.add(number)
            one = brought.get(number)
            if one is not None:
                stack += [*one.old, one.gradient, *one.numbers]
            elif number >= self.first:
                stack += self.steps[number - self.first].inputs
        last = {one.new[0] for one in found}
        every = range(self.first, len(self.specs))
        return frozenset(n - self.first for n in every if n not in needed or (n in brought and n not in last))
