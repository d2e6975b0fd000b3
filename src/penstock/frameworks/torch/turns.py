"""Distinguishes the paths of a PyTorch program by autograd's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.frameworks.eager import turns
from penstock.frameworks.eager.turns import LENGTHS, NODES


class Turns(turns.Turns):
    """The paths of backward passes."""

    def _is_new_length(self, root: Any) -> bool:
        """Returns whether autograd has made a new number of nodes since the previous pass.

        Autograd numbers its nodes, so this costs nothing: a branch that is taken for the first time changes
        the length of the step.
        """
        node = root.grad_fn
        if node is None:
            return False
        latest, self.latest = self.latest, node._sequence_nr()
        length = type(node), self.latest - latest
        if length in self.lengths or len(self.lengths) >= LENGTHS:
            return False
        self.lengths.add(length)
        return True

    def _path(self, roots: Sequence[Any]) -> int:
        stack = [one.grad_fn for one in roots if one.grad_fn is not None]
        seen = set(stack)
        kinds: list[Any] = []
        while stack and len(kinds) < NODES:
            node = stack.pop()
            kinds.append(type(node))
            ends = node.next_functions
            if not ends and hasattr(node, "variable"):
                parameter = self.registry.find(node.variable)
                kinds.append(parameter.uid if parameter is not None else -1)
            for one, _ in ends:
                if one is not None and one not in seen:
                    seen.add(one)
                    stack.append(one)
        return hash(tuple(kinds))


__all__ = ["Turns"]
