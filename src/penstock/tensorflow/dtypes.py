"""tf.dtypes: the names of dtypes."""

from __future__ import annotations

from typing import Any

import numpy as _np

from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._dtype import bfloat16 as _bfloat16
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._names import absent as _absent

float16 = half = as_dtype(_np.float16)
float32 = as_dtype(_np.float32)
float64 = double = as_dtype(_np.float64)
int8 = as_dtype(_np.int8)
int16 = as_dtype(_np.int16)
int32 = as_dtype(_np.int32)
int64 = as_dtype(_np.int64)
uint8 = as_dtype(_np.uint8)
uint16 = as_dtype(_np.uint16)
uint32 = as_dtype(_np.uint32)
uint64 = as_dtype(_np.uint64)
bool = as_dtype(_np.bool_)
complex64 = as_dtype(_np.complex64)
complex128 = as_dtype(_np.complex128)


def __getattr__(name: str) -> Any:
    # Made when asked for: the type comes from a package that need not be loaded otherwise.
    if name == "bfloat16":
        return _bfloat16()
    raise _absent("tensorflow.dtypes", name, __all__)


__all__ = [
    "DType",
    "as_dtype",
    "bool",
    "cast",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
