"""What tests count: launches, compilations, calls of rules."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from penstock.ops.table import complete
from penstock.tiers.program import programs

table = complete()


def launches() -> int:
    """Returns how many executables of this process have been launched."""
    return sum(program.launches for program in programs.values())


def last_compiled() -> tuple[Any, str]:
    """The program that was compiled last, and its text."""
    from penstock.tiers import xla

    program, donated = xla.compilations[-1]
    return program, program.compiled[donated].made.as_text()


class Counting:
    """Derivative rules by operand, each call counted; there may be endlessly many of them."""

    def __init__(self, rules, counting):
        self.rules, self.counting = rules, counting

    def __getitem__(self, operand):
        return self.counting("derivative", self.rules[operand])

    def __len__(self):
        return len(self.rules)


@contextmanager
def rules() -> Iterator[Counter[str]]:
    """Counts, by kind, the calls of shape rules and derivative rules of every primitive."""
    counted: Counter[str] = Counter()

    def counting(kind, rule):
        def wrapped(*arguments, **options):
            counted[kind] += 1
            return rule(*arguments, **options)

        return rule and wrapped

    kept = {name: (one.shape, one.vjp) for name, one in table.items()}
    for one in table.values():
        object.__setattr__(one, "shape", counting("shape", one.shape))
        object.__setattr__(one, "vjp", Counting(one.vjp, counting))
    try:
        yield counted
    finally:
        for name, (shape, vjp) in kept.items():
            object.__setattr__(table[name], "shape", shape)
            object.__setattr__(table[name], "vjp", vjp)


def count_compilations() -> int:
    """Returns how many programs this process has compiled."""
    return sum(len(program.compiled) for program in programs.values())


def calls_of(steps):
    """How often each function of Penstock's is called."""
    found = Counter()

    def note(frame, event, argument):
        if event == "call" and "penstock" in frame.f_code.co_filename:
            found[frame.f_code.co_qualname] += 1

    sys.setprofile(note)
    try:
        steps()
    finally:
        sys.setprofile(None)
    return found
