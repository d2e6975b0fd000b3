"""Gradients that the program has taken out of `.grad`, and values computed from them."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Sequence, Set
from typing import Any

from penstock.frameworks.eager.tensors import Tensors


class Handed:
    """Tensors that hold gradients, by identity, each with the numbers of its backward passes.

    A tensor with fewer elements than a gradient, such as its norm, does not hold it.
    """

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._of: dict[int, tuple[weakref.ref[Any], set[int]]] = {}
        self._owners: dict[int, weakref.ref[Any]] = {}
        self._written: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._of)

    def give(self, owner: Any, gradient: Any, calls: Set[int]) -> None:
        """Notes that the program has read a gradient of these backward passes."""
        if calls:
            self._of[id(gradient)] = weakref.ref(gradient), set(calls)
            self._owners[id(gradient)] = weakref.ref(owner)

    def passed_on(self, operands: Sequence[Any], results: Iterable[Any], targets: Sequence[Any]) -> None:
        """Notes a call that computes with gradients, or writes them into other tensors."""
        held = [(one, calls) for one in operands if (calls := self._calls(one))]
        if not held:
            return
        into = {id(one) for one in targets}
        for result in results:
            sources = [(one, calls) for one, calls in held if math.prod(result.shape) >= math.prod(one.shape)]
            found = {call for _, calls in sources for call in calls}
            if found and not self._calls(result):
                self._of[id(result)] = weakref.ref(result), found
                self._owners.pop(id(result), None)
        if not all(self._calls(one) and id(one) in self._owners for one in targets):
            self._written |= {call for one, calls in held if id(one) not in into for call in calls}

    def _calls(self, tensor: Any) -> set[int]:
        found = self._of.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else set()

    def is_kept(self, call: int) -> bool:
        """Returns whether the program still holds gradients of a backward pass, besides those in `.grad`."""
        return call in self._written or any(
            call in calls and tensor is not None and not self._is_current(key, tensor)
            for key, (reference, calls) in list(self._of.items())
            for tensor in (reference(),)
        )

    def _is_current(self, key: int, tensor: Any) -> bool:
        owner = self._owners[key]() if key in self._owners else None
        return owner is not None and self._tensors.gradient(owner) is tensor

    def clear(self) -> None:
        """Forgets everything."""
        self._of.clear()
        self._owners.clear()
        self._written.clear()


__all__ = ["Handed"]
