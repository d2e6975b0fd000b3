"""tf.keras.ops: the functions of Keras on tensors, with NumPy's names, over the native functions."""

from __future__ import annotations

import functools as _functools
import inspect as _inspect
import itertools as _itertools
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _control,
    _convert,
    _custom,
    _elementwise,
    _matrices,
    _ordering,
    _reductions,
    _scatter,
    _shapes,
    _special,
)
from penstock.tensorflow import (
    linalg as _linalg,
)
from penstock.tensorflow import (
    math as _math,
)
from penstock.tensorflow import (
    nn as _nn,
)
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow.keras import _functional
from penstock.trace.site import here as _here
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor

_made: dict[str, Any] = {}
_numpy: Any = _np


def _public(function: _Callable[..., Any], name: str | None = None) -> Any:
    """Returns a function that notes calls on symbolic tensors, and keeps it as one of this module."""
    own = name or function.__name__.rstrip("_")

    @_functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if _functional.symbolic((arguments, options)):
            return _functional.note(function, arguments, options)
        return function(*arguments, **options)

    called.__name__ = called.__qualname__ = own
    called._operation = own  # type: ignore[attr-defined]
    _made[own] = called
    return called


def _given(x: Any, dtype: Any = None) -> Any:
    """Returns a tensor of what is given: a variable by its value."""
    x = _convert.operand(x)
    return x if dtype is None else _elementwise.cast(x, dtype)


def _real(x: Any) -> Any:
    """Returns a tensor of numbers with a fraction: integers and truths become float32."""
    x = _given(x)
    return _elementwise.cast(x, "float32") if x._spec.dtype.kind in "biu" else x


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns two operands in one dtype: a fraction's before an integer's, the wider of two of one kind.

    Python's own numbers take the dtype of the tensor beside them where it can hold them.
    """
    known = [isinstance(one, _Tensor | _Cell | _np.ndarray | _np.generic) for one in (x, y)]
    if known == [False, True]:
        y = _given(y)
        x = _weak(x, y)
    elif known == [True, False]:
        x = _given(x)
        y = _weak(y, x)
    x, y = _given(x), _given(y)
    a, b = x._spec.dtype, y._spec.dtype
    if a == b:
        return x, y
    floats = [one for one in (a, b) if one.kind in "fVc"]
    if len(floats) == 1:
        wanted = floats[0]
    elif "b" in (a.kind, b.kind):
        wanted = b if a.kind == "b" else a
    else:
        wanted = _np.promote_types(a, b)
    first, second = (one if one._spec.dtype == wanted else _elementwise.cast(one, wanted) for one in (x, y))
    return first, second


def _weak(value: Any, beside: Any) -> Any:
    """Returns Python's own value in the dtype of the tensor beside it, where that can hold it."""
    array, dtype = _np.asarray(value), beside._spec.dtype
    fits = "iufVc" if array.dtype.kind in "iu" else "fVc" if array.dtype.kind == "f" else ""
    return _given(array.astype(dtype)) if not array.ndim and dtype.kind in fits else _given(value)


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


# -- elementwise --------------------------------------------------------------------------------------------

_REAL = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctanh": "atanh", "cos": "cos", "cosh": "cosh", "exp": "exp", "expm1": "expm1", "log": "log",
    "log10": "log10", "log1p": "log1p", "log2": "log2", "reciprocal": "reciprocal", "rsqrt": "rsqrt",
    "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh", "erf": "erf",
    "ceil": "ceil", "floor": "floor",
}  # fmt: skip
_SAME = {
    "abs": "abs", "absolute": "abs", "negative": "negative", "sign": "sign", "square": "square",
    "conj": "conj", "conjugate": "conj", "isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan",
    "trunc": "trunc", "signbit": "signbit", "real": "real", "imag": "imag",
}  # fmt: skip
_BINARY = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum",
    "equal": "equal", "not_equal": "not_equal", "greater": "greater", "greater_equal": "greater_equal",
    "less": "less", "less_equal": "less_equal", "floor_divide": "floor_divide", "mod": "remainder",
    "power": "pow",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift",
    "bitwise_left_shift": "bitwise_left_shift", "bitwise_right_shift": "bitwise_right_shift",
}  # fmt: skip
_REAL_BINARY = {
    "divide": "divide", "true_divide": "divide", "arctan2": "atan2", "hypot": "hypot",
    "logaddexp": "logaddexp", "nextafter": "nextafter",
}  # fmt: skip
_TRUTHS = {"logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor"}
_NETWORKS = (
    "elu", "gelu", "leaky_relu", "log_sigmoid", "log_softmax", "relu", "relu6", "selu", "sigmoid", "silu",
    "softmax", "softplus", "softsign", "swish", "celu", "hard_sigmoid", "hard_silu", "hard_swish",
    "hard_tanh", "hard_shrink", "soft_shrink", "tanh_shrink", "squareplus", "glu", "sparse_plus",
    "sparse_sigmoid", "sparsemax", "threshold",
)  # fmt: skip


def _unary(name: str, native: str, prepared: _Callable[[Any], Any]) -> None:
    function = getattr(_ps, native)

    def apply(x: Any) -> Any:
        return function(prepared(x))

    apply.__doc__ = f"Returns {native}(x), element by element: see penstock.{native}."
    _public(apply, name)


def _binary(name: str, native: str, prepared: _Callable[[Any], Any] | None) -> None:
    function = getattr(_ps, native)

    def apply(x1: Any, x2: Any) -> Any:
        x, y = _pair(x1, x2)
        return function(x, y) if prepared is None else function(prepared(x), prepared(y))

    apply.__doc__ = f"Returns {native}(x1, x2), element by element: see penstock.{native}."
    _public(apply, name)


def _truth(x: Any) -> Any:
    return _given(x, "bool")


for _name, _native in _REAL.items():
    _unary(_name, _native, _real)
for _name, _native in _SAME.items():
    _unary(_name, _native, _given)
for _name, _native in _BINARY.items():
    _binary(_name, _native, None)
for _name, _native in _REAL_BINARY.items():
    _binary(_name, _native, _real)
for _name, _native in _TRUTHS.items():
    _binary(_name, _native, _truth)
_unary("logical_not", "logical_not", _truth)
for _name in ("bitwise_not", "bitwise_invert"):
    _unary(_name, "bitwise_invert", _given)


