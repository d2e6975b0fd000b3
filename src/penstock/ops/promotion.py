"""The dtype to which the operands of a primitive are converted, by the rules of the dialect in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.trace.lengths import Amount, Length
from penstock.trace.spec import Spec

Kind = str  # one of "b", "i", "f", "c": boolean, integer, floating, complex
_ORDER = "bifc"
_DEFAULT = {"b": np.bool_, "i": np.int64, "f": np.float32, "c": np.complex64}


def kind_of(dtype: np.dtype[Any]) -> Kind:
    """Returns the kind of a dtype: "b", "i", "f" or "c"."""
    kind = dtype.kind
    return "i" if kind in "iu" else "f" if kind == "V" else kind


def is_narrow(dtype: np.dtype[Any]) -> bool:
    """Returns whether a dtype is floating-point, of two bytes or fewer."""
    return dtype.itemsize < 4 and dtype.kind in "fV"


def number_kind(number: Any) -> Kind:
    """Returns the kind of a Python number."""
    if isinstance(number, bool):
        return "b"
    return "i" if isinstance(number, int | Length) else "f" if isinstance(number, float | Amount) else "c"


def native(name: str, specs: Sequence[Spec | None], numbers: Sequence[Any]) -> np.dtype[Any]:
    """Returns the common dtype by the Array API standard's rules (2024.12, "Type promotion").

    Tensors of one kind promote within it. Of two kinds, which the standard leaves open, the higher kind wins
    and keeps its width: int64 with float32 gives float32. A Python number takes the tensors' dtype unless its
    kind is higher; then it takes that kind's default (float32, int64, complex64): True * 1.0 is a float32.
    """
    dtypes = [one.dtype for one in specs if one is not None]
    kinds = [kind_of(dtype) for dtype in dtypes] + [number_kind(n) for n in numbers if n is not None]
    highest = max(kinds, key=_ORDER.index)
    of_highest = [dtype for dtype, kind in zip(dtypes, kinds, strict=False) if kind == highest]
    if highest == "c" and np.dtype(np.float64) in dtypes:
        return np.dtype(np.complex128)
    if of_highest:
        return np.result_type(*of_highest)
    return np.dtype(_DEFAULT[highest])


Rule = Callable[[str, Sequence[Spec | None], Sequence[Any]], "np.dtype[Any]"]
rules: dict[str, Rule] = {"native": native}
"""By dialect: (primitive's name, spec of each operand or None, Python number of each operand or None)."""
