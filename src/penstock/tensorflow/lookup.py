"""tf.lookup: tables from words or numbers to words or numbers."""

from __future__ import annotations

from typing import Any

import numpy as _np

from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import is_text as _is_text
from penstock.tensorflow._strings import strings as _strings


def _plain(values: Any) -> Any:
    return _np.asarray(_strings(values)) if _is_text(values) else _np.asarray(_constant(values).numpy())


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
    """A table that does not change: `lookup` gives the default for what is not in it.

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


__getattr__, __dir__, __all__ = _namespace("tf.lookup", globals())
