"""Checks a record against a contract: each way in which it breaks it, with the line and what to type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from penstock.errors import ContractBroken
from penstock.flow.contract_clauses import Terms
from penstock.flow.explanation import Explanation
from penstock.flow.graph import Graph, Request, Write
from penstock.flow.reach import flows
from penstock.flow.reasoning import explain_value
from penstock.flow.recorded import graph_of
from penstock.flow.recording import Recorded, Recording
from penstock.flow.target_networks import Following, complaint
from penstock.state.selection import name_of
from penstock.tiers.commits import Commit
from penstock.trace.source_site import Site
from penstock.trace.tree import Node, tree

KEPT = 16
"""For how many contracts and sets of variables a path keeps its results; then it starts over."""
SHOWN = 4
"""How many breaches are listed; the others are counted."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One way in which a record breaks a contract: which clause, which variable, where, and what to type."""

    clause: str
    variable: Any
    site: Site | None
    fact: str
    fix: str
    explanation: Explanation | None = None


@dataclass(slots=True)
class Outcome:
    """What records say about a contract: which variables a gradient should reach, which should follow others.

    `reached` and `followed` are the numbers of those that did; `why` explains, if it can, why one was missed.
    """

    reaches: dict[int, Any] = field(default_factory=dict)
    follows: dict[int, Following] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)
    followed: set[int] = field(default_factory=set)
    why: dict[int, Explanation] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        """Adds the outcome of a later record of the same block."""
        self.reaches |= other.reaches
        self.follows |= other.follows
        self.reached |= other.reached
        self.followed |= other.followed
        self.why |= other.why


def examine(
    terms: Terms,
    node: Node,
    variables: Sequence[Any],
    start: int,
    entries: Sequence[Any],
    arguments: Sequence[Any],
    known: Mapping[int, Any],
) -> Outcome:
    """Returns what a record says about a contract, from event number `start` on; raises ContractBroken.

    The record is a path with its bound values, as in a `Commit`.
    """
    identities = (terms.number, start, tuple([variable._uid for variable in variables]))
    kept: dict[Any, Outcome] = node.facts.setdefault("contracts", {})
    outcome = kept.get(identities)
    if outcome is None:
        commit = Commit(node, tree.root, list(variables), [], True, list(entries), arguments, known)
        reader = _Reader(terms, commit, start)
        breaches = [*reader.writes(), *reader.reads(), *reader.unused(), *reader.following()]
        if breaches:
            raise broken(terms, breaches)
        if len(kept) >= KEPT:
            kept.clear()
        outcome = kept[identities] = reader.outcome
    return outcome


