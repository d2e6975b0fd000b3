"""The extents of the values in a recorded window: the least and the largest number of each.

The values themselves are gone when a window is analysed. Their extents show which were non-finite, and where
a function was flat everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from penstock.flow.graph import Graph

_FLAT_BELOW = {
    "relu": 0.0,
    "relu_": 0.0,
    "relu6": 0.0,
    "threshold": 0.0,
    "sigmoid": -104.0,
    "softplus": -104.0,
}
_FLAT_ABOVE = {"sigmoid": 17.0, "relu6": 6.0, "tanh": 9.1}
_FLAT_FROM = {"tanh": -9.1}
"""The numbers below and above which functions have no slope in float32."""
PRODUCTS = frozenset(
    ("mul", "multiply", "mul_", "__rmul__", "matmul", "__matmul__", "mm", "bmm", "einsum", "linear", "conv1d",
     "conv2d", "conv3d", "dot", "mv", "outer", "addmm", "div", "divide", "true_divide")
)  # fmt: skip
_STEEP = frozenset(("sqrt", "sqrt_", "norm", "vector_norm", "std", "pow", "rsqrt", "cdist", "var"))
"""Functions whose slope may be non-finite where they, or their operand, are zero."""


class Extents:
    """The least and the largest number of values, by their numbers in a graph."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}
        self._found: dict[int, Any] = {}

    def note(self, number: int, tensor: Any) -> None:
        """Notes the extent of a value; it is read later, so that nothing has to wait for a device."""
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.is_meta:
            return
        if tensor.is_floating_point() and tensor.layout == torch.strided and tensor.numel():
            if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
                return
            # Below autograd, which would record it, and hidden from modes that watch calls.
            with torch._C.DisableTorchFunction(), torch._C._AutoDispatchBelowAutograd():
                self._kept[number] = torch.aminmax(tensor)

    def of(self, number: int) -> Any:
        """Returns the least and the largest number of a value as an array; nan, nan if unknown."""
        found = self._found.get(number)
        if found is None:
            kept = self._kept.get(number)
            with torch._C.DisableTorchFunction():
                both = (math.nan, math.nan) if kept is None else (float(kept[0]), float(kept[1]))
            found = self._found[number] = np.array(both)
        return found

    def knows(self, number: int) -> bool:
        """Returns whether the extent of a value was noted."""
        return number in self._kept

    def responds(self, graph: Graph, number: int, operand: int, operands: Sequence[Any]) -> bool:
        """Returns whether a value has a slope by an operand, judged by extents: True in doubt."""
        value = graph.values[number]
        low, high = operands[operand]
        if value.name in PRODUCTS:
            others = [one for place, one in enumerate(operands[:2]) if place != operand]
            if operand < 2 and others and not others[0].any():
                return False
            # A factor that is a Python number is not an operand.
            return bool(others) or not (self.is_zero(number) and operands[operand].any())
        return not (
            high <= _FLAT_BELOW.get(value.name, -math.inf)
            or low >= _FLAT_ABOVE.get(value.name, math.inf)
            or high <= _FLAT_FROM.get(value.name, -math.inf)
        )

    def is_zero(self, number: int) -> bool:
        """Returns whether all of a value is zero."""
        low, high = self.of(number)
        return bool(low == high == 0.0)

    def first_bad(self, graph: Graph, numbers: Sequence[int]) -> tuple[int, str] | None:
        """Returns the first non-finite value with finite operands on the path to some values.

        It comes with "operation"; or, if all values were finite, "slope" with an operation whose derivative
        may not be.
        """
        behind = sorted(graph.ancestors(numbers))
        bad = [one for one in behind if self.knows(one) and not np.isfinite(self.of(one)).all()]
        for one in bad:
            inputs = graph.values[one].inputs
            if inputs and not any(source in bad for source in inputs):
                return one, "operation"
        if bad:
            return bad[0], "variable" if graph.values[bad[0]].variable is not None else "data"
        steep = [
            one
            for one in behind
            if graph.values[one].name in _STEEP
            and any(0.0 in self.of(n) for n in (one, *graph.values[one].inputs[:1]))
        ]
        # It is unknown whether powers are roots.
        steep.sort(key=lambda one: graph.values[one].name == "pow")
        return (steep[0], "slope") if steep else None


__all__ = ["Extents"]
