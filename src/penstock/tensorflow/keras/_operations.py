"""The functions of tf.keras.backend, which programs from before Keras 3 call on tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.layers.core import dense
from penstock.tensorflow import _arrays, _elementwise, _reductions, linalg, nn, random
from penstock.tensorflow._convert import operand
from penstock.tensorflow._seeds import chosen_once
from penstock.tensorflow.keras._defaults import floatx
from penstock.tensorflow.keras._variable import KerasVariable


@named("tf.keras.backend.expand_dims")
def expand_dims(x: Any, axis: int = -1) -> Any:
    """Returns x with a new axis of length 1."""
    return _arrays.expand_dims(x, axis)


@named("tf.keras.backend.squeeze")
def squeeze(x: Any, axis: int) -> Any:
    """Returns x without an axis of length 1."""
    return _arrays.squeeze(x, [axis])


@named("tf.keras.backend.concatenate")
def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Returns tensors joined along an axis."""
    return _arrays.concat(tensors, axis)


@named("tf.keras.backend.permute_dimensions")
def permute_dimensions(x: Any, pattern: Any) -> Any:
    """Returns x with its axes in another order."""
    return _arrays.transpose(x, pattern)


@named("tf.keras.backend.transpose")
def transpose(x: Any) -> Any:
    """Returns x with its axes in the opposite order."""
    return _arrays.transpose(x)


@named("tf.keras.backend.flatten")
def flatten(x: Any) -> Any:
    """Returns the elements of x in a row."""
    return _arrays.reshape(x, [-1])


@named("tf.keras.backend.batch_flatten")
def batch_flatten(x: Any) -> Any:
    """Returns every example of x as a row."""
    lengths = operand(x)._spec.shape
    return _arrays.reshape(x, [lengths[0], math.prod(lengths[1:])])


@named("tf.keras.backend.dot")
def dot(x: Any, y: Any) -> Any:
    """Returns the product of the last axis of x and the last but one of y."""
    x, y = operand(x), operand(y)
    if len(y._spec.shape) == 2:
        return dense(x, y)
    last = max(len(y._spec.shape) - 2, 0)
    return linalg.tensordot(x, y, [[len(x._spec.shape) - 1], [last]])


def _reducing(names: str, function: Any, purpose: str) -> Any:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(x, axis, keepdims)

    return row(reduce, names, f"Returns {purpose} over all axes, or over those named.")


def _mean(x: Any, axis: Any, keepdims: bool) -> Any:
    x = operand(x)
    if x._spec.dtype == bool:
        # Truth values count as 0 and 1.
        x = _elementwise.cast(x, floatx())
    return _reductions.reduce_mean(x, axis, keepdims)


sum = _reducing("tf.keras.backend.sum", _reductions.reduce_sum, "the sum")
mean = _reducing("tf.keras.backend.mean", _mean, "the mean")
max = _reducing("tf.keras.backend.max", _reductions.reduce_max, "the largest element")
min = _reducing("tf.keras.backend.min", _reductions.reduce_min, "the smallest element")
prod = _reducing("tf.keras.backend.prod", _reductions.reduce_prod, "the product")
all = _reducing("tf.keras.backend.all", _reductions.reduce_all, "whether all hold")
any = _reducing("tf.keras.backend.any", _reductions.reduce_any, "whether one holds")
logsumexp = _reducing("tf.keras.backend.logsumexp", _reductions.reduce_logsumexp, "log(sum(exp(x)))")


@named("tf.keras.backend.argmax")
def argmax(x: Any, axis: int = -1) -> Any:
    """Returns the position of the largest element along an axis."""
    return _reductions.argmax(x, axis)


@named("tf.keras.backend.argmin")
def argmin(x: Any, axis: int = -1) -> Any:
    """Returns the position of the smallest element along an axis."""
    return _reductions.argmin(x, axis)


@named("tf.keras.backend.clip")
def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """Returns x brought into min_value .. max_value."""
    return _arrays.clip_by_value(x, min_value, max_value)


@named("tf.keras.backend.relu")
def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """Returns x where it is positive, `alpha` times x elsewhere."""
    from penstock.layers.activations import relu as native

    return native(operand(x), float(alpha), max_value, float(threshold))


@named("tf.keras.backend.softmax")
def softmax(x: Any, axis: int = -1) -> Any:
    """Returns exp(x) / sum(exp(x)) along an axis."""
    return nn.softmax(x, axis)


@named("tf.keras.backend.one_hot")
def one_hot(indices: Any, num_classes: int) -> Any:
    """Returns rows with a one at each index."""
    return _arrays.one_hot(indices, num_classes)


@named("tf.keras.backend.zeros")
def zeros(shape: Any, dtype: Any = "float32", name: Any = None) -> Any:
    """Returns zeros."""
    return _arrays.zeros(shape, dtype)


@named("tf.keras.backend.ones")
def ones(shape: Any, dtype: Any = "float32", name: Any = None) -> Any:
    """Returns ones."""
    return _arrays.ones(shape, dtype)


@named("tf.keras.backend.variable")
def variable(value: Any, dtype: Any = None, name: Any = None, constraint: Any = None) -> Any:
    """Returns a new variable."""
    array = np.asarray(operand(value).numpy())
    array = array.astype(dtype or ("float32" if array.dtype.kind == "f" else array.dtype))
    made = KerasVariable(array, dtype=array.dtype, name=name)
    made.constraint = constraint
    return made


def seed_of(seed: Any, below: int = 10_000_000) -> Any:
    """Returns a seed, which Keras takes from NumPy where none is given: once for each trace of a function."""
    return chosen_once(lambda: np.random.randint(below)) if seed is None else seed


@named("tf.keras.backend.random_normal")
def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws from the normal distribution."""
    return random.normal(shape, mean, stddev, dtype or floatx(), seed_of(seed))


@named("tf.keras.backend.random_uniform")
def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws between two numbers."""
    return random.uniform(shape, minval, maxval, dtype or floatx(), seed_of(seed))


@named("tf.keras.backend.int_shape")
def int_shape(x: Any) -> tuple[Any, ...]:
    """Returns the shape as a tuple."""
    return tuple(x.shape)


@named("tf.keras.backend.ndim")
def ndim(x: Any) -> int:
    """Returns the number of axes."""
    return len(x.shape)


@named("tf.keras.backend.get_value", "tf.keras.backend.eval")
def get_value(x: Any) -> Any:
    """Returns the value as a NumPy array."""
    return operand(x).numpy()


@named("tf.keras.backend.set_value")
def set_value(x: Any, value: Any) -> None:
    """Assigns an array to a variable."""
    x.assign(np.asarray(value))


@named("tf.keras.backend.is_keras_tensor")
def is_keras_tensor(x: Any) -> bool:
    """Returns whether x is symbolic."""
    from penstock.tensorflow.keras._functional import KerasTensor

    return isinstance(x, KerasTensor)
