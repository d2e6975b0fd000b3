"""Resilient descent: a rate for each number, and only the signs of gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from penstock.functions.array import sign
from penstock.ops.pointwise import equal, greater, less, maximum, minimum, where
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.optimizers.vocabulary import Flag
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.optimizer._base import Optimizer
from penstock.paddle.optimizer._fields import fields
from penstock.paddle.optimizer.lr import LRScheduler
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


class Resilient(Rule):
    """A rate for each number: it grows while the sign of the gradient stays, and shrinks where it turns."""

    numbers = ("least", "most", "shrink", "grow")

    def __init__(self, first: float) -> None:
        self.first = first

    def key(self) -> Any:
        """Returns the rate that each number starts with."""
        return self.first

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the gradient before, at zero, and the rates; `spec` does nothing."""
        return (Slot("previous"), Slot("rates", None, self.first))

    def _turned(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor]:
        product = gradient * state[0]
        up, down = greater(product, 0.0), less(product, 0.0)
        factor = where(up, numbers["grow"], where(down, numbers["shrink"], 1.0))
        rates = minimum(maximum(state[1] * factor, numbers["least"]), numbers["most"])
        return where(down, 0.0, gradient), rates

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, the gradient, and the rates."""
        kept, rates = self._turned(gradient, state, numbers)
        return Update(value - sign(kept) * rates, (kept, rates))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """All of the move is the gradient's: its size is taken as given. `value` does nothing."""
        kept, rates = self._turned(gradient, state, numbers)
        size = where(equal(kept, 0.0), 1.0, kept) * sign(kept)
        step = rates / where(equal(size, 0.0), 1.0, size)
        return Shares(lambda one: -(where(equal(kept, 0.0), 0.0, one) * step))


@fields
class Rprop(Optimizer):
    """Resilient descent (Riedmiller and Braun, 1993), for whole batches: only signs of gradients count."""

    _names: ClassVar[dict[str, str]] = {"previous": "prevs", "rates": "learning_rates"}

    learning_rate: Any = 0.001
    learning_rate_range: Any = (1e-5, 50)
    parameters: Any = None
    etas: Any = (0.5, 1.2)
    grad_clip: Any = None
    multi_precision: Flag = False
    name: str | None = None

    def _begin_with(self, given: dict[str, Any], numbers: dict[str, float]) -> None:
        start, bounds, etas = given["learning_rate"], given["learning_rate_range"], given["etas"]
        rate = start() if isinstance(start, LRScheduler) else float(start)
        least, most = (float(one) for one in bounds)
        shrink, grow = (float(one) for one in etas)
        if not 0.0 < least <= rate <= most:
            raise InvalidValueError(
                "'0.0 < learning_rate_range[0] <= learning_rate <= learning_rate_range[1]' must be true, but "
                f"the learning rate is {rate} and its range {bounds}.",
                site=here(),
            )
        if not 0.0 < shrink < 1.0 < grow:
            raise InvalidValueError(
                f"'0.0 < etas[0] < 1.0 < etas[1]' must be true, but etas is {etas}.", site=here()
            )
        self._first = rate
        super()._begin_with(given, {"least": least, "most": most, "shrink": shrink, "grow": grow})

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        return Resilient(self._first)
