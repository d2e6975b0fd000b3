"""Records the parameters that an optimizer finds without a gradient, as the question that its step asks.

`backward` names no parameters: it is the step that says which ones were to get a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from penstock.grad.live import versions_of
from penstock.paddle._standing import standing
from penstock.paddle._tensor import Leaf
from penstock.trace.engine import engine
from penstock.trace.history import STANDING, Past
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.spec import differentiable
from penstock.trace.tree import Node


def tell_absent(number: int, parameters: Sequence[Any], frame: FrameType) -> None:
    """Reports to observers the parameters to which the backward passes before a step gave no gradient.

    `number` says whose step it is: passes that came before its last one do not count.
    """
    from penstock.flow.flags import is_frozen_by_default

    leaves = [one for one in parameters if isinstance(one, Leaf)]
    absent = [
        one
        for one in leaves
        # Whole numbers have a gradient that no optimizer can use.
        if (one._gradient is None or not differentiable(one._spec))
        and (one._trainable or is_frozen_by_default(one))
    ]
    if not absent:
        return
    trace = local.trace
    if type(trace) is Trace:
        past = next((one for one in _pasts(trace, leaves) if any(_passes(one.node, number))), None)
        if passes := list(_passes(trace.node, number)):
            _ask(trace, number, passes, absent, frame)
        elif past is not None:
            _ask_of_the_past(trace, past, number, absent, frame)
        elif all(one._gradient is None for one in leaves):
            _ask(trace, number, [_NOTHING], absent, frame)
    engine.absences.tell(absent)


def _pasts(trace: Trace, leaves: Sequence[Leaf]) -> Iterator[Past]:
    """Yields the paths that have been run and have read one of these parameters, the last first."""
    wanted = {id(one) for one in leaves}
    for past in (trace.previous, *reversed(standing().pasts)):
        if past is not None and any(id(one) in wanted for one in past.variables):
            yield past


_NOTHING: dict[str, Any] = {"targets": (), "intervals": (), "watch_variables": True, "watched": ()}
"""The request that is recorded if no backward pass came before."""


def _passes(end: Node, number: int) -> Iterator[dict[str, Any]]:
    """Yields the recorded details of the backward passes since an optimizer's last step, the last first."""
    for node in reversed(end.path()):
        assert node.event is not None
        details = node.event.details
        if node.event.kind == "stepped" and details["number"] == number:
            return
        if details.get("implied") and details.get("tape") == STANDING:
            yield details


def _question(passes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the question of a step about the values at which all these passes began."""
    targets = tuple(dict.fromkeys(slot for one in reversed(passes) for slot in one["targets"]))
    known = {word: passes[0][word] for word in ("intervals", "watch_variables", "watched")}
    return {"targets": targets, **known}


def _ask(
    trace: Trace, number: int, passes: Sequence[dict[str, Any]], absent: Sequence[Leaf], frame: FrameType
) -> None:
    question = _question(passes)
    slots = [trace.identity(one) for one in absent]
    sources = tuple(slot if isinstance(slot, int) else -1 for slot in slots)
    key = number, question["targets"], sources
    trace.mark("stepped", key, frame, number=number, sources=sources, **question)
    for one, slot in zip(absent, slots, strict=True):
        if slot == -1:
            trace.missed.append((trace.node.depth, one))


def _ask_of_the_past(trace: Trace, past: Past, number: int, absent: Sequence[Leaf], frame: FrameType) -> None:
    """Does the same where the passes belong to a path that has been run since."""
    question = _question(list(_passes(past.node, number)))
    read = versions_of(past.node.program(), past.variables)
    versions = tuple(tuple(read.get(id(one), ())) for one in absent)
    trace.mark(
        "stepped", (number, past.node, versions), frame, number=number, sources=(), past_node=past.node,
        versions=versions, **question,
    )  # fmt: skip
    for one, found in zip(absent, versions, strict=True):
        if not found:
            trace.missed.append((trace.node.depth, one))
