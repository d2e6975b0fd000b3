"""Tables read from files, made from data sets, or changed after their creation."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._strings import StringTensor, as_bytes, is_text, strings
from penstock.trace.source_site import here


@named("tf.lookup.TextFileIndex")
class TextFileIndex:
    """Special columns of a line, besides the number of a column: the line itself, or its number."""

    WHOLE_LINE, LINE_NUMBER = -2, -1


def _column(rows: list[bytes], index: int, delimiter: bytes, dtype: Any, vocab: Any) -> Any:
    if index == TextFileIndex.LINE_NUMBER:
        return np.arange(len(rows), dtype=as_dtype(dtype).as_numpy_dtype)
    parts: list[bytes] = rows
    if index != TextFileIndex.WHOLE_LINE:
        cut = [one.split(delimiter) for one in rows]
        short = next((n for n, one in enumerate(cut) if len(one) <= index), None)
        if short is not None:
            raise InvalidArgumentError(
                f"Invalid number of columns in {vocab} line {short} ({rows[short]!r}): expected at least "
                f"{index + 1}, got {len(cut[short])}",
                site=here(),
            )
        parts = [one[index] for one in cut]
    if as_dtype(dtype).name == "string":
        made = np.empty(len(parts), object)
        made[:] = parts
        return made
    try:
        return np.array([one.decode() for one in parts]).astype(as_dtype(dtype).as_numpy_dtype)
    except ValueError as error:
        raise InvalidArgumentError(
            f"Field in {vocab} is not a valid {as_dtype(dtype).name}: {error}", site=here()
        ) from None


@named("tf.lookup.TextFileInitializer")
class TextFileInitializer:
    """The keys and values that a table reads from the lines of a file.

    `key_index` and `value_index` are the numbers of columns, or one of `tf.lookup.TextFileIndex`. `name` does
    nothing.
    """

    def __init__(
        self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int,
        vocab_size: int | None = None, delimiter: str = "\t", name: Any = None, value_index_offset: int = 0,
    ) -> None:  # fmt: skip
        path = filename.numpy() if isinstance(filename, StringTensor) else filename
        with open(path, "rb") as file:
            rows = file.read().splitlines()
        if vocab_size is not None:
            if len(rows) < vocab_size:
                raise InvalidArgumentError(
                    f"Invalid vocab_size in {path!r}: expected {vocab_size} but got {len(rows)}", site=here()
                )
            rows = rows[:vocab_size]
        split = as_bytes(delimiter)
        self.keys = _column(rows, key_index, split, key_dtype, path)
        self.values = _column(rows, value_index, split, value_dtype, path)
        if value_index_offset:
            self.values = self.values + value_index_offset


class DatasetInitializer:
    """The keys and values that a table begins with, from a data set of pairs."""

    def __init__(self, dataset: Any) -> None:
        rows = list(dataset.as_numpy_iterator())
        self.keys, self.values = (_array([row[i] for row in rows]) for i in (0, 1))


def _array(values: list[Any]) -> Any:
    if values and isinstance(values[0], bytes):
        made = np.empty(len(values), object)
        made[:] = values
        return made
    return np.asarray(values)


def _plain(values: Any) -> Any:
    return np.asarray(strings(values)) if is_text(values) else np.asarray(constant(values).numpy())


class MutableHashTable:
    """A table that changes: keys are inserted and removed.

    `name`, `checkpoint` and `experimental_is_anonymous` do nothing: a table belongs to who made it.

    >>> from penstock import tensorflow as tf
    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    >>> table.insert(tf.constant(["a", "b"]), [7, 8])
    >>> table.lookup(tf.constant(["b", "z"])).numpy().tolist()
    [8, -1]
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, name: Any = "MutableHashTable",
        checkpoint: bool = True, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._rows: dict[Any, Any] = {}
        self._default = _plain(default_value)

    def _keys(self, keys: Any) -> Any:
        array = _plain(keys)
        if (array.dtype.kind == "O") != (self.key_dtype.name == "string"):
            raise ArgumentError(
                f"Signature mismatch. Keys must be dtype {self.key_dtype}, got {array.dtype}.", site=here()
            )
        return array

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: Any = None) -> Any:
        """Returns the values of keys, and the default for others."""
        array = self._keys(keys)
        default = self._default if dynamic_default_values is None else _plain(dynamic_default_values)
        per_key = default.ndim > self._default.ndim
        every = array.ravel().tolist()
        found = [self._rows.get(one, default[n] if per_key else default) for n, one in enumerate(every)]
        shape = (*array.shape, *self._default.shape)
        if self.value_dtype.name == "string":
            made = np.empty(len(found), object)
            made[:] = [one.item() if isinstance(one, np.ndarray) else one for one in found]
            return StringTensor(made.reshape(shape))
        return constant(np.array(found, self.value_dtype.as_numpy_dtype).reshape(shape))

    __getitem__ = lookup

    def insert(self, keys: Any, values: Any, name: Any = None) -> None:
        """Puts values under keys, in place of those that are there."""
        array, given = self._keys(keys), _plain(values)
        rows = given.reshape(array.size, *given.shape[array.ndim :])
        self._rows.update(zip(array.ravel().tolist(), list(rows), strict=True))

    def remove(self, keys: Any, name: Any = None) -> None:
        """Removes keys; those that are not there are passed over."""
        for one in self._keys(keys).ravel().tolist():
            self._rows.pop(one, None)

    erase = remove

    def size(self, name: Any = None) -> Any:
        """Returns the number of keys."""
        return constant(np.int64(len(self._rows)))

    def export(self, name: Any = None) -> tuple[Any, Any]:
        """Returns all keys, and their values."""
        keys = list(self._rows)
        held: Any = StringTensor(_array(keys)) if self.key_dtype.name == "string" else None
        if held is None:
            held = constant(np.array(keys, self.key_dtype.as_numpy_dtype))
        return held, self.lookup(held) if keys else constant(np.zeros((0, *self._default.shape), np.int64))


class DenseHashTable(MutableHashTable):
    """A mutable table; `empty_key` and `deleted_key` are not valid keys.

    `initial_num_buckets` does nothing: the table grows as it is filled.
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any, deleted_key: Any,
        initial_num_buckets: Any = None, name: Any = "MutableDenseHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous)
        self._reserved = [_plain(one).item() for one in (empty_key, deleted_key)]
        if self._reserved[0] == self._reserved[1]:
            raise InvalidArgumentError("Empty and deleted keys cannot be equal", site=here())

    def _keys(self, keys: Any) -> Any:
        array = super()._keys(keys)
        for one in array.ravel().tolist():
            if one in self._reserved:
                word = "empty_key" if one == self._reserved[0] else "deleted_key"
                raise InvalidArgumentError(f"Using the {word} as a table key is not allowed", site=here())
        return array


class experimental:
    """tf.lookup.experimental."""

    MutableHashTable, DenseHashTable = MutableHashTable, DenseHashTable


named("tf.lookup.experimental")(experimental)

__all__ = ["DatasetInitializer", "MutableHashTable", "TextFileIndex", "TextFileInitializer"]
