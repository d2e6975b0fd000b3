"""Functions that normalise over a batch or over groups of channels, with arguments as Paddle writes them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.functions.normalization import batch_normalization, moments
from penstock.grad.custom import straight_through
from penstock.layers.normalization import group_normalized
from penstock.layers.normalization import moved as moving_average
from penstock.ops import pointwise, reduce
from penstock.ops import shape as shapes
from penstock.paddle import _creation, _manipulation, _math, _slicing
from penstock.paddle._autocast import like_input
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import is_grad_enabled
from penstock.paddle._tensor import saving
from penstock.state.variable import updating
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_LAST = ("NLC", "NHWC", "NDHWC")
_FIRST = ("NC", "NCL", "NCHW", "NCDHW")


def channel_axis(name: str, data_format: str, rank: int) -> int:
    """Returns which axis has the channels; raises ValueError for a format that is not known."""
    if data_format not in _LAST + _FIRST:
        raise InvalidValueError(
            f"{name}: data_format is {data_format!r}.",
            remedy=f"Use one of {', '.join(_FIRST + _LAST)}.",
            site=here(),
        )
    return rank - 1 if data_format in _LAST else 1


@in_functional
def batch_norm(
    x: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
    momentum: float = 0.9, epsilon: float = 1e-5, data_format: str = "NCHW",
    use_global_stats: bool | None = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with mean 0 and variance 1 along its channels, times weight, plus bias.

    While training by the statistics of the batch, which are noted in `running_mean` and `running_var`:
    new = momentum * old + (1 - momentum) * batch. Otherwise, and with `use_global_stats`, by these. The
    variance is divided by the count. Statistics that are locked are used, and stay as they are. A batch with
    one element for each channel has no variance: x is returned, and the statistics stay, as in Paddle. If
    `use_global_stats` is False without training, the gradient is that of the running statistics, as there.
    Weight and bias get their gradients together, as in Paddle: if one is not given, or gets none, the other
    gets none.

    >>> from penstock import paddle
    >>> x, mean, variance = paddle.to_tensor([[1.0], [3.0]]), paddle.zeros([1]), paddle.ones([1])
    >>> paddle.nn.functional.batch_norm(x, mean, variance, training=True, epsilon=0.0).tolist()
    [[-1.0], [1.0]]
    >>> print(round(float(mean), 6))
    0.2
    """
    x = operand(x)
    shape = x._spec.shape
    axis = channel_axis("batch_norm", data_format, len(shape))
    if len(shape) < 2 or shape[axis] != running_mean._spec.shape[0]:
        raise InvalidValueError(
            f"batch_norm: the input has shape {list(shape)}, the statistics have shape "
            f"{list(running_mean._spec.shape)}.",
            why=f"Axis {axis} of the input has the channels when data_format is {data_format!r}.",
            site=here(),
        )
    # Kernels of Paddle take both as float32: 1 - momentum is not 0.1 but 0.100000024.
    momentum, epsilon = float(np.float32(momentum)), float(np.float32(epsilon))
    given = not training if use_global_stats is None else use_global_stats
    by_batch = not given and (training or use_global_stats is False)
    mean, variance = running_mean, running_var
    if by_batch and not (_locked(mean) or _locked(variance)):
        if x._spec.size == shape[axis]:
            return _passed(x, [one for one in (weight, bias) if one is not None], axis)
        mean, variance = moments(x, tuple(i for i in range(len(shape)) if i != axis))
        _move(running_mean, mean, momentum)
        _move(running_var, variance, momentum)
    weight, bias = _together(weight, bias)
    weight = 1.0 if weight is None else weight
    bias = 0.0 if bias is None else bias
    found = batch_normalization(x, mean, variance, bias, weight, axis, epsilon)
    if not training and mean is not running_mean:
        by_running = batch_normalization(x, running_mean, running_var, bias, weight, axis, epsilon)
        found = straight_through(found, by_running)
    return like_input("batch_normalization", x, found, user_frame(1))


