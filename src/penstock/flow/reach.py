"""Whether a gradient gets from a target to a source, and what cuts the paths where it does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock.flow.graph import Graph, Look, Region, Value, route
from penstock.flow.source import stands_in_line

FLOWS = "flows"
PRINTING = ("repr()", "str()", "format()", "bool()")
"""Ways of looking at a value after which it does not come back as data."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One place where paths end: `word` says why, `value` is the later end of the cut link.

    `operand` is the number of the operand that no gradient reaches; None where the value itself is the cause.
    """

    word: str
    value: int
    operand: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one question: the reason (or "flows"), a chain of values back from the target, all cuts.

    `cuts[0]` is the one the reason names. `look` and `entry` are where a value left and came back, for
    "escaped". Only part of `chain` exists where nothing leads on.
    """

    reason: str
    chain: tuple[int, ...]
    cuts: tuple[Cut, ...] = ()
    look: Look | None = None
    entry: int | None = None


def choose_region(graph: Graph, target: int | None, sources: Sequence[int]) -> Region:
    """Returns the region to judge by.

    That is what the last tape recorded that was asked for this target and source; else the innermost tape that
    was recording when the target was made, or one around it if only that one leads on; else the last tape
    opened before it.
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
        if sources and judge(graph, [target], sources, region).reason == FLOWS:
            return region
    if around:
        return around[0]
    earlier = [region for region in regions if region.intervals and region.intervals[0][0] <= target]
    return (earlier or regions or [Region((), False)])[-1]


def judge(graph: Graph, targets: Sequence[int], sources: Sequence[int], region: Region) -> Verdict:
    """Returns why a gradient of the targets does, or does not, reach the sources (versions of one thing)."""
    behind = graph.ancestors(targets)
    reached = [number for number in sources if number in behind]
    if not reached:
        return _unconnected(graph, behind, targets, sources, region)
    clear = graph.clear(targets, region)
    whole = [number for number in reached if number in clear]
    ends = [number for number in whole if number in graph.leaves(region)]
    if not ends and any(graph.values[number].variable is None for number in whole):
        tracked = graph.tracked(region)
        ends = [number for number in whole if number in tracked and graph.values[number].differentiable]

    def back(number: int) -> tuple[int, ...]:
        return graph.values[number].inputs

    def clear_back(number: int) -> Iterable[int]:
        return (source for i, source in enumerate(back(number)) if not graph.obstacle(number, i, region))

    def near_back(number: int, near: set[int]) -> Iterable[int]:
        return (source for source in clear_back(number) if source in near)

    if ends:
        return Verdict(FLOWS, tuple(route(list(targets), set(ends), clear_back)))
    if whole:
        number = whole[-1]
        value = graph.values[number]
        chain = tuple(route(list(targets), {number}, clear_back))
        if not value.differentiable:
            word = "discrete"
        elif value.variable is not None and not value.trainable and region.watch_variables:
            word = "frozen"
        else:
            word = "unwatched"
        return Verdict(word, chain, (Cut(word, number, None),))
    between = behind & graph.descendants(reached)
    near = set(reached)
    for number in sorted(between):
        operands = enumerate(back(number))
        if any(source in near and not graph.obstacle(number, i, region) for i, source in operands):
            near.add(number)
    cuts = [
        Cut(word, number, operand)
        for number in sorted(between - near)
        for operand, source in enumerate(back(number))
        if source in near and (word := graph.obstacle(number, operand, region))
    ]
    if not any(graph.values[number].differentiable for number in reached):
        cuts.append(Cut("discrete", reached[-1], None))
    cuts.sort(key=lambda cut: _weight(graph, cut), reverse=True)
    first = cuts[0]

    def towards(number: int) -> Iterable[int]:
        return (source for source in back(number) if source in between)

    whole_chain = route(list(targets), {first.value}, towards)
    if first.operand is not None:
        onward = back(first.value)[first.operand]
        whole_chain += route([onward], set(reached), lambda number: near_back(number, near))
    return Verdict(first.word, tuple(whole_chain), _distinct(graph, cuts))


def _weight(graph: Graph, cut: Cut) -> tuple[bool, bool, bool, int]:
    """Orders cuts by how likely they are what the user asks about.

    A source without a derivative of its own comes first. A cut inside a library function, or through a
    condition or an index, is seldom the path that somebody had in mind.
    """
    value = graph.values[cut.value]
    inner = graph.events[value.event].composed and value.kind == "operation"
    return cut.operand is None, not inner, cut.word != "discrete", cut.value


def _distinct(graph: Graph, cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """Keeps one cut for each event and word; the inner ones of library functions only if there are no others."""
    own = [
        cut for cut in cuts if not graph.events[graph.values[cut.value].event].composed or cut.operand is None
    ]
    own = [
        cut
        for cut in cuts
        if cut in own or graph.values[cut.value].kind == "written" or cut.word == "outside"
    ] or list(cuts)
    found: dict[tuple[str, int], Cut] = {}
    for cut in own:
        found.setdefault((cut.word, graph.values[cut.value].event), cut)
    return tuple(found.values())


def _unconnected(
    graph: Graph, behind: set[int], targets: Sequence[int], sources: Sequence[int], region: Region
) -> Verdict:
    """Tells apart, where no path leads from source to target: escaped, dead end, unused."""
    ahead = graph.descendants(sources)
    escape = _escape(graph, behind, ahead)
    if escape is not None:
        look, entry = escape
        chain = route(list(targets), {entry}, lambda number: graph.values[number].inputs)
        onward = route([look.value], set(sources), lambda number: graph.values[number].inputs)
        return Verdict("escaped", (*chain, *onward), (Cut("escaped", entry, None),), look, entry)
    uses = [number for number in sorted(ahead - set(sources)) if _counts_as_use(graph, number, region)]
    if uses:
        last = [number for number in uses if not any(user in ahead for user in graph.users(number))] or uses
        return Verdict("dead_end", (), (Cut("dead_end", last[-1], None),))
    return Verdict("unused", ())


def _counts_as_use(graph: Graph, number: int, region: Region) -> bool:
    """Returns whether a value was computed by the user, while the tape was recording (if there was one)."""
    value = graph.values[number]
    if graph.events[value.event].kind != "operation":
        return False
    return not region.intervals or region.covers(number)


def _escape(graph: Graph, behind: set[int], ahead: set[int]) -> tuple[Look, int] | None:
    """Returns a look at what was made of the source, and the data behind the target that came in after it."""
    for look in graph.looks:
        if look.value not in ahead or look.how in PRINTING:
            continue
        for number in sorted(behind):
            value = graph.values[number]
            if value.event > look.event and _may_come_from(graph, value, look):
                return look, number
    return None


def _may_come_from(graph: Graph, value: Value, look: Look) -> bool:
    """Returns whether data or a number may be what was looked at: one that stands in the program is not."""
    if value.kind == "data":
        return True
    event = graph.events[value.event]
    if value.kind != "number" or event.kind != "operation" or event.composed:
        return False
    if value.literal is None or event.site == look.site:
        return True
    return event.site is not None and not stands_in_line(event.site, value.literal)
