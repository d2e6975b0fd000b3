"""tf.layers: layers as functions, whose variables are made by get_variable."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._graphs.variable import refuse_constraint as _refuse_constraint
from penstock.tensorflow._names import absent as _absent


def _names() -> Any:
    from penstock.tensorflow.compat import v1

    return v1


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
    tf = _names()
    inputs = tf.convert_to_tensor(inputs)
    width = inputs.shape[-1]
    if width is None:
        raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
    with tf.variable_scope(name, "dense", reuse=reuse):
        kernel = tf.get_variable(
            "kernel", [width, units], inputs.dtype, kernel_initializer, kernel_regularizer, trainable
        )
        if inputs.shape.ndims == 2:
            outputs = tf.matmul(inputs, kernel)
        else:
            outputs = tf.tensordot(inputs, kernel, [[inputs.shape.ndims - 1], [0]])
        if use_bias:
            start = tf.zeros_initializer() if bias_initializer is None else bias_initializer
            bias = tf.get_variable("bias", [units], inputs.dtype, start, bias_regularizer, trainable)
            outputs = tf.nn.bias_add(outputs, bias)
        if activation is not None:
            outputs = activation(outputs)
        if activity_regularizer is not None:
            count = tf.cast(tf.shape(outputs)[0], outputs.dtype)
            tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, activity_regularizer(outputs) / count)
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
    tf = _names()
    if training is False:
        return tf.identity(inputs, name=name or "dropout/Identity")
    dropped = tf.nn.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed, name=name)
    if training is True:
        return dropped
    return tf.where(tf.cast(training, tf.bool), dropped, tf.convert_to_tensor(inputs))


def flatten(inputs: Any, name: Any = None) -> Any:
    """Returns the inputs with all axes but the first joined."""
    tf = _names()
    inputs = tf.convert_to_tensor(inputs)
    lengths = list(inputs.shape[1:])
    if None in lengths:
        return tf.reshape(inputs, [tf.shape(inputs)[0], -1], name=name or "flatten/Reshape")
    size = 1
    for one in lengths:
        size *= one
    return tf.reshape(inputs, [-1, size], name=name or "flatten/Reshape")


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.compat.v1.layers", name, __all__)


__all__ = ["dense", "dropout", "flatten"]
