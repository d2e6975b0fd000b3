"""Which dtypes a tensor can have, and how to convert data of other dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.trace.source_site import here

PLAIN = frozenset(map(np.dtype, "?bhilqBHILQefdFD"))
"""NumPy's own dtypes of at most 64 bits a part, in the byte order of the processor."""


def holds(dtype: np.dtype[Any]) -> bool:
    """Returns whether a tensor can have a dtype: NumPy's own, or one that a package has registered."""
    return dtype in PLAIN or dtype.isbuiltin == 2


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns a dtype in the byte order of the processor; raises DTypeError for what no tensor has."""
    if holds(dtype):
        return dtype
    found = dtype.newbyteorder("=") if dtype.kind in "iufc" else dtype
    if not holds(found):
        raise refusal(f"A tensor cannot have dtype {dtype}.", dtype)
    return found


def refusal(fact: str, dtype: np.dtype[Any]) -> DTypeError:
    """Returns the error for data of a dtype that no tensor has, with the way to make numbers of it."""
    why = "A tensor holds numbers or booleans, in at most 64 bits for a real number."
    if not dtype.isnative and dtype.kind in "biufc":
        why = "A tensor keeps numbers in the byte order of the processor."
        remedy = "Swap the bytes: array.astype(array.dtype.newbyteorder('='))."
    elif dtype.char in "gG":
        remedy = f"Round the numbers: array.astype({'float64' if dtype.char == 'g' else 'complex128'!r})."
    elif dtype.names:
        remedy = (
            f"Give one field, array[{dtype.names[0]!r}], or all as columns: "
            "numpy.lib.recfunctions.structured_to_unstructured(array)."
        )
    elif dtype.kind == "M":
        remedy = "Count from a reference time: (array - array[0]) / numpy.timedelta64(1, 's')."
    elif dtype.kind == "m":
        remedy = "Count in a unit: array / numpy.timedelta64(1, 's')."
    elif dtype.kind == "O":
        remedy = "Fill in missing values, then array.astype('float32')."
    elif dtype.kind in "UST":
        remedy = (
            "For numbers written as text: array.astype('float32'). "
            "For class names: numpy.unique(array, return_inverse=True)[1]."
        )
    else:
        remedy = "Reinterpret the bytes as numbers: array.view('float32')."
    return DTypeError(fact, why=why, remedy=remedy, site=here())


__all__ = ["PLAIN", "holds", "native", "refusal"]
