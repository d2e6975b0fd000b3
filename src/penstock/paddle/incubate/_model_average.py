"""Averages of parameters over the last steps, beside the optimizer that moves them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle._errors import RefusedError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._mode import mode
from penstock.trace.source_site import here

_frame = sys._getframe
_LONGEST = 16384
"""After so many steps Paddle begins another sum, so that small values are not lost in a large one."""


class _Sums:
    """The sums of one parameter's values, and how many values are in them."""

    def __init__(self, parameter: Any) -> None:
        self.parameter = parameter
        self.restored: Any = None
        self.sums: list[Any] = [np.zeros(parameter._spec.shape, parameter._spec.dtype)] * 3
        self.count = self.before = self.steps = 0

    def add(self, value: Any, rate: float, least: int, most: int) -> None:
        """Adds a value; a window that is full becomes the old one, and the next one begins."""
        nothing = np.zeros_like(value)
        first, second, third = self.sums
        first = first + value
        self.count += 1
        self.steps += 1
        if self.steps % _LONGEST == 0:
            first, second = nothing, second + first
        if self.count >= least and self.count >= min(most, int(self.steps * rate)):
            first, second, third = nothing, nothing, first + second
            self.before, self.count = self.count, 0
        self.sums = [first, second, third]

    def mean(self) -> Any:
        """Returns the mean of the values in both windows: NaN if there are none."""
        total = self.sums[0] + self.sums[1] + self.sums[2]
        with np.errstate(invalid="ignore"):
            return (total.astype(np.float32) / np.float32(self.count + self.before)).astype(total.dtype)


@named("paddle.incubate.ModelAverage", "paddle.incubate.optimizer.ModelAverage")
class ModelAverage:
    """Averages of the parameters over a window of steps; `apply` puts them in the parameters' place.

    Each `step`, which follows the one of the optimizer that moves the parameters, adds the values of those
    that have a gradient. The window grows with `average_window_rate` times the number of steps, between
    `min_average_window` and `max_average_window`.

    >>> from penstock import paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> optimizer = paddle.optimizer.SGD(0.5, parameters=[w])
    >>> average = paddle.incubate.ModelAverage(0.5, [w], min_average_window=2, max_average_window=4)
    >>> for _ in range(3):
    ...     w.sum().backward()
    ...     optimizer.step()
    ...     average.step()
    ...     optimizer.clear_grad()
    >>> with average.apply():
    ...     print(w.item())
    0.0
    >>> w.item()
    -0.5
    """

    def __init__(
        self, average_window_rate: float, parameters: Any = None, min_average_window: int = 10000,
        max_average_window: int = 10000, name: Any = None,
    ) -> None:  # fmt: skip
        self.average_window, self.type = average_window_rate, "average_accumulates"
        self.min_average_window, self.max_average_window = min_average_window, max_average_window
        static = mode.builds()
        if parameters is None and not static:
            raise AttributeError(
                "parameters argument given to the Optimizer should not be None in dygraph mode."
            )
        if parameters is None:
            parameters = self._of_program()
        elif not isinstance(parameters, list | tuple):
            raise TypeError(
                "`parameters` argument given to the optimizer should be an iterable of paddle Tensors, but "
                f"got argument type is `{type(parameters)}`."
            )
        self._parameter_list = list(parameters)
        self._sums: dict[int, _Sums] = {}
        if static:
            self._write_down()

    def _of_program(self) -> list[Any]:
        from penstock.paddle.static._program import programs

        return programs.main.all_parameters()

    def _write_down(self) -> None:
        """Writes into the program that each run adds the parameters' values."""
        from penstock.capture.calls import site_code
        from penstock.paddle.static._program import OPTIMIZE, Operation, programs

        def added() -> list[Any]:
            self._add(self._parameter_list)
            return []

        code = site_code(_frame(2), programs.main.codes)
        programs.main.add(Operation(self.type, added, [], {}, (), code, OPTIMIZE))

    def _of(self, parameter: Any) -> _Sums:
        return self._sums.setdefault(id(parameter), _Sums(parameter))

    def _add(self, parameters: list[Any]) -> None:
        for one in parameters:
            self._of(one).add(
                one.numpy(), self.average_window, self.min_average_window, self.max_average_window
            )

    def step(self) -> None:
        """Adds the present values of the parameters that have a gradient."""
        for one in self._parameter_list:
            self._of(one)
        self._add([one for one in self._parameter_list if one.trainable and one.grad is not None])

    def minimize(
        self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> None:
        """Does what `step` does; in a static program, nothing, since each run adds the values.

        The values do not depend on the `loss`: it does nothing, nor do `startup_program`, `parameters` and
        `no_grad_set`.
        """
        if not mode.builds():
            self.step()

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of the parameters to zeros, or to None."""
        for one in self._parameter_list:
            if one.grad is not None:
                one.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    @contextlib.contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Lets the parameters have their averages inside, and after it too unless `need_restore`.

        Static programs need an `executor`, and dynamic ones do not.
        """
        self._check(executor)
        if not self._sums:
            raise RefusedError(
                f"Accumulator num_accumulates does not exist for parameter {self._parameter_list[0].name}",
                why="There are no averages before the first step.",
                remedy="Call step() after the optimizer's step().",
                site=here(),
            )
        with mode.running(), no_grad():
            for one in self._sums.values():
                one.restored = one.parameter.numpy()
                one.parameter.set_value(one.mean())
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any = None) -> None:
        """Gives the parameters back the values they had before `apply`."""
        self._check(executor)
        with mode.running(), no_grad():
            for one in self._sums.values():
                if one.restored is not None:
                    one.parameter.set_value(one.restored)

    def _check(self, executor: Any) -> None:
        if mode.static and executor is None:
            raise RuntimeError("Executor should not be None in static graph mode.")
