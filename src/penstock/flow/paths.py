"""What one path says about its variables, by their numbers: which are read, and their gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from penstock.flow.applied import LimitFact, SumFact, limit_facts, sum_facts
from penstock.flow.barriers import BarrierFact, barrier_facts
from penstock.flow.bindings import lost_results, rebinding_lines
from penstock.flow.by_hand import HandFact, hand_facts
from penstock.flow.explanation import Explanation
from penstock.flow.graph import Graph, Region, Request, Write
from penstock.flow.loss_terms import TermFact, term_facts
from penstock.flow.naming import Place
from penstock.flow.observed import Passage, Variable
from penstock.flow.onward import passed_over
from penstock.flow.reach import FLOWS, flows, judge
from penstock.flow.reasoning import explain_value
from penstock.flow.remedies import cut_site
from penstock.flow.stale_gradients import StaleFact, stale_facts
from penstock.flow.twice import TwiceFact, twice_facts
from penstock.flow.unused_limits import UnusedLimit, unused_limits
from penstock.trace.source_site import Site

FOUND, MISSING, OPEN, CLOSED, UNREAD = 4, 3, 2, 1, 0
"""The rank of a fact among those of several paths: first a requested gradient that exists, then one that was
requested and is missing; then one that was not requested but would flow, one that would not, no path."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What one path says about a variable's gradient; `site` is the line that requested it, or others.

    `listed` says that the line names the variable instead of requesting the gradients of all. A line that
    requests all and gets none counts as if it named each. `read` says that something was computed from it, if
    no other fact does.
    """

    rank: int
    gradient: str
    cut: Site | None
    site: Site | None
    explanation: Explanation | None = None
    listed: bool = True
    read: bool = False

    @property
    def asked(self) -> bool:
        """Whether the gradient was requested."""
        return self.rank >= MISSING

    @property
    def found(self) -> bool:
        """Whether the gradient exists."""
        return self.rank == FOUND


class PathFacts:
    """What one path says: `read` are the variables read in a tape, `about` has the facts on gradients.

    `barriers` and `terms` have a fact for each stop_gradient and each term of a loss, `rebound` the lines
    that give the name of an operand to a result, each with whether training goes on after it; `trains` is
    true for a path that trains, `lost` the lines whose result takes the name of a loop variable and is
    never read, `stale` the gradients that come too late, `twice` the terms that a loss contains twice,
    `unused` the gradients that are limited for nothing,
    `passed_over` the variables that a loss passes through without a request for their gradient, `limits`
    and `sums` facts about gradients before they were applied, `together` the sets of variables whose
    gradients came from one request, `fed` the variables that the program writes with other inputs than
    themselves, `elsewhere` those that it uses where no gradient is requested, `opened` the events that
    opened an outermost tape, `by_hand` the writes by hand, `read_last` the variables whose final values
    the path reads. A path that is not analysed as a `whole` has only the last of these.
    """

    __slots__ = (
        "__weakref__", "about", "barriers", "by_hand", "elsewhere", "fed", "limits", "lost", "opened",
        "passed_over", "read", "read_last", "rebound", "stale", "sums", "terms", "together", "trains",
        "twice", "unused",
    )  # fmt: skip

    def __init__(self, passage: Passage, whole: bool = True) -> None:
        graph = passage.graph
        self.opened = _opened(graph)
        self.read: set[int] = set()
        self.about: dict[int, Fact] = {}
        self.barriers: list[BarrierFact] = []
        self.terms: list[TermFact] = []
        self.twice: list[TwiceFact] = []
        self.rebound: dict[Site, bool] = {}
        self.lost: dict[Site, tuple[str, set[int]]] = {}
        self.trains = bool(graph.requests or graph.late or graph.writes)
        self.stale: list[StaleFact] = []
        self.passed_over: set[int] = set()
        self.together: list[set[int]] = []
        self.limits: list[LimitFact] = []
        self.sums: list[SumFact] = []
        self.unused: list[UnusedLimit] = []
        self.by_hand: list[HandFact] = []
        self.read_last: list[int] = []
        self.fed: set[int] = set()
        self.elsewhere: set[int] = set()
        if not whole:
            return
        regions = [tape.region(len(graph.values)) for tape in graph.tapes]
        self.read = {index for index in range(len(passage.variables)) if _is_read(graph, index, regions)}
        self.about = facts(passage, graph.requests)
        self.barriers = barrier_facts(graph, regions, passage.is_computed)
        self.terms = term_facts(passage, graph.requests)
        self.twice = twice_facts(passage, graph.requests)
        self.rebound = rebinding_lines(graph)
        self.lost = lost_results(graph)
        self.stale = stale_facts(graph)
        self.passed_over = passed_over(graph, graph.requests)
        self.together = _together(graph)
        self.limits = limit_facts(graph)
        self.sums = sum_facts(graph)
        self.unused = unused_limits(graph)
        self.by_hand = hand_facts(graph)
        self.read_last = [
            index for index in range(graph.variables) if _is_used(graph, graph.versions(index)[-1:])
        ]
        if not graph.requests and not graph.late:
            everywhere = [Region.whole(graph)]
            numbers = range(len(passage.variables))
            self.elsewhere = {index for index in numbers if _is_read(graph, index, everywhere)}
        self.fed = {write.variable for write in graph.writes if _is_fed(graph, write)}


def facts(passage: Passage, requests: Sequence[Request]) -> dict[int, Fact]:
    """Returns the result for the gradient of each of a path's variables, by number, given the requests."""
    found = {}
    for index in range(len(passage.variables)):
        fact = _fact(passage, index, requests)
        if fact is not None:
            found[index] = fact
    return found


