"""What the rooms below ask of the analysis: imported when they ask, so that `import penstock` stays quick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.capture import steps
from penstock.state import selection
from penstock.trace.recorder import Trace, engine
from penstock.trace.tensor import Cell


def reasons(trace: Trace, variables: Sequence[Cell]) -> list[str]:
    """Returns a line for each variable whose gradient was None: its name, the reason, the place."""
    from penstock.flow import answers

    return answers.reasons(trace, variables)


def agree(name: str, clauses: Mapping[str, Any]) -> steps.Agreement:
    """Returns the contract of a step."""
    from penstock.flow.contract import of_step

    return of_step(name, clauses)


def called(variable: Any) -> str:
    """Returns what to call a variable in a message."""
    from penstock.flow import source

    return source.called(variable)


engine.reasons, steps.agree, selection.called = reasons, agree, called