def _together(weight: Any, bias: Any) -> tuple[Any, Any]:
    """Returns a weight and a bias, neither of which gets a gradient unless both do."""
    trained = [one is not None and not operand(one).stop_gradient for one in (weight, bias)]
    if trained[0] is trained[1]:
        return weight, bias
    return tuple([one.detach() if wants else one for one, wants in zip((weight, bias), trained, strict=True)])


def _passed(x: Any, unused: list[Any], axis: int) -> Any:
    """Returns x, on which weights without an effect depend: their gradients are zeros."""
    along = [-1 if i == axis else 1 for i in range(len(x._spec.shape))]
    for one in unused:
        x = x + operand(one).reshape(along) * 0.0
    return x


def _locked(statistic: Any) -> bool:
    return bool(getattr(statistic, "locked", False))


def _move(statistic: Any, towards: Any, momentum: float) -> None:
    """Moves a statistic towards that of a batch, as state of the model and not as an update."""
    frame = user_frame(1)
    with updating(statistic, frame):
        value: Any = moving_average(statistic, towards, momentum)
        if isinstance(statistic, Cell):
            statistic._replace(value, "state", frame)  # type: ignore[attr-defined]
        else:
            statistic._change(value.detach(), "state", frame)


@composite(3, "group_norm", wide=True)
def _groups(x: Any, weight: Any, bias: Any, groups: int, axis: int, epsilon: float) -> Tensor:
    return group_normalized(x, weight, bias, groups, axis, epsilon)


