"""tf.layers: layers as functions, whose variables are made by get_variable."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import _moments
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._graphs.build import lift as _lift
from penstock.tensorflow._graphs.variable import refuse_constraint as _refuse_constraint
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted as _tf
from penstock.trace.source_site import here as _here

_fused_moments = _lift(_moments.moments_of_kernel, type="FusedBatchNormV3")


def dense(
    inputs: Any,
    units: int,
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Any:
    """Returns activation(inputs @ kernel + bias), along the last axis of the inputs.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.dense(tf.placeholder(tf.float32, [None, 4]), 3, name="hidden")
    ...     print(y.shape, [v.name for v in tf.trainable_variables()])
    (None, 3) ['hidden/kernel:0', 'hidden/bias:0']
    """
    _refuse_constraint(kernel_constraint, bias_constraint)
    inputs = _tf.convert_to_tensor(inputs)
    width = inputs.shape[-1]
    if width is None:
        raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
    with _tf.variable_scope(name, "dense", reuse=reuse):
        kernel = _tf.get_variable(
            "kernel", [width, units], inputs.dtype, kernel_initializer, kernel_regularizer, trainable
        )
        if inputs.shape.ndims == 2:
            outputs = _tf.matmul(inputs, kernel)
        else:
            outputs = _tf.tensordot(inputs, kernel, [[inputs.shape.ndims - 1], [0]])
        if use_bias:
            start = _tf.zeros_initializer() if bias_initializer is None else bias_initializer
            bias = _tf.get_variable("bias", [units], inputs.dtype, start, bias_regularizer, trainable)
            outputs = _tf.nn.bias_add(outputs, bias)
        if activation is not None:
            outputs = activation(outputs)
        if activity_regularizer is not None:
            count = _tf.cast(_tf.shape(outputs)[0], outputs.dtype)
            _tf.add_to_collection(_tf.GraphKeys.REGULARIZATION_LOSSES, activity_regularizer(outputs) / count)
        return outputs


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: Any = None,
    training: Any = False,
    name: Any = None,
) -> Any:
    """Returns the inputs; while training, with a random part `rate` of them 0 and the rest scaled."""
    if training is False:
        return _tf.identity(inputs, name=name or "dropout/Identity")
    dropped = _tf.nn.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed, name=name)
    if training is True:
        return dropped
    inputs = _tf.convert_to_tensor(inputs)
    chosen = _tf.where(_tf.cast(training, _tf.bool), dropped, inputs)
    if hasattr(chosen, "set_shape"):
        # `training` is one bool, even where that is not known of a placeholder.
        chosen.set_shape(inputs.shape)
    return chosen


def flatten(inputs: Any, name: Any = None) -> Any:
    """Returns the inputs with all axes but the first joined."""
    inputs = _tf.convert_to_tensor(inputs)
    lengths = list(inputs.shape[1:])
    if None in lengths:
        return _tf.reshape(inputs, [_tf.shape(inputs)[0], -1], name=name or "flatten/Reshape")
    size = 1
    for one in lengths:
        size *= one
    return _tf.reshape(inputs, [-1, size], name=name or "flatten/Reshape")


def _activity(_tf: Any, outputs: Any, regularizer: Any) -> Any:
    """Adds a penalty on the outputs to the losses of the graph."""
    if regularizer is not None:
        _tf.add_to_collection(_tf.GraphKeys.REGULARIZATION_LOSSES, regularizer(outputs))
    return outputs


def _pair(value: Any, count: int = 2) -> list[int]:
    return [value] * count if isinstance(value, int) else [int(one) for one in value]


def _refuse_format(data_format: str) -> None:
    if data_format != "channels_last":
        raise _ArgumentError(
            f"data_format={data_format!r}: channels come last in penstock.tensorflow.",
            remedy="Turn the axes: tf.transpose(x, [0, 2, 3, 1]).",
            site=_here(),
        )


def _convolved(
    rank: int, word: str, inputs: Any, filters: int, kernel_size: Any, strides: Any, padding: str,
    data_format: str, dilation_rate: Any, activation: Any, use_bias: bool, initializers: tuple[Any, Any],
    regularizers: tuple[Any, Any, Any], constraints: tuple[Any, Any], trainable: bool, name: Any,
    reuse: Any,
) -> Any:  # fmt: skip
    _refuse_constraint(*constraints)
    _refuse_format(data_format)
    inputs = _tf.convert_to_tensor(inputs)
    with _tf.variable_scope(name, word, reuse=reuse):
        shape = [*_pair(kernel_size, rank), int(inputs.shape[-1]), filters]
        kernel = _tf.get_variable("kernel", shape, inputs.dtype, initializers[0], regularizers[0], trainable)
        outputs = _tf.nn.convolution(
            inputs,
            kernel,
            strides=_pair(strides, rank),
            padding=padding.upper(),
            dilations=_pair(dilation_rate, rank),
        )
        if use_bias:
            start = _tf.zeros_initializer() if initializers[1] is None else initializers[1]
            bias = _tf.get_variable("bias", [filters], inputs.dtype, start, regularizers[1], trainable)
            outputs = _tf.nn.bias_add(outputs, bias)
        outputs = outputs if activation is None else activation(outputs)
        return _activity(_tf, outputs, regularizers[2])


def conv1d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = None, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: Any = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of sequences with a kernel that is a variable, plus a bias."""
    return _convolved(
        1, "conv1d", inputs, filters, kernel_size, strides, padding, data_format, dilation_rate,
        activation, use_bias, (kernel_initializer, bias_initializer),
        (kernel_regularizer, bias_regularizer, activity_regularizer), (kernel_constraint, bias_constraint),
        trainable, name, reuse,
    )  # fmt: skip


def conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1), activation: Any = None,
    use_bias: bool = True, kernel_initializer: Any = None, bias_initializer: Any = None,
    kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: Any = None,
    reuse: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of pictures with a kernel that is a variable, plus a bias.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    ...     y = tf.layers.conv2d(x, 4, 3, padding="same", name="first")
    ...     print(y.shape, [v.name for v in tf.trainable_variables()])
    (None, 8, 8, 4) ['first/kernel:0', 'first/bias:0']
    """
    return _convolved(
        2, "conv2d", inputs, filters, kernel_size, strides, padding, data_format, dilation_rate,
        activation, use_bias, (kernel_initializer, bias_initializer),
        (kernel_regularizer, bias_regularizer, activity_regularizer), (kernel_constraint, bias_constraint),
        trainable, name, reuse,
    )  # fmt: skip


def conv2d_transpose(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = None, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: Any = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """Returns the transposed convolution of pictures with a kernel that is a variable, plus a bias."""
    _refuse_constraint(kernel_constraint, bias_constraint)
    _refuse_format(data_format)
    inputs = _tf.convert_to_tensor(inputs)
    with _tf.variable_scope(name, "conv2d_transpose", reuse=reuse):
        size, step = _pair(kernel_size), _pair(strides)
        shape = [*size, filters, int(inputs.shape[-1])]
        kernel = _tf.get_variable(
            "kernel", shape, inputs.dtype, kernel_initializer, kernel_regularizer, trainable
        )
        valid = padding.lower() == "valid"
        lengths = [
            int(inputs.shape[axis + 1]) * step[axis] + (max(size[axis] - step[axis], 0) if valid else 0)
            for axis in (0, 1)
        ]
        batch = inputs.shape[0]
        count = _tf.shape(inputs)[0] if batch is None else int(batch)
        outputs = _tf.nn.conv2d_transpose(inputs, kernel, [count, *lengths, filters], step, padding.upper())
        if use_bias:
            start = _tf.zeros_initializer() if bias_initializer is None else bias_initializer
            bias = _tf.get_variable("bias", [filters], inputs.dtype, start, bias_regularizer, trainable)
            outputs = _tf.nn.bias_add(outputs, bias)
        outputs = outputs if activation is None else activation(outputs)
        return _activity(_tf, outputs, activity_regularizer)


def max_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window of pictures."""
    _refuse_format(data_format)
    return _tf.nn.max_pool2d(inputs, _pair(pool_size), _pair(strides), padding.upper(), name=name)


