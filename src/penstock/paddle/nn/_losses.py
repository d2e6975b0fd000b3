"""Losses and functions of pairs that few programs ask for."""

from __future__ import annotations

import math
from typing import Any

from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle._autograd import no_grad
from penstock.paddle._convert import operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import functional as F
from penstock.paddle.nn.functional import reduced
from penstock.trace.source_site import here


def pairwise_distance(
    x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: Any = None
) -> Any:
    """Returns the p-norm of x - y + epsilon along the last axis."""
    apart = operand(x) - operand(y)
    return _math.norm(apart + epsilon if epsilon else apart, p, -1, keepdim)


def dice_loss(input: Any, label: Any, epsilon: float = 1e-5, name: Any = None) -> Any:
    """Returns 1 - 2 |A and B| / (|A| + |B|) of shares [..., classes] and labels [..., 1], on average."""
    input = operand(input)
    hot = F.one_hot(_manipulation.squeeze(operand(label), -1), input._spec.shape[-1])
    axes = list(range(1, input._spec.ndim))
    both = _math.sum(input * hot, axes)
    total = _math.sum(input, axes) + _math.sum(hot, axes)
    return _math.mean(1.0 - both * 2.0 / (total + epsilon))


def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Returns the loss of pairs by their similarities, plus a quarter of `l2_reg` times their squares."""
    anchor, positive, labels = operand(anchor), operand(positive), operand(labels)
    rows = labels.reshape([-1, 1])
    same = _math.cast(_math.equal(rows, _manipulation.transpose(rows, [1, 0])), "float32")
    same = same / _math.sum(same, 1, keepdim=True)
    squares = _math.mean(_math.sum(_math.square(anchor), 1)) + _math.mean(
        _math.sum(_math.square(positive), 1)
    )
    scores = _math.matmul(anchor, positive, transpose_y=True)
    terms = F.softmax_with_cross_entropy(scores, same, soft_label=True)
    return squares * (0.25 * l2_reg) + _math.mean(_math.sum(same * terms, 0))


def gaussian_nll_loss(
    input: Any, label: Any, variance: Any, full: bool = False, epsilon: float = 1e-6, reduction: str = "mean",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the negative log density of labels about `input`, with at least `epsilon` as the variance."""
    input, label, variance = operand(input), operand(label), operand(variance)
    if list(variance._spec.shape) != list(input._spec.shape) and variance._spec.ndim + 1 == input._spec.ndim:
        variance = variance.unsqueeze(-1)
    with no_grad():
        # As in Paddle, no gradient reaches the variance.
        variance = _math.clip(variance, epsilon)
    found = 0.5 * (_math.log(variance) + _math.square(input - label) / variance)
    return reduced(found + 0.5 * math.log(2.0 * math.pi) if full else found, reduction)


def soft_margin_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns log(1 + exp(-label * input)), with labels -1 and 1."""
    input = operand(input)
    label = _math.cast(operand(label), input._spec.dtype.name)
    return reduced(_math.log(1.0 + _math.exp(-label * input)), reduction)


def multi_label_soft_margin_loss(
    input: Any, label: Any, weight: Any = None, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns the mean over classes of the logistic loss of each, with labels 0 and 1."""
    input, label = operand(input), operand(label)
    found = -(label * F.log_sigmoid(input) + (1.0 - label) * F.log_sigmoid(-input))
    if weight is not None:
        found = found * weight
    return reduced(_math.mean(found, -1), reduction)


def multi_margin_loss(
    input: Any, label: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns by how much the scores of other classes come closer than `margin` to that of the label."""
    input, label = operand(input), operand(label)
    count = input._spec.shape[-1]
    hot = _math.cast(F.one_hot(label.reshape([-1]), count), input._spec.dtype.name)
    own = _math.sum(input * hot, -1, keepdim=True)
    over = _math.clip(margin - own + input, 0.0)
    found = _math.mean(_math.pow(over, p), -1) - margin**p / count
    if weight is not None:
        found = found * _math.sum(hot * operand(weight), -1)
    return reduced(found, reduction)


def triplet_margin_with_distance_loss(
    input: Any, positive: Any, negative: Any, distance_function: Any = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean", name: Any = None,
) -> Any:  # fmt: skip
    """Returns by how much the near example is not nearer than the far one, by `margin`."""
    apart = distance_function or (lambda x, y: pairwise_distance(x, y, 2.0, 0.0))
    near, far = apart(input, positive), apart(input, negative)
    if swap:
        far = _math.minimum(far, apart(positive, negative))
    return reduced(_math.clip(near - far + margin, 0.0), reduction)


def bilinear(x1: Any, x2: Any, weight: Any, bias: Any = None, name: Any = None) -> Any:
    """Returns x1 W x2 for each of the matrices W in `weight` [out, in1, in2]."""
    from penstock.paddle._matrices import einsum

    found = einsum("bi,oij,bj->bo", operand(x1), operand(weight), operand(x2))
    return found if bias is None else found + bias


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
    if training:
        slope = _creation.uniform(list(x._spec.shape), x._spec.dtype.name, lower, upper)
    return _math.where(x >= 0.0, x, x * slope)


def _alpha_dropped(x: Any, p: float, training: bool, shape: list[int]) -> Any:
    if not training or p == 0.0:
        return x
    low = -1.6732632423543772 * 1.0507009873554805
    kept = _creation.bernoulli(_creation.full(shape, 1.0 - p, x._spec.dtype.name))
    if p == 1.0:
        return x * 0.0
    scale = ((1.0 - p) * (1.0 + p * low**2)) ** -0.5
    return (x * kept + low * (1.0 - kept)) * scale - scale * low * p


def alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: Any = None) -> Any:
    """Returns x with some elements at the low end of SELU, and mean and variance kept, while training."""
    x = operand(x)
    return _alpha_dropped(x, p, training, list(x._spec.shape))


def feature_alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: Any = None) -> Any:
    """Returns x with whole channels dropped as in `alpha_dropout`."""
    x = operand(x)
    shape = [*x._spec.shape[:2], *[1] * (x._spec.ndim - 2)]
    return _alpha_dropped(x, p, training, shape)


def dropout3d(
    x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCDHW", name: Any = None
) -> Any:
    """Returns x with whole channels set to 0 with the probability p, while training."""
    x = operand(x)
    axis = [0, 1] if data_format == "NCDHW" else [0, 4]
    return F.dropout(x, p, axis=axis, training=training)


def swiglu(x: Any, y: Any = None, name: Any = None) -> Any:
    """Returns silu(x) * y; y is the second half of x unless it is given."""
    x = operand(x)
    if y is None:
        x, y = _manipulation.chunk(x, 2, -1)
    return F.silu(x) * y


__all__ = [
    "alpha_dropout", "bilinear", "dice_loss", "dropout3d", "feature_alpha_dropout", "gaussian_nll_loss",
    "multi_label_soft_margin_loss", "multi_margin_loss", "npair_loss", "pairwise_distance", "rrelu",
    "soft_margin_loss", "swiglu", "triplet_margin_with_distance_loss",
]  # fmt: skip
