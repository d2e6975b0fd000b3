"""Whether a gradient gets from a target to a source, and if not, what cuts the paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from penstock.flow.graph import Graph, Look, Region, Value, route
from penstock.flow.source import stands_in_line

FLOWS = "flows"
PRINTING = ("repr()", "str()", "format()", "bool()")
"""Ways of reading a value after which it does not come back as data."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One place where paths end: `word` says why, `value` is the later end of the cut link.

    `operand` is the number of the operand that no gradient reaches; None if the value itself is the cause.
    """

    word: str
    value: int
    operand: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question: the reason (or "flows"), a chain of values back from the target, all cuts.

    `cuts[0]` is the one the reason names. `look` and `entry` are where a value left and came back, for
    "escaped"; `entry` is None if the target itself came back. `earlier` says that the path leads into an
    earlier step.
    """

    reason: str
    chain: tuple[int, ...]
    cuts: tuple[Cut, ...] = ()
    look: Look | None = None
    entry: int | None = None
    earlier: bool = False


def choose_region(graph: Graph, target: int | None, sources: Sequence[int]) -> Region:
    """Returns the region of the tape that decides.

    It is the record of the last tape that was asked for this target and source; otherwise that of the
    innermost tape recording when the target was made, or of one around it if only that one has a path;
    otherwise that of the last tape opened before it.
    """
    for request in reversed(graph.requests):
        if target in request.targets and any(source in sources for source in request.sources):
            return request.region
    size = len(graph.values)
    regions = [tape.region(size) for tape in graph.tapes]
    if target is None:
        return regions[-1] if regions else Region((), False)
    around = [region for region in reversed(regions) if region.covers(target)]
    for region in around:
        if flows(graph, [target], sources, region):
            return region
    if around:
        return around[0]
    earlier = [region for region in regions if region.intervals and region.intervals[0][0] <= target]
    return (earlier or regions or [Region((), False)])[-1]


def judge(graph: Graph, targets: Sequence[int], sources: Sequence[int], region: Region) -> Verdict:
    """Returns why a gradient of the targets does, or does not, reach the sources (versions of one thing)."""
    return _Walk(graph, targets, region).judge(sources)


def flows(graph: Graph, targets: Sequence[int], sources: Sequence[int], region: Region) -> bool:
    """Returns whether a gradient of the targets reaches one of the sources."""
    return bool(_Walk(graph, targets, region).ends(sources))


class _Walk:
    """The backward search from some targets: all links, and those that a gradient passes."""

    def __init__(self, graph: Graph, targets: Sequence[int], region: Region) -> None:
        self.graph, self.targets, self.region = graph, targets, region
        self.behind = graph.ancestors(targets)
        self.clear = graph.clear(targets, region)

    def back(self, number: int) -> tuple[int, ...]:
        """Returns the operands of a value."""
        return self.graph.values[number].inputs

    def passing(self, number: int) -> Iterable[int]:
        """Returns the operands of a value that a gradient passes to."""
        links = enumerate(self.back(number))
        return (source for i, source in links if not self.graph.obstacle(number, i, self.region))

    def ends(self, sources: Sequence[int]) -> list[int]:
        """Returns the sources at which a gradient arrives: the tape watches them or their inputs."""
        values = self.graph.values
        whole = [number for number in sources if number in self.clear and values[number].differentiable]
        ends = [number for number in whole if number in self.graph.leaves(self.region)]
        if not ends and any(values[number].variable is None for number in whole):
            ends = [number for number in whole if number in self.graph.tracked(self.region)]
        return ends

    def judge(self, sources: Sequence[int]) -> Verdict:
        """Returns the verdict on sources (versions of one thing)."""
        ends = self.ends(sources)
        if ends:
            return Verdict(FLOWS, tuple(route(self.targets, set(ends), self.passing)))
        reached = [number for number in sources if number in self.behind]
        if not reached:
            return _unconnected(self.graph, self.behind, self.targets, sources, self.region)
        whole = [number for number in reached if number in self.clear]
        return self.unheeded(whole[-1]) if whole else self.cut(reached)

    def unheeded(self, number: int) -> Verdict:
        """Returns the verdict on a source that a gradient would reach, if the tape watched it."""
        value = self.graph.values[number]
        if not value.differentiable:
            word = "discrete"
        elif value.variable is not None and not value.trainable and self.region.watch_variables:
            word = "frozen"
        else:
            word = "unwatched"
        chain = route(self.targets, {number}, self.passing)
        return Verdict(word, tuple(chain), (Cut(word, number, None),))

    def cut(self, reached: Sequence[int]) -> Verdict:
        """Returns the verdict on a source with all paths cut: at the first cuts, seen from the source."""
        between = self.behind & self.graph.descendants(reached)
        near = set(reached)
        for number in sorted(between):
            if any(source in near for source in self.passing(number)):
                near.add(number)
        cuts = [
            Cut(word, number, operand)
            for number in sorted(between - near)
            for operand, source in enumerate(self.back(number))
            if source in near and (word := self.graph.obstacle(number, operand, self.region))
        ]
        if not any(self.graph.values[number].differentiable for number in reached):
            cuts.append(Cut("discrete", reached[-1], None))
        cuts.sort(key=lambda cut: _weight(self.graph, cut), reverse=True)
        first = cuts[0]
        chain = route(self.targets, {first.value}, lambda n: (s for s in self.back(n) if s in between))
        if first.operand is not None:
            onward = self.back(first.value)[first.operand]
            chain += route([onward], set(reached), lambda n: (s for s in self.passing(n) if s in near))
        return Verdict(first.word, tuple(chain), _distinct(self.graph, cuts))


