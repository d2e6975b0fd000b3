"""Functions of keras.ops for networks."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

import penstock as _ps
from penstock.layers import sparse_activations as _sparse
from penstock.tensorflow import (
    _arrays,
    _shape_functions,
)
from penstock.tensorflow import (
    linalg as _linalg,
)
from penstock.tensorflow import (
    nn as _nn,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._tensor import spoken as _spoken
from penstock.tensorflow.keras._logits import behind as _behind
from penstock.tensorflow.keras._ops.base import _axes, _given, _made, _pair, _public, _real
from penstock.tensorflow.keras._ops.elementwise import _NETWORKS, _truth, clip
from penstock.trace.source_site import here as _here

maximum, minimum = _made["maximum"], _made["minimum"]


def _network(name: str) -> None:
    from penstock.tensorflow.keras import activations

    own = {"hard_swish": "hard_silu", "swish": "silu"}.get(name, name)
    function = getattr(activations, own, None) or getattr(_nn, own, None)
    if function is None:
        return

    def apply(x: Any, *arguments: Any, **options: Any) -> Any:
        return function(_real(x), *arguments, **options)

    apply.__doc__ = f"Returns the activation {own} of x: see tf.keras.activations."
    _public(apply, name)


for _name in _NETWORKS:
    _network(_name)


def _activation(name: str, function: _Callable[..., Any], purpose: str) -> None:
    function.__doc__ = f"Returns {purpose}."
    _public(function, name)


_activation("hard_tanh", lambda x: clip(_real(x), -1.0, 1.0), "x brought into -1 .. 1")
for _name in ("hard_silu", "hard_swish"):
    _activation(_name, lambda x: _real(x) * _made["hard_sigmoid"](x), "x times its hard sigmoid")
_activation("tanh_shrink", lambda x: _real(x) - _ps.tanh(_real(x)), "x - tanh(x)")


@_public
def celu(x: Any, alpha: float = 1.0) -> Any:
    """Returns x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere."""
    x = _real(x)
    return maximum(x, 0.0) + alpha * _ps.expm1(minimum(x, 0.0) / alpha)


@_public
def glu(x: Any, axis: int = -1) -> Any:
    """Returns the first half of x along an axis times the sigmoid of the second."""
    first, second = _arrays.split(_real(x), 2, axis)
    return first * _nn.sigmoid(second)


@_public
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Returns x where its magnitude is above a threshold, 0 elsewhere."""
    x = _real(x)
    return _ps.where(_ps.greater(_ps.abs(x), threshold), x, 0.0)


@_public
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Returns x moved towards 0 by a threshold, 0 within it."""
    x = _real(x)
    below = _ps.where(_ps.less(x, -threshold), x + threshold, 0.0)
    return _ps.where(_ps.greater(x, threshold), x - threshold, below)


@_public
def squareplus(x: Any, b: float = 4) -> Any:
    """Returns (x + sqrt(x ** 2 + b)) / 2."""
    x = _real(x)
    return (x + _ps.sqrt(x * x + float(b))) / 2.0


@_public
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """Returns x where it is above a threshold, another value elsewhere."""
    x = _real(x)
    return _ps.where(_ps.greater(x, threshold), x, float(default_value))


@_public
def sparse_plus(x: Any) -> Any:
    """Returns 0 below -1, (x + 1) ** 2 / 4 between -1 and 1, and x above."""
    return _spoken(_sparse.sparse_plus(_real(x)))


@_public
def sparse_sigmoid(x: Any) -> Any:
    """Returns 0 below -1, (x + 1) / 2 between -1 and 1, and 1 above."""
    return _spoken(_sparse.sparse_sigmoid(_real(x)))


@_public
def sparsemax(x: Any, axis: int = -1) -> Any:
    """Returns max(x - t, 0) with a threshold t along an axis, as Keras computes it.

    Keras takes t from the sum of the running sums where Martins and Astudillo (2016) take the last of them:
    the two agree where one element alone is above t, and elsewhere the results do not add up to 1.
    """
    x = _real(x)
    place = axis % len(x._spec.shape)
    count = x._spec.shape[place]
    falling = _ps.sort(x, axis=place, descending=True)
    sums = _ps.cumulative_sum(falling, axis=place)
    around = [1] * place + [count] + [1] * (len(x._spec.shape) - place - 1)
    numbers = _ps.reshape(_ps.arange(1, count + 1, dtype=x._spec.dtype), around)
    inside = 1.0 + numbers * falling > sums
    many = _ps.sum(_ps.where(inside, 1.0, 0.0 * falling), axis=place, keepdims=True)
    bound = (_ps.sum(_ps.where(inside, sums, 0.0), axis=place, keepdims=True) - 1.0) / many
    return _spoken(_ps.where(x >= bound, x - bound, 0.0))


@_public
def fmax(x1: Any, x2: Any) -> Any:
    """Returns the larger of two elements, one of which may be NaN."""
    x, y = _pair(x1, x2)
    return _ps.where(_ps.isnan(_real(x)), y, _ps.where(_ps.isnan(_real(y)), x, maximum(x, y)))


@_public
def fmin(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two elements, one of which may be NaN."""
    x, y = _pair(x1, x2)
    return _ps.where(_ps.isnan(_real(x)), y, _ps.where(_ps.isnan(_real(y)), x, minimum(x, y)))


