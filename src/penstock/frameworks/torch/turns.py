"""Distinguishes the paths of a program, so that those it takes later are recorded too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.frameworks.sampling import scattered
from penstock.frameworks.torch.parameter import Registry

WINDOWS = 32
"""Recording starts over at most this many times."""
AGAIN = 2
"""How many steps are recorded then."""
NODES = 5_000
"""How many nodes of autograd's graph distinguish a path."""

FIRST, SELDOM = 16, 16
"""After this many backward passes along known paths, about one in SELDOM is examined, and any that is longer
or shorter than the earlier ones."""
LENGTHS = 64
"""How many lengths are distinguished: in a program whose lengths always change they carry no information."""


class Turns:
    """The paths of backward passes, by the nodes along them and the parameters at their ends.

    `opened` counts the windows after the first, `over` the paths that came after the last allowed window.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._known: set[int] = set()
        self._over: set[int] = set()
        self._same = 0
        self._lengths: set[tuple[Any, int]] = set()
        self._latest = 0
        self.opened = 0
        self.wanted = False

    @property
    def over(self) -> int:
        """How many paths were not recorded, because there had been enough windows."""
        return len(self._over - self._known)

    def took(self, roots: Sequence[Any], recorded: bool) -> None:
        """Notes the path of a backward pass; requests a window if it is new and not recorded."""
        new = self._is_new_length(roots[0])
        if not recorded:
            self._same += 1
            if not new and self._same > FIRST and scattered(self._same) % SELDOM:
                return
        path = self._path(roots)
        if recorded:
            self._known.add(path)
        elif path not in self._known:
            self._same = 0
            self.want()
            if self.opened >= WINDOWS:
                self._over.add(path)

    def _is_new_length(self, root: Any) -> bool:
        """Returns whether autograd has made a new number of nodes since the previous pass.

        Autograd numbers its nodes, so this costs nothing: a branch that is taken for the first time changes
        the length of the step.
        """
        node = root.grad_fn
        if node is None:
            return False
        latest, self._latest = self._latest, node._sequence_nr()
        length = type(node), self._latest - latest
        if length in self._lengths or len(self._lengths) >= LENGTHS:
            return False
        self._lengths.add(length)
        return True

    def want(self) -> None:
        """Requests a window."""
        self.wanted = self.opened < WINDOWS

    def fill(self) -> None:
        """Notes that a step is too long to be recorded, and makes no further request."""
        self.opened, self.wanted = WINDOWS, False

    def open(self) -> None:
        """Counts a window that was opened on request."""
        self.opened += 1
        self.wanted = False

    def _path(self, roots: Sequence[Any]) -> int:
        stack = [one.grad_fn for one in roots if one.grad_fn is not None]
        seen = set(stack)
        kinds: list[Any] = []
        while stack and len(kinds) < NODES:
            node = stack.pop()
            kinds.append(type(node))
            ends = node.next_functions
            if not ends and hasattr(node, "variable"):
                parameter = self._registry.find(node.variable)
                kinds.append(parameter.uid if parameter is not None else -1)
            for one, _ in ends:
                if one is not None and one not in seen:
                    seen.add(one)
                    stack.append(one)
        return hash(tuple(kinds))


__all__ = ["AGAIN", "WINDOWS", "Turns"]
