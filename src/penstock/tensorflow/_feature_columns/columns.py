"""tf.feature_column: descriptions of features, and the row of numbers that each gives for an example."""

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
    buckets,
    crossed,
    dtype_of,
    entries,
    feature,
    weighted,
    words,
    wrong,
)
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._parsing import FixedLenFeature, VarLenFeature
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


# -- numbers ------------------------------------------------------------------------------------------------


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


# -- categories ---------------------------------------------------------------------------------------------


class _Hashed(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: Any


class HashedCategoricalColumn(_Hashed, Categorical):
    """Words, or whole numbers, by their hash."""

    __slots__ = ()
    __repr__ = _Hashed.__repr__

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return {self.key: VarLenFeature(self.dtype)}

    def ids(self, features: Features) -> Entries:
        """Returns the number of each value."""
        found = _of_dtype(entries(features, self.key), self.key, self.dtype)
        return found._replace(values=buckets(found.values, self.hash_bucket_size), sparse=True)


def _of_dtype(found: Entries, key: str, dtype: Any) -> Entries:
    """Returns values, which must be words where the column has words, and whole numbers otherwise."""
    own = dtype_of(found)
    if own != "string" and not own.is_integer:
        raise wrong(f"column_name: {key} input_tensor dtype must be string or integer. dtype: {own}.")
    if (own != "string") == (dtype == "string"):
        raise wrong(
            f"Column dtype and SparseTensors dtype must be compatible. key: {key}, column dtype: {dtype}, "
            f"tensor dtype: {own}"
        )
    return found


@both("categorical_column_with_hash_bucket")
def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: Any, dtype: Any = "string"
) -> HashedCategoricalColumn:
    """Returns a column of categories for words or whole numbers, by their hash."""
    if hash_bucket_size is None:
        raise wrong(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise wrong(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, as_dtype(dtype))


class _Listed(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: Any
    default_value: int
    num_oov_buckets: int


class _Read(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: Any
    default_value: int
    file_format: Any


class _Vocabulary(Categorical):
    """Categories that a list has, and perhaps some for values that it has not."""

    __slots__ = ()
    dtype: Any
    default_value: int
    num_oov_buckets: int

    def _known(self) -> list[Any]:
        raise NotImplementedError

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return {self.key: VarLenFeature(self.dtype)}

    def ids(self, features: Features) -> Entries:
        """Returns the number of each value."""
        found = _of_dtype(entries(features, self.key), self.key, self.dtype)
        values = words(found.values)
        places = {word: place for place, word in enumerate(words(np.asarray(self._known(), object)))}
        size = len(places)
        if self.num_oov_buckets:
            other = (buckets(values, self.num_oov_buckets) + size).tolist() if values else []
        else:
            other = [self.default_value] * len(values)
        numbers = [places.get(word, beside) for word, beside in zip(values, other, strict=True)]
        return found._replace(values=np.asarray(numbers, np.int64), sparse=True)


class VocabularyListCategoricalColumn(_Listed, _Vocabulary):
    """Categories by their place in a list."""

    __slots__ = ()
    __repr__ = _Listed.__repr__

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _known(self) -> list[Any]:
        return [one.encode() if isinstance(one, str) else one for one in self.vocabulary_list]


class VocabularyFileCategoricalColumn(_Read, _Vocabulary):
    """Categories by their line in a file."""

    __slots__ = ()
    __repr__ = _Read.__repr__

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.vocabulary_size + self.num_oov_buckets

    def _known(self) -> list[Any]:
        return _lines(self.vocabulary_file)[: self.vocabulary_size]


def _lines(path: Any) -> list[bytes]:
    with open(path, "rb") as file:
        return file.read().splitlines()


def _check_others(default_value: Any, num_oov_buckets: int, key: str) -> int:
    if num_oov_buckets < 0:
        raise wrong(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    if num_oov_buckets and default_value not in (None, -1):
        raise wrong(f"Can't specify both num_oov_buckets and default_value in {key}.")
    return -1 if default_value is None else default_value


@both("categorical_column_with_vocabulary_list")
def categorical_column_with_vocabulary_list(
    key: str, vocabulary_list: Any, dtype: Any = None, default_value: Any = -1, num_oov_buckets: int = 0
) -> VocabularyListCategoricalColumn:
    """Returns a column of categories for the words, or the whole numbers, of a list.

    >>> from penstock import tensorflow as tf
    >>> column = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["cat", "dog"])
    >>> rows = tf.feature_column.indicator_column(column)
    >>> given = {"kind": [["dog"], ["cat"], ["cow"]]}
    >>> print(tf.compat.v1.feature_column.input_layer(given, [rows]).numpy().tolist())
    [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise wrong(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise wrong(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = as_dtype("string" if isinstance(vocabulary_list[0], str | bytes) else "int64")
    wanted = own if dtype is None else as_dtype(dtype)
    if (wanted == "string") != (own == "string"):
        raise wrong(f"dtype {wanted} and vocabulary dtype {own} do not match, column_name: {key}")
    default_value = _check_others(default_value, num_oov_buckets, key)
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), wanted, default_value, num_oov_buckets
    )


@both("categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: Any = None,
    dtype: Any = "string",
    default_value: Any = None,
    num_oov_buckets: int = 0,
    file_format: Any = None,
) -> VocabularyFileCategoricalColumn:
    """Returns a column of categories for the lines of a file, or for the first `vocabulary_size` of them."""
    if file_format is not None:
        raise wrong(f"file_format={file_format!r} is not supported.", "Write one word on a line.")
    if not vocabulary_file:
        raise wrong(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        vocabulary_size = len(_lines(vocabulary_file))
    elif vocabulary_size < 1:
        raise wrong("Invalid vocabulary_size in " + f"{key}.")
    default_value = _check_others(default_value, num_oov_buckets, key)
    return VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, as_dtype(dtype), default_value, file_format
    )


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: Any


class IdentityCategoricalColumn(_Identity, Categorical):
    """Whole numbers that are categories already."""

    __slots__ = ()
    __repr__ = _Identity.__repr__

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.number_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return {self.key: VarLenFeature(as_dtype("int64"))}

    def ids(self, features: Features) -> Entries:
        """Returns the numbers, with the default in the place of those that are no category."""
        found = entries(features, self.key)
        values = np.asarray(found.values)
        if values.dtype.kind not in "iu":
            raise wrong(f"Invalid input, not integer. key: {self.key} dtype: {dtype_of(found)}")
        if self.default_value is not None:
            outside = (values < 0) | (values >= self.number_buckets)
            values = np.where(outside, self.default_value, values)
        return found._replace(values=values.astype(np.int64), sparse=True)


@both("categorical_column_with_identity")
def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: Any = None
) -> IdentityCategoricalColumn:
    """Returns a column of categories for whole numbers from 0 to before `num_buckets`."""
    if num_buckets < 1:
        raise wrong(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise wrong(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class _Weighted(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: Any


class WeightedCategoricalColumn(_Weighted, Categorical):
    """Categories, each with a weight that another feature gives."""

    __slots__ = ()
    __repr__ = _Weighted.__repr__

    @property
    def name(self) -> str:
        """The names of both features."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return int(self.categorical_column.num_buckets)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        own = {self.weight_feature_key: VarLenFeature(self.dtype)}
        return {**self.categorical_column.parse_example_spec, **own}

    def ids(self, features: Features) -> Entries:
        """Returns the categories with their weights."""
        found: Entries = self.categorical_column.ids(features)
        weights = weighted(features, self.weight_feature_key)
        if len(weights) != len(found.values):
            raise wrong(
                f"{self.name}: there are {len(found.values)} categories and {len(weights)} weights.",
                "Give one weight for each category.",
            )
        return found._replace(weights=weights)


@both("weighted_categorical_column")
def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = "float32"
) -> WeightedCategoricalColumn:
    """Returns a column of categories with weights, which the feature of this name gives."""
    wanted = as_dtype(dtype)
    if not (wanted.is_integer or wanted.is_floating):
        raise wrong(f"dtype {wanted} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, wanted)


class _Crossed(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: Any


class CrossedColumn(_Crossed, Categorical):
    """Combinations of features, by their hash."""

    __slots__ = ()
    __repr__ = _Crossed.__repr__

    def _leaves(self) -> list[Any]:
        found: list[Any] = []
        for one in self.keys:
            found += one._leaves() if isinstance(one, CrossedColumn) else [one]
        return found

    @property
    def name(self) -> str:
        """The names of the features, joined by `_X_`."""
        return "_X_".join(sorted(one if isinstance(one, str) else one.name for one in self._leaves()))

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        found: dict[str, Any] = {}
        for one in self.keys:
            own = {one: VarLenFeature(as_dtype("string"))} if isinstance(one, str) else one.parse_example_spec
            found.update(own)
        return found

    def ids(self, features: Features) -> Entries:
        """Returns the number of every combination."""
        parts = [
            entries(features, one, keep=True) if isinstance(one, str) else one.ids(features)
            for one in self._leaves()
        ]
        return crossed(parts, self.hash_bucket_size, self.hash_key)


@both("crossed_column")
def crossed_column(keys: Any, hash_bucket_size: int, hash_key: Any = None) -> CrossedColumn:
    """Returns a column of categories for combinations of features, by their hash."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise wrong(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise wrong(f"keys must be a list with length > 1. Given: {keys}")
    for one in keys:
        if not isinstance(one, str | Categorical):
            raise wrong(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {one}"
            )
        if isinstance(one, HashedCategoricalColumn):
            raise wrong(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing "
                f"will increase probability of collision. Instead, use the feature name as a string. Given: "
                f"{one}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


# -- categories as numbers ----------------------------------------------------------------------------------


class _Indicator(NamedTuple):
    categorical_column: Any


class IndicatorColumn(_Indicator, Dense):
    """How often an example has each category."""

    __slots__ = ()
    __repr__ = _Indicator.__repr__

    @property
    def name(self) -> str:
        """The name of the categories, with `_indicator`."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape for one example."""
        return TensorShape((1, self.categorical_column.num_buckets))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return self.categorical_column.parse_example_spec  # type: ignore[no-any-return]

    def dense(self, features: Features) -> Any:
        """Returns how often each example has each category, or the sum of the weights."""
        found: Entries = self.categorical_column.ids(features)
        counts = np.zeros((found.total, self.categorical_column.num_buckets), np.float32)
        valid = (found.values >= 0) & (found.values < counts.shape[1])
        weights = 1.0 if found.weights is None else found.weights[valid]
        np.add.at(counts, (found.rows[valid], found.values[valid]), weights)
        return _cast(counts, "float32")


@both("indicator_column")
def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Returns a column of how often an example has each category."""
    if not isinstance(categorical_column, Categorical):
        raise wrong(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)
