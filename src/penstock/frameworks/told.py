"""What sources tell of writes: one that was made, an update that was skipped, a passage of writes alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.flow.graph import Graph
from penstock.flow.observed import Passage, Update, Variable, Wrote
from penstock.flow.report_model import Skip
from penstock.flow.words import Words
from penstock.trace.source_site import Site


class Nothing(Passage):
    """A passage with only its writes known."""

    variables: Sequence[Variable] = ()
    missed: Sequence[tuple[int, Variable]] = ()
    ends_step = False
    identities = ()

    def __init__(self, words: Words) -> None:
        self.graph = Graph(words=words)
        self.program, self.facts = self, {}


class Written(Wrote):
    """One write that an optimizer, a layer or the program has made: the source has measured `amount`."""

    sampled = False

    __slots__ = (
        "after", "amount", "before", "by", "event", "idle", "kind", "made", "numbers_steps", "own",
        "settling", "site", "size", "step", "terms", "trainable", "uid", "variable",
    )  # fmt: skip

    def __init__(
        self, variable: Any, by: str, site: Site | None, kind: str, terms: tuple[str, ...], event: int,
        amount: float | None, made: Site | None = None, idle: bool = False,
    ) -> None:  # fmt: skip
        self.variable, self.uid, self.by, self.site, self.kind = variable, variable.uid, by, site, kind
        self.own, self.terms, self.event, self.amount, self.made = False, terms, event, amount, made
        self.size, self.idle = 1, idle
        self.numbers_steps = terms not in (("state",), ("load",))
        self.step = 0
        self.trainable = variable.trainable
        self.before: Any = None
        self.after: Any = None
        self.settling: bool | None = None

    def change(self) -> float | None:
        return self.amount

    def settles(self) -> bool | None:
        return self.settling


class Scaled(Update):
    """An update that an optimizer with a scaled loss makes or skips.

    `parameters` are those whose gradients are not finite, `value` is the first such number, and `scales` are
    the scales before and after it, if they are known.
    """

    __slots__ = ("by", "event", "held", "missed", "parameters", "scales", "site", "value")

    def __init__(
        self, by: str, site: Site | None, parameters: Sequence[Variable], value: float, missed: bool,
        held: Sequence[Variable] = (), scales: tuple[float, float] | None = None,
    ) -> None:  # fmt: skip
        self.by, self.site, self.event = by, site, -1
        self.parameters, self.value, self.missed = parameters, value, missed
        self.held, self.scales = held or parameters, scales

    def left_out(self) -> bool | None:
        return self.missed

    def skip(self, step: int) -> Skip | None:
        names = tuple(one.path for one in self.parameters)
        return Skip(step, self.by, self.site, names, self.value, "a gradient", self.site, self.scales)

    def scale(self) -> tuple[float, float] | None:
        return self.scales

    def moved(self) -> Sequence[Variable]:
        return self.held


__all__ = ["Nothing", "Scaled", "Written"]
