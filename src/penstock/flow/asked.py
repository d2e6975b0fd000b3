"""Tensors other than variables whose gradient a program requests: the name and the place of each."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.flow.source import call_at
from penstock.flow.words import Words
from penstock.trace.kinds import kind_of
from penstock.trace.source_site import Site
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell, Tensor, serial_numbers

QUESTIONS = ("gradient", "gradients", "grad")
"""Methods and functions whose second argument is the source of a gradient."""


class TensorWords(Words):
    """The words for a watched tensor."""

    variable = "tensor"


class ArgumentWords(Words):
    """The words for an argument of a differentiated function."""

    variable = "argument"
    separator = "/"

    def unread(self, name: str, target: str) -> str:
        return f"Compute {target} with {name}, or do not differentiate with respect to {name}."

    def lost(self, name: str, target: str) -> str:
        return (
            f"Use a value computed from {name} in {target}, or do not differentiate with respect to {name}."
        )


TENSOR, ARGUMENT = TensorWords(), ArgumentWords()


class Asked:
    """A tensor whose gradient was requested. It has the interface of variables, plus `position` and `handle`.

    `position` is its place among the sources; `handle` returns the tensor, as long as the program holds it.
    """

    __slots__ = (
        "_spec",
        "_told",
        "_trainable",
        "_uid",
        "handle",
        "path",
        "position",
        "site",
        "unnamed",
        "words",
    )

    def __init__(self, uid: int, path: str, site: Site, position: int, tensor: Tensor, words: Words) -> None:
        self._uid, self.path, self.site, self.position = uid, path, site, position
        self._spec, self._trainable, self._told, self.unnamed = tensor._spec, True, False, False
        self.handle, self.words = weakref.ref(tensor), words


class Naming:
    """Finds names for tensors whose gradient is requested, and recognizes the tensors later."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Site], int] = {}

    def asked(self, sources: Any, site: Site, arguments: Sequence[tuple[str, Any]] | None) -> Iterator[Asked]:
        """Yields the tensors, without variables, among the sources on a line.

        `arguments` are the differentiated arguments of a function, with their names.
        """
        leaves, words = flat((sources,)), TENSOR if arguments is None else ARGUMENT
        if all(isinstance(one, Cell) for one in leaves):
            return
        given = [(name_of_sources(site), sources)] if arguments is None else arguments
        names = [name for base, part in given for name in paths_of(part, base)]
        if len(names) != len(leaves):
            return
        for position, (name, one) in enumerate(zip(names, leaves, strict=True)):
            if not isinstance(one, Cell):
                path = name or f"source {position}"
                uid = self._numbers.get((path, site))
                if uid is None:
                    uid = self._numbers[path, site] = next(serial_numbers)
                yield Asked(uid, path, site, position, one, words)


def name_of_sources(site: Site) -> Any:
    """Returns the name of a gradient's sources on a line: a name, a list of names, or ""."""
    call = call_at(site, QUESTIONS)
    given = None
    if call is not None:
        named = [one.value for one in call.keywords if one.arg in ("sources", "xs", "inputs")]
        given = named[0] if named else call.args[1] if len(call.args) > 1 else None
    return _names_in(given)


def _names_in(given: ast.expr | None) -> Any:
    match given:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_names_in(part) for part in parts]
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript():
            return ast.unparse(given)
    return ""


def paths_of(structure: Any, name: Any) -> Iterator[str]:
    """Yields a name for each leaf of a structure: `name`, and the leaf's place inside.

    >>> list(paths_of({"head": {"w": 1.0, "b": 2.0}, "scales": [1.0, 2.0]}, "params"))
    ['params/head/b', 'params/head/w', 'params/scales/0', 'params/scales/1']
    """
    kind = kind_of(structure)
    if kind is None:
        if structure is not None:
            yield name if isinstance(name, str) else ""
        return
    rest, parts = kind.apart(structure)
    each = name if isinstance(name, list) and len(name) == len(parts) else None
    base = name if isinstance(name, str) else ""
    for number, one in enumerate(parts):
        label = kind.label(type(structure), rest, number).strip("[].'\"")
        yield from paths_of(one, each[number] if each is not None else f"{base}/{label}" if base else label)


__all__ = ["ARGUMENT", "TENSOR", "Asked", "Naming", "paths_of"]
