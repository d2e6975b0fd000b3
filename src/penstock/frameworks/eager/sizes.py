"""Sizes: norms of gradients and parameters in measured updates, and non-finite values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.flow.naming import Place, step_of
from penstock.flow.sizes import NotFinite
from penstock.frameworks.eager.told import Written
from penstock.frameworks.eager.window import Window
from penstock.frameworks.places import here
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.source import Eager


class Sizes:
    """Measures the gradients that optimizers apply, and finds the first step with a non-finite result."""

    def __init__(self, source: Eager) -> None:
        self.source, self.tensors = source, source.registry.tensors
        self._suspect: tuple[Site | None, float] | None = None
        self._told = False
        self._finite: int | None = None
        self._goals: tuple[Window, tuple[int, ...]] | None = None

    def began(self, roots: Sequence[Any], site: Site | None, goals: tuple[int, ...]) -> None:
        """Tests the loss of a backward pass; in memory of the processor that costs almost nothing."""
        if self._suspect is not None and not self._told and not self.source.optimized:
            self._look_by_hand()
        window = self.source.window
        if window is not None:
            self._goals = window, goals
        if self._told or self._suspect is not None:
            return
        loss = self.tensors.number(roots[0])
        if loss is not None and not math.isfinite(loss):
            self._suspect = site or here(2), loss

    def is_suspect(self) -> bool:
        """Returns whether the next update has to be examined."""
        return self._suspect is not None and not self._told

    def applied(self, writes: Sequence[Written], moved: Sequence[Any], site: Site | None) -> None:
        """Measures the gradients that an update has applied, and the parameters after it."""
        pairs = [
            (write.variable, one, gradient)
            for write, one in zip(writes, moved, strict=True)
            if (gradient := self.tensors.gradient(one)) is not None and self.tensors.has_norm(gradient)
        ]
        gradients = self.tensors.norms([gradient for *_, gradient in pairs])
        values = self.tensors.norms([one for _, one, _ in pairs])
        variables = [variable for variable, *_ in pairs]
        if all(map(math.isfinite, values)):
            self._finite = self.source.sink.steps.count + 1
        self.source.sink.sized(list(zip(variables, gradients, values, strict=True)), site)

    def lost(self, writes: Sequence[Written], moved: Sequence[Any]) -> None:
        """Reports the first update with a non-finite result; called after the update was reported."""
        if self._told:
            return
        wrong = [
            (write, one)
            for write, one in zip(writes, moved, strict=True)
            if self.tensors.first_bad(one) is not None
        ]
        if not wrong:
            return
        self._told = True
        first, tensor = wrong[0]
        exact = self._suspect is not None or (first.amount is not None and self._finite == first.step - 1)
        found = NotFinite(
            first.step,
            first.by,
            first.site,
            (),
            self.tensors.first_bad(tensor) or math.nan,
            since=None if exact or self._finite is None else self._finite,
        )
        self.source.sink.not_finite([one.variable for one, _ in wrong], self._origin(found))

    def _look_by_hand(self) -> None:
        """Looks for parameters to which lines of the program have written non-finite values."""
        wrong = [
            (one, tensor)
            for one, tensor in self.source.registry.living()
            if one.kind == "weight"
            and self.tensors.is_trained(tensor)
            and self.tensors.first_bad(tensor) is not None
        ]
        lines = [list(self.source.sink.subject(one).writers) for one, _ in wrong]
        if not wrong or not lines[0]:
            return
        self._told = True
        by, site = lines[0][-1]
        value = self.tensors.first_bad(wrong[0][1]) or math.nan
        found = NotFinite(self.source.sink.steps.count, by, site, (), value)
        self.source.sink.not_finite([one for one, _ in wrong], self._origin(found))

    def end(self) -> None:
        """Checks again when the program is over."""
        if self._suspect is not None and not self._told and not self.source.optimized:
            self._look_by_hand()

    def _origin(self, found: NotFinite) -> NotFinite:
        """Adds the origin of a non-finite value, if the step was recorded; otherwise blames the loss."""
        window = self.source.window
        if window is not None and self._goals is not None and self._goals[0] is window:
            graph = window.graph
            began = window.first_bad(self._goals[1])
            if began is not None:
                number, source = began
                step = step_of(Place(graph, window.variables, None, number))
                inputs = [window.largest(one) for one in graph.values[number].inputs]
                # The window still grows: the readers of a value are not known before it is closed.
                chosen = [one.number for one in graph.values if one.name == "where" and one.number > number]
                return replace(
                    found,
                    source=source,
                    operation=f"{step.name} = {step}" if step.name else str(step),
                    origin=step.site or graph.site(number),
                    largest=max((one for one in inputs if math.isfinite(one)), default=math.nan),
                    branch=any(number in graph.ancestors([one]) for one in chosen),
                )
        if self._suspect is not None:
            site, loss = self._suspect
            return replace(found, source="loss", operation=f"{loss}", origin=site)
        return found


__all__ = ["Sizes"]