@_public
def gelu(x: Any, approximate: bool = True) -> Any:
    """Returns x times the normal distribution function of x, by default approximated by tanh."""
    return _nn.gelu(_real(x), approximate=approximate)


@_public
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Returns x where it is positive, `negative_slope` times x elsewhere."""
    return _nn.leaky_relu(_real(x), alpha=negative_slope)


@_public
def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """Returns class numbers as rows with a one at the number."""
    _refuse_sparse(sparse)
    return _arrays.one_hot(_given(x, "int32"), num_classes, axis=axis, dtype=dtype or "float32")


def _refuse_sparse(sparse: Any) -> None:
    if sparse:
        raise _ArgumentError("sparse=True: tensors are dense here.", site=_here())


@_public
def multi_hot(
    inputs: Any, num_classes: Any = None, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    """Returns rows of class numbers as rows with ones at the numbers."""
    _refuse_sparse(sparse)
    rows = _arrays.one_hot(_given(inputs, "int32"), num_classes, axis=axis, dtype=dtype or "float32")
    spread = 1 if len(_given(inputs)._spec.shape) > 1 else 0
    return _ps.max(rows, axis=spread)


@_public
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Returns the binary cross entropy of each element."""
    y, p = _real(target), _real(output)
    p, from_logits = _behind(p, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return _ps.maximum(p, 0.0) - p * y + _ps.log1p(_ps.exp(-_ps.abs(p)))
    p = _ps.clip(p, 1e-7, 1.0 - 1e-7)
    return -(y * _ps.log(p) + (1.0 - y) * _ps.log(1.0 - p))


@_public
def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """Returns the cross entropy of rows of probabilities."""
    from penstock.tensorflow.keras import losses

    return losses.categorical_crossentropy(_real(target), _real(output), from_logits, 0.0, axis)


@_public
def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Returns the cross entropy of rows whose class is a number."""
    from penstock.tensorflow.keras import losses

    return losses.sparse_categorical_crossentropy(_given(target), _real(output), from_logits, None, axis)


@_public
def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Returns the mean and the variance along axes."""
    if synchronized:
        raise _ArgumentError("moments: synchronized=True is not taken.", site=_here())
    return _nn.moments(_real(x), list(axes) if isinstance(axes, tuple) else axes, keepdims=keepdims)


@_public
def normalize(x: Any, axis: Any = -1, order: Any = 2, epsilon: Any = None) -> Any:
    """Returns x with its rows divided by their norms."""
    x = _real(x)
    if not isinstance(order, int) or not order >= 1:
        raise _ArgumentError(f"Argument `order` must be an int >= 1. Received: order={order}", site=_here())
    x = x if x._spec.shape else x[None]
    floor = 1e-7 if epsilon is None else epsilon
    if order == 2:
        squares = _ps.sum(x * x, axis=_axes(axis), keepdims=True)
        some = _ps.greater(squares, 0.0)
        inverse = _ps.minimum(_ps.rsqrt(_ps.where(some, squares, 1.0)), 1.0 / floor)
        return x * _ps.where(some, inverse, 1.0 / floor)
    return x / _ps.maximum(_linalg.norm(x, order, axis=axis, keepdims=True), floor)


@_public
def layer_normalization(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: Any = None, **options: Any
) -> Any:
    """Returns x with mean 0 and variance 1 along an axis, times gamma, plus beta."""
    if options:
        raise _ArgumentError(f"layer_normalization: {', '.join(options)} is not taken.", site=_here())
    x = _real(x)
    mean = _ps.mean(x, axis=_axes(axis), keepdims=True)
    variance = _ps.mean((x - mean) ** 2, axis=_axes(axis), keepdims=True)
    made = (x - mean) * _ps.rsqrt(variance + (1e-7 if epsilon is None else epsilon))
    made = made if gamma is None else made * gamma
    return made if beta is None else made + beta


@_public
def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Any:
    """Returns (x - mean) / sqrt(variance + epsilon) * scale + offset along an axis."""
    x = _real(x)
    shape = [1] * len(x._spec.shape)
    shape[axis] = x._spec.shape[axis]
    parts: list[Any] = [
        None if one is None else _arrays.reshape(_real(one), shape) for one in (mean, variance, offset, scale)
    ]
    made = (x - parts[0]) * _ps.rsqrt(parts[1] + epsilon)
    made = made if parts[3] is None else made * parts[3]
    return made if parts[2] is None else made + parts[2]


@_public
def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: Any = None,
    is_causal: bool = False,
    flash_attention: Any = None,
    attn_logits_soft_cap: Any = None,
) -> Any:
    """Returns softmax(query . key * scale + bias) . value; axes are batch, time, heads, features."""
    if flash_attention:
        raise _ArgumentError("dot_product_attention: flash_attention=True is not taken.", site=_here())
    query, key, value = (_real(one) for one in (query, key, value))
    scale = query._spec.shape[-1] ** -0.5 if scale is None else scale
    scores = _shape_functions.einsum("btnh,bsnh->bnts", query, key) * scale
    if attn_logits_soft_cap is not None:
        scores = _ps.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    scores = scores if bias is None else scores + bias
    seen = None if mask is None else _truth(mask)
    if is_causal:
        steps = _np.tril(_np.ones(tuple(scores._spec.shape[-2:]), bool))
        seen = steps if seen is None else _ps.logical_and(seen, steps)
    if seen is not None:
        scores = _ps.where(seen, scores, -3.4e38 * 0.7)
    return _shape_functions.einsum("bnts,bsnh->btnh", _nn.softmax(scores), value)


