"""Feature columns of numbers, and what all feature columns have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise, math
from penstock.tensorflow._convert import lengths_of
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._feature_columns.entries import (
    Entries,
    feature,
    wrong,
)
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._parsing import FixedLenFeature
from penstock.tensorflow._tensor_shape import TensorShape

Features = Mapping[str, Any]
_cast, _reshape, _one_hot = lift(_elementwise.cast), lift(_arrays.reshape), lift(_arrays.one_hot)
_greater_equal = lift(math.greater_equal)


def both(name: str) -> Callable[[Any], Any]:
    """Declares a function of feature columns under its two names."""
    return named(f"tf.feature_column.{name}", f"tf.compat.v1.feature_column.{name}")


class Dense:
    """A column that gives numbers: `dense` returns them."""

    __slots__ = ()


class Categorical:
    """A column that gives numbers of categories below `num_buckets`: `ids` returns them."""

    __slots__ = ()

    key: Any

    @property
    def name(self) -> str:
        """The name of the feature."""
        return str(self.key)


class _Numeric(NamedTuple):
    key: str
    shape: Any
    default_value: Any
    dtype: Any
    normalizer_fn: Any


class NumericColumn(_Numeric, Dense):
    """A feature that is numbers already."""

    __slots__ = ()
    __repr__ = _Numeric.__repr__

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    @property
    def variable_shape(self) -> TensorShape:
        """The shape for one example."""
        return TensorShape(self.shape)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def dense(self, features: Features) -> Any:
        """Returns the numbers of each example in a row."""
        value = feature(features, self.key)
        if hasattr(value, "dense_shape"):
            raise wrong(
                f"The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not "
                f"supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            value = self.normalizer_fn(value)
        return _reshape(_cast(value, "float32"), [-1, int(np.prod(self.shape))])


@both("numeric_column")
def numeric_column(
    key: str, shape: Any = (1,), default_value: Any = None, dtype: Any = "float32", normalizer_fn: Any = None
) -> NumericColumn:
    """Returns a column for a feature of numbers.

    >>> from penstock import tensorflow as tf
    >>> age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: x / 100.0)
    >>> print(tf.compat.v1.feature_column.input_layer({"age": [[20.0], [35.0]]}, [age]).numpy().tolist())
    [[0.20000000298023224], [0.3499999940395355]]
    """
    lengths = _shape(shape, key)
    wanted = as_dtype(dtype)
    if not (wanted.is_integer or wanted.is_floating):
        raise wrong(f"dtype must be convertible to float. dtype: {wanted}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    if default_value is not None:
        default_value = tuple(np.broadcast_to(default_value, lengths).ravel().tolist())
    return NumericColumn(key, lengths, default_value, wanted, normalizer_fn)


def _shape(shape: Any, key: str) -> tuple[int, ...]:
    lengths = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    if not all(isinstance(one, int) for one in lengths):
        raise TypeError(f"shape dimensions must be integer. shape: {lengths}, key: {key}")
    if any(one < 1 for one in lengths):
        raise wrong(f"shape dimensions must be greater than 0. shape: {lengths}, key: {key}")
    return lengths_of(lengths)


class _Bucketized(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[float, ...]


class BucketizedColumn(_Bucketized, Dense, Categorical):
    """A feature of numbers, by the interval into which each falls."""

    __slots__ = ()
    __repr__ = _Bucketized.__repr__

    @property
    def name(self) -> str:
        """The name of the source, with `_bucketized`."""
        return f"{self.source_column.name}_bucketized"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape for one example."""
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    @property
    def num_buckets(self) -> int:
        """How many categories there are: for each number, one more than boundaries."""
        return (len(self.boundaries) + 1) * int(self.source_column.shape[0])

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return self.source_column.parse_example_spec

    def _intervals(self, features: Features) -> Any:
        source: Any = self.source_column.dense(features)
        return sum(_cast(_greater_equal(source, float(one)), "int32") for one in self.boundaries)

    def dense(self, features: Features) -> Any:
        """Returns a 1 for the interval of each number, and zeros for the others."""
        chosen = _one_hot(self._intervals(features), len(self.boundaries) + 1)
        return _reshape(chosen, [-1, int(np.prod(self.variable_shape))])

    def ids(self, features: Features) -> Entries:
        """Returns the number of the interval of each number."""
        found = np.asarray(self._intervals(features))
        numbers = found + (len(self.boundaries) + 1) * np.arange(found.shape[1])
        return Entries(np.repeat(np.arange(len(found)), found.shape[1]), numbers.ravel(), len(found))


@both("bucketized_column")
def bucketized_column(source_column: Any, boundaries: Any) -> BucketizedColumn:
    """Returns a column for the interval into which a number falls; a boundary belongs to the upper one."""
    if not isinstance(source_column, NumericColumn):
        raise wrong(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise wrong(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise wrong("boundaries must not be empty.")
    if not isinstance(boundaries, list | tuple) or list(boundaries) != sorted(set(boundaries)):
        raise wrong("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
