"""Describes how a compiled program differs from those compiled before it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from penstock.tiers.program import Program, pick

SHOWN = 3
"""How many of the values that only one of two programs keeps are named."""


class Comparison:
    """Compares programs, and keeps what it computes about each for later comparisons."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.kept: dict[Program, Kept] = {}

    def of(self, program: Program) -> Kept:
        """Returns the values that a program keeps."""
        found = self.kept.get(program)
        if found is None:
            found = self.kept[program] = Kept(program, self.numbers)
        return found

    def explain(self, program: Program, earlier: Sequence[Program]) -> str:
        """Says how a program differs from the closest one compiled before it.

        Closest is the one that shares the most steps. If it computes the same or a part of it but keeps other
        values, the message names these; otherwise it names the argument, number or operation that changed.
        """
        if not earlier:
            return f"compiled: the first program, of {len(program.steps)} operations"
        if any(one is program for one in earlier):
            return "compiled again: the same program, because its values are still in use elsewhere"
        kept = self.of(program)
        closest = max(map(self.of, earlier), key=lambda other: _likeness(kept, other))
        words = kept.words(closest) if kept.is_like(closest) else _differences(closest.program, program)
        return f"compiled again: {'; '.join(words) or 'the values to keep are in a different order'}"


class Kept:
    """The values that a program computes and keeps; equal operations on equal operands are one value.

    `numbers` numbers values through several programs.
    """

    def __init__(self, program: Program, numbers: dict[Any, int]) -> None:
        specs, constants, steps, outputs = program.key
        leaves = [("argument", *one) for one in enumerate(specs)] + [("number", one) for one in constants]
        found = [numbers.setdefault(one, len(numbers)) for one in leaves]
        for primitive, inputs, params in steps:
            value = (primitive, tuple([found[i] for i in inputs]), params)
            found.append(numbers.setdefault(value, len(numbers)))
        self.program = program
        self.computed = set(found[len(leaves) :])
        self.places = {found[output]: output for output in outputs}

    def is_like(self, other: Kept) -> bool:
        """Returns whether one of the two computes the same values as the other, or a part of them."""
        return bool(self.computed & other.computed) and (
            self.computed <= other.computed or self.computed >= other.computed
        )

    def words(self, before: Kept) -> list[str]:
        """Names the values that are kept now and were not before, and the other way round."""
        words = []
        for one, other, when in ((self, before, "now"), (before, self, "no longer")):
            places = [place for number, place in one.places.items() if number not in other.places]
            names = ", ".join(_name(one.program, place) for place in places[:SHOWN])
            if places:
                more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
                several = "are" if len(places) > 1 else "is"
                words.append(f"{names}{more} {several} {when} kept")
        return words


def _name(program: Program, number: int) -> str:
    """Returns the name of a value in messages: its operation and line."""
    first = len(program.specs) + len(program.constants)
    if number < len(program.specs):
        return f"argument {number + 1}"
    if number < first:
        return f"the number {program.constants[number - len(program.specs)]}"
    step = program.steps[number - first]
    if step.primitive is pick:
        step = program.steps[step.inputs[0] - first]
    return f"the value of {step.primitive.name} ({step.site})"


def _names(program: Program) -> list[str]:
    return [step.primitive.name for step in program.steps]


def _likeness(one: Kept, other: Kept) -> tuple[int, int]:
    a, b = one.program, other.program
    alike = len(one.computed & other.computed) if one.is_like(other) else 0
    same_steps = max(alike, sum(map(operator.eq, _names(a), _names(b)))) - abs(len(a.steps) - len(b.steps))
    same_specs = sum(map(operator.is_, a.specs, b.specs)) - abs(len(a.specs) - len(b.specs))
    return same_steps, same_specs


def _differences(before: Program, now: Program) -> list[str]:
    words = []
    if len(before.specs) != len(now.specs):
        words.append(f"{len(before.specs)} arguments became {len(now.specs)}")
    for number, (a, b) in enumerate(zip(before.specs, now.specs, strict=False), 1):
        if a is not b:
            words.append(f"argument {number} went from {a!r} to {b!r}")
    for a, b in zip(before.constants, now.constants, strict=False):
        if a.tobytes() != b.tobytes() or a.dtype != b.dtype:
            words.append(f"the number {a} became {b}")
    for one, other in zip(before.steps, now.steps, strict=False):
        if one.primitive is not other.primitive:
            words.append(f"{one.primitive.name} ({one.site}) became {other.primitive.name} ({other.site})")
            break
    if len(before.steps) != len(now.steps):
        words.append(f"{len(before.steps)} operations became {len(now.steps)}")
    return words


__all__ = ["Comparison"]
