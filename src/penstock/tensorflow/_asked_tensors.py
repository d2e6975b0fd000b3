"""Questions to tensors and values of one's own: names of tf itself that few programs use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _convert
from penstock.tensorflow._arrays import identity
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._fingerprints import fingerprint as farmhash
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._modes import inside_function
from penstock.tensorflow._scopes import scopes
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@named("tf.is_symbolic_tensor", "tf.compat.v1.is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns whether something is a tensor of a graph, or is made in a function of tf.function."""
    return isinstance(tensor, SymbolicTensor) or (isinstance(tensor, Tensor) and inside_function())


@named("tf.get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the scope of names in which the program is, without a / at its end.

    >>> from penstock import tensorflow as tf
    >>> with tf.name_scope("first"), tf.name_scope("second"):
    ...     tf.get_current_name_scope()
    'first/second'
    """
    graph = mode.building() if mode.inside else None
    return scopes.present.rstrip("/") if graph is None else str(graph.get_name_scope())


@named("tf.guarantee_const", "tf.compat.v1.guarantee_const")
def guarantee_const(input: Any, name: Any = None) -> Any:
    """Returns a tensor unchanged."""
    return identity(input)


@named("tf.fingerprint", "tf.compat.v1.fingerprint")
def fingerprint(data: Any, method: Any = "farmhash64", name: Any = None) -> Any:
    """Returns [rows, 8] bytes: a hash of each row of a tensor, FarmHash's fingerprint of 64 bits.

    >>> from penstock import tensorflow as tf
    >>> tf.fingerprint(["a", "b"]).shape
    TensorShape([2, 8])
    """
    word = strings(method).numpy() if is_text(method) else method
    if word not in (b"farmhash64", "farmhash64"):
        raise InvalidArgumentError(
            f"Unsupported fingerprint method: {word.decode() if isinstance(word, bytes) else word}",
            site=here(),
        )
    if isinstance(data, StringTensor) or is_text(data):
        array = np.asarray(strings(data).numpy(), object)
    else:
        array = np.asarray(tensor_of(data).numpy())
    if not array.ndim:
        raise InvalidArgumentError(
            f"`data` should have at least one dimension: {list(array.shape)}", site=here()
        )
    hashes = [farmhash(_bytes_of(row)) for row in array]
    found = np.array(hashes, np.uint64).astype("<u8").view(np.uint8).reshape(len(hashes), 8)
    return constant(found)


def _bytes_of(row: Any) -> bytes:
    """Returns a row as bytes; of several strings, what their hashes are as bytes."""
    if isinstance(row, bytes | str):
        return row.encode() if isinstance(row, str) else row
    if row.dtype != object:
        return bytes(np.ascontiguousarray(row).tobytes())
    hashes = [farmhash(one if isinstance(one, bytes) else one.encode()) for one in row.ravel()]
    return np.array(hashes, np.uint64).astype("<u8").tobytes()


@named("tf.register_tensor_conversion_function", "tf.compat.v1.register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Lets values of one's own types be given where a tensor is: a function makes the tensor.

    The function is called as `conversion_func(value, dtype, name, as_ref)`, and may return NotImplemented. Of
    several functions for a type, those with a lower `priority` are asked first.

    >>> from penstock import tensorflow as tf
    >>> class Celsius:
    ...     degrees = 20.0
    >>> def converted(value, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(value.degrees, dtype)
    >>> tf.register_tensor_conversion_function(Celsius, converted)
    >>> print(tf.add(Celsius(), 1.0).numpy())
    21.0
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(one, type) for one in types):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _convert.CONVERSIONS.append((int(priority), types, conversion_func))
    _convert.CONVERSIONS.sort(key=lambda one: one[0])
