"""Functions of tf.keras.backend from before Keras 3 that stand on those of tf and on Keras' operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock import tensorflow as tf
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import ops
from penstock.trace.source_site import here

_FORMATS = {None: "channels_last", "channels_last": "channels_last", "channels_first": "channels_first"}


def _format(data_format: Any) -> str:
    if data_format not in _FORMATS:
        raise ArgumentError(f"Unknown data_format: {data_format}", site=here())
    return _FORMATS[data_format]


def _row(name: str, function: Any, purpose: str) -> Any:
    """Makes a function that gives its arguments on, by the parameters of another."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns {purpose}."
    return function


# -- elementwise ----------------------------------------------------------------------------------------

greater_equal = _row("greater_equal", lambda x, y: tf.greater_equal(x, y), "whether x >= y, elementwise")
less_equal = _row("less_equal", lambda x, y: tf.less_equal(x, y), "whether x <= y, elementwise")
hard_sigmoid = _row(
    "hard_sigmoid",
    lambda x: tf.clip_by_value(0.2 * tf.convert_to_tensor(x) + 0.5, 0.0, 1.0),
    "0.2 x + 0.5 in 0 .. 1",
)
cast_to_floatx = _row("cast_to_floatx", lambda x: tf.cast(x, "float32"), "x as float32")
cumsum = _row("cumsum", lambda x, axis=0: tf.cumsum(x, axis), "the sums up to each element")
cumprod = _row("cumprod", lambda x, axis=0: tf.math.cumprod(x, axis), "the products up to each element")
std = _row(
    "std",
    lambda x, axis=None, keepdims=False: tf.math.reduce_std(x, axis, keepdims),
    "the standard deviation",
)
var = _row(
    "var", lambda x, axis=None, keepdims=False: tf.math.reduce_variance(x, axis, keepdims), "the variance"
)
reverse = _row(
    "reverse",
    lambda x, axes: tf.reverse(x, [axes] if isinstance(axes, int) else axes),
    "x turned around along axes",
)
repeat = _row("repeat", lambda x, n: tf.repeat(tf.expand_dims(x, 1), n, 1), "the rows of x, each n times")
repeat_elements = _row(
    "repeat_elements",
    lambda x, rep, axis: tf.repeat(x, rep, axis),
    "x with each slice of an axis `rep` times",
)
in_top_k = _row(
    "in_top_k",
    lambda predictions, targets, k: tf.math.in_top_k(tf.cast(targets, "int32"), predictions, k),
    "whether each target is among the k largest predictions",
)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Returns x, and alpha * (exp(x) - 1) where x is below 0."""
    found = tf.nn.elu(x)
    return found if alpha == 1 else tf.where(tf.convert_to_tensor(x) > 0, found, alpha * found)


def bias_add(x: Any, bias: Any, data_format: Any = None) -> Any:
    """Returns x + bias: a bias with one axis is that of the channels, another has all axes but the first."""
    layout = _format(data_format)
    x, bias = tf.convert_to_tensor(x), tf.convert_to_tensor(bias)
    lengths = bias.shape.as_list()
    if len(lengths) not in (1, len(x.shape) - 1):
        raise ArgumentError(
            f"Unexpected bias dimensions {len(lengths)}. Expected it to be 1 or {len(x.shape) - 1} "
            "dimensions",
            site=here(),
        )
    if layout == "channels_first" and len(x.shape) > 2:
        turned = (
            [lengths[0], *[1] * (len(x.shape) - 2)] if len(lengths) == 1 else [lengths[-1], *lengths[:-1]]
        )
        return x + tf.reshape(bias, [1, *turned])
    return tf.nn.bias_add(x, bias) if len(lengths) == 1 else x + tf.reshape(bias, [1, *lengths])


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Any:
    """Returns (x - mean) / sqrt(var + epsilon) * gamma + beta, by broadcasting.

    `axis` does nothing, as in Keras: the operands say by their shapes which axis is theirs.
    """
    return tf.nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Returns one of two values, or of what two functions give; truths with axes choose elements."""
    if len(tf.convert_to_tensor(condition).shape) == 0:

        def called(one: Any) -> Any:
            return one if callable(one) and not tf.is_tensor(one) else lambda: one

        return tf.cond(tf.cast(condition, "bool"), called(then_expression), called(else_expression))
    first, second = (
        one() if callable(one) and not tf.is_tensor(one) else tf.convert_to_tensor(one)
        for one in (then_expression, else_expression)
    )
    given = tf.cast(condition, "bool")
    if len(given.shape) > 1:
        given = tf.reshape(given, [*given.shape, *[1] * (len(first.shape) - len(given.shape))])
    return tf.where(given, first, second)


