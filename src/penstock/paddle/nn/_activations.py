"""Activations: functions of one tensor that bend it, and the layers they make."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import nn as native_nn
from penstock.functions import random as source
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle import _seeded as seeded
from penstock.paddle._convert import converted, operand, record
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._math import sigmoid, tanh
from penstock.paddle._tensor import saving
from penstock.paddle.nn import _softmax, initializer
from penstock.paddle.nn._function_layers import layer_of
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.fast_path import find
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@in_functional
def relu(x: Any, name: Any = None) -> Any:
    """Returns x where it is positive, 0 elsewhere.

    >>> from penstock import paddle
    >>> paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    found = find(pointwise.relu.code, x)
    return record(pointwise.relu, (operand(x),), {}, _frame(1)) if found is None else found


@in_functional
def relu6(x: Any, name: Any = None) -> Any:
    """Returns x brought into 0 .. 6."""
    return native_nn.relu6(operand(x))


@in_functional
def leaky_relu(x: Any, negative_slope: float = 0.01, name: Any = None) -> Any:
    """Returns x where it is positive, `negative_slope` times x elsewhere."""
    return _leaky(operand(x), float(negative_slope))


@composite(1, "leaky_relu", wide=True)
def _leaky(x: Any, slope: float) -> Any:
    # Paddle's slope at 0 is 1.
    return pointwise.where(x >= 0.0, x, x * slope)


