"""A stretch of steps as a graph of values, to which the source of a framework adds what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from penstock.flow.graph import Event, Graph
from penstock.flow.observed import Passage, Variable
from penstock.flow.words import Words
from penstock.trace.source_site import Site

Kind = TypeVar("Kind", bound=Variable)
"""The variables of a framework."""


class Stretch(Passage, Generic[Kind]):
    """A graph under construction; it is also the passage for the report."""

    missed: Sequence[tuple[int, Variable]]
    ends_step = True

    def __init__(self, words: Words) -> None:
        self._origins: dict[int, tuple[int, ...]] = {}
        self.graph = Graph(words=words, origins=self._origins)
        self.program = self
        self.facts: dict[str, Any] = {}
        self.variables: list[Kind] = []
        self.missed = []
        self._index: dict[int, int] = {}

    @property
    def identities(self) -> tuple[int, ...]:
        return (*[one.uid for one in self.variables], len(self.graph.events))

    def index(self, parameter: Kind) -> int:
        """Returns the number of a variable in this graph."""
        found = self._index.get(parameter.uid)
        if found is None:
            found = self._index[parameter.uid] = len(self.variables)
            self.variables.append(parameter)
            self.graph.variables += 1
        return found

    def event(self, kind: str, name: str, site: Site | None, count: int = 0, composed: bool = False) -> Event:
        """Appends an event that makes this many values."""
        at = len(self.graph.values)
        event = Event(len(self.graph.events), kind, name, site, at, at + count, composed)
        self.graph.events.append(event)
        return event


__all__ = ["Stretch"]