def _pooled(name: str, function: _Callable[..., Any]) -> None:
    def pool(
        inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: Any = None
    ) -> Any:
        x, back = _channels_last(_real(inputs), data_format)
        size = (pool_size,) * (len(x._spec.shape) - 2) if isinstance(pool_size, int) else tuple(pool_size)
        step = size if strides is None else strides
        return back(function(x, size, step, padding.upper()))

    pool.__doc__ = f"Returns the {name.replace('_', ' ')} over windows of each picture."
    _public(pool, name)


_pooled("max_pool", _nn.max_pool)
_pooled("average_pool", _nn.avg_pool)


def _channels_last(x: Any, data_format: Any) -> tuple[Any, _Callable[[Any], Any]]:
    """Returns a tensor with its channels last, and what puts those of a result where they were."""
    if data_format in (None, "channels_last"):
        return x, lambda made: made
    if data_format != "channels_first":
        raise _ArgumentError(
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: "
            f"data_format={data_format}",
            site=_here(),
        )
    return _spoken(_ps.moveaxis(x, 1, -1)), lambda made: _spoken(_ps.moveaxis(made, -1, 1))


@_public
def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the convolution of pictures with a kernel."""
    x, back = _channels_last(_real(inputs), data_format)
    count = len(x._spec.shape) - 2
    steps, rates = ([one] * count if isinstance(one, int) else list(one) for one in (strides, dilation_rate))
    return back(_nn.convolution(x, _real(kernel), strides=steps, padding=padding.upper(), dilations=rates))


@_public
def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the convolution of each channel of sequences or pictures by itself."""
    x, back = _channels_last(_real(inputs), data_format)
    count, kernel = len(x._spec.shape) - 2, _real(kernel)
    if count not in (1, 2):
        raise _ArgumentError(
            f"`inputs` rank must be 3 (1D conv) or 4 (2D conv). Received: {count + 2}.", site=_here()
        )
    steps, rates = (
        [one] * count if isinstance(one, int) else [int(n) for n in one] for one in (strides, dilation_rate)
    )
    made = _ps.nn.depthwise_conv(
        x, kernel, strides=tuple(steps), padding=padding.lower(), dilation_rate=tuple(rates)
    )
    return back(_spoken(made))
