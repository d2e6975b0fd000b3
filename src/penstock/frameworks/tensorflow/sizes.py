"""Sizes in TensorFlow: norms of applied gradients and of variables, and values that are not finite."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import ops

from penstock.flow.sizes import NotFinite
from penstock.frameworks.tensorflow.amounts import array_of, first_bad, norm, value_of
from penstock.frameworks.tensorflow.tapes import dense
from penstock.frameworks.tensorflow.told import Written
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher


class Sizes:
    """Measures the gradients that optimizers apply, and finds the first step with a non-finite result."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._suspect: tuple[Site | None, float] | None = None
        self._told = False
        self._finite: int | None = None

    def asked(self, targets: Sequence[Any], site: Site | None) -> None:
        """Tests the loss of a gradient, which is a single number in the memory of the processor."""
        if self._told or self._suspect is not None or len(targets) != 1:
            return
        target = targets[0]
        if not isinstance(target, ops.EagerTensor) or target.shape.rank != 0 or not target.dtype.is_floating:
            return
        if "CPU" in (target.backing_device or ""):
            value = float(array_of(target))
            if not math.isfinite(value):
                self._suspect = site, value

    def applied(self, writes: Sequence[Written], gradients: Sequence[Any], site: Site | None) -> None:
        """Measures the gradients that an update has applied, and the variables after it."""
        watcher = self._watcher
        found = []
        watcher.quiet += 1
        try:
            for one, gradient in zip(writes, gradients, strict=True):
                tensor, variable = dense(gradient), one.variable.tensor()
                if isinstance(tensor, ops.EagerTensor) and variable is not None and tensor.dtype.is_floating:
                    value = norm(array_of(value_of(variable)))
                    found.append((one.variable, norm(array_of(tensor)), value))
        finally:
            watcher.quiet -= 1
        if found and all(math.isfinite(value) for _, _, value in found):
            self._finite = watcher.sink.steps.count + 1
        watcher.sink.sized(found, site)

    def lost(self, writes: Sequence[Written]) -> None:
        """Reports the first update with a result that is not finite; called after it was reported."""
        if self._told:
            return
        measured = [one for one in writes if one.amount is not None]
        if self._suspect is None and all(math.isfinite(one.amount or 0.0) for one in measured):
            if measured:
                self._finite = self._watcher.sink.steps.count
            return
        self._watcher.quiet += 1
        try:
            wrong = [(one, value) for one in writes if (value := self._bad(one)) is not None]
        finally:
            self._watcher.quiet -= 1
        if not wrong:
            return
        self._told = True
        first, value = wrong[0]
        exact = self._suspect is not None or self._finite == first.step - 1
        found = NotFinite(first.step, first.by, first.site, (), value, since=None if exact else self._finite)
        if self._suspect is not None:
            site, loss = self._suspect
            found = replace(found, source="loss", operation=f"{loss}", origin=site)
        self._watcher.sink.not_finite([one.variable for one, _ in wrong], found)

    def _bad(self, one: Written) -> float | None:
        variable = one.variable.tensor()
        return first_bad(array_of(value_of(variable))) if variable is not None else None


__all__ = ["Sizes"]
