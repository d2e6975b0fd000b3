"""tf.function and other names about graphs, which the recorder does not need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._shape import TensorShape, as_shape


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: Any = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """Returns the function unchanged: its operations are recorded with or without this decorator.

    Its Python code runs at every call, so `print` and counters inside it work as written; TensorFlow runs
    them once for each new signature.

    >>> from penstock import tensorflow as tf
    >>> @tf.function
    ... def double(x):
    ...     return x * 2
    >>> print(double(tf.constant(3.0)))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """
    return function if func is None else func


class TensorSpec:
    """The shape and dtype that a function expects. Kept for `input_signature`; nothing is checked."""

    def __init__(self, shape: Any, dtype: Any = "float32", name: Any = None) -> None:
        self.shape: TensorShape | None = None if shape is None else as_shape(shape)
        self.dtype: DType = as_dtype(dtype)
        self.name = name

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


def executing_eagerly() -> bool:
    """Returns True: values can be read anywhere."""
    return True
