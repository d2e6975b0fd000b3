"""The NumPy tier: interprets a program one call at a time. It is the definition of what a program means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.tiers.program import Program


def interpret(program: Program, arguments: Sequence[Any], kept: list[Any] | None = None) -> list[Any]:
    """Returns the values of the program's outputs; `kept` receives all values computed on the way.

    Raises the primitive's `refusal` (RangeError for most) before it returns anything, if the guard of a
    primitive refuses its operands.
    """
    values: list[Any] = [np.asarray(argument) for argument in arguments] + program.constants
    ends = program.ends if kept is None else {}
    try:
        with np.errstate(all="ignore"):
            for step in program.steps:
                operands = [values[i] for i in step.inputs]
                primitive = step.primitive
                if primitive.guard is not None:
                    refused = primitive.guard(*operands, **step.params)
                    if refused is not None:
                        raise primitive.refusal(refused, site=step.site, why="No variable was changed.")
                result = primitive.numpy(*operands, **step.params)
                values.append(result if type(result) is tuple else np.asarray(result))
                if ends:
                    del operands, result
                    for number in ends.get(len(values) - 1, ()):
                        values[number] = None
    except PenstockError as error:
        # The recording adds its own line: other recordings may share this program.
        error.trail = (len(values) - len(program.specs) - len(program.constants), *error.trail)
        raise
    if kept is not None:
        kept[:] = values
    return [values[i] for i in program.outputs]