def _weight(graph: Graph, cut: Cut) -> tuple[bool, bool, bool, int]:
    """Orders cuts by how likely the user asks about them.

    A source without a derivative comes first. A cut inside a library function, or through a condition or an
    index, is rarely the path that the user had in mind.
    """
    return cut.operand is None, not _is_inner(graph, cut), cut.word != "discrete", cut.value


def _distinct(graph: Graph, cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """Keeps one cut for each event and word; inner ones of library functions only if there are no others."""
    own = [cut for cut in cuts if not _is_inner(graph, cut)] or cuts
    found: dict[tuple[str, int], Cut] = {}
    for cut in own:
        found.setdefault((cut.word, graph.values[cut.value].event), cut)
    return tuple(found.values())


def _is_inner(graph: Graph, cut: Cut) -> bool:
    """Returns whether a cut is internal to a library function."""
    value = graph.values[cut.value]
    return value.kind == "operation" and graph.events[value.event].composed and cut.word != "outside"


def _unconnected(
    graph: Graph, behind: Set[int], targets: Sequence[int], sources: Sequence[int], region: Region
) -> Verdict:
    """Distinguishes the reasons if no path leads from source to target: escaped, dead end, unused."""
    ahead = graph.descendants(sources)
    if not targets and graph.origins is None:
        # The target itself is incoming data, and nothing was computed from it.
        looks = [look for look in graph.looks if look.value in ahead and look.how not in PRINTING]
        if looks:
            look = looks[-1]
            onward = route([look.value], set(sources), lambda number: graph.values[number].inputs)
            return Verdict("escaped", tuple(onward), (Cut("escaped", look.value, None),), look)
    escape = _escape(graph, behind, ahead)
    if escape is not None:
        return _escaped(graph, targets, sources, *escape)
    uses = [number for number in sorted(ahead - set(sources)) if _counts_as_use(graph, number, region)]
    if uses:
        last = [number for number in uses if not any(user in ahead for user in graph.users(number))] or uses
        return Verdict("dead_end", (), (Cut("dead_end", last[-1], None),))
    return Verdict("unused", ())


def _escaped(graph: Graph, targets: Sequence[int], sources: Sequence[int], look: Look, entry: int) -> Verdict:
    chain = route(list(targets), {entry}, lambda number: graph.values[number].inputs)
    onward = route([look.value], set(sources), lambda number: graph.values[number].inputs)
    return Verdict("escaped", (*chain, *onward), (Cut("escaped", entry, None),), look, entry)


def stored_anew(
    graph: Graph, targets: Sequence[int], sources: Sequence[int], is_after: Callable[[int, Look], bool]
) -> Verdict | None:
    """Returns the verdict on sources with a value that left the record and came back in a new variable.

    `is_after` says whether the variable of a value was created after a look.
    """
    ahead = graph.descendants(sources)
    looks = [look for look in graph.looks if look.value in ahead and look.how not in PRINTING]
    if not looks:
        return None
    for number in sorted(graph.ancestors(targets)):
        value = graph.values[number]
        for look in reversed(looks):
            if value.kind == "variable" and value.event > look.event and is_after(number, look):
                return _escaped(graph, targets, sources, look, number)
    return None


def _counts_as_use(graph: Graph, number: int, region: Region) -> bool:
    """Returns whether a value was computed by the user, while the tape was recording (if there was one)."""
    value = graph.values[number]
    if graph.events[value.event].kind != "operation":
        return False
    return not region.intervals or region.covers(number)


def _escape(graph: Graph, behind: Set[int], ahead: Set[int]) -> tuple[Look, int] | None:
    """Returns a read of a value computed from the source, and later data that the target depends on."""
    for at, look in enumerate(graph.looks):
        if look.value not in ahead or look.how in PRINTING:
            continue
        if graph.origins is not None:
            came = [number for number, looks in graph.origins.items() if at in looks and number in behind]
            if came:
                return look, min(came)
            continue
        for number in sorted(behind):
            value = graph.values[number]
            if value.event > look.event and _may_come_from(graph, value, look):
                return look, number
    return None


def _may_come_from(graph: Graph, value: Value, look: Look) -> bool:
    """Returns whether data or a number may be a value that was read: a constant of the program cannot."""
    if value.kind == "data":
        return True
    event = graph.events[value.event]
    if value.kind != "number" or event.kind != "operation" or event.composed:
        return False
    if value.literal is None or event.site == look.site:
        return True
    return event.site is not None and not stands_in_line(event.site, value.literal)
