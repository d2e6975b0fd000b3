"""Feature columns of one feature's categories: its words or numbers as whole numbers below a bound."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._feature_columns.columns import Categorical, Features, both
from penstock.tensorflow._feature_columns.entries import (
    Entries,
    buckets,
    dtype_of,
    entries,
    words,
    wrong,
)
from penstock.tensorflow._parsing import VarLenFeature


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
