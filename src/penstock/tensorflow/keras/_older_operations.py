"""Functions of tf.keras.backend from before Keras 3 that stand on those of tf and on Keras' operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock import tensorflow as tf
from penstock.declared import named, row
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import ops
from penstock.tensorflow.keras._defaults import floatx
from penstock.tensorflow.keras._operations import seed_of
from penstock.trace.source_site import here

_OF_VARIABLES = 1_000_000_000
"""The seeds of random variables are drawn below this number."""
_FORMATS = {None: "channels_last", "channels_last": "channels_last", "channels_first": "channels_first"}


def _format(data_format: Any) -> str:
    if data_format not in _FORMATS:
        raise ArgumentError(f"Unknown data_format: {data_format}", site=here())
    return _FORMATS[data_format]


# -- elementwise ----------------------------------------------------------------------------------------

greater_equal = row(
    lambda x, y: tf.greater_equal(x, y),
    "tf.keras.backend.greater_equal",
    "Returns whether x >= y, elementwise.",
)
less_equal = row(
    lambda x, y: tf.less_equal(x, y), "tf.keras.backend.less_equal", "Returns whether x <= y, elementwise."
)
hard_sigmoid = row(
    lambda x: tf.clip_by_value(0.2 * tf.convert_to_tensor(x) + 0.5, 0.0, 1.0),
    "tf.keras.backend.hard_sigmoid",
    "Returns 0.2 x + 0.5 in 0 .. 1.",
)
cast_to_floatx = row(
    lambda x: tf.cast(x, floatx()) if tf.is_tensor(x) else np.asarray(x, floatx()),
    "tf.keras.backend.cast_to_floatx",
    "Returns x as Keras' dtype.",
)
cumsum = row(
    lambda x, axis=0: tf.cumsum(x, axis), "tf.keras.backend.cumsum", "Returns the sums up to each element."
)
cumprod = row(
    lambda x, axis=0: tf.math.cumprod(x, axis),
    "tf.keras.backend.cumprod",
    "Returns the products up to each element.",
)
std = row(
    lambda x, axis=None, keepdims=False: tf.math.reduce_std(x, axis, keepdims),
    "tf.keras.backend.std",
    "Returns the standard deviation.",
)
var = row(
    lambda x, axis=None, keepdims=False: tf.math.reduce_variance(x, axis, keepdims),
    "tf.keras.backend.var",
    "Returns the variance.",
)
reverse = row(
    lambda x, axes: tf.reverse(x, [axes] if isinstance(axes, int) else axes),
    "tf.keras.backend.reverse",
    "Returns x turned around along axes.",
)
repeat = row(
    lambda x, n: tf.repeat(tf.expand_dims(x, 1), n, 1),
    "tf.keras.backend.repeat",
    "Returns the rows of x, each n times.",
)
repeat_elements = row(
    lambda x, rep, axis: tf.repeat(x, rep, axis),
    "tf.keras.backend.repeat_elements",
    "Returns x with each slice of an axis `rep` times.",
)
in_top_k = row(
    lambda predictions, targets, k: tf.math.in_top_k(tf.cast(targets, "int32"), predictions, k),
    "tf.keras.backend.in_top_k",
    "Returns whether each target is among the k largest predictions.",
)


@named("tf.keras.backend.elu")
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Returns x, and alpha * (exp(x) - 1) where x is below 0."""
    found = tf.nn.elu(x)
    return found if alpha == 1 else tf.where(tf.convert_to_tensor(x) > 0, found, alpha * found)


@named("tf.keras.backend.bias_add")
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