@in_functional
def elu(x: Any, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns alpha * (exp(x) - 1) where x is negative, x elsewhere; its slope at 0 is alpha."""
    return _elu(operand(x), float(alpha))


@composite(1, "elu", wide=True)
def _elu(x: Any, alpha: float) -> Tensor:
    above = x > 0.0
    return pointwise.where(above, x, pointwise.expm1(pointwise.where(above, 0.0, x)) * alpha)


@in_functional
def selu(
    x: Any, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: Any = None
) -> Any:
    """Returns scale * elu(x, alpha)."""
    if scale <= 1.0 or alpha < 0:
        what = (
            f"scale must be greater than 1.0. Received: {scale}."
            if scale <= 1.0
            else (f"alpha must be no less than zero. Received: {alpha}.")
        )
        raise InvalidValueError(f"The {what}", site=here())
    return _selu(operand(x), float(scale), float(alpha))


@composite(1, "selu", wide=True)
def _selu(x: Any, scale: float, alpha: float) -> Any:
    # Paddle's slope at 0 is that from below.
    inside = pointwise.where(x > 0.0, 0.0, x)
    return pointwise.where(x > 0.0, x, pointwise.expm1(inside) * alpha) * scale


@in_functional
def gelu(x: Any, approximate: Any = False, name: Any = None) -> Any:
    """Returns x times the normal distribution function, or, with True or "tanh", its tanh form."""
    if approximate not in (True, False, "tanh", "none"):
        raise InvalidValueError(f"gelu: approximate is {approximate!r}; use 'tanh' or 'none'.", site=here())
    return native_nn.gelu(operand(x), approximate in (True, "tanh"))


@composite(1, "silu", wide=True)
def _silu(x: Any) -> Tensor:
    return x * pointwise.logistic(x)  # type: ignore[no-any-return]


@in_functional
def silu(x: Any, inplace: bool = False, name: Any = None) -> Any:
    """Returns x * sigmoid(x); with `inplace` x itself takes the value."""
    found = _silu(operand(x))
    return x._change(found, "silu", _frame(1)) if inplace else found


@in_functional
def swish(x: Any, name: Any = None) -> Any:
    """Returns x * sigmoid(x)."""
    return _swish(operand(x))


@composite(1, "swish", wide=True)
def _swish(x: Any) -> Tensor:
    return x * pointwise.logistic(x)  # type: ignore[no-any-return]


@in_functional
def softplus(x: Any, beta: float = 1, threshold: float = 20, name: Any = None) -> Any:
    """Returns log(1 + exp(beta * x)) / beta, and x where beta * x is above the threshold."""
    frame = _frame(1)
    scaled = operand(x) * beta if beta != 1 else operand(x)
    soft = record(pointwise.softplus, (scaled,), {}, frame)
    soft = soft / beta if beta != 1 else soft
    return record(pointwise.where, (scaled > float(threshold), x, soft), {}, frame)


@in_functional
def softsign(x: Any, name: Any = None) -> Any:
    """Returns x / (1 + |x|)."""
    return native_nn.softsign(operand(x))


@in_functional("logsigmoid")
def log_sigmoid(x: Any, name: Any = None) -> Any:
    """Returns log(sigmoid(x)), without overflow."""
    return _log_sigmoid(operand(x))


@composite(1, "log_sigmoid")
def _log_sigmoid(x: Any) -> Any:
    return -pointwise.softplus(-x)


@in_functional
def hardsigmoid(x: Any, slope: float = 0.1666667, offset: float = 0.5, name: Any = None) -> Any:
    """Returns slope * x + offset, brought into 0 .. 1; at both its slope is 0."""
    found = _hardtanh(operand(x) * slope + offset, 0.0, 1.0)
    return saving(found, _frame(1), result=True)


@in_functional
def hardtanh(x: Any, min: float = -1.0, max: float = 1.0, name: Any = None) -> Any:
    """Returns x brought into min .. max; at both its slope is 0."""
    # With the ends exchanged all of it is the upper one, as in Paddle.
    return _hardtanh(operand(x), float(min), float(max))


@composite(1, "hardtanh")
def _hardtanh(x: Any, low: float, high: float) -> Any:
    above = pointwise.where(x <= low, low, x)
    return pointwise.where(above >= high, high, above)


@in_functional
def tanhshrink(x: Any, name: Any = None) -> Any:
    """Returns x - tanh(x)."""
    return saving(x - tanh(x), _frame(1), x)


@in_functional
def mish(x: Any, name: Any = None) -> Any:
    """Returns x * tanh(softplus(x))."""
    return x * tanh(softplus(x))


@in_functional
def softmax(x: Any, axis: int = -1, dtype: Any = None, name: Any = None) -> Any:
    """Returns exp(x) / sum(exp(x)) along an axis; x - max(x) is cut at -64, as in Paddle."""
    x = operand(x) if dtype is None else converted(operand(x), numpy_dtype(dtype), _frame(1))
    return _softmax.softmax(x, axis)


@in_functional
def log_softmax(x: Any, axis: int = -1, dtype: Any = None, name: Any = None) -> Any:
    """Returns log(softmax(x)); x - max(x) is cut at -64, as in Paddle."""
    x = operand(x) if dtype is None else converted(operand(x), numpy_dtype(dtype), _frame(1))
    return _softmax.log_softmax(x, axis)


@composite(1, "celu", wide=True)
def _celu(x: Any, alpha: float) -> Tensor:
    inside = native.where(x > 0, 0.0, x).astype(x.dtype)
    return native.where(x > 0, x, native.expm1(inside / alpha) * alpha)


@in_functional
def celu(x: Any, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns x above 0, and alpha * (exp(x / alpha) - 1) below it."""
    return _celu(operand(x), float(alpha))


@composite(1, "hardshrink")
def _hardshrink(x: Any, threshold: float) -> Tensor:
    return native.where(native.abs(x) >= threshold, x, native.zeros_like(x))


@in_functional
def hardshrink(x: Any, threshold: float = 0.5, name: Any = None) -> Any:
    """Returns x, and 0 between -threshold and threshold."""
    return _hardshrink(operand(x), float(threshold))


@composite(1, "softshrink", wide=True)
def _softshrink(x: Any, threshold: float) -> Tensor:
    moved = native.where(x > 0, x - threshold, x + threshold)
    return native.where(native.abs(x) > threshold, moved, native.zeros_like(x))


@in_functional
def softshrink(x: Any, threshold: float = 0.5, name: Any = None) -> Any:
    """Returns x brought nearer to 0 by a threshold, and 0 where that would pass it."""
    if threshold < 0:
        raise InvalidValueError(
            f"The threshold must be no less than zero. Received: {threshold}.", site=here()
        )
    return _softshrink(operand(x), float(threshold))


@composite(1, "hardswish", wide=True)
def _hardswish(x: Any) -> Tensor:
    # Paddle's slope is 0 at -3 and 1 at 3.
    inside = native.where(x >= 3.0, x, x * (x + 3.0) / 6.0)
    return native.where(x <= -3.0, native.zeros_like(x), inside)


@in_functional
def hardswish(x: Any, name: Any = None) -> Any:
    """Returns x * relu6(x + 3) / 6."""
    return _hardswish(operand(x))


@composite(1, "thresholded_relu")
def _thresholded(x: Any, threshold: float, value: float) -> Tensor:
    return native.where(x > threshold, x, native.full_like(x, value))


@in_functional
def thresholded_relu(x: Any, threshold: float = 1.0, value: float = 0.0, name: Any = None) -> Any:
    """Returns x above a threshold, and `value` elsewhere."""
    return _thresholded(operand(x), float(threshold), float(value))


@composite(1, "glu", wide=True)
def _glu(x: Any, axis: int) -> Tensor:
    half = x.shape[axis] // 2
    first = native.take(x, native.arange(half), axis=axis)
    second = native.take(x, native.arange(half, 2 * half), axis=axis)
    return first * pointwise.logistic(second)


@in_functional
def glu(x: Any, axis: int = -1, name: Any = None) -> Any:
    """Returns one half of x times the sigmoid of the other."""
    x = operand(x)
    if x._spec.shape[axis] % 2:
        raise InvalidValueError(
            f"glu: axis {axis} of {list(x._spec.shape)} cannot be split into two halves.", site=here()
        )
    return _glu(x, int(axis))


@composite(1, "maxout")
def _maxout(x: Any, groups: int, axis: int) -> Tensor:
    axis %= len(x.shape)
    shape = (*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :])
    return native.max(native.reshape(x, shape), axis=axis + 1)


