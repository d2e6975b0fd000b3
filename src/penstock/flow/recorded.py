"""Fills a graph from a path of the trace tree. A path's graph is made once, and stored at its node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from penstock.flow.graph import (
    Event,
    Graph,
    Inside,
    Late,
    Look,
    Region,
    Request,
    Tape,
    Value,
    Wall,
    Write,
)
from penstock.flow.programs import operands_of, walls_of
from penstock.flow.source import line_at
from penstock.flow.words import PADDLE
from penstock.grad.backward import passes
from penstock.tiers.program import many
from penstock.tiers.subprogram import Body
from penstock.trace.builder import Outcome, RowsOutcome
from penstock.trace.history import STANDING
from penstock.trace.leaf import Constant, NumberArgument, TensorArgument, VariableArgument, Version
from penstock.trace.source_site import Site
from penstock.trace.spec import Spec, differentiable
from penstock.trace.tree import Call, Node

_WORD_OF_CLASS = {"wall": "stopped", "flat": "flat", "discrete": "discrete"}
_ROLES = {
    **dict.fromkeys(("add", "subtract"), "sum"),
    **dict.fromkeys(("multiply", "divide"), "scale"),
    **dict.fromkeys(("negative", "sum", "mean", "cast", "identity", "reshape", "broadcast_to"), "linear"),
}


def graph_of(node: Node) -> Graph:
    """Returns the graph of the path that ends at a node."""
    found: Graph | None = node.facts.get("graph")
    if found is None:
        found = node.facts["graph"] = _build(node)
    return found


def _build(node: Node) -> Graph:
    graph = Graph(variables=node.variables)
    tapes: dict[int, Tape] = {}
    for one in node.path():
        assert one.event is not None
        kind, details, site = one.event.kind, one.event.details, one.event.site
        first = len(graph.values)
        number = len(graph.events)
        for call in one.calls:
            graph.values.append(_value(call, graph, number))
        name = details.get("by") or details.get("how") or details.get("within") or _main(one)
        composed = "within" in details or kind in ("gradient", "apply", "write")
        if site is None and one.calls:
            site = one.calls[-1].site
        graph.events.append(Event(number, kind, name, site, first, len(graph.values), composed))
        if details.get("tape") == STANDING and STANDING not in tapes:
            tapes[STANDING] = Tape(STANDING, True, [(0, None)], [None])
        if kind in ("open", "close", "reset", "watch", "pause", "resume"):
            # A tape that is opened afterwards has recorded since an earlier place.
            _follow_tape(tapes, kind, details, site, details.get("since", first))
        elif kind == "look":
            graph.looks.append(Look(number, details["slot"], details["how"], site))
        elif kind in ("write", "apply"):
            made = _writes(one, number)
            if kind == "apply":
                _note_applied(one, graph, number)
            graph.writes.extend(made)
            graph.idle.update(write.value for write in made if _is_idle(one, graph, write))
        elif kind in ("gradient", "stepped") and "past_node" in details:
            last = [versions[-1] if versions else None for versions in details["versions"]]
            graph.late.append(Late(details["past_node"], _request(one, number, last)))
        elif kind in ("gradient", "stepped", "alone"):
            asked = _request(one, number, details["sources"])
            if asked.implied and details["tape"] == STANDING and not any(asked.found):
                asked = _named(graph, asked)
            graph.requests.append(asked)
        elif kind == "operation":
            for call in one.calls:
                graph.barriers.extend(_walls(call, site))
        elif kind == "stored":
            _store(graph, details["slot"], details["by"])
    graph.tapes = list(tapes.values())
    if STANDING in tapes:
        graph.words = PADDLE
        _name_barriers(graph)
        _pass_whole_numbers(graph, node.program())
    return graph


def _store(graph: Graph, number: int, by: str) -> None:
    """Turns a value into a stored one: it has no history, and the user has not written a barrier there."""
    value = graph.values[number]
    graph.values[number] = replace(value, name=by, links=("overwritten",) * len(value.links))
    graph.events[value.event] = replace(graph.events[value.event], name=by)
    graph.barriers = [wall for wall in graph.barriers if wall.number != number]


def _pass_whole_numbers(graph: Graph, calls: Sequence[Call]) -> None:
    """Joins what Paddle's gradients pass and others do not: casts to integers, and arithmetic of them."""
    for value in graph.values:
        if "discrete" in value.links and not many(call := calls[value.number]):
            links = tuple(
                "" if word == "discrete" and passes(call, i, discrete=True) else word
                for i, word in enumerate(value.links)
            )
            graph.values[value.number] = replace(value, links=links)