@_public
def cbrt(x: Any) -> Any:
    """Returns the cube root of each element."""
    x = _real(x)
    return _ps.sign(x) * _ps.pow(_ps.abs(x), 1.0 / 3.0)


@_public
def exp2(x: Any) -> Any:
    """Returns 2 to the power of each element."""
    return _ps.exp(_real(x) * float(_np.log(2.0)))


@_public
def deg2rad(x: Any) -> Any:
    """Returns degrees as radians."""
    return _real(x) * float(_np.pi / 180)


@_public
def rad2deg(x: Any) -> Any:
    """Returns radians as degrees."""
    return _real(x) * float(180 / _np.pi)


@_public
def sinc(x: Any) -> Any:
    """Returns sin(pi x) / (pi x), and 1 at 0."""
    x = _real(x) * float(_np.pi)
    there = _ps.equal(x, 0.0)
    kept = _ps.where(there, 1.0, x)
    return _ps.where(there, 1.0, _ps.sin(kept) / kept)


@_public
def fabs(x: Any) -> Any:
    """Returns the magnitude of each element, with a fraction."""
    return _ps.abs(_real(x))


@_public
def heaviside(x1: Any, x2: Any) -> Any:
    """Returns 0 where x1 is negative, 1 where it is positive, and x2 at 0."""
    x, y = _pair(x1, x2)
    x, y = _real(x), _real(y)
    return _ps.where(_ps.less(x, 0.0), 0.0, _ps.where(_ps.equal(x, 0.0), y, 1.0))


@_public
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Returns the logarithm to base 2 of 2 ** x1 + 2 ** x2."""
    two = float(_np.log(2.0))
    x, y = _pair(x1, x2)
    return _ps.logaddexp(_real(x) * two, _real(y) * two) / two


@_public
def round(x: Any, decimals: int = 0) -> Any:
    """Returns x rounded to so many digits after the point, halves to even."""
    x = _given(x)
    if decimals == 0:
        return _ps.round(x) if x._spec.dtype.kind in "fVc" else x
    scale = 10.0**decimals
    rounded = _ps.round(_real(x) * scale) / scale
    return rounded if x._spec.dtype.kind in "fVc" else _elementwise.cast(rounded, x._spec.dtype)


@_public
def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Returns x brought into x_min .. x_max."""
    x, low = _pair(x, x_min)
    x, high = _pair(x, x_max)
    return _ps.minimum(_ps.maximum(x, _elementwise.cast(low, x._spec.dtype)), high)


@_public
def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Returns x with numbers in place of what is not one, and of the infinite."""
    x = _given(x)
    if x._spec.dtype.kind not in "fVc":
        return x
    limits = _np.finfo(x._spec.dtype)
    x = _ps.where(_ps.isnan(x), float(nan), x)
    x = _ps.where(_ps.equal(x, float("inf")), float(limits.max if posinf is None else posinf), x)
    return _ps.where(_ps.equal(x, -float("inf")), float(limits.min if neginf is None else neginf), x)


@_public
def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Returns x1 where the condition holds, x2 elsewhere; without them, the places where it holds."""
    if x1 is None and x2 is None:
        return nonzero(condition)
    x, y = _pair(x1, x2)
    return _ps.where(_truth(condition), x, y)


@_public
def isclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Returns where two tensors are nearly equal."""
    x, y = _pair(x1, x2)
    x, y = _real(x), _real(y)
    near = _ps.less_equal(_ps.abs(x - y), atol + rtol * _ps.abs(y))
    same = _ps.equal(x, y)
    if equal_nan:
        same = _ps.logical_or(same, _ps.logical_and(_ps.isnan(x), _ps.isnan(y)))
    return _ps.logical_or(_ps.logical_and(near, _ps.isfinite(y)), same)


@_public
def allclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Returns whether two tensors are nearly equal everywhere."""
    return _ps.all(isclose(x1, x2, rtol, atol, equal_nan))


@_public
def divide_no_nan(x1: Any, x2: Any) -> Any:
    """Returns x1 / x2, and 0 where x2 is 0."""
    x, y = _pair(x1, x2)
    return _math.divide_no_nan(_real(x), _real(y))


@_public
def erfinv(x: Any) -> Any:
    """Returns the inverse of erf."""
    return _math.erfinv(_real(x))


@_public
def erfc(x: Any) -> Any:
    """Returns 1 - erf(x)."""
    return _math.erfc(_real(x))


@_public
def angle(x: Any) -> Any:
    """Returns the angle of complex numbers."""
    return _math.angle(_real(x))


@_public
def isneginf(x: Any) -> Any:
    """Returns where x is minus infinity."""
    return _ps.equal(_real(x), -float("inf"))


@_public
def isposinf(x: Any) -> Any:
    """Returns where x is infinity."""
    return _ps.equal(_real(x), float("inf"))


@_public
def isreal(x: Any) -> Any:
    """Returns where x has no imaginary part."""
    x = _given(x)
    return _ps.equal(_ps.imag(x), 0.0) if x._spec.dtype.kind == "c" else _ps.ones_like(x, dtype="bool")


# -- networks -------------------------------------------------------------------------------------------


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
    return _ps.maximum(x, 0.0) + alpha * _ps.expm1(_ps.minimum(x, 0.0) / alpha)


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
    return _ps.sign(x) * _ps.maximum(_ps.abs(x) - threshold, 0.0)


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
    x = _real(x)
    inside = (x + 1.0) ** 2 / 4.0
    return _ps.where(_ps.less_equal(x, -1.0), 0.0, _ps.where(_ps.less(x, 1.0), inside, x))


@_public
def sparse_sigmoid(x: Any) -> Any:
    """Returns 0 below -1, (x + 1) / 2 between -1 and 1, and 1 above."""
    return clip((_real(x) + 1.0) / 2.0, 0.0, 1.0)


@_public
def fmax(x1: Any, x2: Any) -> Any:
    """Returns the larger of two elements, of which one may be no number."""
    x, y = _pair(x1, x2)
    return _ps.where(_ps.isnan(_real(x)), y, _ps.where(_ps.isnan(_real(y)), x, _ps.maximum(x, y)))


