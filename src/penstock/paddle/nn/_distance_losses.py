"""Losses of distances: between values, vectors or distributions, and the layers they make."""

from __future__ import annotations

import math
import sys
from typing import Any

from penstock.functions import array as native
from penstock.functions import losses as _losses
from penstock.functions import nn as native_nn
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.paddle import _manipulation, _math
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._tensor import saving
from penstock.paddle.nn._classification_losses import softmax_with_cross_entropy
from penstock.paddle.nn._function_layers import layer_of_several
from penstock.paddle.nn._reductions import reduced
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@in_functional
def mse_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns the squared difference."""
    return reduced(_math.square(operand(input) - label), reduction)


@in_functional
def square_error_cost(input: Any, label: Any) -> Any:
    """Returns the squared difference, elementwise."""
    return _math.square(operand(input) - label)


@in_functional
def l1_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns the absolute difference."""
    return reduced(_math.abs(operand(input) - label), reduction)


@in_functional
def smooth_l1_loss(
    input: Any, label: Any, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns half the squared difference where it is below `delta`, and a straight line beyond."""
    found = _losses.huber(operand(input), operand(label), float(delta))
    return reduced(found if is_huber else found / delta, reduction)


@composite(2, "kl_div", wide=True)
def _divergence(logs: Any, label: Any, log_target: bool) -> Tensor:
    label = pointwise.stop_gradient(label)
    if log_target:
        return pointwise.exp(label) * (label - logs)  # type: ignore[no-any-return]
    positive = label > 0.0
    safe = pointwise.where(positive, label, 1.0)
    return pointwise.where(positive, label * (pointwise.log(safe) - logs), 0.0)


@in_functional
def kl_div(
    input: Any, label: Any, reduction: str = "mean", log_target: bool = False, name: Any = None
) -> Any:
    """Returns label * (log(label) - input), where input holds logarithms; the label gets no gradient."""
    input, label = operand(input), operand(label)
    found: Any = _divergence(input, label, bool(log_target))
    if log_target:
        saving(found, _frame(1), label)
    if reduction == "batchmean":
        return _math.sum(found) / float(input._spec.shape[0])
    return reduced(found, reduction)


@in_functional
def cosine_similarity(x1: Any, x2: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """Returns the cosine of the angle between vectors along an axis."""
    size = _math.norm(x1, 2, axis) * _math.norm(x2, 2, axis)
    return _math.sum(x1 * x2, axis) / _math.maximum(size, eps)


@composite(3, "triplet_margin", wide=True)
def _triplet(a: Any, near: Any, far: Any, margin: float, p: float, epsilon: float, swap: bool) -> Tensor:
    def apart(one: Any, other: Any) -> Any:
        return native.sum(native.abs(one - other + epsilon) ** p, axis=-1) ** (1.0 / p)

    distance = apart(a, far)
    if swap:
        distance = native.minimum(distance, apart(near, far))
    return native_nn.relu(apart(a, near) - distance + margin)


@in_functional
def triplet_margin_loss(
    input: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0, epsilon: float = 1e-6,
    swap: bool = False, reduction: str = "mean", name: Any = None,
) -> Any:  # fmt: skip
    """Returns relu(|input - positive| - |input - negative| + margin)."""
    parts = (operand(input), operand(positive), operand(negative))
    return reduced(_triplet(*parts, float(margin), float(p), float(epsilon), bool(swap)), reduction)


@composite(3, "margin_ranking", wide=True)
def _ranking(x: Any, other: Any, label: Any, margin: float) -> Tensor:
    return native_nn.relu((other - x) * label + margin)


@in_functional
def margin_ranking_loss(
    input: Any, other: Any, label: Any, margin: float = 0.0, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns relu(-label * (input - other) + margin)."""
    return reduced(_ranking(operand(input), operand(other), operand(label), float(margin)), reduction)


@composite(3, "cosine_embedding", wide=True)
def _cosine(x: Any, y: Any, label: Any, margin: float) -> Tensor:
    inner = native.sum(x * y, axis=-1)
    squares = (native.sum(x * x, axis=-1) + 1e-11) * (native.sum(y * y, axis=-1) + 1e-11)
    cosine = inner / native.sqrt(squares)
    apart = native.where(label == -1, native_nn.relu(cosine - margin), 0.0)
    return native.where(label == 1, 1.0 - cosine, apart)


@in_functional
def cosine_embedding_loss(
    input1: Any, input2: Any, label: Any, margin: float = 0, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns 1 - cosine where the label is 1, relu(cosine - margin) where it is -1, and 0 elsewhere."""
    return reduced(_cosine(operand(input1), operand(input2), operand(label), float(margin)), reduction)


@composite(2, "poisson_nll", wide=True)
def _poisson(x: Any, label: Any, log_input: bool, full: bool, epsilon: float) -> Tensor:
    found = native.exp(x) - label * x if log_input else x - label * native.log(x + epsilon)
    if not full:
        return found  # type: ignore[no-any-return]
    inside = native.where(label > 1, label, 1.0)
    stirling = label * native.log(inside) - label + 0.5 * native.log(2.0 * math.pi * inside)
    return found + native.where(label > 1, stirling, 0.0)  # type: ignore[no-any-return]


@in_functional
def poisson_nll_loss(
    input: Any, label: Any, log_input: bool = True, full: bool = False, epsilon: float = 1e-8,
    reduction: str = "mean", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the negative log-likelihood of counts under Poisson distributions."""
    found = _poisson(operand(input), operand(label), bool(log_input), bool(full), float(epsilon))
    return reduced(found, reduction)


@in_functional
def pairwise_distance(
    x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: Any = None
) -> Any:
    """Returns the p-norm of x - y + epsilon along the last axis."""
    apart = operand(x) - operand(y)
    return _math.norm(apart + epsilon if epsilon else apart, p, -1, keepdim)


@in_functional
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
    terms = softmax_with_cross_entropy(scores, same, soft_label=True)
    return squares * (0.25 * l2_reg) + _math.mean(_math.sum(same * terms, 0))


@in_functional
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


@in_functional
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


# -- layers ----------------------------------------------------------------------------------------------

MSELoss = layer_of_several("MSELoss", mse_loss, "reduction")
L1Loss = layer_of_several("L1Loss", l1_loss, "reduction")
SmoothL1Loss = layer_of_several("SmoothL1Loss HuberLoss", smooth_l1_loss, "reduction delta is_huber")
KLDivLoss = layer_of_several("KLDivLoss", kl_div, "reduction log_target")
CosineSimilarity = layer_of_several("CosineSimilarity", cosine_similarity, "axis eps", "axis eps", "dim=axis")
PairwiseDistance = layer_of_several(
    "PairwiseDistance", pairwise_distance, "p epsilon keepdim", "p", "norm=p eps=epsilon"
)
MarginRankingLoss = layer_of_several("MarginRankingLoss", margin_ranking_loss, "margin reduction")
CosineEmbeddingLoss = layer_of_several("CosineEmbeddingLoss", cosine_embedding_loss, "margin reduction")
PoissonNLLLoss = layer_of_several("PoissonNLLLoss", poisson_nll_loss, "log_input full epsilon reduction")
GaussianNLLLoss = layer_of_several("GaussianNLLLoss", gaussian_nll_loss, "full epsilon reduction")
TripletMarginLoss = layer_of_several(
    "TripletMarginLoss", triplet_margin_loss, "margin p epsilon swap reduction"
)
TripletMarginWithDistanceLoss = layer_of_several(
    "TripletMarginWithDistanceLoss", triplet_margin_with_distance_loss,
    "distance_function margin swap reduction",
)  # fmt: skip
