"""Passes that only evaluate a model: no autograd, a number that is read, and no loss."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from penstock.flow.graph import Look, Value
from penstock.flow.noted import Measured
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.stretch import Stretch
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class Normalised:
    """A result of a layer that depends on the batch, and the statistics that the layer has written."""

    number: int
    site: Site | None
    switched: Site | None
    parameters: tuple[Parameter, ...]


def measured(
    window: Stretch[Parameter], passes: Iterable[Normalised], goals: Sequence[int]
) -> Iterator[tuple[Measured, Sequence[Parameter]]]:
    """Yields the passes in a window that train nothing and whose result is read; `goals` are the losses."""
    graph = window.graph
    trained = graph.ancestors(goals)
    for one in passes:
        ahead = graph.descendants([one.number])
        looks = [look for look in graph.looks if look.value in ahead and _counts(graph.values[look.value])]
        if not looks or ahead & trained or _returns(window, looks, trained):
            continue
        behind = graph.ancestors([one.number])
        data = {number for number in behind if graph.values[number].kind == "data"}
        fact = Measured(one.site, looks[0].site, one.switched, bool(data) and data <= trained)
        yield fact, one.parameters


def _counts(value: Value) -> bool:
    """Returns whether a value is a number, or contains classes: not an image that the program keeps."""
    dtype, _, shape = value.spec.removesuffix("]").partition("[")
    size = math.prod(int(part) for part in shape.split(", ") if part)
    return size == 1 or not dtype.startswith(("float", "bfloat", "complex"))


def _returns(window: Stretch[Parameter], looks: Sequence[Look], trained: Iterable[int]) -> bool:
    """Returns whether the value that was read came back into a loss."""
    at = {index for index, look in enumerate(window.graph.looks) if look in looks}
    origins = window.graph.origins or {}
    return any(at.intersection(origins.get(number, ())) for number in trained)


__all__ = ["Normalised", "measured"]