@_public
def fmin(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two elements, of which one may be no number."""
    x, y = _pair(x1, x2)
    return _ps.where(_ps.isnan(_real(x)), y, _ps.where(_ps.isnan(_real(y)), x, _ps.minimum(x, y)))


@_public
def gelu(x: Any, approximate: bool = True) -> Any:
    """Returns x times the normal distribution function of x, approximated by tanh unless told otherwise."""
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
    floor = 1e-12 if epsilon is None else epsilon
    if order == 2:
        squares = _ps.sum(x * x, axis=_axes(axis), keepdims=True)
        return x * _ps.rsqrt(_ps.maximum(squares, floor**2))
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
    scores = _shapes.einsum("btnh,bsnh->bnts", query, key) * scale
    if attn_logits_soft_cap is not None:
        scores = _ps.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    scores = scores if bias is None else scores + bias
    seen = None if mask is None else _truth(mask)
    if is_causal:
        steps = _np.tril(_np.ones(tuple(scores._spec.shape[-2:]), bool))
        seen = steps if seen is None else _ps.logical_and(seen, steps)
    if seen is not None:
        scores = _ps.where(seen, scores, -3.4e38 * 0.7)
    return _shapes.einsum("bnts,bsnh->btnh", _nn.softmax(scores), value)


def _pooled(name: str, function: _Callable[..., Any]) -> None:
    def pool(
        inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: Any = None
    ) -> Any:
        _refuse_format(data_format)
        x = _real(inputs)
        size = (pool_size,) * (len(x._spec.shape) - 2) if isinstance(pool_size, int) else tuple(pool_size)
        step = size if strides is None else strides
        return function(x, size, step, padding.upper())

    pool.__doc__ = f"Returns the {name.replace('_', ' ')} over windows of each picture."
    _public(pool, name)


_pooled("max_pool", _nn.max_pool)
_pooled("average_pool", _nn.avg_pool)


def _refuse_format(data_format: Any) -> None:
    if data_format not in (None, "channels_last"):
        raise _ArgumentError(f"data_format={data_format!r}: channels come last here.", site=_here())


@_public
def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the convolution of pictures, with channels last, with a kernel."""
    _refuse_format(data_format)
    x = _real(inputs)
    count = len(x._spec.shape) - 2
    steps, rates = ([one] * count if isinstance(one, int) else list(one) for one in (strides, dilation_rate))
    return _nn.convolution(x, _real(kernel), strides=steps, padding=padding.upper(), dilations=rates)


@_public
def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the convolution of each channel of pictures by itself."""
    _refuse_format(data_format)
    step = strides if isinstance(strides, int) else strides[0]
    rate = [dilation_rate] * 2 if isinstance(dilation_rate, int) else list(dilation_rate)
    return _nn.depthwise_conv2d(
        _real(inputs), _real(kernel), [1, step, step, 1], padding.upper(), dilations=rate
    )


# -- reductions -----------------------------------------------------------------------------------------


def _reduction(name: str, native: str, prepared: _Callable[[Any], Any] = _given) -> None:
    function = getattr(_ps, native)

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(prepared(x), axis=_axes(axis), keepdims=keepdims)

    reduce.__doc__ = f"Returns {native}(x) along axes, or over all: see penstock.{native}."
    _public(reduce, name)


for _name, _native in {"mean": "mean", "std": "std", "var": "var"}.items():
    _reduction(_name, _native, _real)
for _name, _native in {"all": "all", "any": "any"}.items():
    _reduction(_name, _native, _truth)
for _name, _native in {"amax": "max", "amin": "min"}.items():
    _reduction(_name, _native)


def _small(x: Any) -> Any:
    """Returns a tensor whose sums do not overflow: truths and narrow integers become int32."""
    x = _given(x)
    kind, size = x._spec.dtype.kind, x._spec.dtype.itemsize
    if kind == "b" or (kind == "i" and size < 4):
        return _elementwise.cast(x, "int32")
    return _elementwise.cast(x, "uint32") if kind == "u" and size < 4 else x


@_public
def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the sum along axes, or over all."""
    x = _small(x)
    return _reductions.reduce_sum(x, axis, keepdims)


@_public
def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Returns the product along axes, or over all."""
    x = _small(x) if dtype is None else _given(x, dtype)
    return _reductions.reduce_prod(x, axis, keepdims)


def _extreme(name: str) -> None:
    reduce, combine = getattr(_ps, name), getattr(_ps, f"{name}imum")

    def extreme(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        found = reduce(_given(x), axis=_axes(axis), keepdims=keepdims)
        return found if initial is None else combine(found, _weak(initial, found))

    extreme.__doc__ = f"Returns the {name}imum along axes, or over all; `initial` counts with it."
    _public(extreme, name)


for _name in ("max", "min"):
    _extreme(_name)


def _position(name: str) -> None:
    function = getattr(_ps, name)

    def position(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return _elementwise.cast(function(_given(x), axis=axis, keepdims=keepdims), "int32")

    position.__doc__ = f"Returns {name}(x) along an axis, or in all: see penstock.{name}."
    _public(position, name)


for _name in ("argmax", "argmin"):
    _position(_name)


@_public
def argsort(x: Any, axis: Any = -1) -> Any:
    """Returns the places of the elements in ascending order."""
    x = _given(x)
    x, axis = (_arrays.reshape(x, [-1]), -1) if axis is None else (x, axis)
    return _elementwise.cast(_ps.argsort(x, axis=axis), "int32")


@_public
def sort(x: Any, axis: Any = -1) -> Any:
    """Returns the elements in ascending order."""
    x = _given(x)
    return _ps.sort(_arrays.reshape(x, [-1])) if axis is None else _ps.sort(x, axis=axis)


@_public
def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """Returns the largest elements and their places, the largest first whatever `sorted` says."""
    return _ordering.top_k(_given(x), k, sorted)


@_public
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Returns whether each target is among the k best predictions."""
    return _nn.in_top_k(_given(targets), _real(predictions), k)


def _running(name: str, native: str) -> None:
    function = getattr(_ps, native)

    def run(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = _given(x, dtype)
        x = _elementwise.cast(x, "int32") if x._spec.dtype.kind == "b" else x
        made = function(_arrays.reshape(x, [-1])) if axis is None else function(x, axis=axis)
        return _elementwise.cast(made, x._spec.dtype)

    run.__doc__ = f"Returns {native}(x) along an axis: see penstock.{native}."
    _public(run, name)


_running("cumsum", "cumulative_sum")
_running("cumprod", "cumulative_prod")


@_public
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns log(sum(exp(x))) along axes, or over all."""
    return _reductions.reduce_logsumexp(_real(x), axis, keepdims)


@_public
def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """Returns the mean, in which elements may have weights."""
    x = _real(x)
    if weights is None:
        return _ps.mean(x, axis=_axes(axis))
    w = _elementwise.cast(_given(weights), x._spec.dtype)
    if axis is not None and len(w._spec.shape) != len(x._spec.shape):
        shape = [1] * len(x._spec.shape)
        shape[axis] = w._spec.shape[0]
        w = _arrays.reshape(w, shape)
    w = _ps.broadcast_to(w, x._spec.shape)
    return _ps.sum(x * w, axis=_axes(axis)) / _ps.sum(w, axis=_axes(axis))


@_public
def count_nonzero(x: Any, axis: Any = None) -> Any:
    """Returns how many elements are not zero."""
    return _elementwise.cast(_ps.count_nonzero(_given(x), axis=_axes(axis)), "int32")


@_public
def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the middle of the elements in order."""
    return _ps.median(_real(x), axis=_axes(axis), keepdims=keepdims)


@_public
def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Returns what a part q of the elements is not larger than."""
    return _ps.quantile(_real(x), _plain(q), axis=_axes(axis), method=method, keepdims=keepdims)


def _plain(q: Any) -> Any:
    """Returns which part of the elements is asked for, as a number or a list."""
    array = _np.asarray(q.numpy() if hasattr(q, "numpy") else q)
    return array.tolist()


@_public
def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the largest less the smallest element."""
    x = _given(x)
    return _ps.max(x, axis=_axes(axis), keepdims=keepdims) - _ps.min(x, axis=_axes(axis), keepdims=keepdims)


@_public
def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """Returns how often each whole number occurs."""
    _refuse_sparse(sparse)
    return _math.bincount(_given(x, "int32"), weights=weights, minlength=minlength)


@_public
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns the sum of the diagonal."""
    return _ps.sum(diagonal(x, offset, axis1, axis2), axis=-1)


@_public
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the norm of vectors or matrices, or of all elements."""
    x = _real(x)
    chosen = 2 if ord is None else ord
    if ord is None and (axis is None or isinstance(axis, tuple | list)):
        return _ps.sqrt(_ps.sum(_ps.abs(x) ** 2, axis=_axes(axis), keepdims=keepdims))
    return _ps.linalg.vector_norm(x, axis=_axes(axis), keepdims=keepdims, ord=chosen) if not isinstance(
        axis, tuple | list) else _ps.linalg.matrix_norm(x, keepdims=keepdims, ord=chosen)  # fmt: skip


# -- shapes ---------------------------------------------------------------------------------------------


@_public
def reshape(x: Any, newshape: Any) -> Any:
    """Returns the elements of x in another shape; one length may be -1."""
    lengths = [newshape] if isinstance(newshape, int) else list(newshape)
    return _arrays.reshape(_given(x), [-1 if one is None else one for one in lengths])


@_public
def ravel(x: Any) -> Any:
    """Returns the elements of x in a row."""
    return _arrays.reshape(_given(x), [-1])


@_public
def transpose(x: Any, axes: Any = None) -> Any:
    """Returns x with its axes in another order, or in the opposite one."""
    return _arrays.transpose(_given(x), axes)


@_public
def expand_dims(x: Any, axis: Any) -> Any:
    """Returns x with new axes of length 1."""
    x = _given(x)
    if isinstance(axis, int):
        return _arrays.expand_dims(x, axis)
    rank = len(x._spec.shape) + len(axis)
    for one in sorted_(n % rank for n in axis):
        x = _arrays.expand_dims(x, one)
    return x


sorted_ = sorted


@_public
def squeeze(x: Any, axis: Any = None) -> Any:
    """Returns x without axes of length 1."""
    return _arrays.squeeze(_given(x), axis)


def _joined(xs: Any) -> list[Any]:
    tensors = [_given(one) for one in xs]
    first = tensors[0]
    for one in tensors[1:]:
        first = _pair(first, one)[0]
    return [_pair(one, first)[0] if one._spec.dtype != first._spec.dtype else one for one in tensors]


@_public
def concatenate(xs: Any, axis: int = 0) -> Any:
    """Returns tensors joined along an axis."""
    return _arrays.concat(_joined(xs), axis)


@_public
def stack(x: Any, axis: int = 0) -> Any:
    """Returns tensors joined along a new axis."""
    return _arrays.stack(_joined(x), axis)


@_public
def hstack(xs: Any) -> Any:
    """Returns tensors joined along the second axis, vectors along the first."""
    tensors = [one if one._spec.shape else _arrays.reshape(one, [1]) for one in _joined(xs)]
    return _arrays.concat(tensors, 0 if len(tensors[0]._spec.shape) == 1 else 1)


@_public
def vstack(xs: Any) -> Any:
    """Returns tensors joined along the first axis, vectors as rows."""
    tensors = [_arrays.reshape(one, [1, -1]) if len(one._spec.shape) < 2 else one for one in _joined(xs)]
    return _arrays.concat(tensors, 0)


@_public
def append(x1: Any, x2: Any, axis: Any = None) -> Any:
    """Returns two tensors joined along an axis, or all their elements in a row."""
    x, y = _pair(x1, x2)
    if axis is None:
        x, y, axis = _arrays.reshape(x, [-1]), _arrays.reshape(y, [-1]), 0
    return _arrays.concat([x, y], axis)


@_public
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Returns the parts of x along an axis: so many equal ones, or those between places."""
    x = _given(x)
    if isinstance(indices_or_sections, int):
        return _arrays.split(x, indices_or_sections, axis)
    length = x._spec.shape[axis]
    bounds = [0, *(int(n) for n in indices_or_sections), length]
    return _arrays.split(x, [b - a for a, b in _itertools.pairwise(bounds)], axis)


@_public
def unstack(x: Any, num: Any = None, axis: int = 0) -> Any:
    """Returns the slices of x along an axis."""
    return _arrays.unstack(_given(x), num, axis)


@_public
def tile(x: Any, repeats: Any) -> Any:
    """Returns x repeated along each axis."""
    x = _given(x)
    times = [repeats] if isinstance(repeats, int) else list(repeats)
    times = [1] * (len(x._spec.shape) - len(times)) + times
    while len(x._spec.shape) < len(times):
        x = _arrays.expand_dims(x, 0)
    return _arrays.tile(x, times)


@_public
def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Returns each element, or each slice along an axis, repeated."""
    return _shapes.repeat(_given(x), repeats, axis)


@_public
def broadcast_to(x: Any, shape: Any) -> Any:
    """Returns x spread to a shape."""
    return _arrays.broadcast_to(_given(x), shape)


@_public
def flip(x: Any, axis: Any = None) -> Any:
    """Returns x in the opposite order along axes, or along all."""
    return _ps.flip(_given(x), axis=_axes(axis))


@_public
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Returns x moved around along an axis."""
    return _ps.roll(_given(x), shift, axis=axis)


@_public
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Returns x with axes moved to other places."""
    return _ps.moveaxis(_given(x), _axes(source), _axes(destination))


@_public
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Returns x with two axes exchanged."""
    x = _given(x)
    order = list(range(len(x._spec.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _arrays.transpose(x, order)


@_public
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """Returns x with elements added at the ends of its axes."""
    x = _given(x)
    width = _np.asarray(pad_width)
    width = _np.broadcast_to(width, (len(x._spec.shape), 2)).tolist()
    return _arrays.pad(x, width, mode, 0 if constant_values is None else constant_values)


@_public
def meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Returns the coordinates of a grid."""
    return _shapes.meshgrid(*[_given(one) for one in x], indexing=indexing)


@_public
def diag(x: Any, k: int = 0) -> Any:
    """Returns the diagonal of a matrix, or a matrix with a vector as its diagonal."""
    x = _given(x)
    if len(x._spec.shape) == 1:
        return _matrices.diag(x, k=k)
    return diagonal(x, k)


@_public
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns the diagonals of matrices along two axes, as the last axis."""
    x = _ps.moveaxis(_given(x), (axis1, axis2), (-2, -1))
    return _ps.linalg.diagonal(x, offset=offset)


@_public
def tril(x: Any, k: int = 0) -> Any:
    """Returns matrices with zeros above a diagonal."""
    return _ps.tril(_given(x), k=k)


@_public
def triu(x: Any, k: int = 0) -> Any:
    """Returns matrices with zeros below a diagonal."""
    return _ps.triu(_given(x), k=k)


@_public
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Returns the differences of neighbours."""
    return _ps.diff(_given(a), axis=axis, n=n)


@_public
def take(x: Any, indices: Any, axis: Any = None) -> Any:
    """Returns slices of x along an axis, or elements of all in a row."""
    x = _given(x)
    x, axis = (_arrays.reshape(x, [-1]), 0) if axis is None else (x, axis)
    numbers = _given(indices)
    length = x._spec.shape[axis]
    return _arrays.gather(x, _ps.where(_ps.less(numbers, 0), numbers + length, numbers), axis=axis)


@_public
def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Any:
    """Returns elements of x, of which there is a place for each row."""
    x, numbers = _given(x), _given(indices)
    if axis is None:
        return _ps.take_along_axis(_arrays.reshape(x, [-1]), _arrays.reshape(numbers, [-1]), axis=0)
    return _ps.take_along_axis(x, numbers, axis=axis)


@_public
def get_item(x: Any, key: Any) -> Any:
    """Returns x[key]."""
    return _given(x)[key]


@_public
def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """Returns the part of a shape that begins at a place."""
    return _arrays.slice(_given(inputs), start_indices, shape)


@_public
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """Returns x with a part replaced, which begins at a place."""
    x, part = _given(inputs), _given(updates)
    starts = [int(n) for n in start_indices]
    lengths = part._spec.shape
    places = _np.stack(_np.meshgrid(*[_np.arange(s, s + n) for s, n in zip(starts, lengths, strict=True)],
                                    indexing="ij"), -1).reshape(-1, len(starts))  # fmt: skip
    return _scatter.tensor_scatter_nd_update(x, places, _arrays.reshape(part, [-1]))


@_public
def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Returns zeros of a shape with values added at places."""
    return _scatter.scatter_nd(_given(indices), _given(values), shape)


@_public
def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    """Returns x with values put at places; `reduction` "add", "max", "min" combines them with what is
    there."""
    functions = {
        None: _scatter.tensor_scatter_nd_update, "add": _scatter.tensor_scatter_nd_add,
        "max": _scatter.tensor_scatter_nd_max, "min": _scatter.tensor_scatter_nd_min,
    }  # fmt: skip
    if reduction not in functions:
        raise _ArgumentError(f"scatter_update: reduction={reduction!r} is not taken.", site=_here())
    return functions[reduction](_given(inputs), _given(indices), _given(updates))


@_public
def nonzero(x: Any) -> Any:
    """Returns the places of elements that are not zero, a tensor for each axis."""
    found = _np.nonzero(_np.asarray(_given(x).numpy()))
    return tuple(_given(one.astype(_np.int32)) for one in found)


@_public
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Returns where values belong in an ordered sequence."""
    x, y = _pair(sorted_sequence, values)
    return _ordering.searchsorted(x, y, side=side)


@_public
def digitize(x: Any, bins: Any) -> Any:
    """Returns between which bounds each element lies."""
    x, bounds = _pair(x, bins)
    return _ordering.searchsorted(bounds, x, side="right")


def _segments(name: str) -> None:
    unordered = getattr(_math, f"unsorted_segment_{name}")

    def segment(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        numbers = _given(segment_ids)
        count = int(_np.asarray(numbers.numpy()).max()) + 1 if num_segments is None else num_segments
        return unordered(_given(data), numbers, count)

    segment.__doc__ = f"Returns the {name} of the rows of each segment."
    _public(segment, f"segment_{name}")


for _name in ("sum", "max", "min", "prod"):
    if hasattr(_math, f"unsorted_segment_{_name}"):
        _segments(_name)


# -- matrices -------------------------------------------------------------------------------------------


@_public
def matmul(x1: Any, x2: Any) -> Any:
    """Returns the matrix product."""
    return _ps.matmul(*_pair(x1, x2))


@_public
def dot(x1: Any, x2: Any) -> Any:
    """Returns the product of the last axis of x1 and the last but one of x2."""
    return _ps.dot(*_pair(x1, x2))


@_public
def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Returns the product over several axes."""
    return _linalg.tensordot(*_pair(x1, x2), axes)


@_public
def einsum(subscripts: str, *operands: Any, **options: Any) -> Any:
    """Returns the product that subscripts describe."""
    if options:
        raise _ArgumentError(f"einsum: {', '.join(options)} is not taken.", site=_here())
    return _shapes.einsum(subscripts, *_joined(operands))


@_public
def inner(x1: Any, x2: Any) -> Any:
    """Returns the product over the last axes."""
    x, y = _pair(x1, x2)
    return x * y if not x._spec.shape or not y._spec.shape else _linalg.tensordot(x, y, [[-1], [-1]])


@_public
def outer(x1: Any, x2: Any) -> Any:
    """Returns the products of all pairs of elements."""
    x, y = _pair(x1, x2)
    return _arrays.reshape(x, [-1, 1]) * _arrays.reshape(y, [1, -1])


@_public
def vdot(x1: Any, x2: Any) -> Any:
    """Returns the sum of the products of elements."""
    x, y = _pair(x1, x2)
    return _ps.sum(_arrays.reshape(_ps.conj(x), [-1]) * _arrays.reshape(y, [-1]))


@_public
def cross(x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """Returns the cross product of vectors of three numbers."""
    a, b, c = (axis,) * 3 if axis is not None else (axisa, axisb, axisc)
    x, y = _pair(x1, x2)
    made = _linalg.cross(_ps.moveaxis(x, a, -1), _ps.moveaxis(y, b, -1))
    return _ps.moveaxis(made, -1, c)


for _name, _native in {
    "cholesky": "cholesky", "det": "det", "inv": "inv", "eigh": "eigh",
}.items():  # fmt: skip

    def _matrix(*x: Any, _native: str = _native, **options: Any) -> Any:
        return getattr(_linalg, _native)(*[_real(one) for one in x], **options)

    _matrix.__doc__ = f"Returns {_native} of matrices: see tf.linalg.{_native}."
    _public(_matrix, _name)


@_public
def solve(a: Any, b: Any) -> Any:
    """Returns what a matrix times gives b: a vector, or the columns of a matrix."""
    x, y = _real(a), _real(b)
    if len(y._spec.shape) == len(x._spec.shape) - 1:
        return _linalg.solve(x, y[..., None])[..., 0]
    return _linalg.solve(x, y)


@_public
def qr(x: Any, mode: str = "reduced") -> Any:
    """Returns the factors of matrices: an orthogonal one and an upper triangle."""
    return tuple(_linalg.qr(_real(x), full_matrices=mode == "complete"))


@_public
def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Returns the factors u, s and v of matrices, v transposed."""
    found = _linalg.svd(_real(x), full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return found
    s, u, v = found
    return u, s, _ps.conj(_ps.matrix_transpose(v))


@_public
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Returns what a triangular matrix times gives b."""
    x, y = _real(a), _real(b)
    if len(y._spec.shape) == len(x._spec.shape) - 1:
        return _linalg.triangular_solve(x, y[..., None], lower=lower)[..., 0]
    return _linalg.triangular_solve(x, y, lower=lower)


# -- tensors --------------------------------------------------------------------------------------------


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """Returns a tensor of what is given, cast to a dtype on request."""
    _refuse_sparse(sparse or ragged)
    if isinstance(x, _functional.KerasTensor):
        return x if dtype is None else cast(x, dtype)
    from penstock.tensorflow._convert import tensor_of

    made = tensor_of(x)
    return made if dtype is None else _elementwise.cast(made, dtype)


_made["convert_to_tensor"] = convert_to_tensor
_made["array"] = convert_to_tensor
array = convert_to_tensor


def convert_to_numpy(x: Any) -> Any:
    """Returns a tensor as a NumPy array."""
    return _np.asarray(x.numpy() if hasattr(x, "numpy") else x)


def is_tensor(x: Any) -> bool:
    """Returns whether x is a tensor."""
    return isinstance(x, _EagerTensor | _functional.KerasTensor)


def shape(x: Any) -> tuple[Any, ...]:
    """Returns the lengths of the axes."""
    return tuple(x.shape) if isinstance(x, _functional.KerasTensor) else tuple(_given(x).shape)


def ndim(x: Any) -> int:
    """Returns the number of axes."""
    return len(shape(x))


def size(x: Any) -> Any:
    """Returns the number of elements."""
    return _given(int(_np.prod(shape(x))))


def dtype(x: Any) -> str:
    """Returns the name of the dtype."""
    return str(x.dtype) if isinstance(x, _functional.KerasTensor) else _as_dtype(_given(x)._spec.dtype).name


_one: Any
for _one in (convert_to_numpy, is_tensor, shape, ndim, size, dtype):
    _made[_one.__name__] = _one


@_public
def cast(x: Any, dtype: Any) -> Any:
    """Returns x in another dtype."""
    return _elementwise.cast(_given(x), dtype)


@_public
def saturate_cast(x: Any, dtype: Any) -> Any:
    """Returns x in another dtype; what it cannot hold becomes its largest or smallest number."""
    from penstock.tensorflow._special import saturate_cast as apply

    return apply(_given(x), dtype)


@_public
def copy(x: Any) -> Any:
    """Returns a tensor with the elements of x."""
    return _arrays.identity(_given(x))


@_public
def stop_gradient(variable: Any) -> Any:
    """Returns x, through which no gradient passes."""
    return _arrays.stop_gradient(_given(variable))


def _filled(name: str) -> None:
    function, like = getattr(_arrays, name), getattr(_arrays, f"{name}_like")

    def made(shape: Any, dtype: Any = None) -> Any:
        return function(shape, dtype or "float32")

    def made_like(x: Any, dtype: Any = None) -> Any:
        return like(_given(x), dtype)

    made.__doc__ = f"Returns a tensor of {name}."
    made_like.__doc__ = f"Returns {name} in the shape of x."
    _public(made, name)
    _public(made_like, f"{name}_like")


for _name in ("zeros", "ones"):
    _filled(_name)
empty, empty_like = _made["zeros"], _made["zeros_like"]
_made.update(empty=empty, empty_like=empty_like)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns a tensor of one number."""
    return _arrays.broadcast_to(_given(fill_value, dtype or "float32"), shape)


@_public
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns one number in the shape of x."""
    x = _given(x)
    return _arrays.broadcast_to(_given(fill_value, dtype or x._spec.dtype), x._spec.shape)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Returns numbers from `start` to `stop`, which is not among them."""
    given = [one for one in (start, stop, step) if one is not None]
    whole = all_(isinstance(one, int | _np.integer) for one in given)
    step = 1 if step is None else step
    bounds: Any = (0, start) if stop is None else (start, stop)
    return _given(
        _numpy.arange(*bounds, step).astype(
            _as_dtype(dtype or ("int32" if whole else "float32")).as_numpy_dtype
        )
    )


all_ = all


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones on a diagonal."""
    return _given(_np.eye(N, M, k, dtype=_as_dtype(dtype or "float32").as_numpy_dtype))


def identity(n: int, dtype: Any = None) -> Any:
    """Returns a square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns numbers at equal distances; with `retstep`, also the distance."""
    ends: Any = [_np.asarray(_given(one).numpy()) for one in (start, stop)]
    made, step = _numpy.linspace(*ends, num, endpoint, True, None, axis)
    made = _given(made.astype(_as_dtype(dtype or "float32").as_numpy_dtype))
    return (made, step) if retstep else made


def tri(N: int, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones on and below a diagonal."""
    return _given(_np.tri(N, M, k, _as_dtype(dtype or "float32").as_numpy_dtype))


for _one in (full, arange, eye, identity, linspace, tri):
    _made[_one.__name__] = _one


# -- more of NumPy's ------------------------------------------------------------------------------------


def _numpy_like(name: str, function: _Callable[..., Any], purpose: str) -> None:
    function.__doc__ = f"Returns {purpose}."
    _public(function, name)


def _pieces(axis: int) -> _Callable[..., Any]:
    return lambda x, indices_or_sections: split(x, indices_or_sections, axis)


_numpy_like("hsplit", _pieces(1), "the parts of x along the second axis")
_numpy_like("vsplit", _pieces(0), "the parts of x along the first axis")
_numpy_like("dsplit", _pieces(2), "the parts of x along the third axis")
_numpy_like("fliplr", lambda x: flip(x, 1), "x in the opposite order along the second axis")
_numpy_like("flipud", lambda x: flip(x, 0), "x in the opposite order along the first axis")
_numpy_like("kron", lambda x1, x2: _ps.kron(*_pair(x1, x2)), "the Kronecker product")
_numpy_like("fmod", lambda x1, x2: _fmod(x1, x2), "the remainder with the sign of x1")
_numpy_like("pinv", lambda x, rcond=None: _linalg.pinv(_real(x), rcond), "the pseudo-inverse of matrices")
_numpy_like(
    "slogdet", lambda x: tuple(_linalg.slogdet(_real(x))), "the sign and the logarithm of determinants"
)
_numpy_like("logdet", lambda x: _linalg.logdet(_real(x)), "the logarithm of determinants")
_numpy_like(
    "percentile", lambda x, q, axis=None, method="linear",
    keepdims=False: quantile(x, _np.asarray(_plain(q)) / 100.0, axis, method, keepdims),
    "what q percent of the elements are not larger than",
)  # fmt: skip
_numpy_like(
    "isin", lambda x1, x2, assume_unique=False, invert=False: _within(x1, x2, invert), "what is in x2"
)
_numpy_like("vander", lambda x, N=None, increasing=False: _vander(x, N, increasing), "powers of x as columns")
_numpy_like(
    "dstack", lambda xs: _arrays.concat([_deep(one) for one in _joined(xs)], 2), "tensors joined in depth"
)
_numpy_like("rot90", lambda array, k=1, axes=(0, 1): _rot90(array, k, axes), "x turned by a quarter, k times")
_numpy_like("diagflat", lambda x, k=0: _matrices.diag(ravel(x), k=k), "a matrix with x as its diagonal")
_numpy_like(
    "trapezoid", lambda y, x=None, dx=1.0, axis=-1: _trapezoid(y, x, dx, axis), "the integral by trapezia"
)  # fmt: skip
_numpy_like("select", lambda condlist, choicelist, default=0: _select(condlist, choicelist, default),
            "the choice of the first condition that holds")  # fmt: skip
_numpy_like("unravel_index", lambda indices, shape: tuple(
    _arrays.unstack(_shapes.unravel_index(_given(indices), shape), axis=0)), "places in a shape")  # fmt: skip
_numpy_like("depth_to_space", lambda x, block_size, data_format="channels_last": _nn.depth_to_space(
    _given(x), block_size), "channels as pixels")  # fmt: skip
_numpy_like("space_to_depth", lambda x, block_size, data_format="channels_last": _nn.space_to_depth(
    _given(x), block_size), "pixels as channels")  # fmt: skip
_numpy_like(
    "psnr",
    lambda x1, x2, max_val: 10.0 * _ps.log10(_real(max_val) ** 2 / _ps.mean((_real(x1) - _real(x2)) ** 2)),
    "how near two pictures are, in decibels",
)


def _floats(array: Any, dtype: Any) -> Any:
    return _given(_np.asarray(array).astype(_as_dtype(dtype or "float32").as_numpy_dtype))


_numpy_like(
    "logspace",
    lambda start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0: _floats(
        _np.logspace(start, stop, num, endpoint, base, axis=axis), dtype
    ),
    "numbers at equal distances of their logarithms",
)
_numpy_like(
    "geomspace",
    lambda start, stop, num=50, endpoint=True, dtype=None, axis=0: _floats(
        _np.geomspace(start, stop, num, endpoint, axis=axis), dtype
    ),
    "numbers at equal ratios",
)
for _name in ("bartlett", "blackman", "hamming", "hanning"):
    _numpy_like(
        _name, lambda x, _name=_name: _floats(getattr(_np, _name)(int(x)), None), f"the window {_name}"
    )
for _name, _fill in {"nansum": 0.0, "nanprod": 1.0}.items():
    _numpy_like(_name, lambda x, axis=None, keepdims=False, _f=_made[_name[3:]], _v=_fill: _f(
        _ps.where(_ps.isnan(_real(x)), _v, _real(x)), axis, keepdims),
        f"the {_name[3:]} of what is a number")  # fmt: skip
for _name, _fill in {"nanmax": -float("inf"), "nanmin": float("inf")}.items():
    _numpy_like(_name, lambda x, axis=None, keepdims=False, _f=_made[_name[3:]], _v=_fill: _f(
        _ps.where(_ps.isnan(_real(x)), _v, _real(x)), axis, keepdims),
        f"the {_name[3:]}imum of what is a number")  # fmt: skip


def _counted(x: Any, axis: Any, keepdims: bool) -> Any:
    return _ps.sum(
        _elementwise.cast(_ps.logical_not(_ps.isnan(x)), x._spec.dtype), axis=_axes(axis), keepdims=keepdims
    )


@_public
def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the mean of what is a number."""
    x = _real(x)
    return _ps.sum(_ps.where(_ps.isnan(x), 0.0, x), axis=_axes(axis), keepdims=keepdims) / _counted(
        x, axis, keepdims
    )


@_public
def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the variance of what is a number."""
    x = _real(x)
    return nanmean((x - nanmean(x, axis, True)) ** 2, axis, keepdims)


@_public
def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the deviation of what is a number."""
    return _ps.sqrt(nanvar(x, axis, keepdims))


def _fmod(x1: Any, x2: Any) -> Any:
    x, y = _pair(x1, x2)
    if x._spec.dtype.kind in "fV":
        return x - _ps.trunc(x / y) * y
    return _special.truncatemod(x, y)


def _within(x1: Any, x2: Any, invert: bool) -> Any:
    x, y = _pair(x1, x2)
    found = _ps.any(_ps.equal(x[..., None], _arrays.reshape(y, [-1])), axis=-1)
    return _ps.logical_not(found) if invert else found


def _vander(x: Any, count: Any, increasing: bool) -> Any:
    x = _given(x)
    powers = _np.arange(x._spec.shape[0] if count is None else count)
    return _ps.pow(x[:, None], _given((powers if increasing else powers[::-1]).astype(x._spec.dtype)))


def _deep(x: Any) -> Any:
    rank = len(x._spec.shape)
    return _arrays.reshape(x, [1, -1, 1]) if rank < 2 else x[..., None] if rank == 2 else x


def _rot90(x: Any, k: int, axes: Any) -> Any:
    x, (a, b) = _given(x), axes
    if k % 4 == 2:
        return _ps.flip(_ps.flip(x, axis=a), axis=b)
    if k % 4 == 1:
        return swapaxes(_ps.flip(x, axis=b), a, b)
    return _ps.flip(swapaxes(x, a, b), axis=b) if k % 4 == 3 else x


def _trapezoid(y: Any, x: Any, dx: float, axis: int) -> Any:
    y = _ps.moveaxis(_real(y), axis, -1)
    width = (
        dx
        if x is None
        else _ps.diff(_ps.moveaxis(_real(x), axis if len(_given(x)._spec.shape) > 1 else 0, -1))
    )
    return _ps.sum((y[..., 1:] + y[..., :-1]) * width / 2.0, axis=-1)


def _select(conditions: Any, choices: Any, default: Any) -> Any:
    made = _given(default) if not choices else _pair(_given(default), choices[0])[0]
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        made = where(condition, choice, made)
    return made


@_public
def rms_normalization(x: Any, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> Any:
    """Returns x divided by the root of the mean of its squares along an axis, times `scale`."""
    x = _real(x)
    floor = 1e-7 if epsilon is None else epsilon
    made = x * _ps.rsqrt(_ps.mean(x * x, axis=_axes(axis), keepdims=True) + floor)
    return made if scale is None else made * scale


@_public
def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    size: Any = None,
    fill_value: Any = None,
) -> Any:
    """Returns each value once, in order whatever `sorted` says; the value is looked at."""
    if size is not None or fill_value is not None or return_index:
        raise _ArgumentError("unique: size, fill_value and return_index are not taken.", site=_here())
    found = _np.unique(_np.asarray(_given(x).numpy()), return_inverse=True, return_counts=True, axis=axis)
    kept = [found[0], *([found[1].astype(_np.int32)] if return_inverse else []),
            *([found[2].astype(_np.int32)] if return_counts else [])]  # fmt: skip
    made = tuple(_given(one) for one in kept)
    return made if len(made) > 1 else made[0]


# -- control --------------------------------------------------------------------------------------------


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """Returns what one of two functions returns."""
    return _control.cond(pred, true_fn, false_fn)


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    """Returns what a function makes of values as long as another holds."""
    several = isinstance(loop_vars, tuple | list)
    values = tuple(loop_vars) if several else (loop_vars,)
    values = tuple(convert_to_tensor(one) for one in values)
    count = 0
    while (maximum_iterations is None or count < maximum_iterations) and bool(cond(*values)):
        found = body(*values)
        values = tuple(found) if isinstance(found, tuple | list) else (found,)
        count += 1
    return values if several else values[0]


def fori_loop(lower: int, upper: int, body_fun: Any, init_val: Any) -> Any:
    """Returns what a function makes of a number and a value, for each number in turn."""
    value = init_val
    for number in range(int(lower), int(upper)):
        value = body_fun(number, value)
    return value


def scan(
    f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: int = 1
) -> Any:
    """Returns the last state, and what a function of a state and a row gives for each row."""
    from penstock.tensorflow import nest

    flat = [] if xs is None else [_given(one) for one in nest.flatten(xs)]
    count = flat[0]._spec.shape[0] if flat else int(length)
    state, outputs = init, []
    for row in reversed(range(count)) if reverse else range(count):
        given = None if xs is None else nest.pack_sequence_as(xs, [one[row] for one in flat])
        state, output = f(state, given)
        outputs.append(output)
    outputs = outputs[::-1] if reverse else outputs
    if not outputs or outputs[0] is None:
        return state, None
    rows = [nest.flatten(one) for one in outputs]
    return state, nest.pack_sequence_as(
        outputs[0], [_arrays.stack(column, 0) for column in zip(*rows, strict=True)]
    )


def map(f: Any, xs: Any) -> Any:
    """Returns what a function makes of each row, put together."""
    return scan(lambda _, row: (None, f(row)), None, xs)[1]


def vectorized_map(function: Any, elements: Any) -> Any:
    """Returns what a function makes of each row, put together."""
    return _control.vectorized_map(function, elements)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Returns what the function with a number returns."""
    number = min_(max_(int(index), 0), len(branches) - 1)
    return branches[number](*operands)


min_, max_ = min, max


def custom_gradient(f: Any) -> Any:
    """Returns a function with a derivative of its own: f returns its value and a function of the
    cotangent."""

    def adapted(*arguments: Any) -> Any:
        value, gradient = f(*arguments)
        named = "upstream" in _inspect.signature(gradient).parameters

        def derivative(*cotangents: Any) -> Any:
            return gradient(upstream=cotangents[0]) if named else gradient(*cotangents)

        return value, derivative

    return _custom.custom_gradient(adapted)


for _one in (cond, while_loop, fori_loop, scan, map, vectorized_map, switch, custom_gradient):
    _made[_one.__name__] = _one

globals().update(_made)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.ops", name, __all__)


__all__ = sorted_(_made)
