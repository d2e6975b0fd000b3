"""Passes that only measure a model: no autograd, a number that is looked at, and no loss."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from penstock.flow.graph import Look, Value
from penstock.flow.noted import Measured
from penstock.frameworks.torch.parameter import Parameter
from penstock.frameworks.torch.window import Window
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class Normalised:
    """A value that a layer has made by its batch, and the statistics that it has written."""

    number: int
    site: Site | None
    switched: Site | None
    parameters: tuple[Parameter, ...]


def measured(
    window: Window, passes: Iterable[Normalised], goals: Sequence[int]
) -> Iterator[tuple[Measured, Sequence[Parameter]]]:
    """Yields those of the passes in a window that train nothing and are looked at; `goals` are the losses."""
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
    """Returns whether a value is a figure, or tells classes: not an image that somebody keeps."""
    dtype, _, shape = value.spec.removesuffix("]").partition("[")
    size = math.prod(int(part) for part in shape.split(", ") if part)
    return size == 1 or not dtype.startswith(("float", "bfloat", "complex"))


def _returns(window: Window, looks: Sequence[Look], trained: Iterable[int]) -> bool:
    """Returns whether what was looked at has come back into a loss."""
    at = {index for index, look in enumerate(window.graph.looks) if look in looks}
    origins = window.graph.origins or {}
    return any(at.intersection(origins.get(number, ())) for number in trained)


__all__ = ["Normalised", "measured"]
