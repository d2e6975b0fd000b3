"""Distinguishes the paths of a PaddlePaddle program by autograd's nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from penstock.frameworks.eager import turns
from penstock.frameworks.eager.parameter import Parameter, Registry
from penstock.frameworks.eager.turns import NODES
from penstock.frameworks.paddle.links import key_of

END = "GradNodeAccumulation"
"""PaddlePaddle's name for a node at which a gradient is added to that of a leaf."""


class Turns(turns.Turns):
    """The paths of backward passes; `ends` are the parameters at the end of the latest examined one."""

    ends: list[Parameter]

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self.ends = []

    def _path(self, roots: Sequence[Any]) -> int:
        leaves = {
            key_of(tensor): one
            for one, tensor in self.registry.living()
            if not tensor.stop_gradient and tensor.is_leaf
        }
        ends: dict[int, Parameter] = {}
        kinds: list[Any] = []
        for name, at in walk(roots, NODES):
            kinds.append(name)
            if name == END:
                parameter = leaves.get(at)
                kinds.append(parameter.uid if parameter is not None else -1)
                if parameter is not None:
                    ends[parameter.uid] = parameter
        self.ends = list(ends.values())
        return hash(tuple(kinds))


def walk(roots: Sequence[Any], most: int) -> Iterator[tuple[str, int]]:
    """Yields the names and addresses of the nodes behind some tensors."""
    stack = [node for one in roots if not one.stop_gradient and (node := one.grad_fn) is not None]
    seen = {node.node_ptr() for node in stack}
    count = 0
    while stack and count < most:
        node = stack.pop()
        count += 1
        yield node.name(), node.node_ptr()
        for one in node.next_functions:
            if one is not None and (at := one.node_ptr()) not in seen:
                seen.add(at)
                stack.append(one)


__all__ = ["END", "Turns", "walk"]
