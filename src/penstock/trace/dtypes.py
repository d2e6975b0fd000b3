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
    """Returns a dtype in the byte order of the processor; raises DTypeError if no tensor can have it."""
    if holds(dtype):
        return dtype
    found = dtype.newbyteorder("=") if dtype.kind in "iufc" else dtype
    if not holds(found):
        raise refusal(f"A tensor cannot have dtype {dtype}.", dtype)
    return found


def refusal(fact: str, dtype: np.dtype[Any], data: Any = None) -> DTypeError:
    """Returns the error for data of a dtype that no tensor has; it says how to convert it to numbers."""
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
        remedy = _whole(data) or "Fill in missing values, then array.astype('float32')."
    elif dtype.kind in "UST":
        remedy = (
            "For numbers written as text: array.astype('float32'). "
            "For class names: numpy.unique(array, return_inverse=True)[1]."
        )
    else:
        remedy = "Reinterpret the bytes as numbers: array.view('float32')."
    return DTypeError(fact, why=why, remedy=remedy, site=here())


def _whole(data: Any) -> str:
    """Returns how to make one array of an array of arrays or lists; "" for any other array."""
    kinds = (list, tuple, np.ndarray)
    parts = [one for one in data.flat if isinstance(one, kinds)] if isinstance(data, np.ndarray) else []
    if not parts or len(parts) < data.size:
        return ""
    if len({np.shape(one) for one in parts}) > 1:
        return "Its elements have different lengths: pad them to one length, then numpy.stack(list)."
    return "Its elements are arrays of one shape: numpy.stack(list) makes one array of them."


def of_objects(value: Any, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the numbers of a data frame whose columns hold several dtypes, including booleans.

    Any other column raises DTypeError, which names these columns.
    """
    if all(isinstance(one, bool | int | float | np.bool_ | np.integer | np.floating) for one in array.flat):
        return array.astype(np.float64)
    whole = _whole(array)
    names = [str(one) for one in getattr(value, "columns", ())]
    others = [name for name in names if np.asarray(value[name]).dtype.kind not in "biuf"]
    kind = type(value).__name__
    if whole:
        raise DTypeError(f"A {kind} holds arrays, not numbers.", remedy=whole, site=here())
    if not others or len(array) == 0:
        return array
    held = ", ".join(f"{name!r} ({np.asarray(value[name])[0]!r})" for name in others[:3])
    rest = [name for name in names if name not in others]
    raise DTypeError(
        f"A {kind} of shape {array.shape} has columns that are not numbers: {held}"
        + (f" and {len(others) - 3} more." if len(others) > 3 else "."),
        why="A tensor holds numbers or booleans. The first value of each is in brackets.",
        remedy=(f"Give the others, frame[{rest[:3]!r}], or make" if rest else "Make")
        + " numbers of them: pandas.get_dummies(frame) has one column for each word.",
        site=here(),
    )


__all__ = ["PLAIN", "holds", "native", "of_objects", "refusal"]
