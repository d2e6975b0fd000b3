"""Layers and functions as programs: they are called once, on inputs without values, to keep their calls."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.paddle._environment import disable_static, enable_static
from penstock.paddle._mode import mode
from penstock.paddle._tensor import Leaf, Parameter
from penstock.paddle.nn._layer import Layer
from penstock.paddle.static._building import data
from penstock.paddle.static._program import Program, program_guard
from penstock.paddle.static._saving import pruned
from penstock.paddle.static._variable import StaticLeaf, StaticParameter, Variable
from penstock.trace.source_site import warn_once
from penstock.trace.structure import flat, mapped


class Traced:
    """A program with its inputs and outputs."""

    def __init__(self, program: Program, feed: list[Variable], fetch: list[Any]) -> None:
        self.program, self.feed, self.fetch = program, feed, fetch


def traced(called: Any, given: Sequence[Any]) -> Traced:
    """Returns the calls that a layer or a function makes on inputs that specs or tensors describe."""
    leaves = [*called.parameters(), *called.buffers()] if isinstance(called, Layer) else []
    names = _names(called)
    with _static(), program_guard(made := Program(), Program()), _written_down(leaves):
        feed: list[Variable] = []

        def input_of(one: Any) -> Any:
            if not (hasattr(one, "shape") and hasattr(one, "dtype")):
                return one
            number = len(feed)
            name = getattr(one, "name", None) if not hasattr(one, "_spec") else None
            name = name or (names[number] if number < len(names) else f"input_{number}")
            if any(name == other.name for other in feed):
                name = f"{name}_{number}"
            feed.append(data(name, list(one.shape), one.dtype))
            return feed[-1]

        inputs = mapped(list(given), input_of)
        found = called(*inputs)
        fetch = list(_outputs(found))
        program = pruned(made, feed, fetch)
    program.data = {one.name: one for one in feed}
    kept = {id(leaf) for leaf in program.leaves.values()}
    for leaf in leaves:
        # All of the layer's tensors are saved, in its order, whether or not a result depends on them.
        if isinstance(leaf, Leaf) and id(leaf) not in kept:
            program.leaves.setdefault(leaf.path, leaf)
    return Traced(program, feed, fetch)


def _outputs(found: Any) -> Iterator[Any]:
    """Yields the tensors of a result in Paddle's order: those of a dictionary by their keys."""
    if isinstance(found, dict):
        warn_once(
            "Found 'dict' in given outputs, the values will be returned in a sequence sorted in "
            "lexicographical order by their keys.",
        )
        found = [found[name] for name in sorted(found)]
    if isinstance(found, list | tuple):
        for one in found:
            yield from _outputs(one)
    elif isinstance(found, Variable):
        yield found


def _names(called: Any) -> list[str]:
    """Returns the names of the arguments, by which the inputs are called."""
    function = called.forward if isinstance(called, Layer) else called
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


@contextlib.contextmanager
def _static() -> Iterator[None]:
    before = mode.static
    enable_static()
    try:
        yield
    finally:
        if not before:
            disable_static()


@contextlib.contextmanager
def _written_down(leaves: Sequence[Any]) -> Iterator[None]:
    """Lets computing with these tensors be written down, as with those that a program has made."""
    kinds = {Parameter: StaticParameter, Leaf: StaticLeaf}
    changed = [(one, type(one)) for one in leaves if type(one) in kinds]
    for one, kind in changed:
        one.__class__ = kinds[kind]
    try:
        yield
    finally:
        for one, kind in changed:
            one.__class__ = kind


def inputs_of(given: Sequence[Any]) -> list[Any]:
    """Returns the tensors and arrays among the arguments of a call, in order."""
    return [one for one in flat(list(given)) if hasattr(one, "shape")]


__all__ = ["Traced", "inputs_of", "traced"]
