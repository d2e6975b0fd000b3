"""A stretch of a PaddlePaddle program, recorded call by call as a graph of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.frameworks.eager import window
from penstock.frameworks.eager.parameter import Registry
from penstock.frameworks.paddle.links import STOPS, key_of, reached, word_between
from penstock.frameworks.paddle.tensors import array
from penstock.trace.source_site import Site

WHOLE = 20_000
"""The most nodes that are visited for a gradient that can be differentiated again."""
_ROLES = {
    **dict.fromkeys(("add", "subtract", "add_", "subtract_", "add_n"), "sum"),
    **dict.fromkeys(("multiply", "divide", "scale", "multiply_", "divide_", "scale_"), "scale"),
    **dict.fromkeys(("sum", "mean", "mean_all", "cast", "assign", "reshape", "clone", "negative"), "linear"),
    **dict.fromkeys(("squeeze", "unsqueeze", "flatten", "contiguous"), "linear"),
}
_SHOWN = {
    "__add__": "add", "__radd__": "add", "__sub__": "subtract", "__rsub__": "subtract", "__mul__": "multiply",
    "__rmul__": "multiply", "__div__": "divide", "__truediv__": "divide", "__rdiv__": "divide",
    "__rtruediv__": "divide", "__pow__": "pow", "__rpow__": "pow", "__matmul__": "matmul",
    "__rmatmul__": "matmul", "__mod__": "remainder", "__rmod__": "remainder", "__floordiv__": "floor_divide",
    "__rfloordiv__": "floor_divide", "__gt__": "greater_than", "__ge__": "greater_equal",
    "__lt__": "less_than", "__le__": "less_equal", "__eq__": "equal", "__ne__": "not_equal",
    "_getitem_dygraph": "__getitem__", "_setitem_dygraph": "__setitem__", "mean_all": "mean",
    "cross_entropy_with_softmax": "cross_entropy", "elementwise_pow": "pow", "assign": "clone",
    "_copy_to": "to",
}  # fmt: skip
"""The user's names for calls."""


def shown(name: str) -> str:
    """Returns the name of a call in reports."""
    return _SHOWN.get(name, name)


class Window(window.Window):
    """The actions of a PaddlePaddle program in a stretch of steps."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry, contents=True)

    def call(
        self,
        name: str,
        operands: Sequence[Any],
        keys: Sequence[int | None],
        results: Sequence[Any],
        site: Site | None,
        most: int = 64,
    ) -> None:
        """Records a call with its tensors; `keys` are the nodes of the operands before the call."""
        if not self.passes_silence():
            return
        wanted = {one for one in keys if one is not None}
        arrived, whole = reached(results, wanted, most) if wanted and self.recording else (set(), True)
        nodes = {id(one): key for one, key in zip(operands, keys, strict=True)}
        name, recording = shown(name), self.recording

        def word(result: Any, operand: Any) -> str:
            return word_between(name, result, operand, nodes[id(operand)], arrived, whole, recording)

        self.add(name, operands, results, site, word, _ROLES.get(name, ""), name in STOPS)

    def differentiated(self, ends: Sequence[Any], results: Sequence[Any], site: Site | None) -> None:
        """Records gradients that can be differentiated again, with everything that their graph leads to."""
        leaves = [tensor for one in self.variables if (tensor := one.tensor()) is not None]
        operands = list({id(one): one for one in (*ends, *leaves)}.values())
        keys = [key_of(one) for one in operands]
        # Any other node would be passed through: each operand is looked for alone.
        led = [key is not None and bool(reached(results, {key}, WHOLE)[0]) for key in keys]
        held = [(one, key) for one, key, there in zip(operands, keys, led, strict=True) if there]
        self.call("gradient", [one for one, _ in held], [key for _, key in held], results, site, WHOLE)

    def _origin(self, tensor: Any, number: int) -> None:
        if self._marks and self.tensors.is_differentiable(tensor):
            looks = self._marks.origins_of(array(tensor))
            if looks:
                self._origins[number] = looks


__all__ = ["Window", "shown"]
