"""The description of the array namespace: `__array_namespace_info__` of the standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions.arguments import DEVICE, check_device
from penstock.functions.datatypes import isdtype

_DEFAULTS: dict[str, np.dtype[Any]] = {
    "real floating": np.dtype(np.float32),
    "complex floating": np.dtype(np.complex64),
    "integral": np.dtype(np.int64),
    "indexing": np.dtype(np.int64),
}
_DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
        "float64", "complex64", "complex128",
    )
}  # fmt: skip


class NamespaceInfo:
    """The capabilities, devices and dtypes of Penstock, as `__array_namespace_info__()` returns them."""

    def capabilities(self) -> dict[str, Any]:
        """Returns the optional parts of the standard that are supported: masks, and shapes that depend on
        values.
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Returns the device of new tensors."""
        return DEVICE

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """Returns the dtypes that Python's numbers become, and that of indices."""
        check_device(device)
        return dict(_DEFAULTS)

    def devices(self) -> list[str]:
        """Returns the devices that can be named."""
        return [DEVICE]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Returns the standard's dtypes by name: all of them, or those of a kind that `isdtype` knows."""
        check_device(device)
        return {name: one for name, one in _DTYPES.items() if kind is None or isdtype(one, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """Returns the capabilities of this namespace, in the terms of the Python Array API standard.

    Returns:
        An object with the methods of the standard.

    >>> import penstock as ps
    >>> ps.__array_namespace_info__().default_dtypes()["real floating"].name
    'float32'
    """
    return NamespaceInfo()
