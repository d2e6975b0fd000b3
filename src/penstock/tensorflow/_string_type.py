"""The dtype of strings."""

from __future__ import annotations

from typing import Any

import numpy as np


class StringType:
    """The dtype of strings."""

    name = "string"
    is_floating = is_integer = is_complex = is_bool = is_unsigned = is_numeric = False
    as_numpy_dtype = np.object_
    kind, size = "O", 0
    dtype = np.dtype(object)

    @property
    def base_dtype(self) -> StringType:
        """This dtype."""
        return self

    def is_compatible_with(self, other: Any) -> bool:
        """Returns whether `other` names this dtype."""
        return bool(self == other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StringType) or other in ("string", str, np.object_, np.str_, np.bytes_)

    def __hash__(self) -> int:
        return hash("string")

    def __repr__(self) -> str:
        return "tf.string"

    def __str__(self) -> str:
        return "<dtype: 'string'>"


STRING = StringType()
