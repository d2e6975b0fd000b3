"""tf.nn: activations, cross-entropies and embeddings under TensorFlow's names."""

from __future__ import annotations

import sys as _sys
from typing import Any

import numpy as _np

from penstock.functions import losses as _losses
from penstock.functions import nn as _nn
from penstock.functions import random as _random
from penstock.ops import index as _index
from penstock.ops import pointwise as _pointwise
from penstock.ops import reduce as _reduce
from penstock.ops import shape as _arrange
from penstock.ops import table as _table
from penstock.ops.validation import plain as _plain
from penstock.tensorflow._convert import integers as _integers
from penstock.tensorflow._convert import lengths_of as _lengths_of
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._convert import same_dtype as _same_dtype
from penstock.tensorflow._convolution import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from penstock.tensorflow._elementwise import composed as _composed
from penstock.tensorflow._elementwise import log_sigmoid, sigmoid, softplus, tanh
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import InvalidArgumentError as _InvalidArgumentError
from penstock.tensorflow._errors import mixed as _mixed
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._nn_more import (
    batch_normalization,
    crelu,
    depth_to_space,
    gelu,
    local_response_normalization,
    log_poisson_loss,
    scale_regularization_loss,
    space_to_depth,
    weighted_cross_entropy_with_logits,
    weighted_moments,
)
from penstock.tensorflow._nn_more import center_of as _center_of
from penstock.tensorflow._ordering import (
    in_top_k,
    top_k,
)
from penstock.tensorflow._reductions import l2_normalize
from penstock.tensorflow._reductions import narrowed as _narrowed
from penstock.tensorflow._reductions import reduced as _reduced
from penstock.tensorflow._reductions import widened as _widened
from penstock.tensorflow._seeds import key_of as _key_of
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow._tensor_shape import brackets as _brackets
from penstock.trace.fast_path import find as _find
from penstock.trace.source_site import here as _here

_frame = _sys._getframe


# -- activations ----------------------------------------------------------------------------------------


def relu(features: Any, name: Any = None) -> _EagerTensor:
    """Returns x where it is positive, 0 elsewhere."""
    found: Any = _find(_pointwise.relu.code, features)
    if found is not None:
        return found  # type: ignore[no-any-return]
    return _record(_pointwise.relu, (_operand(features),), {}, _frame(1))


def relu6(features: Any, name: Any = None) -> _EagerTensor:
    """Returns x between 0 and 6, 0 below and 6 above; on the borders the slope is 0."""
    frame = _frame(1)
    x = _operand(features)
    below = _record(_pointwise.less, (x, 6), {}, frame)
    return _record(_pointwise.where, (below, _record(_pointwise.relu, (x,), {}, frame), 6), {}, frame)


def leaky_relu(features: Any, alpha: float = 0.2, name: Any = None) -> _EagerTensor:
    """Returns x where it is positive, `alpha` times x elsewhere."""
    return _composed(_nn.leaky_relu, "leaky_relu", (_operand(features),), negative_slope=alpha)


def elu(features: Any, name: Any = None) -> _EagerTensor:
    """Returns x where it is positive, exp(x) - 1 elsewhere."""
    return _composed(_nn.elu, "elu", (_operand(features),))


def selu(features: Any, name: Any = None) -> _EagerTensor:
    """Returns 1.0507 x where x is positive, 1.7581 (exp(x) - 1) elsewhere (Klambauer et al., 2017)."""
    scaled = _composed(_nn.elu, "selu", (_operand(features),), alpha=1.6732632423543772)
    return _record(_pointwise.multiply, (scaled, 1.0507009873554805), {}, _frame(1))


def silu(features: Any, beta: float = 1.0) -> _EagerTensor:
    """Returns x * sigmoid(beta * x)."""
    frame = _frame(1)
    x, beta = _operand(features), _plain(beta)
    if beta == 1.0:
        return _composed(_nn.silu, "silu", (x,))
    inner = _record(_pointwise.multiply, (x, beta), {}, frame)
    return _record(_pointwise.multiply, (x, _record(_pointwise.sigmoid, (inner,), {}, frame)), {}, frame)


swish = silu


def softsign(features: Any, name: Any = None) -> _EagerTensor:
    """Returns x / (1 + abs(x))."""
    frame = _frame(1)
    x = _operand(features)
    size = _record(_pointwise.absolute, (x,), {}, frame)
    return _record(_pointwise.divide, (x, _record(_pointwise.add, (size, 1), {}, frame)), {}, frame)


