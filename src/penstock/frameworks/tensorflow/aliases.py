"""Two names of one variable, which a loss trains under the first and uses as a constant under the second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.flow.aliased import alias_facts
from penstock.flow.noted import Shared
from penstock.frameworks.tensorflow.variable import Parameter
from penstock.frameworks.tensorflow.window import Window
from penstock.trace.source_site import Site


def aliases(window: Window) -> Iterator[tuple[Shared, Sequence[Parameter]]]:
    """Yields the pairs of names in a window, with the variables that have both."""
    groups: dict[tuple[str, str, Site], list[Parameter]] = {}
    for one in alias_facts(window.graph):
        groups.setdefault((one.first, one.second, one.site), []).append(window.variables[one.variable])
    for (first, second, site), held in groups.items():
        yield Shared((first, second), tuple([one.path for one in held]), site), held


__all__ = ["aliases"]
