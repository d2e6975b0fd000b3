"""Updates that were left out because a gradient was not finite: which one, and what made it so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.flow.explanation import Step
from penstock.flow.naming import Place, step_of
from penstock.flow.recorded import graph_of
from penstock.flow.source import called
from penstock.tiers.plan import Commit
from penstock.tiers.program import extract
from penstock.tiers.reference import interpret
from penstock.trace.site import Site
from penstock.trace.tree import Call, Node


@dataclass(frozen=True, slots=True)
class Skip:
    """An update that changed nothing, because a gradient held something that is not a number to step by.

    `by` is the optimizer and `site` its line. `variables` are those whose gradients were not finite, `value`
    is the first such number. `cause` is the first operation of the step that made one of numbers that all
    were finite (or the data, or the variable, that held one), with `origin`, its line. `scale` is the loss
    scale that the step was made with and the one that it leaves, or None without a dynamic scale.
    """

    step: int
    by: str
    site: Site | None
    variables: tuple[str, ...]
    value: float
    cause: str
    origin: Site | None
    scale: tuple[float, float] | None

    def __str__(self) -> str:
        first, others = self.variables[0], len(self.variables) - 1
        more = f" and {others} more" if others else ""
        text = f"Step {self.step} of {self.by} at {self.site} was left out: the gradient of {first!r}{more} "
        text += f"was not finite ({self.value}). First not finite: {self.cause} at {self.origin}."
        if self.scale is not None:
            text += f" The loss scale went from {self.scale[0]:g} to {self.scale[1]:g}."
        return text


def applications(commit: Commit) -> Iterator[Node]:
    """Yields the updates of a run that may leave themselves out, in order."""
    found = []
    node: Node | None = commit.node
    while node is not None and node is not commit.start:
        if node.event is not None and node.event.kind == "apply":
            stages = node.event.details["application"].stages
            if stages.finite == "skip" or stages.scale == "dynamic":
                found.append(node)
        node = node.parent
    yield from reversed(found)


def skip_of(commit: Commit, node: Node, step: int) -> Skip | None:
    """Returns what is to be said of an update, if it was left out."""
    event = node.event
    assert event is not None
    application = event.details["application"]
    cells = [commit.variables[index] for index in event.details["variables"]]
    bits = {id(cell): (before, after) for cell, before, after in commit.writes}
    moved = [cells[pair.position] for pair in application.pairs]
    writers = sum(1 for other in applications(commit) if other is not node)
    if not writers and any(_changed(*bits[id(cell)]) for cell in moved if id(cell) in bits):
        return None
    calls = commit.node.program()
    slots = [_slots(pair.gradient) for pair in application.pairs]
    graph = graph_of(commit.node)
    # What the loss is made of comes first: a gradient need not be made of all of it.
    losses = [slot for request in graph.requests if request.event < node.depth for slot in request.targets]
    values = _values(commit, calls, [*losses, *(slot for some in slots for slot in some)])
    wrong = [any(_bad(values.get(slot)) for slot in some) for some in slots]
    if not any(wrong):
        return None
    cause = next(slot for slot in sorted(values) if _bad(values[slot]))
    first = next(slot for some in slots for slot in some if _bad(values.get(slot)))
    array = np.asarray(values[first])
    number = array[~np.isfinite(array)].ravel()[0]
    scale = None
    place = application.shared.get("loss_scale")
    if place is not None and id(cells[place]) in bits:
        before, after = bits[id(cells[place])]
        if before is not None:
            scale = (float(before), float(after))
    what, origin = _told(step_of(Place(graph, commit.variables, None, cause)), calls[cause])
    names = tuple(called(cell) for cell, bad in zip(moved, wrong, strict=True) if bad)
    return Skip(step, event.details["by"], event.site, names, float(number), what, origin, scale)


def _told(made: Step, call: Call) -> tuple[str, Site | None]:
    """Returns the words for a step, and its line."""
    if made.operation == "a gradient":
        return f"the {call.within or call.primitive.name} in the backward pass", made.site or call.site
    named = f"{made.name} = {made}" if made.name else str(made)
    return named, made.site or call.site


def _slots(gradient: Any) -> tuple[int, ...]:
    return gradient if isinstance(gradient, tuple) else (gradient,)


def _changed(before: Any, after: Any) -> bool:
    if before is None or after is None:
        return False
    first, second = np.asarray(before), np.asarray(after)
    return first.tobytes() != second.tobytes()


def _bad(value: Any) -> bool:
    if value is None:
        return False
    array = np.asarray(value)
    return array.dtype.kind in "fcV" and not bool(np.isfinite(array).all())


def _values(commit: Commit, calls: Sequence[Call], slots: Sequence[int]) -> dict[int, Any]:
    """Returns the values of these slots and of all that they are made of, computed once more."""
    needed: set[int] = set()
    stack = list(slots)
    while stack:
        slot = stack.pop()
        if slot not in needed:
            needed.add(slot)
            stack.extend(calls[slot].inputs)
    wanted = sorted(needed)
    program, taken = extract(calls, wanted, commit.known)
    arguments = [
        commit.known[slot] if slot in commit.known else commit.arguments[calls[slot].params["position"]]
        for slot in taken
    ]
    return dict(zip(wanted, interpret(program, arguments), strict=True))


__all__ = ["Skip", "applications", "skip_of"]
