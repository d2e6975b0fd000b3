"""Dtypes and numbers of tf.experimental.numpy: NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._numpy.promotion import PLACE, common
from penstock.tensorflow._tensor import EagerTensor

_TYPES = (
    "bool_ complex128 complex64 float16 float32 float64 inexact int16 int32 int64 int8 int_ object_ uint16 "
    "uint32 uint64 uint8 iinfo issubdtype"
)
_OLDER = {"complex_": np.complex128, "float_": np.float64, "string_": np.bytes_, "unicode_": np.str_}

for _name in _TYPES.split():
    named(f"{PLACE}.{_name}")(getattr(np, _name))
for _name, _type in _OLDER.items():
    named(f"{PLACE}.{_name}")(_type)
for _name in ("e", "inf", "pi"):
    named(f"{PLACE}.{_name}")(getattr(np, _name))
named(f"{PLACE}.newaxis")(None)
named(f"{PLACE}.ndarray")(EagerTensor)


@named(f"{PLACE}.finfo")
def finfo(dtype: Any) -> Any:
    """Returns the limits of a floating-point dtype, as NumPy describes them."""
    return np.finfo(common(dtype))