def average_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of pictures."""
    _refuse_format(data_format)
    return _tf.nn.avg_pool2d(inputs, _pair(pool_size), _pair(strides), padding.upper(), name=name)


def max_pooling1d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window of sequences."""
    _refuse_format(data_format)
    wide = _tf.expand_dims(_tf.convert_to_tensor(inputs), 1)
    size, step = [1, *_pair(pool_size, 1)], [1, *_pair(strides, 1)]
    return _tf.squeeze(_tf.nn.max_pool2d(wide, size, step, padding.upper()), [1], name=name)


def batch_normalization(
    inputs: Any, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True,
    scale: bool = True, beta_initializer: Any = None, gamma_initializer: Any = None,
    moving_mean_initializer: Any = None, moving_variance_initializer: Any = None,
    beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
    gamma_constraint: Any = None, training: Any = False, trainable: bool = True, name: Any = None,
    reuse: Any = None, renorm: bool = False, renorm_clipping: Any = None, renorm_momentum: float = 0.99,
    fused: Any = None, virtual_batch_size: Any = None, adjustment: Any = None,
) -> Any:  # fmt: skip
    """Returns the inputs with mean 0 and variance 1 along an axis, times gamma, plus beta.

    While training, of the batch; the moving averages are updated by operations in the collection
    GraphKeys.UPDATE_OPS, which a program has to run. `training` may be a tensor.
    """
    _refuse_constraint(beta_constraint, gamma_constraint)
    if renorm or virtual_batch_size is not None or adjustment is not None or renorm_clipping is not None:
        raise _ArgumentError(
            f"batch_normalization: renorm (momentum {renorm_momentum}), virtual_batch_size and adjustment "
            f"are not "
            "taken.",
            site=_here(),
        )
    inputs = _tf.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    place = axis % rank
    axes = [n for n in range(rank) if n != place]
    size = [int(inputs.shape[place])]
    around = [1] * place + size + [1] * (rank - place - 1)

    def variable(word: str, start: Any, regularizer: Any = None, trained: bool = True) -> Any:
        made = _tf.get_variable(word, size, inputs.dtype, start, regularizer, trainable and trained)
        return made

    with _tf.variable_scope(name, "batch_normalization", reuse=reuse):
        zeros, ones = _tf.zeros_initializer(), _tf.ones_initializer()
        gamma = variable("gamma", gamma_initializer or ones, gamma_regularizer) if scale else None
        beta = variable("beta", beta_initializer or zeros, beta_regularizer) if center else None
        moving_mean = variable("moving_mean", moving_mean_initializer or zeros, None, False)
        moving_variance = variable("moving_variance", moving_variance_initializer or ones, None, False)
        mean, variance = moving_mean, moving_variance
        if training is not False:
            as_kernel = fused is not False and rank == 4
            batch_mean, batch_variance = (_fused_moments if as_kernel else _tf.nn.moments)(inputs, axes)
            kept_variance = batch_variance
            if as_kernel:
                # TensorFlow's fused kernel keeps the variance of the sample.
                count = _tf.cast(_tf.size(inputs), inputs.dtype) / float(size[0])
                kept_variance = batch_variance * count / _tf.maximum(count - 1.0, 1.0)
            on = None if training is True else _tf.cast(training, _tf.bool)
            for moving, found in ((moving_mean, batch_mean), (moving_variance, kept_variance)):
                change = (moving - found) * (1.0 - momentum)
                change = (
                    change
                    if on is None
                    else _tf.where(_tf.broadcast_to(on, size), change, _tf.zeros_like(change))
                )
                _tf.add_to_collection(_tf.GraphKeys.UPDATE_OPS, _tf.assign_sub(moving, change))
            if on is None:
                mean, variance = batch_mean, batch_variance
            else:
                chosen = _tf.broadcast_to(on, size)
                mean = _tf.where(chosen, batch_mean, _tf.identity(moving_mean))
                variance = _tf.where(chosen, batch_variance, _tf.identity(moving_variance))
        parts = [None if one is None else _tf.reshape(one, around) for one in (mean, variance, beta, gamma)]
        return _tf.nn.batch_normalization(inputs, *parts, epsilon)


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.layers", globals())
