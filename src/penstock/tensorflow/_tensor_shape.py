"""Shapes as TensorFlow shows them: tuples that print as TensorShape and know their rank."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, SupportsIndex

from penstock.declared import named
from penstock.trace.kinds import keep_whole
from penstock.trace.lengths import is_symbolic, whole


class _Shown:
    """Whether unknown lengths are shown as `?`, as TensorFlow 1 shows them: see `disable_v2_behavior`."""

    older = False


_shown = _Shown()


@named("tf.compat.v1.disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """Shows unknown lengths as TensorFlow 1 does, `(?, 3)`."""
    _shown.older = True


@named("tf.compat.v1.enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """Shows unknown lengths as TensorFlow 2 does, `(None, 3)`."""
    _shown.older = False


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
        if dims is None or (cls is TensorShape and isinstance(dims, UnknownShape)):
            return super().__new__(UnknownShape)
        # An array has `__index__`, too.
        alone = isinstance(dims, SupportsIndex) and not getattr(dims, "ndim", 0)
        lengths: Any = (dims,) if alone else dims
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
        """The lengths as TensorFlow 1 has them."""
        return [Dimension(length) for length in self]

    def as_list(self) -> list[Any]:
        """Returns the lengths as a list."""
        return list(tuple.__iter__(self))

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

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless both can describe one value."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """Returns the lengths that are known of either; raises ValueError if they differ."""
        shape = as_shape(other)
        if not self.is_compatible_with(shape):
            raise ValueError(f"Shapes {self} and {shape} are not compatible")
        if isinstance(self, UnknownShape) or isinstance(shape, UnknownShape):
            return shape if isinstance(self, UnknownShape) else self
        return TensorShape([b if a is None else a for a, b in zip(self, shape, strict=True)])

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether `other` describes every value that this describes."""
        return bool(self.most_specific_compatible_shape(other) == other)

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Returns the shape that describes the values of both: None where their lengths differ."""
        shape = as_shape(other)
        if shape.rank is None or len(self) != len(shape):
            return TensorShape(None)
        pairs = zip(tuple.__iter__(self), tuple.__iter__(shape), strict=True)
        return TensorShape([a if a == b else None for a, b in pairs])

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape:
        """Returns the shape that describes the values of this and of all others."""
        found = self
        for one in others:
            found = found.most_specific_compatible_shape(one)
        return found

    def with_rank(self, rank: int) -> TensorShape:
        """Returns the shape, which has this many axes; raises ValueError if it has not."""
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns the shape; raises ValueError if it has fewer axes."""
        if len(self) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns the shape; raises ValueError if it has more axes."""
        if len(self) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError unless it has, or may have, this many axes."""
        if self.rank not in (rank, None):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError unless both have, or may have, the same number of axes."""
        shape = as_shape(other)
        if None not in (self.rank, shape.rank) and self.rank != shape.rank:
            raise ValueError(f"Shapes {self} and {shape} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every length is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def concatenate(self, other: Any) -> TensorShape:
        """Returns the axes of both."""
        shape = as_shape(other)
        return shape if shape.rank is None else TensorShape((*self, *shape))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if isinstance(key, slice):
            return TensorShape(found)
        return _with_value(found) if _shown.older else found

    def __iter__(self) -> Iterator[Any]:
        lengths = super().__iter__()
        return map(_with_value, lengths) if _shown.older else lengths

    def __bool__(self) -> bool:
        # Also of a scalar: only an unknown shape is false.
        return True

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
        return f"TensorShape({list(map(Dimension, self)) if _shown.older else list(self)})"

    def __str__(self) -> str:
        return str(tuple(self)).replace("None", "?") if _shown.older else str(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (tuple(self),)


class Length(int):
    """A length that is known, as a shape of TensorFlow 1 gives it: a number with the attribute `value`."""

    __slots__ = ()

    @property
    def value(self) -> int:
        """The length."""
        return int(self)


def _with_value(length: Any) -> Any:
    # While a graph is built, a length may stand for one that only a feed gives.
    return length if length is None or is_symbolic(length) else Length(length)


class UnknownShape(TensorShape):
    """The shape of which not even the number of axes is known: TensorShape(None)."""

    __slots__ = ()

    rank = property(lambda self: None)
    ndims = property(lambda self: None)
    dims = property(lambda self: None)

    def as_list(self) -> list[Any]:
        """Raises ValueError: there is no list."""
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def num_elements(self) -> None:
        """Returns None: it is not known."""

    def is_fully_defined(self) -> bool:
        """Returns False."""
        return False

    def is_compatible_with(self, other: Any) -> bool:
        """Returns True: it may be any shape. `other` does nothing."""
        return True

    def concatenate(self, other: Any) -> TensorShape:
        """Returns a shape of unknown rank. `other` does nothing."""
        return self

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Returns a shape of unknown rank. `other` does nothing."""
        return self

    def with_rank(self, rank: int) -> TensorShape:
        """Returns a shape with this many axes, of unknown lengths."""
        return TensorShape([None] * rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns a shape of unknown rank. `rank` does nothing."""
        return self

    with_rank_at_most = with_rank_at_least

    def __len__(self) -> int:
        raise ValueError("Cannot take the length of shape with unknown rank.")

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Any:
        raise ValueError("Cannot iterate over a shape with unknown rank.")

    def __getitem__(self, key: Any) -> Any:
        return self if isinstance(key, slice) else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownShape)

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, UnknownShape)

    def __hash__(self) -> int:
        return hash(UnknownShape)

    def __repr__(self) -> str:
        return "TensorShape(None)"

    def __str__(self) -> str:
        return "<unknown>"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (None,)


@named("tf.compat.v1.Dimension")
class Dimension:
    """The length of one axis as TensorFlow 1 has it: a number, or None where it is not known.

    >>> from penstock import tensorflow as tf
    >>> tf.compat.v1.Dimension(None).is_compatible_with(16), tf.compat.v1.Dimension(2) + 3
    (True, Dimension(5))
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value: int | None = value.value if isinstance(value, Dimension) else value

    def is_compatible_with(self, other: Any) -> bool:
        """Returns whether both are equal, or one is not known."""
        other = Dimension(other).value
        return self.value is None or other is None or self.value == other

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless both are equal, or one is not known."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Returns the known length of both; raises ValueError if they differ."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self.value is None else self

    def _made(self, other: Any, function: Any) -> Any:
        other = Dimension(other).value
        return Dimension(None if None in (self.value, other) else function(self.value, other))

    def _asked(self, other: Any, function: Any) -> Any:
        other = Dimension(other).value if isinstance(other, Dimension | int | None) else NotImplemented
        if other is NotImplemented:
            return other
        return None if None in (self.value, other) else function(self.value, other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __int__(self) -> Any:
        return self.value

    __index__ = __int__

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)


for _word in ("add", "sub", "mul", "floordiv", "mod"):
    _own = getattr(operator, _word)
    setattr(Dimension, f"__{_word}__", lambda self, other, own=_own: self._made(other, own))
    setattr(Dimension, f"__r{_word}__", lambda self, other, own=_own: Dimension(other)._made(self, own))
for _word in ("eq", "ne", "lt", "le", "gt", "ge"):
    _own = getattr(operator, _word)
    setattr(Dimension, f"__{_word}__", lambda self, other, own=_own: self._asked(other, own))


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
keep_whole(UnknownShape)