def softmax(logits: Any, axis: Any = None, name: Any = None) -> _EagerTensor:
    """Returns exp(x) / sum(exp(x)) along an axis, the last one if none is named, without overflow."""
    return _normalised(_nn.softmax, "softmax", logits, axis)


def log_softmax(logits: Any, axis: Any = None, name: Any = None) -> _EagerTensor:
    """Returns x - log(sum(exp(x))) along an axis, the last one if none is named, without overflow."""
    return _normalised(_nn.log_softmax, "log_softmax", logits, axis)


def _normalised(function: Any, name: str, logits: Any, axis: Any) -> _EagerTensor:
    x = _operand(logits)
    if not x._spec.shape:
        raise _InvalidArgumentError("logits must have >= 1 dimension, got []", site=_here())
    return _composed(function, name, (x,), axis=-1 if axis is None else int(axis))


# -- cross-entropies ------------------------------------------------------------------------------------


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: Any = None,
) -> _EagerTensor:
    """Returns -log of the probability of dense label sequences, over all alignments; the blank is class 0.

    `logits` are [time, batch, classes], or [batch, time, classes] with logits_time_major=False, `labels`
    [batch, length]. `unique`, which only makes TensorFlow faster, is not checked.

    >>> from penstock import tensorflow as tf
    >>> loss = tf.nn.ctc_loss([[1]], tf.zeros((2, 1, 3)), label_length=[1], logit_length=[2])
    >>> print(tf.exp(-loss).numpy().round(4))
    [0.3333]
    """
    if not hasattr(labels, "__array__") and hasattr(labels, "indices"):
        raise _ArgumentError(
            "ctc_loss was given sparse labels.",
            remedy="Give dense ones, [batch, length], with label_length.",
            site=_here(),
        )
    return _losses.ctc(  # type: ignore[return-value]
        _operand(logits),
        _integers(labels, "T", "int32, int64"),
        None if logit_length is None else _integers(logit_length, "T", "int32, int64"),
        None if label_length is None else _integers(label_length, "T", "int32, int64"),
        blank=0 if blank_index is None else int(blank_index),
        time_major=bool(logits_time_major),
    )


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: Any = None) -> _EagerTensor:
    """Returns -log(softmax(logits)) at the labels: integers from 0, one for each row of logits.

    >>> from penstock import tensorflow as tf
    >>> print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]))
    tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    labels, logits = _integers(labels, "Tlabels", "int32, int64"), _operand(logits)
    if labels._spec.shape != logits._spec.shape[:-1]:
        raise _ArgumentError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}",
            remedy="One-hot labels go to tf.nn.softmax_cross_entropy_with_logits.",
            site=_here(),
        )
    return _composed(_losses.softmax_cross_entropy, "sparse_softmax_cross_entropy", (logits, labels))


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: Any = None
) -> _EagerTensor:
    """Returns -sum(labels * log(softmax(logits))) along the last axis: labels are probabilities."""
    frame = _frame(1)
    labels, logits = _operand(labels), _operand(logits)
    if axis not in (-1, len(logits._spec.shape) - 1):
        raise _ArgumentError(
            "softmax_cross_entropy_with_logits along another axis than the last is not in "
            "penstock.tensorflow yet.",
            remedy="Transpose logits and labels first.",
            site=_here(),
        )
    if labels._spec.dtype != logits._spec.dtype:
        labels = _record(_table.cast, (labels,), {"dtype": logits._spec.dtype}, frame)
    if labels._spec.shape != logits._spec.shape:
        labels = _record(_arrange.broadcast_to, (labels,), {"shape": logits._spec.shape}, frame)
    return _composed(_losses.softmax_cross_entropy, "softmax_cross_entropy", (logits, labels))


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: Any = None
) -> _EagerTensor:
    """Returns the binary cross-entropy of logits and labels in 0 .. 1, elementwise, without overflow."""
    labels, logits = _operand(labels), _operand(logits)
    if labels._spec.shape != logits._spec.shape:
        raise _ArgumentError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape}).",
            site=_here(),
        )
    if labels._spec.dtype != logits._spec.dtype:
        raise _mixed("multiply", 1, logits._spec.dtype, labels._spec.dtype, _here())
    return _composed(_losses.sigmoid_cross_entropy, "sigmoid_cross_entropy", (logits, labels))


# -- embeddings and others ------------------------------------------------------------------------------


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> _EagerTensor:
    """Returns the rows of a table at `ids`. Its gradient by a variable is a `tf.IndexedSlices`."""
    if isinstance(params, list | tuple) and len(params) == 1:
        params = params[0]
    if max_norm is not None:
        raise _ArgumentError(
            "embedding_lookup with max_norm is not supported by penstock.tensorflow yet.", site=_here()
        )
    return _record(
        _index.take,
        (_operand(params), _integers(ids, "Tindices", "int16, int32, int64")),
        {"axis": 0},
        _frame(1),
    )


_FORMATS = ("NWC", "NCW", "NDHWC", "NCDHW", "N...C", "NC...")


def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> _EagerTensor:
    """Returns value + bias, where bias is a vector as long as the axis of channels.

    That is the last axis, or axis 1 where `data_format` begins with "NC".
    """
    frame = _frame(1)
    words = (None, "NHWC", "NCHW") if data_format is None or len(data_format) == 4 else _FORMATS
    if data_format not in words:
        raise _ArgumentError("`data_format` must be of the form `N...C` or `NC...`", site=_here())
    value, bias = _same_dtype((value, bias), "BiasAdd")
    first = bool(data_format) and data_format.startswith("NC") and len(value._spec.shape) > 2
    if len(bias._spec.shape) != 1 or bias._spec.shape[0] != value._spec.shape[1 if first else -1]:
        raise _InvalidArgumentError(
            f"Must provide as many biases as the {'channel' if first else 'last'} dimension of the input "
            f"tensor: {_brackets(bias._spec.shape)} vs. {_brackets(value._spec.shape)}",
            site=_here(),
        )
    if first:
        lengths = (*bias._spec.shape, *[1] * (len(value._spec.shape) - 2))
        bias = _record(_arrange.reshape, (bias,), {"shape": lengths}, frame)
    return _record(_pointwise.add, (value, bias), {}, frame)


def l2_loss(t: Any, name: Any = None) -> _EagerTensor:
    """Returns half the sum of squares."""
    frame = _frame(1)
    squares = _record(_pointwise.square, (_operand(t),), {}, frame)
    return _record(_pointwise.multiply, (_reduced(_reduce.sum, squares, None, False, frame), 0.5), {}, frame)


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: Any = None
) -> tuple[Any, Any]:
    """Returns the mean and the variance over some axes."""
    frame = _frame(1)
    own = _operand(x)
    x = _widened(own, frame)
    mean = _reduced(_reduce.mean, x, axes, True, frame)
    center = _center_of(mean)
    distance = _record(_pointwise.square, (_record(_pointwise.subtract, (x, center), {}, frame),), {}, frame)
    variance = _reduced(_reduce.mean, distance, axes, keepdims, frame)
    mean = mean if keepdims else _reduced(_reduce.mean, x, axes, False, frame)
    return _narrowed(mean, own, frame), _narrowed(variance, own, frame)


def dropout(x: Any, rate: float, noise_shape: Any = None, seed: Any = None, name: Any = None) -> _EagerTensor:
    """Returns x with a random part `rate` of its elements 0 and the others divided by 1 - rate."""
    frame = _frame(1)
    x, rate = _operand(x), _plain(rate)
    if not 0 <= rate < 1:
        raise _ArgumentError(
            f"`rate` must be a scalar or scalar tensor in the range [0, 1). Received: {rate}", site=_here()
        )
    lengths = x._spec.shape if noise_shape is None else _lengths_of(noise_shape)
    drawn = _random.uniform(lengths, key=_key_of(seed, "dropout"))
    kept = _record(_pointwise.greater_equal, (drawn, float(rate)), {}, frame)
    scaled = _record(_pointwise.multiply, (x, 1.0 / (1.0 - rate)), {}, frame)
    return _record(_pointwise.where, (kept, scaled, 0.0), {}, frame)


def zero_fraction(value: Any, name: Any = None) -> _EagerTensor:
    """Returns which part of the elements is zero."""
    frame = _frame(1)
    zero = _record(_pointwise.equal, (_operand(value), 0), {}, frame)
    truths = _record(_table.cast, (zero,), {"dtype": _np.dtype(_np.float32)}, frame)
    return _reduced(_reduce.mean, truths, None, False, frame)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.nn", name, __all__)


__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_normalization",
    "bias_add",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_loss",
    "depth_to_space",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_sigmoid",
    "log_softmax",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "moments",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]