# -- made -----------------------------------------------------------------------------------------------


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "int32") -> Any:
    """Returns numbers from `start`, or 0, up to `stop`, or `start`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.backend.arange(1, 7, 2).numpy())
    [1 3 5]
    """
    first, last = (start, stop) if stop is not None else (0, max(start, 0))
    return tf.cast(tf.range(first, last, step), dtype)


def eye(size: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns a variable that is the identity matrix."""
    return tf.Variable(tf.eye(size, dtype=dtype or "float32"), name=name)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws from the normal distribution, those beyond two standard deviations drawn again."""
    return tf.random.truncated_normal(shape, mean, stddev, dtype or "float32", seed)


def random_bernoulli(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """Returns ones with probability p, and zeros."""
    return tf.cast(tf.random.uniform(shape, seed=seed) <= p, dtype or "float32")


def random_normal_variable(
    shape: Any, mean: float, scale: float, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """Returns a variable that starts with draws from the normal distribution."""
    return tf.Variable(tf.random.normal(shape, mean, scale, dtype or "float32", seed), name=name)


def random_uniform_variable(
    shape: Any, low: float, high: float, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """Returns a variable that starts with draws between two numbers."""
    return tf.Variable(tf.random.uniform(shape, low, high, dtype or "float32", seed), name=name)


def dropout(x: Any, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Returns x with a random part `level` of its elements 0 and the others divided by 1 - level."""
    return tf.nn.dropout(x, level, noise_shape, seed)


# -- read and written -----------------------------------------------------------------------------------


def backend() -> str:
    """Returns what computes, by Keras' name for it."""
    return "tensorflow"


def dtype(x: Any) -> str:
    """Returns the name of the dtype of a tensor."""
    return str(tf.as_dtype(x.dtype).name)


def count_params(x: Any) -> int:
    """Returns how many elements a tensor has."""
    return int(np.prod(tuple(x.shape), dtype=np.int64))


def to_dense(tensor: Any) -> Any:
    """Returns a sparse tensor with all its elements, and any other as it is."""
    return tf.sparse.to_dense(tensor) if isinstance(tensor, tf.sparse.SparseTensor) else tensor


def batch_get_value(tensors: Any) -> list[Any]:
    """Returns the values of tensors and variables as arrays."""
    return [tf.convert_to_tensor(one).numpy() for one in tensors]


def batch_set_value(tuples: Any) -> None:
    """Assigns arrays to variables: pairs of a variable and its value."""
    for variable, value in tuples:
        variable.assign(np.asarray(value))


def update(x: Any, new_x: Any) -> Any:
    """Assigns a value to a variable."""
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Adds to a variable."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """Moves a variable towards a value: x * momentum + value * (1 - momentum)."""
    rest = tf.cast(1.0 - momentum, x.dtype)
    return x.assign_sub((tf.convert_to_tensor(x) - tf.cast(value, x.dtype)) * rest)


def map_fn(fn: Any, elems: Any, name: Any = None, dtype: Any = None) -> Any:
    """Returns what a function gives for each row."""
    return tf.map_fn(fn, elems, dtype=dtype)


def foldl(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """Returns what a function makes of the rows, one after another, from the first on."""
    return tf.foldl(fn, elems, initializer=initializer)


def foldr(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """Returns what a function makes of the rows, one after another, from the last on."""
    return tf.foldr(fn, elems, initializer=initializer)


# -- losses and layers ----------------------------------------------------------------------------------


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Returns the cross entropy of each element with a probability, or with the sigmoid of a logit."""
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    target = tf.convert_to_tensor(target)
    given = tf.clip_by_value(tf.convert_to_tensor(output), 1e-7, 1.0 - 1e-7)
    found = target * tf.math.log(given + 1e-7) + (1 - target) * tf.math.log(1 - given + 1e-7)
    return -found


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """Returns the cross entropy of rows of probabilities, or of logits, with the wanted ones."""
    target, output = tf.convert_to_tensor(target), tf.convert_to_tensor(output)
    if tuple(target.shape) != tuple(output.shape):
        raise ArgumentError(f"Shapes {target.shape} and {output.shape} are incompatible", site=here())
    return ops.categorical_crossentropy(target, output, from_logits, axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1, ignore_class: Any = None
) -> Any:
    """Returns the cross entropy of rows of probabilities, or of logits, with classes given as numbers."""
    if ignore_class is not None:
        raise ArgumentError("ignore_class is not supported by penstock.tensorflow yet.", site=here())
    return ops.sparse_categorical_crossentropy(tf.cast(target, "int64"), output, from_logits, axis)


def _convolving(name: str, rank: int, depthwise: bool = False) -> Any:
    ones = 1 if rank == 1 else (1,) * rank

    def plain(
        x: Any, kernel: Any, strides: Any = ones, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = ones,
    ) -> Any:  # fmt: skip
        return ops.conv(x, kernel, strides, padding, _format(data_format), dilation_rate)

    def apart(
        x: Any, depthwise_kernel: Any, strides: Any = ones, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = ones,
    ) -> Any:  # fmt: skip
        return ops.depthwise_conv(x, depthwise_kernel, strides, padding, _format(data_format), dilation_rate)

    return _row(name, apart if depthwise else plain, f"the convolution over {rank} axes, of one layout")


conv1d, conv2d, conv3d = (_convolving(f"conv{rank}d", rank) for rank in (1, 2, 3))
depthwise_conv2d = _convolving("depthwise_conv2d", 2, True)


def _pooling(name: str, rank: int) -> Any:
    def pool(
        x: Any, pool_size: Any, strides: Any = (1,) * rank, padding: str = "valid", data_format: Any = None,
        pool_mode: str = "max",
    ) -> Any:  # fmt: skip
        if pool_mode not in ("max", "avg"):
            raise ArgumentError(f"Invalid pooling mode: {pool_mode}", site=here())
        function = ops.max_pool if pool_mode == "max" else ops.average_pool
        return function(x, pool_size, strides, padding, _format(data_format))

    return _row(name, pool, f"the largest element, or the mean, of each window over {rank} axes")


pool2d, pool3d = _pooling("pool2d", 2), _pooling("pool3d", 3)


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Returns sequences with so many zeros before and after."""
    return tf.pad(x, [[0, 0], [padding[0], padding[1]], [0, 0]])


def _padding(name: str, rank: int) -> Any:
    usual = ((1, 1),) * rank

    def pad(x: Any, padding: Any = usual, data_format: Any = None) -> Any:
        if len(padding) != rank:
            raise ArgumentError(f"{name}: padding is {padding!r}; give {rank} pairs.", site=here())
        sides = [list(pair) for pair in padding]
        last = _format(data_format) == "channels_last"
        return tf.pad(x, [[0, 0], *sides, [0, 0]] if last else [[0, 0], [0, 0], *sides])

    return _row(name, pad, f"x with zeros around {rank} axes")


spatial_2d_padding, spatial_3d_padding = _padding("spatial_2d_padding", 2), _padding("spatial_3d_padding", 3)
