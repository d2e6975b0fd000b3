"""The answers to `explain`, and the reasons in errors and warnings, derived from the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from penstock.errors import PenstockError
from penstock.flow.explanation import Explanation
from penstock.flow.folding import ALIKE, folded
from penstock.flow.graph import Request
from penstock.flow.naming import Place
from penstock.flow.reach import judge
from penstock.flow.reasoning import explain_value
from penstock.flow.recording import Recorded, Recording, observed, recording_of
from penstock.flow.source import called
from penstock.flow.wording import line, short
from penstock.optimizers.refusals import keepers
from penstock.state.selection import everywhere
from penstock.trace.builder import Builder
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

LINES = 12
"""How many reasons one error or warning gives; the others are counted."""


def answer(target: Any, source: Any) -> Explanation:
    """Answers `explain`."""
    _check(target, "target")
    _check(source, "source")
    trace = local.trace.base if isinstance(local.trace, Builder) else local.trace
    home, number = _locate(target, trace)
    found = explain_value(home, [] if number is None else [number], observed(source))
    if found.reason != "flows" and _depends(source, target, trace):
        said = "The source is computed from the target, so the two arguments may be in the wrong order."
        fix = "Exchange them: the target comes first, as in explain(loss, weight)."
        return replace(found, notes=(*found.notes, said), fix=fix)
    if found.reason != "flows" or not isinstance(source, Cell):
        return found
    return replace(found, notes=(*found.notes, *_unmoved(source)))


def _depends(thing: Any, other: Any, trace: Trace) -> bool:
    """Returns whether a thing was computed from another one, whether a gradient passes or not."""
    home, number = _locate(thing, trace)
    if number is None:
        return False
    behind = home.graph.ancestors([number])
    return any(one in behind and one != number for one in home.numbers(observed(other)))


def _unmoved(variable: Any) -> list[str]:
    """Says which updates of a variable were skipped, for each optimizer that has its state."""
    trace = local.trace
    notes = []
    for optimizer in {id(one): one for one in [*keepers.values()]}.values():
        counter = optimizer._shared.get("step")
        if variable._uid not in optimizer._state or counter is None or not optimizer._stages.skips:
            continue
        pending = counter._uid in trace.pending
        if isinstance(trace, Builder) or trace.capturing or (pending and trace.taping):
            # The count cannot be read here, or reading it would end a step.
            continue
        made, calls = int(counter.numpy()), optimizer.applied
        if not 0 <= made < calls:
            continue
        what = f"{calls - made} of {calls} updates were" if made else f"All {calls} updates were"
        what = "The one update was" if calls == 1 else what
        so = f", so {called(variable)!r} has not moved" if not made else ""
        notes.append(
            f"{what} skipped by {type(optimizer).__name__}, created at {optimizer.site}: a gradient was "
            f"not finite{so}. `penstock check`, or `skipped` of a ps.ledger() around the step, says which "
            "operation caused it."
        )
    return notes


def _locate(target: Any, trace: Trace) -> tuple[Recording, int | None]:
    """Returns where a target was recorded, and its number there."""
    if isinstance(target, Cell):
        return Recording(trace), trace.current.get(target._uid)
    home = recording_of(target)
    if home is not None:
        return home, target._slot
    if isinstance(target._value, Exception):
        raise PenstockError(
            "The target was never computed, because the step it belongs to failed.",
            origin=str(target._value),
            site=here(),
            remedy="Fix that step first.",
        )
    return Recording(trace), trace.entered.get(id(target))


def _check(thing: Any, role: str) -> None:
    if isinstance(thing, Tensor | Cell):
        return
    if isinstance(thing, list | tuple | dict):
        raise PenstockError(
            f"The {role} is a {type(thing).__name__}.", site=here(), remedy=f"Ask about one {role} at a time."
        )
    raise PenstockError(
        f"The {role} is {type(thing).__name__} {thing!r}, which has no history.",
        why="A Python number or an array does not remember what it was computed from.",
        remedy="Compute it with tensors, and ask about the tensor.",
        site=here(),
    )


# -- reasons for errors and warnings --------------------------------------------------------------------


def reasons(trace: Trace, variables: Sequence[Cell]) -> list[str]:
    """Returns lines on variables whose gradient was None: their names, the reason, the place.

    Variables with the same reason share a line; whole layers and blocks are named by their patterns.
    """
    missed = list(trace.missed)
    homes = [Recording(trace)]
    previous = trace.previous
    if previous is not None:
        homes.append(Recording(previous))
        missed += previous.missed
    said = [_reason(homes, missed, Recorded(variable)) for variable in variables]
    engine.absences.tell(variables)
    if len(said) < ALIKE:
        return said
    names = [called(variable) for variable in variables]
    alike: dict[str, list[str]] = {}
    for name, text in zip(names, said, strict=True):
        alike.setdefault(text.removeprefix(repr(name)), []).append(name)
    every = [*names, *(called(one) for one in everywhere() if one.trainable)]
    lines = [", ".join(map(repr, folded(some, every))) + text for text, some in alike.items()]
    return lines if len(lines) <= LINES else [*lines[:LINES], f"and {len(lines) - LINES} more reasons"]


def _reason(homes: Sequence[Recording], missed: Sequence[tuple[int, Any]], variable: Recorded) -> str:
    """Returns the line of one variable, from the last request for its gradient."""
    asked = False
    for home, request in _requests(homes):
        numbers = home.numbers(variable)
        positions = [i for i, source in enumerate(request.sources) if source in numbers]
        if positions and any(request.found[i] for i in positions):
            given = f"its gradient at {request.site} was not None"
            return f"{called(variable)!r}: {given}; None took its place afterwards"
        if positions:
            verdict = judge(home.graph, request.targets, numbers, request.region)
            if verdict.reason not in ("unused", "dead_end"):
                return line(Place(home.graph, home.variables, request.region, -1), verdict, variable)
        if positions or any(depth == request.event + 1 and one is variable.cell for depth, one in missed):
            # Perhaps an earlier step has computed the values behind the target.
            found = explain_value(home, request.targets, variable, request)
            return short(called(variable), found)
        asked = asked or None in request.sources
    if asked:
        return f"{called(variable)!r}: unused - nothing reads it where the tape recorded"
    return f"{called(variable)!r}: no tape was asked for its gradient in this step; None was passed by hand"


def _requests(homes: Sequence[Recording]) -> Iterator[tuple[Recording, Request]]:
    """Yields the requests for gradients, the last first, each with the record it belongs to."""
    for home in homes:
        for late in reversed(home.graph.late):
            for other in homes:
                if other.program is late.program:
                    yield other, late.request
        for request in reversed(home.graph.requests):
            yield home, request
