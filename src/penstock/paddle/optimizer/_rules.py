"""Additions of Paddle's update rules to the native ones: penalties, and Adam of row gradients."""

from __future__ import annotations

from typing import Any

from penstock.functions.array import sign
from penstock.optimizers.moments import AdaptiveMoments
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


class Penalized(Rule):
    """Another rule, given a gradient to which `weight_decay` times the value (L2) or its sign (L1) is added.

    The penalty moves every row of a table, read or not, so row gradients are made dense.
    """

    decays = True

    def __init__(self, rule: Rule, penalty: str) -> None:
        self.rule, self.penalty = rule, penalty
        self.numbers = (*rule.numbers, "weight_decay")
        self.counts, self.separable, self.complex = rule.counts, rule.separable, rule.complex

    def key(self) -> Any:
        """Returns which rule it is, and which penalty."""
        return type(self.rule), self.rule.key(), self.penalty

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the slots of the other rule."""
        return self.rule.start(spec)

    def _added(self, value: Tensor, numbers: Numbers) -> Tensor:
        return (value if self.penalty == "L2" else sign(value)) * numbers["weight_decay"]

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the other rule's update for the whole gradient."""
        return self.rule.move(value, gradient + self._added(value, numbers), state, numbers)

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The penalty's share of the whole gradient's counts as decay."""
        added = self._added(value, numbers)
        shares = self.rule.shares(value, gradient + added, state, numbers)
        return Shares(shares.of_gradient, shares.momentum, shares.of_gradient(added))


class AlsoPenalized(Penalized):
    """A rule with a decay of the value, whose gradient has a penalty of the value before that decay.

    `decaying` says whether the value also decays here, outside the rule.
    """

    decays = True

    def __init__(self, rule: Rule, penalty: str, coefficient: float, decaying: bool) -> None:
        super().__init__(rule, penalty)
        self.coefficient, self.decaying = coefficient, decaying
        self.numbers = (*rule.numbers, "weight_decay") if decaying else rule.numbers

    def key(self) -> Any:
        """Returns which rule it is, which penalty of which size, and whether the value decays."""
        return *super().key(), self.coefficient, self.decaying

    def _added(self, value: Tensor, numbers: Numbers) -> Tensor:
        return (value if self.penalty == "L2" else sign(value)) * self.coefficient

    def _lost(self, value: Tensor, numbers: Numbers) -> Tensor:
        return value * numbers["weight_decay"] * numbers["learning_rate"]

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the other rule's update for the whole gradient and for the value after its decay."""
        whole = gradient + self._added(value, numbers)
        decayed = value - self._lost(value, numbers) if self.decaying else value
        return self.rule.move(decayed, whole, state, numbers)

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The penalty's share of the whole gradient's counts as decay, in addition to that of the value."""
        added = self._added(value, numbers)
        decayed = value - self._lost(value, numbers) if self.decaying else value
        shares = self.rule.shares(decayed, gradient + added, state, numbers)
        decay = shares.of_gradient(added)
        if self.decaying:
            decay = decay - self._lost(value, numbers)
        if shares.decay is not None:
            decay = decay + shares.decay
        return Shares(shares.of_gradient, shares.momentum, decay)


class CountedAhead(AdaptiveMoments):
    """Adam as Paddle applies it to the gradient of a table's rows: its averages are corrected one step ahead.

    Paddle multiplies its powers of both shares before it reads them there, so that the first step is a
    quarter shorter than that of a dense gradient.
    """

    def correction(self, name: str, numbers: Numbers) -> Tensor:
        """Returns what will be missing of an average after one more update."""
        return numbers.correction(name, ahead=1)


__all__ = ["AlsoPenalized", "CountedAhead", "Penalized"]
