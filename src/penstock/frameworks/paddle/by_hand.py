"""Writes by lines of a PaddlePaddle program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import paddle

from penstock.frameworks.eager import by_hand
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.paddle.calls import LAST, NAMES, tensors_in
from penstock.frameworks.paddle.window import Window
from penstock.frameworks.places import here
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.paddle.source import Paddle

_DECAYS = ("scale_", "multiply_", "divide_")
"""Calls that shrink the written tensor, if the other operand is a number."""
_SETTLING = frozenset(("abs", "clip", "relu", "fill", "zero", "zeros_like", "full_like", "full"))
"""Calls that change nothing when they are repeated."""
_INITIALIZERS = os.path.join("nn", "initializer")


class ByHand(by_hand.ByHand):
    """Writes without an optimizer."""

    source: Paddle

    def __init__(self, source: Paddle) -> None:
        super().__init__(source)
        self.hidden: dict[tuple[int, str, Site | None], Parameter] = {}

    def is_known(self, tensor: Any) -> bool:
        """Returns whether a tensor is a parameter or a buffer."""
        return self.is_parameter(tensor) or self.source.registry.find(tensor) is not None

    def wrote_in_place(self, name: str, target: Any, site: Site | None, source: Any = None) -> None:
        """Notes a write by a line of the program; what comes before the first backward pass is creation."""
        if not self.is_known(target):
            return
        window = self.source.window
        parameter = self.source.registry.of(target)
        if parameter.kind == "state":
            self.source.tell([self._write(parameter, "forward", site, "write", ("state",))])
            return
        if not self.source.began or _is_initialising():
            if window is not None:
                window.renewed(parameter, name, site)
            return
        is_number = not isinstance(source, paddle.Tensor)
        terms = ("decay",) if name in _DECAYS and is_number else ("assign",)
        if window is None:
            self.source.tell([self._write(parameter, name, site, "write", terms)])
            return
        self.wrote(
            window, target, name, site, terms, source, None, source is target, _settles(window, name, source)
        )

    def count_write(self, name: str, arguments: Sequence[Any]) -> None:
        """Counts a write outside a window."""
        operands = list(tensors_in(*arguments))
        if operands:
            target = operands[-1] if name in LAST else operands[0]
            self.wrote_in_place(
                NAMES.get(name, name), target, here(2), operands[-1 if len(operands) > 1 else 0]
            )

    def normalises(self, name: str, arguments: Sequence[Any], result: Any) -> None:
        """Notes a call that may normalise by its batch, and so write its statistics."""
        inference, fixed, trainable = arguments[5], arguments[9], arguments[10]
        if not fixed and (not inference or trainable):
            self.normalised(name, arguments[1:3], result[0])

    def saw_statistics(self, parameter: Parameter, by: str, site: Site | None) -> None:
        self.hidden[parameter.uid, by, site] = parameter


def _settles(window: Window, name: str, source: Any) -> bool:
    """Returns whether a repetition of an in-place write would change nothing."""
    if isinstance(source, paddle.Tensor):
        number = window.number(source)
        return number is not None and window.graph.values[number].name in _SETTLING
    return name.removesuffix("_") in _SETTLING


def _is_initialising() -> bool:
    """Returns whether a call comes from the initialization of new parameters."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if _INITIALIZERS in code.co_filename:
            return True
        if code.co_name == "__init__" and isinstance(frame.f_locals.get("self"), paddle.nn.Layer):
            return True
        if code.co_name in ("init_weights", "_init_weights", "reset_parameters", "weights_init"):
            return True
        frame = frame.f_back
    return False


__all__ = ["ByHand"]
