"""The reports of the PyTorch source: a write, a skipped update, a passage that consists of writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from penstock.flow.graph import Graph
from penstock.flow.observed import Passage, Update, Variable, Wrote
from penstock.flow.report_model import Skip
from penstock.frameworks.torch.parameter import Parameter
from penstock.frameworks.torch.words import TORCH
from penstock.trace.source_site import Site


class Nothing(Passage):
    """A passage with only its writes known."""

    variables: Sequence[Variable] = ()
    missed: Sequence[tuple[int, Variable]] = ()
    ends_step = False
    identities = ()

    def __init__(self) -> None:
        self.graph = Graph(words=TORCH)
        self.program, self.facts = self, {}


class Written(Wrote):
    """One write that an optimizer or the program has made."""

    variable: Parameter
    sampled = False

    __slots__ = (
        "amount", "before", "by", "event", "idle", "kind", "made", "numbers_steps", "own", "settling", "site",
        "size", "step", "terms", "trainable", "uid", "variable",
    )  # fmt: skip

    def __init__(
        self, parameter: Parameter, by: str, site: Site | None, kind: str, terms: tuple[str, ...], event: int,
        amount: float | None, made: Site | None = None, idle: bool = False,
    ) -> None:  # fmt: skip
        self.variable, self.uid, self.by, self.site, self.kind = parameter, parameter.uid, by, site, kind
        self.own, self.terms, self.event, self.amount, self.made = False, terms, event, amount, made
        self.size, self.idle = 1, idle
        self.numbers_steps = terms not in (("state",), ("load",))
        self.step = 0
        self.trainable = parameter.trainable
        self.before: Any = None
        self.settling: bool | None = None

    def change(self) -> float | None:
        return self.amount

    def undoes(self, before: Any) -> bool:
        with torch._C.DisableTorchFunction(), torch.no_grad():
            old, now = self.before, self.variable.tensor()
            if old is None or now is None or not old.shape == before.shape == now.shape:
                return False
            near = max(1e-3 * float((now - old).norm()), 1e-6 * float(now.norm()))
            return float((now - before).norm()) <= near < float((before - old).norm())

    def settles(self) -> bool | None:
        return self.settling


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


__all__ = ["Nothing", "Scaled", "Written"]