@in_functional
def maxout(x: Any, groups: int, axis: int = 1, name: Any = None) -> Any:
    """Returns the largest of each `groups` channels, more than one, which are in the axis 1, -1 or 3."""
    x = operand(x)
    if axis not in (1, -1, 3):
        raise InvalidValueError(f"axis only supported 1, -1 or 3, but received axis is: {axis}.", site=here())
    channels = x._spec.shape[axis]
    if groups <= 1 or channels % groups:
        raise InvalidValueError(
            "The number of input channels for Op(maxout) should be divisible by Attr(groups), which should "
            f"be larger than 1. But received: the input's channels is {channels}, Attr(groups) is {groups}.",
            site=here(),
        )
    return _maxout(x, int(groups), int(axis))


@composite(2, "prelu", wide=True)
def _prelu(x: Any, weight: Any, axis: int) -> Tensor:
    shape = [1] * len(x.shape)
    if weight.shape and weight.shape[0] > 1:
        shape[axis] = weight.shape[0]
    return native.where(x > 0, x, x * native.reshape(weight, tuple(shape)))


@in_functional
def prelu(x: Any, weight: Any, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns x above 0, and weight * x below it; one weight, or one for each channel."""
    x = operand(x)
    axis = len(x._spec.shape) - 1 if data_format in ("NLC", "NHWC", "NDHWC") else 1
    return _prelu(x, operand(weight), axis)


@in_functional
def gumbel_softmax(
    x: Any, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: Any = None
) -> Any:
    """Returns draws of classes that gradients pass: softmax((x + Gumbel noise) / temperature).

    With `hard` they are one-hot, and the gradient is that of the soft draw.
    """
    x = operand(x)
    lengths, kind = tuple(x._spec.shape), x._spec.dtype
    noise = seeded.tensor("gumbel", lengths, kind)
    if noise is None:
        noise = source.gumbel(lengths, dtype=kind)
    soft = _softmax.softmax((x + noise) / float(temperature), axis)
    if not hard:
        return soft
    length = soft._spec.shape[axis]
    chosen = native.one_hot(native.argmax(soft, axis=axis), length)
    chosen = native.moveaxis(native.astype(chosen, x._spec.dtype), -1, axis)
    return saving(chosen - native.stop_gradient(soft) + soft, _frame(1), result=True)


@in_functional
def rrelu(
    x: Any, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, training: bool = True, name: Any = None
) -> Any:
    """Returns x above 0, and a share of it below: a random one in training, else the mean of both bounds."""
    if not 0.0 <= lower <= upper <= 1.0:
        raise InvalidValueError(
            f"The lower and upper bounds must be 0 <= lower <= upper <= 1, but are {lower} and {upper}.",
            site=here(),
        )
    x = operand(x)
    slope: Any = (lower + upper) / 2.0
    if training and seeded.drawing() and not local.trace.capturing:
        # A word is taken for each element below 0 alone.
        slope = seeded.tensor("slopes", np.asarray(x) < 0, lower, upper, x._spec.dtype)
    elif training:
        slope = _creation.uniform(list(x._spec.shape), x._spec.dtype.name, lower, upper)
    return saving(_math.where(x >= 0.0, x, x * slope), _frame(1), x)


@in_functional
def swiglu(x: Any, y: Any = None, name: Any = None) -> Any:
    """Returns silu(x) * y; y is the second half of x unless it is given."""
    x = operand(x)
    if y is None:
        first, second = _manipulation.chunk(x, 2, -1)
        return saving(silu(first) * second, _frame(1), x)
    return silu(x) * y


def _in_place(function: Any) -> Any:
    def changed(x: Any, *arguments: Any, **options: Any) -> Any:
        return x._change(function(x, *arguments, **options), f"{function.__name__}_", _frame(1))

    changed.__name__ = changed.__qualname__ = f"{function.__name__}_"
    changed.__doc__ = f"Gives x the value of `{function.__name__}`, in place; returns x."
    return in_functional(changed)


elu_ = _in_place(elu)
hardtanh_ = _in_place(hardtanh)
leaky_relu_ = _in_place(leaky_relu)
relu_ = _in_place(relu)
softmax_ = _in_place(softmax)
tanh_ = _in_place(tanh)
thresholded_relu_ = _in_place(thresholded_relu)


# -- layers ----------------------------------------------------------------------------------------------

ReLU = layer_of("ReLU", relu)
ReLU6 = layer_of("ReLU6", relu6)
LeakyReLU = layer_of("LeakyReLU", leaky_relu, "negative_slope")
ELU = layer_of("ELU", elu, "alpha")
SELU = layer_of("SELU", selu, "scale alpha")
CELU = layer_of("CELU", celu, "alpha")
GELU = layer_of("GELU", gelu, "approximate")
GLU = layer_of("GLU", glu, "axis", known="dim=axis")
Silu = layer_of("Silu SiLU", silu, "inplace")
Swish = layer_of("Swish", silu)
Mish = layer_of("Mish", mish)
Sigmoid = layer_of("Sigmoid", sigmoid, known="name")
LogSigmoid = layer_of("LogSigmoid", log_sigmoid)
Tanh = layer_of("Tanh", tanh)
Tanhshrink = layer_of("Tanhshrink", tanhshrink)
Softplus = layer_of("Softplus", softplus, "beta threshold")
Softsign = layer_of("Softsign", softsign)
Softshrink = layer_of("Softshrink", softshrink, "threshold", known="lambd=threshold")
Hardtanh = layer_of("Hardtanh", hardtanh, "min max")
Hardsigmoid = layer_of("Hardsigmoid", hardsigmoid, known="name")
Hardshrink = layer_of("Hardshrink", hardshrink, "threshold", known="lambd=threshold")
Hardswish = layer_of("Hardswish", hardswish)
ThresholdedReLU = layer_of("ThresholdedReLU", thresholded_relu, "threshold value")
Maxout = layer_of("Maxout", maxout, "groups axis")
Softmax = layer_of("Softmax", softmax, "axis")
LogSoftmax = layer_of("LogSoftmax", log_softmax, "axis")


@in_nn
class PReLU(Layer):
    """x above 0, and a weight that is learnt times x below it."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, weight_attr: Any = None, data_format: str = "NCHW",
        name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._data_format, self._start = data_format, init
        self._weight = self.create_parameter(
            [num_parameters], attr=weight_attr, default_initializer=initializer.Constant(init)
        )

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return prelu(x, self._weight, self._data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        text = f"num_parameters={self._weight.shape[0]}, data_format={self._data_format}"
        return f"{text}, init={self._start}, dtype={self._dtype}"


@in_nn
class Softmax2D(Layer):
    """Shares of the channels of images."""

    def forward(self, x: Any) -> Any:
        """Returns shares along the third axis from the end."""
        if x.ndim not in (3, 4):
            raise InvalidValueError(
                f"Softmax2D requires a 3D or 4D tensor as input. Received: {x.ndim}D.", site=here()
            )
        return softmax(x, -3)


@in_nn
class RReLU(Layer):
    """x above 0, and a share of it below, which is random in training."""

    def __init__(self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: Any = None) -> None:
        super().__init__()
        self._lower, self._upper = lower, upper

    def forward(self, x: Any) -> Any:
        """Returns the function of x."""
        return rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self) -> str:
        """Returns the arguments, and whether it is random."""
        bounds = f"lower={self._lower}, upper={self._upper}"
        return f"{bounds}, training={self.training}, dtype={self._dtype}"
