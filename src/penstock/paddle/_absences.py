"""What an optimizer finds without a gradient is put on the record as the question that its step asks.

`backward` names no parameters: it is the step that says which ones were to get a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from penstock.flow.source import line_at
from penstock.paddle._tensor import Leaf
from penstock.trace.recorder import STANDING, Trace, engine, local
from penstock.trace.tensor import Cell


def tell_absent(by: str, number: int, parameters: Sequence[Any], frame: FrameType) -> None:
    """Tells whoever watches of the parameters to which the backward passes before a step gave no gradient.

    `by` and `number` say whose step it is: passes that came before its last one do not count.
    """
    leaves = [one for one in parameters if isinstance(one, Leaf) and one._gradient is None]
    absent = [one for one in leaves if one._trainable or _is_data(one)]
    if not absent:
        return
    trace = local.trace
    if type(trace) is Trace:
        passes = list(_passes(trace, number))
        if passes:
            _ask(trace, by, number, passes, absent, frame)
    engine.absences.tell(absent)


def _is_data(leaf: Leaf) -> bool:
    """Returns whether nobody has frozen a tensor: it is made of data, and such do not learn by default."""
    flag = leaf._flags[-1]
    return flag.by == "to_tensor" and "stop_gradient" not in line_at(flag.site)


def _passes(trace: Trace, number: int) -> Iterator[dict[str, Any]]:
    """Yields what the record says of the backward passes since an optimizer's last step, the last first."""
    for node in reversed(list(trace.node.path())):
        assert node.event is not None
        details = node.event.details
        if node.event.kind == "stepped" and details["number"] == number:
            return
        if details.get("implied") and details.get("tape") == STANDING:
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