def missed(passage: Passage, recent: Iterable[Passage]) -> Iterator[tuple[Variable, Fact]]:
    """Yields the requested sources that have no number in the graph, each with a fact.

    These are variables that nothing touched, and tensors.

    `recent` are the runs whose gradients may have been requested after they were over.
    """
    if not passage.missed:
        return
    graph = passage.graph
    asking = {request.event: (passage, request) for request in graph.requests}
    for late in graph.late:
        for earlier in recent:
            if earlier.program is late.program:
                asking[late.request.event] = earlier, late.request
    for depth, variable in passage.missed:
        if depth - 1 in asking:
            home, request = asking[depth - 1]
            number = request.sources[variable.position] if variable.position is not None else None
            if variable.position is not None and request.found[variable.position]:
                yield variable, Fact(FOUND, FLOWS, None, request.site, read=True)
                continue
            numbers = None if number is None else [number]
            explanation = explain_value(home, request.targets, variable, request, numbers)
            read = number is not None and any(request.region.covers(one) for one in home.graph.users(number))
            yield variable, replace(_missing(explanation, request), read=read)


def _missing(explanation: Explanation, request: Request) -> Fact:
    if not request.targets:
        # A step without a backward pass before it.
        return Fact(MISSING, explanation.reason, None, request.site)
    return Fact(MISSING, explanation.reason, explanation.cut, request.site, explanation, _lists(request))


def _lists(request: Request) -> bool:
    return not request.implied or not any(request.found)


def _fact(passage: Passage, index: int, requests: Sequence[Request]) -> Fact | None:
    graph = passage.graph
    numbers = graph.versions(index)
    asked = [request for request in requests if any(source in numbers for source in request.sources)]
    for request in asked:
        if any(found and source in numbers for source, found in zip(request.sources, request.found)):
            return Fact(FOUND, FLOWS, None, request.site)
    if asked:
        told = [
            _missing(explain_value(passage, one.targets, passage.variables[index], one), one)
            for one in reversed([one for one in asked if _lists(one)][-1:] or asked)
        ]
        # Among lines that request all variables, the one with a barrier before this variable says most.
        return next((fact for fact in told if fact.gradient == "stopped"), told[0])
    if not numbers or not requests:
        return None
    request = requests[-1]
    if flows(graph, request.targets, numbers, request.region):
        return Fact(OPEN, FLOWS, None, request.site)
    verdict = judge(graph, request.targets, numbers, request.region)
    place = Place(graph, passage.variables, request.region, -1)
    cut = cut_site(place, verdict.cuts[0]) if verdict.cuts else None
    return Fact(UNREAD if verdict.reason == "unused" else CLOSED, verdict.reason, cut, request.site)


def _together(graph: Graph) -> list[set[int]]:
    """Returns the sets of two or more variables whose gradients came from one request."""
    found = []
    for request in graph.requests:
        given = [one for one, there in zip(request.sources, request.found) if there and one is not None]
        named = {graph.values[one].variable for one in given} - {None}
        if len(named) > 1:
            found.append({one for one in named if one is not None})
    return found


def _is_fed(graph: Graph, write: Write) -> bool:
    """Returns whether a line of the program writes a variable with inputs other than the variable itself."""
    if graph.events[write.event].kind != "write":
        return False
    made_of = [graph.values[one] for one in graph.material([write.value])]
    own = {write.variable, None}
    return any(one.kind == "data" or one.variable not in own for one in made_of) or not any(
        one.variable == write.variable and one.number != write.value for one in made_of
    )


def _opened(graph: Graph) -> list[int]:
    depth, found = 0, []
    for event in graph.events:
        if event.kind == "open" and not depth:
            found.append(event.number)
        depth += (event.kind == "open") - (event.kind == "close")
    return found


def _is_used(graph: Graph, numbers: Sequence[int]) -> bool:
    users = (user for number in numbers for user in graph.users(number))
    return any(graph.values[user].kind == "operation" for user in users)


def _is_read(graph: Graph, index: int, regions: Sequence[Region]) -> bool:
    users = (user for number in graph.versions(index) for user in graph.users(number))
    return any(
        graph.events[graph.values[user].event].kind == "operation"
        and any(region.covers(user) for region in regions)
        for user in users
    )
