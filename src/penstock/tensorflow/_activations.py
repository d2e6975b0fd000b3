"""Activations of neurons, and normalised exponentials."""

from __future__ import annotations

import sys
from typing import Any

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import nn
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.ops.validation import plain
from penstock.tensorflow._convert import axis_of, operand, record
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.fast_path import find
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@named("tf.nn.relu")
def relu(features: Any, name: Any = None) -> EagerTensor:
    """Returns x where it is positive, 0 elsewhere."""
    found: Any = find(pointwise.relu.code, features)
    if found is not None:
        return found  # type: ignore[no-any-return]
    return record(pointwise.relu, (operand(features),), {}, _frame(1))


@named("tf.nn.relu6")
def relu6(features: Any, name: Any = None) -> EagerTensor:
    """Returns x between 0 and 6, 0 below and 6 above; on the borders the slope is 0."""
    frame = _frame(1)
    x = operand(features)
    below = record(pointwise.less, (x, 6), {}, frame)
    return record(pointwise.where, (below, record(pointwise.relu, (x,), {}, frame), 6), {}, frame)


@named("tf.nn.leaky_relu")
def leaky_relu(features: Any, alpha: float = 0.2, name: Any = None) -> EagerTensor:
    """Returns x where it is positive, `alpha` times x elsewhere."""
    return composed(nn.leaky_relu, "leaky_relu", (operand(features),), negative_slope=alpha)


@named("tf.nn.elu")
def elu(features: Any, name: Any = None) -> EagerTensor:
    """Returns x where it is positive, exp(x) - 1 elsewhere."""
    return composed(nn.elu, "elu", (operand(features),))


@named("tf.nn.selu")
def selu(features: Any, name: Any = None) -> EagerTensor:
    """Returns 1.0507 x where x is positive, 1.7581 (exp(x) - 1) elsewhere (Klambauer et al., 2017)."""
    scaled = composed(nn.elu, "selu", (operand(features),), alpha=1.6732632423543772)
    return record(pointwise.multiply, (scaled, 1.0507009873554805), {}, _frame(1))


@named("tf.nn.silu", "tf.nn.swish")
def silu(features: Any, beta: float = 1.0) -> EagerTensor:
    """Returns x * sigmoid(beta * x)."""
    frame = _frame(1)
    x, beta = operand(features), plain(beta)
    if beta == 1.0:
        return composed(nn.silu, "silu", (x,))
    inner = record(pointwise.multiply, (x, beta), {}, frame)
    return record(pointwise.multiply, (x, record(pointwise.sigmoid, (inner,), {}, frame)), {}, frame)


@named("tf.nn.gelu")
def gelu(features: Any, approximate: bool = False, name: Any = None) -> EagerTensor:
    """Returns x times the normal distribution function at x; in its tanh form with `approximate`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.nn.gelu([-1.0, 0.0, 1.0]).numpy().round(4))
    [-0.1587  0.      0.8413]
    """
    return composed(nn.gelu, "gelu", (operand(features),), approximate=bool(approximate))


@named("tf.nn.crelu")
def crelu(features: Any, axis: int = -1, name: Any = None) -> EagerTensor:
    """Returns relu(x) and relu(-x) joined along an axis."""
    return composed(_crelu, "crelu", (operand(features),), axis=int(axis))


@composite(1, "crelu")
def _crelu(x: Any, axis: int) -> Tensor:
    return native.concat([nn.relu(x), nn.relu(-x)], axis=axis)


@named("tf.math.softsign", "tf.keras.backend.softsign", "tf.nn.softsign")
def softsign(features: Any, name: Any = None) -> EagerTensor:
    """Returns x / (1 + abs(x))."""
    frame = _frame(1)
    x = operand(features)
    size = record(pointwise.absolute, (x,), {}, frame)
    return record(pointwise.divide, (x, record(pointwise.add, (size, 1), {}, frame)), {}, frame)


@named("tf.math.softmax", "tf.nn.softmax")
def softmax(logits: Any, axis: Any = None, name: Any = None) -> EagerTensor:
    """Returns exp(x) / sum(exp(x)) along an axis, the last one if none is named, without overflow."""
    return _normalised(nn.softmax, "softmax", logits, axis)


@named("tf.math.log_softmax", "tf.nn.log_softmax")
def log_softmax(logits: Any, axis: Any = None, name: Any = None) -> EagerTensor:
    """Returns x - log(sum(exp(x))) along an axis, the last one if none is named, without overflow."""
    return _normalised(nn.log_softmax, "log_softmax", logits, axis)


def _normalised(function: Any, name: str, logits: Any, axis: Any) -> EagerTensor:
    x = operand(logits)
    if not x._spec.shape:
        raise InvalidArgumentError("logits must have >= 1 dimension, got []", site=here())
    return composed(function, name, (x,), axis=-1 if axis is None else axis_of(axis))
