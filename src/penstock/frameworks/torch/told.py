"""The reports of the PyTorch source: a write, and a skipped update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from penstock.flow.observed import Update, Variable
from penstock.flow.report_model import Skip
from penstock.frameworks import told
from penstock.frameworks.torch.parameter import Parameter
from penstock.trace.source_site import Site


class Written(told.Written):
    """One write that an optimizer or the program has made."""

    variable: Parameter

    __slots__ = ()

    def undoes(self, before: Any) -> bool:
        with torch._C.DisableTorchFunction(), torch.no_grad():
            old, now = self.before, self.variable.tensor()
            if old is None or now is None or not old.shape == before.shape == now.shape:
                return False
            near = max(1e-3 * float((now - old).norm()), 1e-6 * float(now.norm()))
            return float((now - before).norm()) <= near < float((before - old).norm())


class Scaled(Update):
    """An update that a GradScaler makes or skips."""

    __slots__ = ("by", "event", "missed", "parameters", "site", "value")

    def __init__(self, by: str, site: Site | None, parameters: Sequence[Parameter], value: float) -> None:
        self.by, self.site, self.event = by, site, -1
        self.parameters, self.value, self.missed = parameters, value, bool(parameters)

    def left_out(self) -> bool | None:
        return self.missed

    def skip(self, step: int) -> Skip | None:
        names = tuple(one.path for one in self.parameters)
        return Skip(step, self.by, self.site, names, self.value, "a gradient", self.site, None)

    def moved(self) -> Sequence[Variable]:
        return self.parameters


__all__ = ["Scaled", "Written"]
