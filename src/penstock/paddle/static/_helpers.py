"""Helpers of static programs besides layers: places, metrics, averages of parameters, prints."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.capture.calls import site_code
from penstock.declared import named
from penstock.paddle import _creation
from penstock.paddle._mode import mode
from penstock.paddle._shape import PLACE
from penstock.paddle.metric import accuracy as _measured
from penstock.paddle.static._program import OPTIMIZE, Operation, programs
from penstock.paddle.static._variable import build

_frame = sys._getframe


@named("paddle.static.cpu_places")
def cpu_places(device_count: Any = None) -> list[Any]:
    """Returns the only place, for any `device_count`."""
    return [PLACE]


@named("paddle.static.cuda_places", "paddle.static.xpu_places")
def cuda_places(device_ids: Any = None) -> list[Any]:
    """Returns the only place, for any `device_ids`."""
    return [PLACE]


@named("paddle.static.create_parameter")
def create_parameter(
    shape: Any, dtype: Any, name: Any = None, attr: Any = None, is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:  # fmt: skip
    """Returns a parameter of the program, which the startup program starts."""
    return _creation.create_parameter(shape, dtype, name, attr, is_bias, default_initializer)


@named("paddle.static.accuracy")
def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """Returns the share of examples whose label is among the k largest outputs.

    `correct` and `total` take the counts in Paddle's older programs; they are not counted here.
    """
    return build(_measured, "accuracy", (input, label, k), {}, _frame(1))


@named("paddle.static.Print")
def Print(
    input: Any, first_n: int = -1, message: Any = None, summarize: int = 20, print_tensor_name: bool = True,
    print_tensor_type: bool = True, print_tensor_shape: bool = True, print_tensor_layout: bool = True,
    print_tensor_lod: bool = True, print_phase: str = "both",
) -> Any:  # fmt: skip
    """Returns `input`, and prints its value in each run, or in the `first_n` runs.

    It is printed as tensors are: `summarize`, `print_tensor_name`, `print_tensor_type`,
    `print_tensor_shape`, `print_tensor_layout`, `print_tensor_lod` and `print_phase` do nothing.
    """
    left = [first_n]

    def printed(x: Any) -> Any:
        if left[0]:
            left[0] -= 1
            print(f"{message or ''} {x}".lstrip())
        return x.clone()

    return build(printed, "print", (input,), {}, _frame(1))


@named("paddle.static.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Averages of the parameters over training steps; `apply` puts them in the parameters' place."""

    def __init__(self, decay: float = 0.999, thres_steps: Any = None, name: Any = None) -> None:
        if thres_steps is not None:
            from penstock.paddle._errors import NotThereError
            from penstock.trace.source_site import here

            raise NotThereError("thres_steps is not in penstock.paddle yet.", remedy="Omit it.", site=here())
        self._decay, self._steps = decay, 0
        self._averages: dict[Any, Any] = {}

    def update(self) -> None:
        """Writes into the program that each run moves the averages."""
        trained = [one for one in programs.main.all_parameters() if one.trainable]

        def moved() -> list[Any]:
            self._steps += 1
            for one in trained:
                before = self._averages.get(one, np.zeros(one._spec.shape, one._spec.dtype))
                self._averages[one] = self._decay * before + (1.0 - self._decay) * one.numpy()
            return []

        code = site_code(_frame(1), programs.main.codes)
        programs.main.add(Operation("average", moved, [], {}, (), code, OPTIMIZE))

    @contextlib.contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Lets the parameters have their averages inside, and after it too unless `need_restore`."""
        kept = {one: one.numpy() for one in self._averages}
        scale = 1.0 - self._decay**self._steps
        with mode.running():
            for one, average in self._averages.items():
                one.set_value((average / scale).astype(one._spec.dtype))
        self._kept = kept
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Gives the parameters back the values they had before `apply`; `executor` does nothing."""
        with mode.running():
            for one, value in self._kept.items():
                one.set_value(value)
