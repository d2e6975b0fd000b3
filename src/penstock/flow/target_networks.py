"""Targets that follow their sources: they are moved towards them by a rate, such as target networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.errors import PenstockError, RangeError
from penstock.flow.graph import Graph, Write
from penstock.state.selection import name_of
from penstock.tiers.commits import Commit
from penstock.tiers.program import extract, values_at
from penstock.tiers.reference import interpret
from penstock.trace.source_site import here

TOLERANCE = 1e-3
"""How far the recorded rate may be from the declared one, relative to the moving part."""


@dataclass(frozen=True, slots=True)
class Following:
    """A target that must be written as target + rate * (source - target); None allows any rate."""

    target: Any
    source: Any
    rate: float | None


def pairs(targets: Sequence[Any], sources: Sequence[Any], rate: float | None) -> list[Following]:
    """Returns each target with its source: the one with the same path ending, or else in the same position.

    Raises PenstockError if there is not one source of the same shape for each target.
    """
    ends = {_ending(one, sources): one for one in sources}
    wanted = [_ending(one, targets) for one in targets]
    alike = len(targets) == len(sources) and ends.keys() == set(wanted)
    matched = [ends[end] for end in wanted] if alike else list(sources)
    fitting = len(targets) == len(sources) and all(
        one._spec is other._spec for one, other in zip(targets, matched, strict=True)
    )
    if not fitting:
        raise PenstockError(
            f"follows: {len(targets)} targets cannot be paired with {len(sources)} sources.",
            origin="\n".join(
                f"{role}: {', '.join(f'{name_of(one)} {one._spec!r}' for one in some[:4])}"
                for role, some in (("targets", targets), ("sources", sources))
            ),
            why="Each target follows one source of its own shape and dtype.",
            remedy="Name both so that their paths end alike: target/0/kernel and policy/0/kernel.",
            site=here(),
        )
    return [Following(one, other, rate) for one, other in zip(targets, matched, strict=True)]


def _ending(variable: Any, among: Sequence[Any]) -> str:
    """Returns a path without the leading parts that all of these have in common."""
    folders = [one.path.split("/")[:-1] for one in among]
    depth = 0
    while all(len(one) > depth and one[depth] == folders[0][depth] for one in folders):
        depth += 1
    return "/".join(variable.path.split("/")[depth:])


def complaint(
    pair: Following, write: Write, sources: Sequence[int], graph: Graph, commit: Commit
) -> str | None:
    """Returns the error in a write of a target, or None; `sources` are versions of its source."""
    event = graph.events[write.event]
    if event.kind == "apply":
        return f"is moved by {event.name}; it should only follow {name_of(pair.source)!r}"
    ancestors = graph.ancestors([write.value])
    read = [number for number in sources if number in ancestors]
    if not read:
        return f"is written from something else than {name_of(pair.source)!r}"
    if pair.rate is None:
        return None
    rate = _rate(pair, write, read[-1], graph, commit)
    if rate is None or abs(rate - pair.rate) <= TOLERANCE * max(abs(pair.rate), 1e-3):
        return None
    return f"follows {name_of(pair.source)!r} at the rate {rate:.4g}, not {pair.rate:g}"


def _rate(pair: Following, write: Write, source: int, graph: Graph, commit: Commit) -> float | None:
    """Returns the rate at which a write moves its target, found by trying it on other values."""
    spec = pair.target._spec
    if spec.dtype.kind != "f":
        return None
    before = [n for n in graph.versions(write.variable) if n < write.value]
    rng = np.random.default_rng(0)
    # Other values than the present ones: a target that equals its source would hide every rate.
    given = {slot: rng.standard_normal(spec.shape).astype(spec.dtype) for slot in {source, *before[-1:]}}
    calls = commit.node.program()
    program, taken = extract(calls, [write.value], given)
    known = {**commit.known, **given}
    arguments = values_at(taken, calls, known, commit.arguments)
    try:
        (after,) = interpret(program, arguments)
    except RangeError:
        return None
    old = given[before[-1]].astype(float) if before else 0.0
    towards = given[source].astype(float) - old
    moved = after.astype(float) - old
    if not before:
        # A plain copy does not read its target.
        return 1.0 if np.allclose(after, given[source], rtol=1e-3) else float("nan")
    rate = float(np.sum(moved * towards) / np.sum(towards * towards))
    return rate if np.allclose(moved, rate * towards, rtol=1e-2, atol=1e-4) else float("nan")


__all__ = ["Following", "complaint", "pairs"]
