"""The tensors that a concrete function takes and gives: their names, shapes and dtypes, and no values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from penstock.tensorflow._tensor_shape import as_shape


class NamedTensor:
    """A tensor as TensorFlow shows it in the graph of a function."""

    def __init__(self, name: str, kind: str, shape: Any, dtype: Any) -> None:
        self.op = SimpleNamespace(name=name, type=kind)
        self.name, self.shape, self.dtype = f"{name}:0", as_shape(shape), dtype

    def get_shape(self) -> Any:
        """Returns the shape."""
        return self.shape

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'


def given(specs: Iterable[Any]) -> list[NamedTensor]:
    """Returns what is given for specifications, each named after its own, with a number if that is taken."""
    taken: dict[str, int] = {}
    found = []
    for one in specs:
        count = taken[one.name] = taken.get(one.name, -1) + 1
        name = f"{one.name}_{count}" if count else one.name
        found.append(NamedTensor(name, "Placeholder", one.shape, one.dtype))
    return found


def returned(described: Any, is_spec: Callable[[Any], bool]) -> Any:
    """Returns a structure of specifications as one of what is returned, numbered as TensorFlow does.

    It goes through a dictionary by its sorted keys.
    """
    counted = itertools.count()

    def name(one: Any) -> Any:
        if isinstance(one, dict):
            found = {key: name(one[key]) for key in sorted(one)}
            return {key: found[key] for key in one}
        if type(one) in (list, tuple):
            return type(one)(map(name, one))
        if not is_spec(one):
            return one
        number = next(counted)
        own = f"Identity_{number}" if number else "Identity"
        return NamedTensor(own, "Identity", one.shape, one.dtype)

    return name(described)


__all__ = ["NamedTensor", "given", "returned"]
