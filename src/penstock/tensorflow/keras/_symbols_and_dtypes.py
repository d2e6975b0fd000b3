"""Functions of tf.keras.utils and tf.keras.backend that say what tensors and dtypes are."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _functional as functional
from penstock.tensorflow.keras._defaults import floatx
from penstock.trace.source_site import here

_ALLOWED = (
    "float16", "float32", "float64", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
    "bfloat16", "bool", "string", "float8_e4m3fn", "float8_e5m2", "complex64", "complex128",
)  # fmt: skip
_PYTHON = {bool: "bool", int: "int64", float: "float32", str: "string", "int": "int64", "float": "float32"}


@named("tf.keras.utils.standardize_dtype", "tf.keras.backend.standardize_dtype")
def standardize_dtype(dtype: Any) -> str:
    """Returns the name of a dtype: of None Keras' default, of Python's types those that they stand for.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.standardize_dtype(tf.bfloat16), tf.keras.utils.standardize_dtype(float)
    ('bfloat16', 'float32')
    """
    if dtype is None:
        return floatx()
    given = _PYTHON.get(dtype, dtype) if isinstance(dtype, type | str) else dtype
    name = getattr(given, "name", None) or getattr(given, "__name__", given)
    if name not in _ALLOWED:
        raise ArgumentError(f"Invalid dtype: {name}", site=here())
    return str(name)


@named("tf.keras.backend.is_float_dtype")
def is_float_dtype(dtype: Any) -> bool:
    """Returns whether a dtype is of numbers with a fraction."""
    return standardize_dtype(dtype).startswith(("float", "bfloat"))


@named("tf.keras.backend.is_int_dtype")
def is_int_dtype(dtype: Any) -> bool:
    """Returns whether a dtype is of whole numbers."""
    return standardize_dtype(dtype).startswith(("int", "uint"))


@named("tf.keras.backend.result_type")
def result_type(*dtypes: Any) -> str:
    """Returns the name of the dtype to which operands of several dtypes are brought.

    Python's types give way to the others: `float` makes float32 of whole numbers, and changes no other.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.backend.result_type("int32", "float16"), tf.keras.backend.result_type("int32", float)
    ('float16', 'float32')
    """
    weak = [one for one in dtypes if one in (bool, int, float)]
    kinds = [np.dtype(as_dtype(standardize_dtype(one)).as_numpy_dtype) for one in dtypes if one not in weak]
    if not kinds:
        if not weak:
            return "float32"
        return floatx() if float in weak else "int32" if int in weak else "bool"
    made = kinds[0]
    for one in kinds[1:]:
        made = _promoted(made, one)
    if float in weak and made.kind in "biu":
        return floatx()
    if int in weak and made.kind == "b":
        return "int32"
    return as_dtype(made).name


def _promoted(a: Any, b: Any) -> Any:
    whole = [one.kind in "biu" for one in (a, b)]
    if whole == [True, False] or a.kind == "b":
        return b
    if whole == [False, True] or b.kind == "b":
        return a
    if whole == [False, False] and a != b and a.itemsize == b.itemsize == 2:
        return np.dtype(np.float32)
    made = np.promote_types(a, b)
    # Where no whole number holds both, Keras takes its default.
    return np.dtype(as_dtype(floatx()).as_numpy_dtype) if whole == [True, True] and made.kind == "f" else made


@named("tf.keras.utils.is_keras_tensor")
def is_keras_tensor(x: Any) -> bool:
    """Returns whether something is a symbolic tensor, as `tf.keras.Input` returns it."""
    return isinstance(x, functional.KerasTensor)


@named("tf.keras.backend.is_sparse")
def is_sparse(tensor: Any) -> bool:
    """Returns whether a tensor is sparse."""
    return bool(getattr(tensor, "_is_sparse", False) or getattr(tensor, "sparse", False))


@named("tf.keras.utils.get_source_inputs")
def get_source_inputs(tensor: Any) -> Any:
    """Returns the symbolic inputs that lead to a symbolic tensor, each once.

    >>> from penstock import tensorflow as tf
    >>> x = tf.keras.Input((2,), name="x")
    >>> [one.name for one in tf.keras.utils.get_source_inputs(x * 2.0 + x)]
    ['x']
    """
    if not isinstance(tensor, functional.KerasTensor):
        return tensor
    if tensor.call is None:
        return [tensor]
    found: list[Any] = []
    for given in tensor.call.given:
        found += [one for one in get_source_inputs(given) if all(one is not known for known in found)]
    return found
