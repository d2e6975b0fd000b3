"""The contents of a layer: variables and layers in its attributes, and their paths."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from penstock.trace.tensor import Cell, Flags

if TYPE_CHECKING:
    from penstock.layers.base import Layer

_owners: weakref.WeakValueDictionary[int, Layer] = weakref.WeakValueDictionary()
"""By a variable's number: the first layer found to hold it, which determines its name."""


class Structure:
    """Counts changes of any layer's attributes, so that the contents of a layer can be cached.

    `named` has the identity of the layer below which paths were assigned last, and the count at that time.
    """

    changes = 0
    named: tuple[int, int] = (0, -1)


def parts(key: str, value: Any, seen: list[tuple[Any, tuple[Any, ...]]]) -> Iterator[tuple[str, Any]]:
    """Yields the variables and layers in a value, with their paths, also from lists, tuples and dictionaries.

    Containers go to `seen` with their contents, because they can change without notice.
    """
    if isinstance(value, Cell) or hasattr(value, "_is_layer"):
        yield key, value
    elif isinstance(value, list | tuple):
        if isinstance(value, list):
            seen.append((value, tuple(value)))
        for number, one in enumerate(value):
            yield from parts(f"{key}/{number}", one, seen)
    elif isinstance(value, dict):
        seen.append((value, tuple(value.values())))
        for name, one in value.items():
            yield from parts(f"{key}/{name}", one, seen)


class Contents:
    """The variables and layers below a layer, kept until something changes."""

    __slots__ = ("cells", "changes", "flags", "layers", "seen", "trained", "untrained")

    def __init__(self, layer: Layer) -> None:
        self.changes, self.flags = Structure.changes, Flags.changes
        self.seen: list[tuple[Any, tuple[Any, ...]]] = []
        self.cells: list[Cell] = []
        self.layers: list[Layer] = []
        self._collect(layer, {id(layer)})
        # A dialect may have a separate flag besides the one that tapes read.
        wanted = [getattr(cell, "_wanted", cell._trainable) and cell._locked is None for cell in self.cells]
        self.trained = [cell for cell, one in zip(self.cells, wanted, strict=True) if one]
        self.untrained = [cell for cell, one in zip(self.cells, wanted, strict=True) if not one]

    def _collect(self, layer: Layer, known: set[int]) -> None:
        below = []
        for _, one in layer._parts(self.seen):
            if id(one) in known:
                continue
            known.add(id(one))
            if isinstance(one, Cell):
                self.cells.append(one)
            else:
                below.append(one)
        for one in below:
            self.layers.append(one)
            self._collect(one, known)

    def holds(self) -> bool:
        """Returns whether nothing has changed since."""
        if self.changes != Structure.changes or self.flags != Flags.changes:
            return False
        for container, items in self.seen:
            now = container.values() if isinstance(container, dict) else container
            if len(now) != len(items) or any(a is not b for a, b in zip(now, items, strict=True)):
                return False
        return True


def name(root: Layer) -> None:
    """Gives paths to everything below a layer; a part that another layer also holds keeps its path."""
    stack = [root]
    visited = {id(root)}
    while stack:
        layer = stack.pop()
        base = layer.path
        taken: set[str] = set()
        for key, one in layer._parts([]):
            if isinstance(one, Cell):
                owner = _owners.setdefault(one._uid, layer)
                if owner is layer:
                    call_variable(one, base, key)
                continue
            if id(one) in visited:
                continue
            parent = None if one._parent is None else one._parent()
            if parent is None or parent is layer:
                one._parent = weakref.ref(layer)
                one._path = f"{base}/{_word(one, key, taken)}"
                taken.add(one._path.removeprefix(f"{base}/"))
                visited.add(id(one))
                stack.append(one)


def name_before(root: Layer, layer: Layer) -> None:
    """Gives paths to everything below the outermost layer, before a layer in it is built."""
    known = layer is root or layer._parent is not None
    if not known or Structure.named != (id(root), Structure.changes):
        name(root)
        Structure.named = (id(root), Structure.changes)


def name_after(root: Layer, layer: Layer) -> None:
    """Gives paths to the variables and layers that a layer has created when it was built.

    Everything else below the outermost layer already had one: searching all of it for each built layer would
    take time proportional to the square of a model's depth.
    """
    name(layer)
    Structure.named = (id(root), Structure.changes)


def _word(layer: Layer, key: str, taken: set[str]) -> str:
    """Returns the name of a layer inside another: the one given by its creator, or its place."""
    named = "/".join([*key.split("/")[:-1], layer.name])
    return named if layer._named and named not in taken else key


def call_variable(variable: Any, base: str, key: str) -> None:
    """Gives a variable the path of its layer, with the name it was created with, or that of its attribute."""
    words = key.split("/")
    last = variable.path.split("/")[-len(words) :]
    # It was named after its attribute before: with the whole path in a list, perhaps another position there.
    again = _without_numbers(last) == _without_numbers(words)
    variable.path = f"{base}/{key if variable.unnamed or again else last[-1]}"


def _without_numbers(words: list[str]) -> list[str]:
    return [word for word in words if not word.isdigit()]


class Unlisted:
    """Says what to type if a layer was built while another was called that does not hold it."""

    def __init__(self, variable: Any, layer: Layer, calls: Sequence[Layer]) -> None:
        self._variable = weakref.ref(variable)
        self._calls = [weakref.ref(one) for one in (*calls, layer)]

    def __call__(self) -> str:
        variable, calls = self._variable(), [one() for one in self._calls]
        outer = calls[0]
        if variable is None or outer is None or _lists(outer, variable):
            return ""
        # The first of them that lists it is what the one before it calls without listing it.
        for caller, layer in itertools.pairwise(calls):
            if caller is None or layer is None:
                return ""
            if _lists(layer, variable):
                return (
                    f"Assign the layer {layer.name!r}, or a list of such layers, to an attribute of "
                    f"{caller.name!r}: {caller.name!r} calls it, but the trainable_variables of "
                    f"{caller.name!r} do not contain the layer's variables."
                )
        return ""


def _lists(layer: Layer, variable: Any) -> bool:
    return any(one is variable for one in layer.variables)


def owned(variable: Cell, layer: Layer) -> None:
    """Notes that a layer has created a variable."""
    _owners.setdefault(variable._uid, layer)