def _name_barriers(graph: Graph) -> None:
    """Gives Paddle's barriers the names on their lines."""
    for wall in graph.barriers:
        event = graph.events[graph.values[wall.number].event]
        if not event.composed and "detach" in line_at(event.site):
            graph.events[event.number] = replace(event, name="detach")


_SHOWN = {
    "level_floor": "floor", "level_ceil": "ceil", "level_round": "round", "level_trunc": "trunc",
    "direction": "sign",
}  # fmt: skip
"""The functions whose gradients are zeros, by their primitives: a report names the function."""


def _main(node: Node) -> str:
    return _shown(node.calls[-1]) if node.calls else ""


def _shown(call: Call) -> str:
    name = str(call.primitive.name)
    return _SHOWN.get(name, name)


def _value(call: Call, graph: Graph, event: int) -> Value:
    kind, literal = "operation", None
    entry: int | None = None
    trainable = False
    match call.primitive:
        case VariableArgument(trainable=trainable) | Version(trainable=trainable, written=False):
            kind = "variable"
        case Version(trainable=trainable):
            kind = "written"
        case TensorArgument(entry=entry):
            kind = "data"
        case NumberArgument():
            kind = "number"
        case Constant(value=value):
            kind, literal = ("data", None) if value.ndim else ("number", value)
    inputs = call.inputs
    insides: tuple[Inside | None, ...] = ()
    if many(call):
        inputs, links, insides = operands_of(call, _of_body)
    else:
        links = tuple(_link(call, operand, graph) for operand in range(len(inputs)))
    return Value(
        call.slot,
        kind,
        call.within or _shown(call),
        repr(call.spec),
        differentiable(call.spec),
        inputs,
        links,
        call.site,
        event,
        call.variable,
        trainable,
        entry,
        literal,
        _ROLES.get(call.primitive.name, ""),
        insides,
    )


def _of_body(body: Body) -> Graph:
    """Returns the graph of a program that a primitive holds: one event for each of its values."""
    found: Graph | None = body.facts.get("graph")
    if found is None:
        found = body.facts["graph"] = Graph()
        for call in body.calls:
            value = _value(call, found, call.slot)
            found.values.append(value)
            found.events.append(
                Event(call.slot, "operation", value.name, call.site, call.slot, call.slot + 1)
            )
            found.barriers.extend(_walls(call, None))
    return found


def _walls(call: Call, site: Site | None) -> list[Wall]:
    """Returns the barriers that a call is or contains, except those internal to a library function."""
    if many(call):
        return walls_of(call, _of_body) if call.params["output"] == 0 else []
    if call.within or getattr(call.primitive, "derivative", "") != "wall":
        return []
    own = (call.slot,)
    return [Wall(call.site or site, call.slot, own, call.inputs, own, call.inputs)]


def _link(call: Call, operand: int, graph: Graph) -> str:
    """Returns the word for what stops a gradient between a call and one of its operands, or ""."""
    if isinstance(call.primitive, Version):
        return "overwritten"
    if passes(call, operand):
        return ""
    if not differentiable(call.spec):
        return "discrete"
    word = _WORD_OF_CLASS.get(call.primitive.derivative)
    if word is not None:
        return word
    return "unruled" if graph.values[call.inputs[operand]].differentiable else "discrete"


def _follow_tape(
    tapes: dict[int, Tape], kind: str, details: dict[str, Any], site: Any, position: int
) -> None:
    number = details["tape"]
    tape = tapes.get(number)
    if tape is None:
        tape = tapes[number] = Tape(number, details.get("watch_variables", True))
    if kind == "watch":
        tape.watched.append((details["slot"], position))
        return
    if kind in ("close", "pause"):
        if tape.intervals and tape.intervals[-1][1] is None:
            tape.intervals[-1] = (tape.intervals[-1][0], position)
            tape.closed.append(site)
        return
    if kind == "reset":
        tape.intervals, tape.opened, tape.closed, tape.watched = [], [], [], []
    tape.intervals.append((position, None))
    tape.opened.append(site)


_CAUSES = {
    "state": "state",
    "constraint": "constraint",
    **dict.fromkeys(("load", "set_state_dict", "load_state_dict"), "load"),
}
"""Causes by the name under which a variable was written; every other name is an assignment."""


def _writes(node: Node, number: int) -> list[Write]:
    assert node.event is not None
    details = node.event.details
    if node.event.kind == "write":
        # The layer itself writes its statistics, as state; the optimizer writes the result of a constraint.
        cause = _CAUSES.get(details["by"], "assign")
        return [Write(number, details["variable"], details["slot"], False, (cause,))]
    terms = details["terms"]
    return [
        Write(number, variable, value, position >= details["count"], terms)
        for position, (variable, value) in enumerate(zip(details["variables"], node.result, strict=True))
    ]