class _Reader:
    """Checks a record against a contract."""

    def __init__(self, terms: Terms, commit: Commit, start: int) -> None:
        self.terms, self.commit, self.start = terms, commit, start
        self.graph: Graph = graph_of(commit.node)
        self.variables: list[Any] = list(commit.variables)
        self.present = {variable._uid for variable in commit.variables}
        self.requests = [one for one in self.graph.requests if one.event >= start]
        self.found = [
            one
            for one in self.graph.writes
            if one.event >= start and not one.own and not self.variables[one.variable].own
        ]
        self.outcome = expected(terms, self.present)
        self.follows = list(self.outcome.follows.values())
        self._reach()

    def writes(self) -> Iterator[Breach]:
        """Yields writes of locked variables, and of variables that are not among the updates."""
        locked, updates = (self.terms.of(clause, self.present) for clause in ("locked", "updates"))
        following = {one.target._uid for one in self.follows}
        for write in self._once(self.found):
            variable = self.variables[write.variable]
            event = self.graph.events[write.event]
            path = name_of(variable)
            if variable._uid in locked:
                yield Breach(
                    "locked",
                    variable,
                    event.site,
                    f"{event.name} writes {path!r}, which is locked",
                    f"Take {path!r} out of this update, or out of locked=.",
                )
            elif self.terms.updates is not None and variable._uid not in {*updates, *following}:
                yield Breach(
                    "updates",
                    variable,
                    event.site,
                    f"{event.name} writes {path!r}, which is not in updates=",
                    f"Take {path!r} out of this update, or name it in updates=.",
                )

    def reads(self) -> Iterator[Breach]:
        """Yields reads that no clause covers, if the contract has `reads`."""
        if self.terms.reads is None:
            return
        known = {one._uid for pair in self.follows for one in (pair.target, pair.source)}
        for clause in ("reads", "updates", "locked", "reaches", "unused"):
            known |= self.terms.of(clause, self.present).keys()
        for index, variable in enumerate(self.variables):
            if variable._uid in known or variable.own:
                continue
            site = self._read_at(index)
            if site is not None:
                path = name_of(variable)
                yield Breach(
                    "reads",
                    variable,
                    site[0],
                    f"{path!r} is read, and no clause names it",
                    f"Do not use {path!r} in this step, or name it in reads=.",
                )

    def unused(self) -> Iterator[Breach]:
        """Yields the variables that a gradient reaches although it should not."""
        for uid, variable in self.terms.of("unused", self.present).items():
            numbers = self._numbers(uid)
            for request in self.requests:
                given = any(found and one in numbers for one, found in zip(request.sources, request.found))
                if not given and not flows(self.graph, request.targets, numbers, request.region):
                    continue
                path = name_of(variable)
                yield Breach(
                    "unused",
                    variable,
                    request.site,
                    f"a gradient reaches {path!r}, which is declared unused",
                    f"Put stop_gradient around what {path!r} contributes, or take it out of unused=.",
                    self._explained(request, variable),
                )
                break

    def following(self) -> Iterator[Breach]:
        """Yields targets that are not written from the variables they follow, or at another rate."""
        for one in self.follows:
            text = None
            index = self._index(one.target._uid)
            writes = [write for write in self.found if write.variable == index]
            if one.target is one.source:
                text, site = (
                    "is the same Variable as the one that it should follow: no copy was made",
                    one.target.site,
                )
            for write in writes:
                site = self.graph.events[write.event].site
                sources = self._numbers(one.source._uid)
                text = text or complaint(one, write, sources, self.graph, self.commit)
                self.outcome.followed.add(one.target._uid)
            if text is not None:
                path, rate = name_of(one.target), 0.005 if one.rate is None else one.rate
                yield Breach(
                    "follows",
                    one.target,
                    site,
                    f"{path!r} {text}",
                    f"target.assign_add({rate} * (source - target)) moves it as declared.",
                )

    def _reach(self) -> None:
        for uid, variable in self.outcome.reaches.items():
            numbers = self._numbers(uid)
            for request in self.requests:
                given = any(found and one in numbers for one, found in zip(request.sources, request.found))
                if given or flows(self.graph, request.targets, numbers, request.region):
                    self.outcome.reached.add(uid)
                    break
            else:
                if self.requests:
                    asked = self.requests[-1]
                    self.outcome.why[uid] = self._explained(asked, variable)

    def _explained(self, request: Request, variable: Any) -> Explanation:
        return explain_value(Recording(self.commit), request.targets, Recorded(variable), request)

    def _once(self, writes: Sequence[Write]) -> Iterator[Write]:
        """Yields one write for each line and variable."""
        seen = set()
        for write in writes:
            key = (write.variable, self.graph.events[write.event].site)
            if key not in seen:
                seen.add(key)
                yield write

    def _index(self, uid: int) -> int:
        return next((i for i, one in enumerate(self.variables) if one._uid == uid), -1)

    def _numbers(self, uid: int) -> list[int]:
        return self.graph.versions(self._index(uid))

    def _read_at(self, index: int) -> tuple[Site | None] | None:
        """Returns the line that reads a variable, in a tuple, or None; a read by an optimizer does not
        count."""
        for number in self.graph.versions(index):
            for user in self.graph.users(number):
                event = self.graph.events[self.graph.values[user].event]
                if event.number < self.start or event.kind not in ("operation", "write"):
                    continue
                written = {one.variable for one in self.graph.writes if one.event == event.number}
                if index not in written:
                    return (event.site,)
        return None


def expected(terms: Terms, present: Set[int]) -> Outcome:
    """Returns an outcome with the requirements, before anything has happened."""
    follows = {pair.target._uid: pair for pair in terms.pairs(present)}
    return Outcome(terms.of("reaches", present), follows)


def unmet(terms: Terms, outcome: Outcome) -> list[Breach]:
    """Returns the breaches by omission at the end of a step."""
    breaches: list[Breach] = []
    for uid, variable in outcome.reaches.items():
        if uid in outcome.reached:
            continue
        path, why = name_of(variable), outcome.why.get(uid)
        text = f"no gradient reaches {path!r}" + (f": {why.reason}" if why else ", and none was asked for")
        fix = why.fix if why else "Ask a tape for a gradient inside the step, or drop reaches=."
        breaches.append(Breach("reaches", variable, (why and why.cut) or terms.site, text, fix, why))
    for uid, pair in outcome.follows.items():
        if uid not in outcome.followed:
            path, rate = name_of(pair.target), 0.005 if pair.rate is None else pair.rate
            breaches.append(
                Breach(
                    "follows",
                    pair.target,
                    terms.site,
                    f"{path!r} is never moved towards {name_of(pair.source)!r}",
                    f"Write target.assign_add({rate} * (source - target)) into the step.",
                )
            )
    return breaches


def broken(terms: Terms, breaches: Sequence[Breach]) -> ContractBroken:
    """Returns the error that reports these breaches."""
    first = breaches[0]
    lines = [f"{one.fact}  ({one.site})" if one.site else one.fact for one in breaches[1:SHOWN]]
    if len(breaches) > SHOWN:
        lines.append(f"and {len(breaches) - SHOWN} more")
    if first.explanation is not None:
        lines += [f"{step}  {step.site or ''}".rstrip() for step in first.explanation.path[:8]]
    lines.append(f"{terms.name} made at {terms.site}; Variable created at {first.variable.site}")
    error = ContractBroken(
        f"{terms.name} is broken: {first.fact}.",
        origin="\n".join(lines),
        why="The contract was checked on the record: nothing was written.",
        remedy=first.fix,
        site=first.site or terms.site,
    )
    error.clause = first.clause
    error.variables = tuple(dict.fromkeys(name_of(one.variable) for one in breaches))
    return error


__all__ = ["Breach", "Outcome", "broken", "examine", "expected", "unmet"]