@named("tf.keras.backend.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Any:
    """Returns (x - mean) / sqrt(var + epsilon) * gamma + beta, by broadcasting.

    `axis` does nothing, as in Keras: the operands say by their shapes which axis is theirs.
    """
    return tf.nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


@named("tf.keras.backend.switch")
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Returns one of two values, or of two functions' results; conditions with axes choose elements."""
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


@named("tf.keras.backend.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "int32") -> Any:
    """Returns numbers from `start`, or 0, up to `stop`, or `start`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.backend.arange(1, 7, 2).numpy())
    [1 3 5]
    """
    first, last = (start, stop) if stop is not None else (0, max(start, 0))
    return tf.cast(tf.range(first, last, step), dtype)


@named("tf.keras.backend.eye")
def eye(size: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns a variable that is the identity matrix."""
    return tf.Variable(tf.eye(size, dtype=dtype or floatx()), name=name)


@named("tf.keras.backend.truncated_normal")
def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws from the normal distribution, those beyond two standard deviations drawn again."""
    return tf.random.truncated_normal(shape, mean, stddev, dtype or floatx(), seed_of(seed))


@named("tf.keras.backend.random_bernoulli")
def random_bernoulli(shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """Returns ones with probability p, and zeros."""
    kind = dtype or floatx()
    return tf.cast(tf.random.uniform(shape, dtype=kind, seed=seed_of(seed)) <= p, kind)


@named("tf.keras.backend.random_normal_variable")
def random_normal_variable(
    shape: Any, mean: float, scale: float, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """Returns a variable that starts with draws from the normal distribution."""
    drawn = tf.random.normal(shape, mean, scale, dtype or floatx(), seed_of(seed, _OF_VARIABLES))
    return tf.Variable(drawn, name=name)


@named("tf.keras.backend.random_uniform_variable")
def random_uniform_variable(
    shape: Any, low: float, high: float, dtype: Any = None, name: Any = None, seed: Any = None
) -> Any:
    """Returns a variable that starts with draws between two numbers."""
    drawn = tf.random.uniform(shape, low, high, dtype or floatx(), seed_of(seed, _OF_VARIABLES))
    return tf.Variable(drawn, name=name)


@named("tf.keras.backend.dropout")
def dropout(x: Any, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Returns x with a random part `level` of its elements 0 and the others divided by 1 - level."""
    return tf.nn.dropout(x, level, noise_shape, seed_of(seed))


# -- read and written -----------------------------------------------------------------------------------


@named("tf.keras.backend.dtype")
def dtype(x: Any) -> str:
    """Returns the name of the dtype of a tensor."""
    return str(tf.as_dtype(x.dtype).name)


@named("tf.keras.backend.count_params")
def count_params(x: Any) -> int:
    """Returns how many elements a tensor has."""
    return int(np.prod(tuple(x.shape), dtype=np.int64))


@named("tf.keras.backend.to_dense")
def to_dense(tensor: Any) -> Any:
    """Returns a sparse tensor with all its elements, and any other as it is."""
    return tf.sparse.to_dense(tensor) if isinstance(tensor, tf.sparse.SparseTensor) else tensor


@named("tf.keras.backend.batch_get_value")
def batch_get_value(tensors: Any) -> list[Any]:
    """Returns the values of tensors and variables as arrays."""
    return [tf.convert_to_tensor(one).numpy() for one in tensors]


@named("tf.keras.backend.batch_set_value")
def batch_set_value(tuples: Any) -> None:
    """Assigns arrays to variables: pairs of a variable and its value."""
    for variable, value in tuples:
        variable.assign(np.asarray(value))


@named("tf.keras.backend.update")
def update(x: Any, new_x: Any) -> Any:
    """Assigns a value to a variable."""
    return x.assign(new_x)


@named("tf.keras.backend.update_add")
def update_add(x: Any, increment: Any) -> Any:
    """Adds to a variable."""
    return x.assign_add(increment)


@named("tf.keras.backend.update_sub")
def update_sub(x: Any, decrement: Any) -> Any:
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


@named("tf.keras.backend.moving_average_update")
def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """Moves a variable towards a value: x * momentum + value * (1 - momentum)."""
    rest = tf.cast(1.0 - momentum, x.dtype)
    return x.assign_sub((tf.convert_to_tensor(x) - tf.cast(value, x.dtype)) * rest)


@named("tf.keras.backend.map_fn")
def map_fn(fn: Any, elems: Any, name: Any = None, dtype: Any = None) -> Any:
    """Returns a function's result for each row."""
    return tf.map_fn(fn, elems, dtype=dtype)


@named("tf.keras.backend.foldl")
def foldl(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """Returns a function's fold over the rows, from the first to the last."""
    return tf.foldl(fn, elems, initializer=initializer)


@named("tf.keras.backend.foldr")
def foldr(fn: Any, elems: Any, initializer: Any = None, name: Any = None) -> Any:
    """Returns a function's fold over the rows, from the last to the first."""
    return tf.foldr(fn, elems, initializer=initializer)


# -- losses and layers ----------------------------------------------------------------------------------


@named("tf.keras.backend.binary_crossentropy")
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Returns the cross entropy of each element with a probability, or with the sigmoid of a logit."""
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    target = tf.convert_to_tensor(target)
    given = tf.clip_by_value(tf.convert_to_tensor(output), 1e-7, 1.0 - 1e-7)
    found = target * tf.math.log(given + 1e-7) + (1 - target) * tf.math.log(1 - given + 1e-7)
    return -found


@named("tf.keras.backend.categorical_crossentropy")
def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """Returns the cross entropy of rows of probabilities, or of logits, with the wanted ones."""
    target, output = tf.convert_to_tensor(target), tf.convert_to_tensor(output)
    if tuple(target.shape) != tuple(output.shape):
        raise ArgumentError(f"Shapes {target.shape} and {output.shape} are incompatible", site=here())
    return ops.categorical_crossentropy(target, output, from_logits, axis)


@named("tf.keras.backend.sparse_categorical_crossentropy")
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

    return row(
        apart if depthwise else plain,
        f"tf.keras.backend.{name}",
        f"Returns the convolution over {rank} axes, of one layout.",
    )


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

    return row(
        pool,
        f"tf.keras.backend.{name}",
        f"Returns the largest element, or the mean, of each window over {rank} axes.",
    )


pool2d, pool3d = _pooling("pool2d", 2), _pooling("pool3d", 3)


@named("tf.keras.backend.temporal_padding")
def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Returns sequences with zeros before and after: `padding` is the pair of their numbers."""
    return tf.pad(x, [[0, 0], [padding[0], padding[1]], [0, 0]])


def _padding(name: str, rank: int) -> Any:
    usual = ((1, 1),) * rank

    def pad(x: Any, padding: Any = usual, data_format: Any = None) -> Any:
        if len(padding) != rank:
            raise ArgumentError(f"{name}: padding is {padding!r}; give {rank} pairs.", site=here())
        sides = [list(pair) for pair in padding]
        last = _format(data_format) == "channels_last"
        return tf.pad(x, [[0, 0], *sides, [0, 0]] if last else [[0, 0], [0, 0], *sides])

    return row(pad, f"tf.keras.backend.{name}", f"Returns x with zeros around {rank} axes.")


spatial_2d_padding, spatial_3d_padding = _padding("spatial_2d_padding", 2), _padding("spatial_3d_padding", 3)
