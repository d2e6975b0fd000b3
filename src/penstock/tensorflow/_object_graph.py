"""The graph of objects below a checkpoint: what each object holds, under the names that lead there.

A checkpoint keeps this graph beside the values. A restore walks both graphs together, so a variable is found
under each of the names that lead to it, however the program holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.layers.base import Layer as NativeLayer
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._generators import Generator, GeneratorState
from penstock.tensorflow._module import Module
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.spec import spec
from penstock.trace.tensor import Cell

KEY = ".ATTRIBUTES/VARIABLE_VALUE"
"""What TensorFlow adds to the path of a variable."""
PLACE_KEY = ".ATTRIBUTES/ITERATOR_STATE"
"""What it adds to the path of an iterator."""


@dataclass
class Node:
    """An object: the nodes that it holds, by the names that lead to them, and its value."""

    thing: Any
    path: str
    parts: dict[str, int] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        """The variable, or what is kept of an iterator; None for an object that only holds others."""
        if isinstance(self.thing, Cell | GeneratorState):
            return self.thing
        if _is_iterator(self.thing):
            return self.thing._kept()
        return InSession(self.thing) if _is_in_graph(self.thing) else None

    @property
    def key(self) -> str:
        """The name of the value in a file, as TensorFlow writes it."""
        last = PLACE_KEY if _is_iterator(self.thing) else KEY
        return f"{self.path}/{last}" if self.path else last


class InSession:
    """A variable of a graph of TensorFlow 1, as checkpoints read and write it: its value in the session."""

    def __init__(self, variable: Any) -> None:
        self._variable = variable
        self.name, self.shape = variable.name, variable.shape
        self._spec = spec(tuple(variable.shape), numpy_dtype(variable.dtype))

    def numpy(self) -> Any:
        """Returns the value in the session of the `with` statement; there is an error without one."""
        return self._variable.eval()

    def assign(self, value: Any) -> None:
        """Puts the value into that session."""
        self._variable.load(value)


def graph_of(root: Any) -> list[Node]:
    """Returns the nodes below an object, which is the first; the nearest come first.

    The path of a node is the first that leads to it.
    """
    nodes = [Node(root, "")]
    numbers = {id(root): 0}
    for node in nodes:  # The list grows meanwhile.
        for name, part in parts_of(node.thing):
            number = numbers.get(id(part))
            if number is None:
                number = numbers[id(part)] = len(nodes)
                escaped = name.replace(".", "..").replace("/", ".S")
                nodes.append(Node(part, f"{node.path}/{escaped}" if node.path else escaped))
            node.parts.setdefault(name, number)
    return nodes


def described(nodes: list[Node]) -> list[dict[str, Any]]:
    """Returns the graph as a file keeps it: of each node the parts, and the name of its value."""
    return [
        {"parts": node.parts} if node.value is None else {"parts": node.parts, "value": node.key}
        for node in nodes
    ]


def matched(rows: list[dict[str, Any]], nodes: list[Node]) -> dict[str, Any]:
    """Returns the values of a present graph by the names that those have in the graph of a file."""
    pairs = [(rows[number], node.value) for number, node in corresponding(rows, nodes)]
    return {row["value"]: value for row, value in pairs if "value" in row and value is not None}


def corresponding(rows: list[dict[str, Any]], nodes: list[Node]) -> list[tuple[int, Node]]:
    """Returns the numbers of objects in the graph of a file, with the present objects of the same names."""
    pairs = [(0, nodes[0])]
    seen = {0}
    for kept, present in pairs:  # The list grows meanwhile.
        for name, number in rows[kept]["parts"].items():
            part = present.parts.get(name)
            if part is not None and number not in seen:
                seen.add(number)
                pairs.append((number, nodes[part]))
    return pairs


def _is_iterator(thing: Any) -> bool:
    return hasattr(thing, "_go_to")


def _is_in_graph(thing: Any) -> bool:
    return hasattr(thing, "initialized_value") and hasattr(thing, "graph")


def _is_part(thing: Any) -> bool:
    return (
        isinstance(thing, Cell | Generator | GeneratorState | NativeLayer | Module | Mapping | list | tuple)
        or _is_iterator(thing)
        or _is_in_graph(thing)
        or hasattr(thing, "_checkpoint_parts")
        or (not isinstance(thing, type) and hasattr(thing, "variables"))
    )


def parts_of(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yields what an object holds: variables, and objects that may hold some."""
    if isinstance(thing, Cell | GeneratorState) or _is_iterator(thing) or _is_in_graph(thing):
        return
    if hasattr(thing, "_checkpoint_parts"):
        held = thing._checkpoint_parts()
    elif isinstance(thing, Generator):
        held = {"_state_var": thing._state_var}
    elif isinstance(thing, NativeLayer):
        held = dict(_parts_of_layer(thing))
    elif isinstance(thing, Mapping):
        held = {str(key): thing[key] for key in thing}
    elif isinstance(thing, list | tuple):
        held = _numbered(thing)
    elif isinstance(thing, Module):
        held = {name: one for name, one in vars(thing).items() if name not in ("_name", "_scope_name")}
    else:
        held = _numbered(thing.variables)
    yield from ((name, one) for name, one in held.items() if _is_part(one))


def _numbered(things: Any) -> dict[str, Any]:
    return {str(number): one for number, one in enumerate(things)}


def _parts_of_layer(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yields a layer's own variables by number and by name, its layers, and what its attributes hold."""
    from penstock.tensorflow.keras import _archives
    from penstock.tensorflow.keras._layer_members import own_variables

    if hasattr(layer, "apply_gradients"):
        yield from _numbered(layer.variables).items()
        return
    yield from _archives.named_variables(layer)
    yield from _archives.parts(layer)
    yield from _numbered(own_variables(layer)).items()
    yield from (
        (name, one)
        for name, one in vars(layer).items()
        if isinstance(one, ResourceVariable | Module | Generator)
    )
