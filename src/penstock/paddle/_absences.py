"""What an optimizer finds without a gradient is put on the record as the question that its step asks.

`backward` names no parameters: it is the step that says which ones were to get a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from penstock.trace.recorder import STANDING, Trace, engine, local
from penstock.trace.tensor import Cell


def tell_absent(by: str, number: int, parameters: Sequence[Any], frame: FrameType) -> None:
    """Tells whoever watches of the parameters to which the backward passes before a step gave no gradient.

    `by` and `number` say whose step it is: passes that came before its last one do not count.
    """
    absent = [one for one in parameters if isinstance(one, Cell) and one._trainable and one._gradient is None]
    if not absent:
        return
    trace = local.trace
    if type(trace) is Trace:
        passes = list(_passes(trace, number))
        if passes:
            _ask(trace, by, number, passes, absent, frame)
    engine.absences.tell(absent)


def _passes(trace: Trace, number: int) -> Iterator[dict[str, Any]]:
    """Yields what the record says of the backward passes since an optimizer's last step, the last first."""
    for node in reversed(list(trace.node.path())):
        assert node.event is not None
        details = node.event.details
        if node.event.kind == "stepped" and details["number"] == number:
            return
        if node.event.kind == "gradient" and details.get("implied") and details["tape"] == STANDING:
            yield details


def _ask(
    trace: Trace, by: str, number: int, passes: Sequence[Any], absent: Sequence[Cell], frame: FrameType
) -> None:
    latest = passes[0]
    targets = tuple(dict.fromkeys(slot for one in reversed(passes) for slot in one["targets"]))
    slots = [trace.identity(one) for one in absent]
    sources = tuple(slot if isinstance(slot, int) else -1 for slot in slots)
    trace.mark(
        "stepped", (number, targets, sources), frame, by=by, number=number, targets=targets, sources=sources,
        **{word: latest[word] for word in ("intervals", "watch_variables", "watched")},
    )  # fmt: skip
    for one, slot in zip(absent, slots, strict=True):
        if slot == -1:
            trace.missed.append((trace.node.depth, one))
