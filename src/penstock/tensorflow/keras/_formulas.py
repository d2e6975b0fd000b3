"""The formulas of losses: of targets and predictions of one dtype and rank; tf.keras.losses says the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions import losses
from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce
from penstock.tensorflow._cross_entropies import rows_cross_entropy
from penstock.trace.tensor import Tensor

EPSILON = 1e-7


def mean(x: Any, axis: int = -1) -> Any:
    """Returns the mean over an axis; a scalar as it is."""
    rank = len(x.shape)
    return reduce.mean(x, axes=(axis % rank,), keepdims=False) if rank else x


def total(x: Any, axis: int = -1) -> Any:
    """Returns the sum over an axis."""
    return reduce.sum(x, axes=(axis % len(x.shape),), keepdims=False)


@composite(2, "mean_squared_error", wide=True)
def squared(t: Any, p: Any) -> Tensor:
    return mean(pointwise.square(p - t))  # type: ignore[no-any-return]


@composite(2, "mean_absolute_error", wide=True)
def absolute(t: Any, p: Any) -> Tensor:
    return mean(pointwise.absolute(t - p))  # type: ignore[no-any-return]


@composite(2, "mean_absolute_percentage_error", wide=True)
def percentage(t: Any, p: Any) -> Tensor:
    size = pointwise.maximum(pointwise.absolute(t), EPSILON)
    return mean(pointwise.absolute((t - p) / size)) * 100.0  # type: ignore[no-any-return]


@composite(2, "mean_squared_logarithmic_error", wide=True)
def logarithmic(t: Any, p: Any) -> Tensor:
    first, second = (pointwise.log(pointwise.maximum(x, EPSILON) + 1.0) for x in (p, t))
    return mean(pointwise.square(first - second))  # type: ignore[no-any-return]


@composite(2, "huber", wide=True)
def huber(t: Any, p: Any, delta: float) -> Tensor:
    return mean(losses.huber(p, t, delta))  # type: ignore[no-any-return]


@composite(2, "log_cosh", wide=True)
def log_cosh(t: Any, p: Any) -> Tensor:
    return mean(losses.log_cosh(p, t))  # type: ignore[no-any-return]


@composite(2, "hinge", wide=True)
def hinge(t: Any, p: Any, power: int) -> Tensor:
    # Targets become -1 and 1 if all are 0 or 1.
    other = pointwise.where(pointwise.equal(t, 0.0), 0.0, pointwise.where(pointwise.equal(t, 1.0), 0.0, 1.0))
    most = reduce.max(other, axes=tuple(range(t.ndim)), keepdims=False)
    signs = pointwise.where(most > 0.0, t, t * 2.0 - 1.0)
    value = pointwise.first_maximum(1.0 - signs * p, 0.0)
    return mean(value if power == 1 else pointwise.square(value))  # type: ignore[no-any-return]


@composite(2, "categorical_hinge", wide=True)
def categorical_hinge(t: Any, p: Any) -> Tensor:
    axis = (p.ndim - 1,)
    right = reduce.sum(t * p, axes=axis, keepdims=False)
    wrong = reduce.max((1.0 - t) * p, axes=axis, keepdims=False)
    return pointwise.first_maximum(wrong - right + 1.0, 0.0)


@composite(2, "binary_focal_crossentropy", wide=True)
def binary_focal(
    t: Any, p: Any, balanced: bool, from_logits: bool, alpha: float, gamma: float, smoothing: float, axis: int
) -> Tensor:
    if not isinstance(smoothing, float) or smoothing:
        t = t * (1.0 - smoothing) + smoothing * 0.5
    # Keras brings logits to probabilities first, and clips these.
    p = pointwise.sigmoid(p) if from_logits else p
    terms = binary_terms(t, p, False)
    terms = pointwise.power(1.0 - (t * p + (1.0 - t) * (1.0 - p)), gamma) * terms
    if balanced:
        terms = (t * alpha + (1.0 - t) * (1.0 - alpha)) * terms
    return mean(terms, axis)  # type: ignore[no-any-return]


@composite(2, "categorical_focal_crossentropy", wide=True)
def categorical_focal(
    t: Any, p: Any, alpha: float | tuple[float, ...], gamma: float, from_logits: bool, smoothing: float,
    axis: int,
) -> Tensor:  # fmt: skip
    from penstock.functions.nn import softmax

    if not isinstance(smoothing, float) or smoothing:
        t = t * (1.0 - smoothing) + smoothing / t.shape[axis]
    p = softmax(p, axis) if from_logits else p
    p = p / reduce.sum(p, axes=(axis % p.ndim,), keepdims=True)
    p = pointwise.clip(p, EPSILON, 1.0 - EPSILON)
    weights = pointwise.power(1.0 - p, gamma) * (
        np.asarray(alpha, p.dtype) if isinstance(alpha, tuple) else alpha
    )
    return total(weights * (-t * pointwise.log(p)), axis)  # type: ignore[no-any-return]


@composite(2, "tversky", wide=True)
def overlap(t: Any, p: Any, alpha: float, beta: float, axis: Any) -> Tensor:
    axes = tuple(range(t.ndim)) if axis is None else tuple(one % t.ndim for one in axis)
    both = reduce.sum(t * p, axes=axes, keepdims=False)
    missed = reduce.sum(t * (1.0 - p), axes=axes, keepdims=False)
    false = reduce.sum((1.0 - t) * p, axes=axes, keepdims=False)
    # Keras weights false negatives by alpha, and false positives by beta.
    return 1.0 - both / (both + missed * alpha + false * beta + EPSILON)


@composite(2, "dice", wide=True)
def dice(t: Any, p: Any, axis: Any) -> Tensor:
    axes = tuple(range(t.ndim)) if axis is None else tuple(one % t.ndim for one in axis)
    both = reduce.sum(t * p, axes=axes, keepdims=False)
    each = reduce.sum(t, axes=axes, keepdims=False) + reduce.sum(p, axes=axes, keepdims=False)
    return 1.0 - (both * 2.0) / (each + EPSILON)


@composite(2, "kl_divergence", wide=True)
def divergence(t: Any, p: Any) -> Tensor:
    t, p = (pointwise.clip(x, EPSILON, 1.0) for x in (t, p))
    return total(t * pointwise.log(t / p))  # type: ignore[no-any-return]


@composite(2, "poisson", wide=True)
def poisson(t: Any, p: Any) -> Tensor:
    return mean(p - t * pointwise.log(p + EPSILON))  # type: ignore[no-any-return]


@composite(2, "cosine_similarity", wide=True)
def cosine(t: Any, p: Any, axis: int) -> Tensor:
    def normal(x: Any) -> Any:
        axes = (axis % x.ndim,)
        square = reduce.sum(pointwise.square(x), axes=axes, keepdims=True)
        return x * pointwise.rsqrt(pointwise.maximum(square, 1e-12))

    return total(normal(t) * normal(p), axis)  # type: ignore[no-any-return]


@composite(2, "binary_crossentropy", wide=True)
def binary(t: Any, p: Any, from_logits: bool, smoothing: float, axis: int) -> Tensor:
    if not isinstance(smoothing, float) or smoothing:
        t = t * (1.0 - smoothing) + smoothing * 0.5
    return mean(binary_terms(t, p, from_logits), axis)  # type: ignore[no-any-return]


def binary_terms(t: Any, p: Any, from_logits: bool) -> Any:
    if from_logits:
        return losses.sigmoid_cross_entropy(p, t)
    p = pointwise.clip(p, EPSILON, 1.0 - EPSILON)
    return -(t * pointwise.log(p) + (1.0 - t) * pointwise.log(1.0 - p))


@composite(2, "categorical_crossentropy", wide=True)
def categorical(t: Any, p: Any, from_logits: bool, smoothing: float, axis: int) -> Tensor:
    if not isinstance(smoothing, float) or smoothing:
        t = t * (1.0 - smoothing) + smoothing / t.shape[axis]
    if from_logits:
        return rows_cross_entropy(p, t, axis)
    p = p / reduce.sum(p, axes=(axis % p.ndim,), keepdims=True)
    p = pointwise.clip(p, EPSILON, 1.0 - EPSILON)
    return -total(t * pointwise.log(p), axis)  # type: ignore[no-any-return]


@composite(2, "sparse_categorical_crossentropy", wide=True)
def sparse(t: Any, p: Any, from_logits: bool) -> Tensor:
    if not from_logits:
        p = pointwise.log(pointwise.clip(p, EPSILON, 1.0 - EPSILON))
    return losses.softmax_cross_entropy(p, t)


@composite(2, "sparse_categorical_crossentropy", wide=True)
def sparse_ignoring(t: Any, p: Any, from_logits: bool, ignored: int) -> Tensor:
    kept = t != ignored
    safe = pointwise.where(kept, t, 0)
    return pointwise.where(kept, sparse(safe, p, from_logits), 0.0)


@composite(2, "weighted_mean")
def weighed(values: Any, weights: Any) -> Tensor:
    every = reduce.sum(values, axes=tuple(range(values.ndim)), keepdims=False)
    divisor = reduce.sum(weights, axes=tuple(range(weights.ndim)), keepdims=False)
    none = divisor == 0.0
    return pointwise.where(none, 0.0, every / pointwise.where(none, 1.0, divisor))


@composite(1, "mean")
def reduced(values: Any, reduction: str) -> Tensor:
    axes = tuple(range(values.ndim))
    if reduction == "sum":
        return reduce.sum(values, axes=axes, keepdims=False)
    return reduce.mean(values, axes=axes, keepdims=False)