def _note_applied(node: Node, graph: Graph, number: int) -> None:
    """Notes the gradients of an update, and whether it divides them by the loss scale."""
    assert node.event is not None
    details = node.event.details
    stages = details["application"].stages
    if stages.scale is not None and not stages.unscaled:
        graph.rescales.add(number)
    for variable, given in zip(details["variables"], details["gradients"], strict=False):
        # Of rows, the values: their ids are no gradient.
        graph.applied[number, variable] = given[-1] if isinstance(given, tuple) else given


def _is_idle(node: Node, graph: Graph, write: Write) -> bool:
    """Returns whether a write may leave the value unchanged: a copy onto itself, a rate of zero."""
    assert node.event is not None
    details = node.event.details
    if node.event.kind == "write":
        return write.terms[0] not in ("state", "constraint") and _is_itself(graph, write.value, write)
    application = details["application"]
    if write.own or application.stages.schedules != (None,) * len(application.stages.schedules):
        return False
    place = details["variables"].index(write.variable)
    pair = next((one for one in application.pairs if one.position == place), None)
    if pair is None:
        return False
    where = application.index.get((pair.group, "learning_rate"))
    return where is not None and where not in application.given and details["hyper"][where] == 0.0


def _is_itself(graph: Graph, number: int, write: Write) -> bool:
    """Returns whether a value is a variable's value from before a write, in any form."""
    value = graph.values[number]
    while len(value.inputs) == 1:
        value = graph.values[value.inputs[0]]
        if value.variable == write.variable:
            between = range(value.number + 1, number)
            return not any(one.variable == write.variable and one.value in between for one in graph.writes)
        if value.name not in _SAME:
            break
    return False


_SAME = frozenset(("identity", "stop_gradient", "positive", "asarray"))
"""Operations that return their operand unchanged."""


def _request(node: Node, number: int, given: Sequence[Any]) -> Request:
    assert node.event is not None
    details = node.event.details
    intervals = tuple((start, stop) for start, stop in details["intervals"])
    if details.get("tape") == STANDING:
        # It existed before everything else, and watches variables read while it did not record.
        intervals = ((0, 0), *intervals)
    region = Region(
        intervals,
        details["watch_variables"],
        tuple((value, since) for value, since in details["watched"]),
    )
    sources = tuple(
        None if isinstance(source, Spec) or source is None or source < 0 else source for source in given
    )
    # A step asks for gradients that the earlier backward passes have not given.
    given_back = node.result if node.event.kind == "gradient" else [None] * len(sources)
    found = tuple(outcome is not None and not _is_filling(outcome, node) for outcome in given_back)
    targets = tuple(target for target in details["targets"] if target >= 0)
    implied = details.get("implied", False)
    gradients = tuple(
        _numbers(outcome) if there else () for outcome, there in zip(given_back, found, strict=True)
    )
    return Request(number, node.event.site, region, targets, sources, found, implied, gradients)


def _numbers(outcome: Any) -> tuple[int, ...]:
    """Returns the slots of a gradient: two for rows."""
    if isinstance(outcome, RowsOutcome):
        return outcome.indices.slot, outcome.values.slot
    return (outcome.slot,) if isinstance(outcome, Outcome) else ()


def _named(graph: Graph, request: Request) -> Request:
    """Returns the intended sources of a pass without a gradient: the trainable variables behind its targets.

    If there are none, the path to them has left the record: then all variables that were read.
    """
    leaves = {number for asked in (*graph.requests, request) for number in asked.targets}
    read = {v.variable: v.number for v in graph.values if v.trainable and v.kind == "variable"}
    numbers = tuple(number for number in read.values() if number not in leaves)
    behind = graph.ancestors(request.targets)
    if not graph.looks or not behind.isdisjoint(numbers):
        numbers = tuple(number for number in numbers if number in behind)
    return replace(request, sources=numbers, found=(False,) * len(numbers))


def _is_filling(outcome: Any, node: Node) -> bool:
    """Returns whether a gradient is only the zeros requested in place of None."""
    first = node.size - len(node.calls)
    position = getattr(outcome, "slot", -1) - first
    if position < 1 or node.calls[position].primitive.name != "broadcast_to":
        return False
    source = node.calls[position].inputs[0] - first
    leaf = node.calls[source].primitive if source >= 0 else None
    return isinstance(leaf, Constant) and leaf.value.ndim == 0 and not leaf.value


__all__ = ["graph_of"]
