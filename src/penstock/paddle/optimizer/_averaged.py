"""Descent along the mean of the last gradients of several batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from penstock.functions.array import arange, reshape
from penstock.functions.array import sum as total_of
from penstock.ops.pointwise import equal, minimum, where
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.optimizers.vocabulary import Flag
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.optimizer._base import Optimizer
from penstock.paddle.optimizer._fields import fields
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

State = tuple[Tensor, ...]


class AveragedGradients(Rule):
    """Descent along the mean of the last gradients of `batch_num` batches."""

    counts = True

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def key(self) -> Any:
        """Returns the number of batches."""
        return self.batches

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the last gradient of each batch, at zero."""
        return (Slot("gradients", (self.batches, *spec.shape)),)

    def _kept(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor, Tensor]:
        step = numbers.wide_step - 1.0
        turn = step - self.batches * (step // self.batches)
        places = arange(self.batches, dtype=np.float64)
        own = equal(places.astype(step.dtype), turn)
        own = reshape(own, (self.batches,) + (1,) * len(gradient.shape))
        count = numbers.narrow(minimum(step + 1.0, float(self.batches)))
        return where(own, gradient, state[0]), own, count

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and gradients."""
        kept, _, count = self._kept(gradient, state, numbers)
        return Update(value - total_of(kept, axis=0) / count * numbers["learning_rate"], (kept,))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The gradients of the other batches count as momentum. `value` does nothing."""
        _, own, count = self._kept(gradient, state, numbers)
        rate = numbers["learning_rate"] / count
        others = total_of(where(own, 0.0, state[0]), axis=0)
        return Shares(lambda one: -(one * rate), -(others * rate))


@fields
class ASGD(Optimizer):
    """Descent along an average of the gradients of `batch_num` batches (Schmidt and others, 2017)."""

    _names: ClassVar[dict[str, str]] = {"gradients": "y"}
    _count_word: ClassVar[str] = "m"

    learning_rate: Any = 0.001
    batch_num: Flag = 1
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    multi_precision: Flag = False
    name: str | None = None

    def _begin_with(self, given: dict[str, Any], numbers: dict[str, float]) -> None:
        if not isinstance(given["batch_num"], int) or given["batch_num"] < 1:
            raise InvalidValueError("batch_num should be greater than 0", site=here())
        super()._begin_with(given, numbers)

    def _besides(self, state: Mapping[str, Any], steps: int, own: Mapping[str, Any]) -> dict[str, Any]:
        return {"d": state["gradients"].sum(0), "m": np.asarray([steps], np.int64)}

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        return AveragedGradients(own["batch_num"])
