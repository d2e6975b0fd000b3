"""Services of the analysis for the rooms below: imported on use, so that `import penstock` stays quick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from penstock.trace.engine import engine
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell

if TYPE_CHECKING:
    from penstock.capture.steps import Agreement


def reasons(trace: Trace, variables: Sequence[Cell]) -> list[str]:
    """Returns a line for each variable whose gradient was None: its name, the reason, the place."""
    from penstock.flow import answers

    return answers.reasons(trace, variables)


def agree(name: str, clauses: Mapping[str, Any]) -> Agreement:
    """Returns the contract of a step."""
    from penstock.flow.contract import of_step

    return of_step(name, clauses)


def called(variable: Any) -> str:
    """Returns the name of a variable in messages."""
    from penstock.flow import source

    return source.called(variable)


def repeat(step: Any, times: int) -> Any:
    """Returns a function that calls a step this many times."""
    from penstock.capture import repeated

    return repeated.repeat(step, times)


def tell_stalled(optimizer: Any, first: int, last: int) -> None:
    """Warns, at its next step, why an optimizer has skipped all steps from one to another."""
    from penstock.flow import skipped_updates

    skipped_updates.tell_stalled(optimizer, first, last)


engine.install(reasons=reasons, agree=agree, called=called, repeat=repeat, tell_stalled=tell_stalled)
