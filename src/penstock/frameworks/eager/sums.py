"""Backward passes of means whose gradients are added up without a division."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.parameter import Parameter
    from penstock.frameworks.eager.passes import Backward

FEW = 2
"""A line applies sums if it has done so in this many updates, and in all that were recorded."""


@dataclass(slots=True)
class _Line:
    counts: list[int] = field(default_factory=list)
    calls: list[Sequence[Backward]] = field(default_factory=list)
    held: dict[int, Parameter] = field(default_factory=dict)


class Sums:
    """The updates of a program, by their line and that of the backward passes."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, Site | None, Site | None], _Line] = {}

    def applied(
        self, by: str, site: Site | None, calls: Sequence[Backward], moved: Sequence[Parameter]
    ) -> None:
        """Notes an update that applies the gradients of these passes."""
        if calls and all(one.site == calls[0].site for one in calls):
            line = self._lines.setdefault((by, site, calls[0].site), _Line())
            line.counts.append(len(calls))
            line.calls.append(calls)
            line.held.update((one.uid, one) for one in moved)

    def told(self) -> Iterator[tuple[str, Site | None, Site | None, int, Sequence[Parameter]]]:
        """Yields the updates that apply sums of gradients of means."""
        for (by, site, asked), line in self._lines.items():
            every = [call for calls in line.calls for call in calls]
            alike = {(call.way, frozenset(call.gave)) for call in every}
            # A gradient that the program reads may be divided there.
            plain = all(call.mean and not call.read and len(call.by) == 1 for call in every)
            if min(line.counts) > 1 and len(line.counts) >= FEW and plain and len(alike) == 1:
                yield by, site, asked, max(line.counts), list(line.held.values())
        self._lines.clear()


__all__ = ["Sums"]