@in_functional("paddle.group_norm")
def group_norm(
    x: Any, num_groups: int, epsilon: float = 1e-5, weight: Any = None, bias: Any = None,
    data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with mean 0 and variance 1 over groups of channels, times weight, plus bias.

    Without a weight, the gradient of x is that of Paddle's kernel, which leaves out what x has through the
    means of the groups: `weight=paddle.ones([channels])` gives the derivative.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor([[[1.0], [3.0]]])
    >>> paddle.nn.functional.group_norm(x, 1, epsilon=0.0).tolist()
    [[[-1.0], [1.0]]]
    """
    x = operand(x)
    shape = x._spec.shape
    axis = channel_axis("group_norm", data_format, len(shape))
    if num_groups < 1 or shape[axis] % num_groups:
        raise InvalidValueError(
            f"group_norm: {shape[axis]} channels do not divide into {num_groups} groups.", site=here()
        )
    found = _groups(
        x, 1.0 if weight is None else weight, 0.0 if bias is None else bias, int(num_groups), axis,
        float(epsilon),
    )  # fmt: skip
    if weight is not None or x.stop_gradient or not is_grad_enabled():
        return found
    whole = found + _through_means(x, int(num_groups), axis, float(epsilon))
    return saving(whole, user_frame(1), x, result=True)


@composite(1, "group_norm", wide=True)
def _through_means(x: Any, groups: int, axis: int, epsilon: float) -> Tensor:
    """Returns zeros, whose gradient takes away the one that x has through the means of its groups."""
    first = native.moveaxis(x, axis, 1)
    rows = native.reshape(first, (first.shape[0], groups, -1))
    mean = native.mean(rows, axis=2, keepdims=True)
    distance = pointwise.stop_gradient(rows - mean)
    variance = native.mean(distance * distance, axis=2, keepdims=True)
    zeros = (mean - pointwise.stop_gradient(mean)) / native.sqrt(variance + epsilon)
    spread = native.reshape(native.broadcast_to(zeros, rows.shape), first.shape)
    return native.moveaxis(spread, 1, axis)


@in_functional
def normalize(x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: Any = None) -> Any:
    """Returns x divided by its p-norm along an axis."""
    size = _math.norm(x, p, axis % max(x._spec.ndim, 1) if x._spec.ndim > 1 else 0, True)
    return x / _math.maximum(size, epsilon)


@composite(3, wide=True)
def _layer_norm(x: Any, weight: Any, bias: Any, count: int, epsilon: float) -> Any:
    axes = tuple(range(len(x.shape) - count, len(x.shape)))
    centred = x - reduce.mean(x, axes=axes, keepdims=True)
    variance = reduce.mean(pointwise.square(centred), axes=axes, keepdims=True)
    weight, bias = (shapes.reshape(one, shape=x.shape[axes[0] :]) for one in (weight, bias))
    return centred * pointwise.rsqrt(variance + epsilon) * weight + bias


@in_functional("paddle.layer_norm")
def layer_norm(
    x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with mean 0 and variance 1 over its last axes, times weight, plus bias.

    If the weight gets no gradient, that of x is the one of Paddle's kernel, which takes the weight as 1.
    """
    lengths = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    own = operand(x)._spec
    if not 0.0 <= float(epsilon) <= 0.001:
        raise InvalidValueError(
            f"'epsilon' in Op(LayerNorm) should be between 0.0 and 0.001, But received [{epsilon}].",
            why="Paddle accepts no other.",
            remedy="Use epsilon=0.001, or write the formula: (x - mean) / (variance + epsilon).sqrt().",
            site=here(),
        )
    if tuple(own.shape[len(own.shape) - len(lengths) :]) != lengths:
        raise InvalidValueError(
            f"layer_norm: normalized_shape is {list(lengths)}, the input has shape {list(own.shape)}.",
            site=here(),
        )
    frozen = weight is not None and operand(weight).stop_gradient
    weight = _creation.ones(lengths, own.dtype.name) if weight is None else weight
    bias = _creation.zeros(lengths, own.dtype.name) if bias is None else bias
    found = _layer_norm(x, weight, bias, len(lengths), float(epsilon))
    if frozen and is_grad_enabled() and not operand(x).stop_gradient:
        ones = native.ones(weight._spec.shape, dtype=weight._spec.dtype)
        found = straight_through(found, _layer_norm(x, ones, bias, len(lengths), float(epsilon)))
    return like_input("layer_normalization", operand(x), found, _frame(1))


@composite(3, "instance_norm", wide=True)
def _instance(x: Any, weight: Any, bias: Any, epsilon: float) -> Tensor:
    axes = tuple(range(2, len(x.shape)))
    mean = native.mean(x, axis=axes, keepdims=True)
    distance = x - mean
    variance = native.mean(distance * distance, axis=axes, keepdims=True)
    shape = (1, -1, *[1] * len(axes))
    scaled = distance / native.sqrt(variance + epsilon) * native.reshape(weight, shape)
    return scaled + native.reshape(bias, shape)  # type: ignore[no-any-return]


@in_functional
def instance_norm(
    x: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    use_input_stats: bool = True, momentum: float = 0.9, eps: float = 1e-5, data_format: str = "NCHW",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with mean 0 and variance 1 over the space of each image and channel.

    As in Paddle, they are the statistics of the input: `running_mean`, `running_var`, `use_input_stats` and
    `momentum` do nothing. Weight and bias get their gradients together: if one is not given, or gets none,
    the other gets none.
    """
    weight, bias = _together(weight, bias)
    x = operand(x)
    rank = len(x._spec.shape)
    last = data_format in ("NLC", "NHWC", "NDHWC")
    if last:
        x = native.moveaxis(x, rank - 1, 1)
    channels, own = x._spec.shape[1], x._spec.dtype
    weight = data(np.ones(channels, own)) if weight is None else operand(weight)
    bias = data(np.zeros(channels, own)) if bias is None else operand(bias)
    found = _instance(x, weight, bias, float(eps))
    return native.moveaxis(found, 1, rank - 1) if last else found


@in_functional
def local_response_norm(
    x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0, data_format: str = "NCHW",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x divided by a power of the mean square of the channels near by."""
    x = operand(x)
    axis = x._spec.ndim - 1 if data_format[-1] == "C" else 1
    squares = _math.square(x)
    lengths = list(x._spec.shape)
    ends = []
    for width in (size // 2, (size - 1) // 2):
        lengths[axis] = width
        ends.append(_creation.zeros(lengths, x._spec.dtype.name))
    wide = _manipulation.concat([ends[0], squares, ends[1]], axis)
    count = x._spec.shape[axis]
    total: Any = 0.0
    for start in range(size):
        total = total + _slicing.slice(wide, [axis], [start], [start + count])
    return x / _math.pow(total / float(size) * alpha + k, beta)
