"""tf.lookup: tables from words or numbers to words or numbers."""

from __future__ import annotations

import functools as _functools
import sys as _sys
from typing import Any

import numpy as _np

from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import CallableError as _CallableError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import is_text as _is_text
from penstock.tensorflow._strings import strings as _strings
from penstock.trace.source_site import here as _here


def _plain(values: Any) -> Any:
    return _np.asarray(_strings(values)) if _is_text(values) else _np.asarray(_constant(values).numpy())


def _of_graphs(method: Any) -> Any:
    """Returns a method of tables that, while a graph is being built, is called when a session runs."""

    @_functools.wraps(method)
    def lookup(self: Any, keys: Any, *more: Any, **options: Any) -> Any:
        graphs = _sys.modules.get("penstock.tensorflow._graphs.graph")
        if graphs is None or graphs.mode.building() is None:
            return method(self, keys, *more, **options)
        from penstock.tensorflow._graphs.queues import looked_up

        dtype = "string" if self._dtype.kind == "O" else self._dtype
        return looked_up(LookUp(self), keys, dtype, _sys._getframe(1))

    return lookup


class LookUp:
    """Looks keys up in a table, when a session runs."""

    __name__ = "lookup"

    def __init__(self, table: Any) -> None:
        self.table = table

    def __call__(self, keys: Any) -> Any:
        """Returns what the table has for keys."""
        lookup: Any = type(self.table).lookup
        return lookup.__wrapped__(self.table, keys)


class KeyValueTensorInitializer:
    """The keys and values that a table begins with."""

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: Any = None
    ) -> None:
        self.keys, self.values = _plain(keys), _plain(values)
        for part, wanted in (("keys", key_dtype), ("values", value_dtype)):
            array = getattr(self, part)
            if wanted is not None and array.dtype.kind != "O":
                setattr(self, part, array.astype(_as_dtype(wanted).as_numpy_dtype))


class StaticHashTable:
    """A table that does not change: `lookup` returns the default for missing keys.

    `experimental_is_anonymous` does nothing: a table belongs to who made it.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(rows, -1).lookup(tf.constant(["b", "z"])).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self, initializer: KeyValueTensorInitializer, default_value: Any, num_oov_buckets: Any = None,
        name: Any = None, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        self._table = dict(zip(initializer.keys.tolist(), initializer.values.tolist(), strict=True))
        self._dtype, self._default = initializer.values.dtype, _plain(default_value).item()
        self.num_oov_buckets = num_oov_buckets

    @property
    def initializer(self) -> Any:
        """An operation that does nothing, since a table has its rows from the beginning; None in no graph."""
        from penstock.tensorflow._graphs.functions import no_op

        return no_op()

    init = initializer

    @_of_graphs
    def lookup(self, keys: Any, name: Any = None) -> Any:
        """Returns the values of keys."""
        array = _plain(keys)
        found = [self._table.get(one, self._default) for one in array.ravel().tolist()]
        if self._dtype.kind == "O":
            made = _np.empty(array.size, object)
            made[:] = found
            return _StringTensor(made.reshape(array.shape))
        return _constant(_np.array(found, self._dtype).reshape(array.shape))

    __getitem__ = lookup

    def size(self, name: Any = None) -> Any:
        """Returns the number of keys."""
        return _constant(_np.int64(len(self._table)))


class StaticVocabularyTable:
    """A table from words to their numbers, which has buckets for words that are not in it.

    The numbers of the words must be 0, 1 and so on; a word that is not there has one of the `num_oov_buckets`
    numbers that follow, by its FarmHash fingerprint as in TensorFlow. `name` and `experimental_is_anonymous`
    do nothing: a table belongs to who made it.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    >>> tf.lookup.StaticVocabularyTable(rows, 1).lookup(tf.constant(["b", "z"])).numpy().tolist()
    [1, 2]
    """

    def __init__(
        self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: Any = None,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        if num_oov_buckets <= 0:
            raise _ArgumentError("`num_oov_buckets` must be > 0; use StaticHashTable.", site=_here())
        self._table: dict[Any, int] = {}
        self._dtype = _np.dtype(_np.int64)
        self._buckets, self._text = int(num_oov_buckets), True
        if initializer is not None:
            keys, values = initializer.keys, initializer.values
            if values.dtype != _np.int64:
                raise _CallableError(
                    "Invalid `value_dtype`, expected <dtype: 'int64'> but got "
                    f"<dtype: {values.dtype.name!r}>.",
                    site=_here(),
                )
            self._table = dict(zip(keys.tolist(), values.tolist(), strict=True))
            self._text = keys.dtype.kind == "O"
        if lookup_key_dtype is not None and (_as_dtype(lookup_key_dtype).name == "string") != self._text:
            raise _CallableError(
                f"lookup_key_dtype is {_as_dtype(lookup_key_dtype).name}, and the keys of the table are "
                f"{'strings' if self._text else 'numbers'}.",
                site=_here(),
            )

    @_of_graphs
    def lookup(self, keys: Any, name: Any = None) -> Any:
        """Returns the numbers of words."""
        from penstock.tensorflow.strings import to_hash_bucket_fast

        array = _plain(keys)
        if (array.dtype.kind == "O") != self._text:
            wanted = "strings" if self._text else "whole numbers"
            raise _CallableError(
                f"The keys of this table are {wanted}, and {array.dtype} was looked up.", site=_here()
            )
        size, found = len(self._table), []
        for one in array.ravel().tolist():
            number = self._table.get(one)
            if number is None:
                word = one if self._text else str(one).encode()
                number = size + int(to_hash_bucket_fast(_StringTensor(word), self._buckets).numpy())
            found.append(number)
        return _constant(_np.array(found, _np.int64).reshape(array.shape))

    __getitem__ = lookup

    def size(self, name: Any = None) -> Any:
        """Returns the number of words and buckets."""
        return _constant(_np.int64(len(self._table) + self._buckets))


__getattr__, __dir__, __all__ = _namespace("tf.lookup", globals(), "_mutable_tables")
