"""A stretch of a PyTorch program, recorded call by call as a graph of values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

import torch

from penstock.frameworks.eager import window
from penstock.frameworks.eager.parameter import Registry
from penstock.frameworks.torch.extents import Extents
from penstock.frameworks.torch.links import is_leaf, key_of, memory, node_of, reached, word_between
from penstock.trace.source_site import Site

_ROLES = {
    **dict.fromkeys(("add", "sub", "subtract", "add_", "sub_", "__radd__", "__rsub__", "rsub"), "sum"),
    **dict.fromkeys(("mul", "multiply", "div", "true_divide", "divide", "__rmul__", "mul_", "div_"), "scale"),
    **dict.fromkeys(("neg", "sum", "mean", "to", "float", "double", "clone", "reshape", "view"), "linear"),
    **dict.fromkeys(("squeeze", "unsqueeze", "flatten", "contiguous"), "linear"),
}
_SHOWN = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide"}


class Window(window.Window):
    """The actions of a PyTorch program in a stretch of steps."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self._nodes: set[Any] = set()
        self.extents = Extents()

    def values(self, numbers: Iterable[int]) -> dict[int, Any] | None:
        """Returns the extents of values: the least and the largest number of each."""
        return {one: self.extents.of(one) for one in numbers}

    def responds(self, number: int, operand: int, operands: Sequence[Any]) -> bool:
        return self.extents.responds(self.graph, number, operand, operands)

    def is_apart(self, tensor: Any) -> bool:
        """Returns whether a tensor comes from `.data`: writes to it do not change its source's version."""
        number = self.number(tensor)
        while number is not None:
            value = self.graph.values[number]
            if value.name == "data" and value.kind == "operation":
                return True
            number = value.inputs[0] if value.inputs else None
        return False

    def first_bad(self, numbers: Sequence[int]) -> tuple[int, str] | None:
        return self.extents.first_bad(self.graph, numbers)

    def largest(self, number: int) -> float:
        return float(abs(self.extents.of(number)).max())

    def noted(self, number: int, tensor: Any) -> None:
        self.extents.note(number, tensor)

    def call(
        self,
        name: str,
        operands: Sequence[Any],
        keys: Sequence[Any],
        results: Sequence[Any],
        site: Site | None,
        found: Set[int] | None = None,
    ) -> None:
        """Records a call with its tensors; `keys` are the keys of the operands before the call.

        `found` are the operands that a derivative reaches, if they are known already.
        """
        if not self.passes_silence():
            return
        fresh = [one for one in results if node_of(one) is not None]
        if found is None:
            found = reached(fresh, list(zip(operands, keys, strict=True)), self._nodes) if fresh else set()
        recording, led = self.recording, found
        self.add(
            _SHOWN.get(name, name),
            operands,
            results,
            site,
            lambda result, operand: word_between(name, result, operand, led, recording),
            _ROLES.get(name, ""),
            name in ("detach", "detach_", "data"),
        )
        self._nodes.update(map(node_of, fresh))

    def differentiated(self, ends: Sequence[Any], results: Sequence[Any], site: Site | None) -> None:
        """Records gradients that can be differentiated again, with everything that their graph leads to.

        These are the factors in the backward pass, which need not be the requested sources.
        """
        leaves = [
            tensor for one in self.variables if (tensor := one.tensor()) is not None and is_leaf(tensor)
        ]
        operands = list({id(one): one for one in (*ends, *leaves)}.values())
        found = reached(results, [(one, key_of(one)) for one in operands], frozenset())
        operands = [one for one in operands if id(one) in found]
        self.call("gradient", operands, [key_of(one) for one in operands], results, site, found)

    def _origin(self, tensor: Any, number: int) -> None:
        at = memory(tensor) if tensor.device.type == "cpu" and tensor.layout == torch.strided else None
        looks = self._marks.at(at) if at is not None else ()
        if looks:
            self._origins[number] = looks


__all__ = ["Window"]
