"""The functions of tf.keras.backend, which programs from before Keras 3 call on tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.layers.core import dense
from penstock.tensorflow import _arrays, _elementwise, _reductions, linalg, nn, random
from penstock.tensorflow._convert import constant as constant
from penstock.tensorflow._convert import operand
from penstock.tensorflow.keras._variable import KerasVariable

abs = _elementwise.abs
exp, log, pow, sign, sin, cos = (
    _elementwise.exp, _elementwise.log, _elementwise.pow, _elementwise.sign, _elementwise.sin,
    _elementwise.cos,
)  # fmt: skip
square, sqrt, sigmoid, tanh = (
    _elementwise.square, _elementwise.sqrt, _elementwise.sigmoid, _elementwise.tanh,
)  # fmt: skip
maximum, minimum, equal, not_equal = (
    _elementwise.maximum, _elementwise.minimum, _elementwise.equal, _elementwise.not_equal,
)  # fmt: skip
greater, less, cast, round = _elementwise.greater, _elementwise.less, _elementwise.cast, _elementwise.round
reshape, tile, stack, shape = _arrays.reshape, _arrays.tile, _arrays.stack, _arrays.shape
stop_gradient, gather, zeros_like, ones_like = (
    _arrays.stop_gradient, _arrays.gather, _arrays.zeros_like, _arrays.ones_like,
)  # fmt: skip
softplus, softsign, l2_normalize = nn.softplus, nn.softsign, nn.l2_normalize


def expand_dims(x: Any, axis: int = -1) -> Any:
    """Returns x with a new axis of length 1."""
    return _arrays.expand_dims(x, axis)


def squeeze(x: Any, axis: int) -> Any:
    """Returns x without an axis of length 1."""
    return _arrays.squeeze(x, [axis])


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Returns tensors joined along an axis."""
    return _arrays.concat(tensors, axis)


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """Returns x with its axes in another order."""
    return _arrays.transpose(x, pattern)


def transpose(x: Any) -> Any:
    """Returns x with its axes in the opposite order."""
    return _arrays.transpose(x)


def flatten(x: Any) -> Any:
    """Returns the elements of x in a row."""
    return _arrays.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """Returns every example of x as a row."""
    lengths = operand(x)._spec.shape
    return _arrays.reshape(x, [lengths[0], math.prod(lengths[1:])])


def dot(x: Any, y: Any) -> Any:
    """Returns the product of the last axis of x and the last but one of y."""
    x, y = operand(x), operand(y)
    if len(y._spec.shape) == 2:
        return dense(x, y)
    last = max(len(y._spec.shape) - 2, 0)
    return linalg.tensordot(x, y, [[len(x._spec.shape) - 1], [last]])


def _reducing(function: Any, name: str, purpose: str) -> Any:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(x, axis, keepdims)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Returns {purpose} over all axes, or over those named."
    return reduce


sum = _reducing(_reductions.reduce_sum, "sum", "the sum")
mean = _reducing(_reductions.reduce_mean, "mean", "the mean")
max = _reducing(_reductions.reduce_max, "max", "the largest element")
min = _reducing(_reductions.reduce_min, "min", "the smallest element")
prod = _reducing(_reductions.reduce_prod, "prod", "the product")
all = _reducing(_reductions.reduce_all, "all", "whether all hold")
any = _reducing(_reductions.reduce_any, "any", "whether one holds")
logsumexp = _reducing(_reductions.reduce_logsumexp, "logsumexp", "log(sum(exp(x)))")


def argmax(x: Any, axis: int = -1) -> Any:
    """Returns the position of the largest element along an axis."""
    return _reductions.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    """Returns the position of the smallest element along an axis."""
    return _reductions.argmin(x, axis)


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """Returns x brought into min_value .. max_value."""
    return _arrays.clip_by_value(x, min_value, max_value)


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """Returns x where it is positive, `alpha` times x elsewhere."""
    from penstock.layers.activations import relu as native

    return native(operand(x), float(alpha), max_value, float(threshold))


def softmax(x: Any, axis: int = -1) -> Any:
    """Returns exp(x) / sum(exp(x)) along an axis."""
    return nn.softmax(x, axis)


def one_hot(indices: Any, num_classes: int) -> Any:
    """Returns rows with a one at each index."""
    return _arrays.one_hot(indices, num_classes)


def zeros(shape: Any, dtype: Any = "float32", name: Any = None) -> Any:
    """Returns zeros."""
    return _arrays.zeros(shape, dtype)


def ones(shape: Any, dtype: Any = "float32", name: Any = None) -> Any:
    """Returns ones."""
    return _arrays.ones(shape, dtype)


def variable(value: Any, dtype: Any = None, name: Any = None, constraint: Any = None) -> Any:
    """Returns a new variable."""
    array = np.asarray(operand(value).numpy())
    array = array.astype(dtype or ("float32" if array.dtype.kind == "f" else array.dtype))
    made = KerasVariable(array, dtype=array.dtype, name=name)
    made.constraint = constraint
    return made


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws from the normal distribution."""
    return random.normal(shape, mean, stddev, dtype or "float32", seed)


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws between two numbers."""
    return random.uniform(shape, minval, maxval, dtype or "float32", seed)


def int_shape(x: Any) -> tuple[Any, ...]:
    """Returns the shape as a tuple."""
    return tuple(x.shape)


def ndim(x: Any) -> int:
    """Returns the number of axes."""
    return len(x.shape)


def get_value(x: Any) -> Any:
    """Returns the value as a NumPy array."""
    return operand(x).numpy()


eval = get_value


def set_value(x: Any, value: Any) -> None:
    """Assigns an array to a variable."""
    x.assign(np.asarray(value))


def is_keras_tensor(x: Any) -> bool:
    """Returns whether x is symbolic."""
    from penstock.tensorflow.keras._functional import KerasTensor

    return isinstance(x, KerasTensor)
