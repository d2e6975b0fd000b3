"""What sources tell of writes: one write that has been made, and a passage that consists of writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.flow.graph import Graph
from penstock.flow.observed import Passage, Variable, Wrote
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
        "amount", "before", "by", "event", "idle", "kind", "made", "numbers_steps", "own", "settling", "site",
        "size", "step", "terms", "trainable", "uid", "variable",
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
        self.settling: bool | None = None

    def change(self) -> float | None:
        return self.amount

    def settles(self) -> bool | None:
        return self.settling


__all__ = ["Nothing", "Written"]
