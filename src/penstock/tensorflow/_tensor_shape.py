"""Shapes as TensorFlow shows them: tuples that print as TensorShape and know their rank."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, SupportsIndex

from penstock.declared import named
from penstock.trace.kinds import keep_whole
from penstock.trace.lengths import is_symbolic, whole


@named("tf.TensorShape")
class TensorShape(tuple[Any, ...]):
    """The length of each axis; None stands for a length that is not known.

    >>> from penstock import tensorflow as tf
    >>> shape = tf.zeros([2, 3]).shape
    >>> print(shape, shape.rank, shape.as_list(), shape == [2, 3])
    (2, 3) 2 [2, 3] True
    >>> shape
    TensorShape([2, 3])
    """

    __slots__ = ()

    def __new__(cls, dims: Iterable[Any] | SupportsIndex | None) -> TensorShape:
        if dims is None:
            raise TypeError("Shapes of unknown rank are not supported by penstock.tensorflow yet.")
        lengths = (dims,) if isinstance(dims, SupportsIndex) else dims
        return super().__new__(cls, (None if n is None else whole(n) for n in lengths))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    @property
    def ndims(self) -> int:
        """The number of axes."""
        return len(self)

    @property
    def dims(self) -> list[Any]:
        """The lengths as a list."""
        return list(self)

    def as_list(self) -> list[Any]:
        """Returns the lengths as a list."""
        return list(self)

    def num_elements(self) -> int | None:
        """Returns the product of the lengths, or None if one is not known."""
        return None if None in tuple(self) else math.prod(self)

    def is_fully_defined(self) -> bool:
        """Returns whether every length is known."""
        return None not in tuple(self)

    def is_compatible_with(self, other: Any) -> bool:
        """Returns whether both can describe one value: equal lengths, or lengths that are not known."""
        if other is None or getattr(other, "rank", 0) is None:
            # Not even the number of axes is known.
            return True
        other = as_shape(other)
        return len(self) == len(other) and all(
            a is None or b is None or a == b for a, b in zip(self, other, strict=True)
        )

    def concatenate(self, other: Any) -> TensorShape:
        """Returns the axes of both."""
        return TensorShape((*self, *as_shape(other)))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, list | tuple) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return tuple(self) != tuple(other) if isinstance(other, list | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"TensorShape({list(self)})"

    def __str__(self) -> str:
        return str(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (tuple(self),)


def as_shape(value: Any) -> TensorShape:
    """Returns lengths, or one length, as a TensorShape."""
    return value if isinstance(value, TensorShape) else TensorShape(value)


@lru_cache(4096)
def shape_of(lengths: tuple[int, ...]) -> TensorShape:
    """Returns the TensorShape of these lengths."""
    return TensorShape(lengths)


def brackets(shape: Iterable[int]) -> str:
    """Returns lengths as TensorFlow's kernels write them: [2,3]."""
    return f"[{','.join('?' if is_symbolic(length) else str(length) for length in shape)}]"


keep_whole(TensorShape)
