"""tf.dtypes: the names of dtypes."""

from __future__ import annotations

from typing import Any

from penstock.declared import named as _named
from penstock.tensorflow import _dtype
from penstock.tensorflow._names import namespace as _namespace


def _row(names: str) -> _dtype.DType:
    """Returns the dtype with some names, the first of which is NumPy's."""
    own = names.split()
    return _named(*(f"{place}.{name}" for name in own for place in ("tf", "tf.dtypes")))(
        _dtype.as_dtype(own[0])
    )


float16 = half = _row("float16 half")
float32 = _row("float32")
float64 = double = _row("float64 double")
int8 = _row("int8")
int16 = _row("int16")
int32 = _row("int32")
int64 = _row("int64")
uint8 = _row("uint8")
uint16 = _row("uint16")
uint32 = _row("uint32")
uint64 = _row("uint64")
bool = _row("bool")
complex64 = _row("complex64")
complex128 = _row("complex128")


def __getattr__(name: str) -> Any:
    # Made on first use: bfloat16 comes from a package that need not be loaded otherwise.
    if name in ("bfloat16", "string"):
        return _dtype.as_dtype(name)
    return _missing(name)


_missing, __dir__, _public = _namespace("tf.dtypes", globals(), "_dtype _elementwise", rest="_special")
