"""Losses of classes: labels as numbers, as probabilities or as signs, and the layers they make.

Paddle's kernels give no gradient to probabilities that are labels, nor to the weights of `nll_loss`.
"""

from __future__ import annotations

import math
import sys
import weakref
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import losses as native_losses
from penstock.functions import nn as native_nn
from penstock.functions.composite import composite
from penstock.ops import index, pointwise, reduce
from penstock.ops import shape as shapes
from penstock.paddle import _manipulation, _math
from penstock.paddle._convert import converted, operand, record
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._manipulation import one_hot
from penstock.paddle._tensor import as_result, saving
from penstock.paddle.nn._activations import log_sigmoid
from penstock.paddle.nn._function_layers import layer_of_several
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._reductions import reduced
from penstock.paddle.nn._softmax import (
    bounded_log,
    cross_entropy_of_chances,
    cross_entropy_of_logits,
    logs_of_shares,
    softmax,
)
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@in_functional
def cross_entropy(
    input: Any, label: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
    soft_label: bool = False, axis: int = -1, use_softmax: bool = True, label_smoothing: float = 0.0,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns -log(softmax(input)) at the labels: integers, or probabilities with `soft_label`.

    Labels may have an axis of length 1 where the classes are, and the result then has it too without a
    reduction.
    """
    if reduction not in ("mean", "sum", "none"):
        reduced(input, reduction)
    if ignore_index > 0 and soft_label:
        raise InvalidValueError(
            "When soft_label == True, the value of 'ignore_index' in softmax_cross_entropyshould be '-100', "
            f"but received {ignore_index}, which is not allowed.",
            remedy="Omit ignore_index: probabilities name no class to leave out.",
            site=here(),
        )
    frame = _frame(1)
    input, label = operand(input), operand(label)
    rank = len(input._spec.shape)
    axis = axis % rank
    classes = input._spec.shape[axis]
    if len(label._spec.shape) not in (rank, rank - 1):
        raise InvalidValueError(
            "Expected input_dims - 1 = label_dims or input_dims == label_dims             "
            f"(got input_dims{rank}, label_dims{len(label._spec.shape)})",
            site=here(),
        )
    if soft_label or (label._spec.shape == input._spec.shape and label._spec.dtype.kind in "fV"):
        if label_smoothing:
            label = label * (1.0 - label_smoothing) + label_smoothing / classes
        terms = _soft_terms(input, label, axis, bool(use_softmax))
        if weight is not None:
            chosen = _math.sum(label * weight, -1).reshape(terms.shape)
            terms = terms * chosen
        if reduction == "mean" and ignore_index >= 0:
            # Paddle compares the probabilities, not the labels, with the index, and counts those that differ.
            counted = converted(
                record(pointwise.not_equal, (label, int(ignore_index)), {}, frame), terms._spec.dtype, frame
            )
            return _mean_of(terms, counted if weight is None else counted * chosen)
        if weight is not None and reduction == "mean":
            return _mean_of(terms, chosen)
        if reduction == "none":
            return terms
        return _math.sum(terms) / float(np.prod(terms.shape)) if reduction == "mean" else _math.sum(terms)
    if label._spec.dtype.kind not in "iub":
        label = _math.cast(label, "int64")
    kept_axis = len(label._spec.shape) == rank
    lengths = tuple(n for i, n in enumerate(input._spec.shape) if i != axis)
    given = label._spec.shape[:axis] + label._spec.shape[axis + 1 :] if kept_axis else label._spec.shape
    if given != lengths:
        raise InvalidValueError(
            "Input(Logits) and Input(Label) should in same shape in dimensions except axis.",
            origin=f"the logits have shape {[*input._spec.shape]}, the labels {[*label._spec.shape]}",
            why=f"Each place of the logits outside axis {axis} needs one label.",
            remedy=f"Give labels of shape {[*lengths]}.",
            site=here(),
        )
    flat_label = record(shapes.reshape, (label,), {"shape": lengths}, frame) if kept_axis else label
    if axis != rank - 1:
        order = (*(i for i in range(rank) if i != axis), axis)
        input = record(shapes.transpose, (input,), {"axes": order}, frame)
    if label_smoothing:
        spread = one_hot(flat_label, classes) * (1.0 - label_smoothing) + label_smoothing / classes
        return cross_entropy(input, spread, weight, ignore_index, reduction, False, -1, use_softmax)
    marked = _may_hold(flat_label, int(ignore_index))
    if weight is None and use_softmax and not marked:
        terms = cross_entropy_of_logits(input, flat_label)
        if reduction == "none" and kept_axis:
            return record(shapes.reshape, (terms,), {"shape": label._spec.shape}, frame)
        return reduced(terms, reduction)
    ignored = record(pointwise.equal, (flat_label, int(ignore_index)), {}, frame)
    safe = record(pointwise.where, (ignored, 0, flat_label), {}, frame)
    terms = (cross_entropy_of_logits if use_softmax else cross_entropy_of_chances)(input, safe)
    if weight is None:
        scale = converted(record(pointwise.logical_not, (ignored,), {}, frame), terms._spec.dtype, frame)
    else:
        chosen = record(index.take, (operand(weight), safe), {"axis": 0}, frame)
        scale = record(pointwise.where, (ignored, 0.0, chosen), {}, frame)
        terms = terms * scale
    terms = record(pointwise.where, (ignored, 0.0, terms), {}, frame)
    if reduction == "none":
        if kept_axis:
            return record(shapes.reshape, (terms,), {"shape": label._spec.shape}, frame)
        return terms
    if reduction == "sum":
        return _math.sum(terms)
    if weight is None and ignore_index < 0:
        # Paddle divides by all rows then, those that do not count included.
        return _math.mean(terms)
    return _math.sum(terms) / _math.sum(scale)


def _mean_of(terms: Any, weights: Any) -> Any:
    """Returns the sum of terms by the sum of their weights, or the sum itself if that of the weights is 0."""
    total = _math.sum(weights)
    frame = _frame(1)
    none = converted(record(pointwise.equal, (total, 0), {}, frame), total._spec.dtype, frame)
    return _math.sum(terms) / (total + none)


def _may_hold(label: Any, mark: int) -> bool:
    """Returns whether labels may hold the mark of those that do not count: data is looked at, once."""
    value = label._value
    if value is None or isinstance(value, Exception):
        # Computed: whether they do is known when it is run.
        return True
    key = (id(value), mark)
    seen = _seen_labels.get(key)
    if seen is None or seen[0]() is not value:
        if len(_seen_labels) > 256:
            _seen_labels.clear()
        try:
            seen = weakref.ref(value), bool((np.asarray(value) == mark).any())
        except TypeError:
            return True
        _seen_labels[key] = seen
    return seen[1]


_seen_labels: dict[Any, Any] = {}


@composite(2, wide=True)
def _soft_terms(logits: Any, label: Any, axis: int, use_softmax: bool) -> Any:
    logs = logs_of_shares(logits, axis) if use_softmax else bounded_log(logits)
    return -reduce.sum(logs * pointwise.stop_gradient(label), axes=(axis,), keepdims=True)


@in_functional
def softmax_with_cross_entropy(
    logits: Any, label: Any, soft_label: bool = False, ignore_index: int = -100,
    numeric_stable_mode: bool = True, return_softmax: bool = False, axis: int = -1,
) -> Any:  # fmt: skip
    """Returns the cross-entropy of each row, with the axis of classes kept at length 1.

    It is always stable: `numeric_stable_mode` does nothing.
    """
    found = cross_entropy(logits, label, None, ignore_index, "none", soft_label, axis)
    if found._spec.ndim < logits._spec.ndim:
        found = found.unsqueeze(axis)
    if not return_softmax:
        return found
    shares = _shares_beside(operand(logits), int(axis))
    return saving((found, shares), _frame(1), shares)


@composite(1, "softmax", wide=True)
def _shares_beside(logits: Any, axis: int) -> Tensor:
    """Returns the shares that come with a loss: Paddle gives them a gradient of zeros."""
    return pointwise.where(False, logits, pointwise.stop_gradient(softmax(logits, axis)))


@composite(2, wide=True)
def _binary_terms(chance: Any, label: Any) -> Any:
    # The logarithms are cut at -100, as in Paddle, so that a chance of 0 or 1 gives a number.
    label = pointwise.stop_gradient(label)
    one = pointwise.maximum(pointwise.log(chance), -100.0)
    other = pointwise.maximum(pointwise.log(1.0 - chance), -100.0)
    return -(label * one + (1.0 - label) * other)


@in_functional
def binary_cross_entropy(
    input: Any, label: Any, weight: Any = None, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns the binary cross-entropy of chances between 0 and 1."""
    found = _binary_terms(operand(input), operand(label))
    return reduced(found if weight is None else found * weight, reduction)


@composite(2, "sigmoid_cross_entropy", wide=True)
def _logit_terms(logit: Any, label: Any) -> Any:
    return native_losses.sigmoid_cross_entropy(logit, pointwise.stop_gradient(label))


@composite(3, "sigmoid_cross_entropy", wide=True)
def _weighed_logit_terms(logit: Any, label: Any, weight: Any) -> Any:
    """The weight is that of positive labels: of log(sigmoid(logit)) only."""
    label = pointwise.stop_gradient(label)
    factor = label * (pointwise.stop_gradient(weight) - 1.0) + 1.0
    return logit * (1.0 - label) + factor * native_nn.softplus(-logit)


@in_functional
def binary_cross_entropy_with_logits(
    logit: Any, label: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the binary cross-entropy of sigmoid(logit), without overflow."""
    logit, label = operand(logit), operand(label)
    if logit._spec.shape != label._spec.shape:
        raise InvalidValueError(
            f"The shape of logit {list(logit._spec.shape)} and of label {list(label._spec.shape)} differ.",
            site=here(),
        )
    if pos_weight is None:
        found: Any = _logit_terms(logit, label)
    else:
        found = saving(_weighed_logit_terms(logit, label, operand(pos_weight)), _frame(1), label)
    return reduced(found if weight is None else found * weight, reduction)


def _in_order(label: Any, wanted: tuple[int, ...]) -> Any:
    """Returns the labels of examples in the required shape, from labels that may have more axes."""
    own = label._spec.shape
    if own == wanted:
        return label
    if len(wanted) > 1 or own[:1] != wanted or not math.prod(own[1:]):
        raise InvalidValueError(
            f"nll_loss wants labels of shape {list(wanted)}, not {list(own)}.", site=here()
        )
    return label.reshape([-1])[: wanted[0]]


@in_functional
def nll_loss(
    input: Any, label: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns minus the log-probability at each label.

    Labels have the shape of the input without its classes. Those of examples [N, C] may have more axes than
    [N]: they are read in their order, as far as is needed.
    """
    frame = _frame(1)
    classes = input._spec.shape[1]
    label = _in_order(operand(label), (input._spec.shape[0], *input._spec.shape[2:]))
    kept = converted(
        record(pointwise.not_equal, (label, int(ignore_index)), {}, frame), input._spec.dtype, frame
    )
    safe = record(pointwise.where, (kept > 0.5, label, 0), {}, frame)
    chosen = one_hot(safe, classes)
    if input._spec.ndim > 2:
        order = (0, input._spec.ndim - 1, *range(1, input._spec.ndim - 1))
        chosen = record(shapes.transpose, (chosen,), {"axes": order}, frame)
    terms = -_math.sum(input * chosen, 1) * kept
    scale = kept
    saved = []
    if weight is not None:
        saved.append(operand(weight))
        scale = record(index.take, (saved[0].detach(), safe), {"axis": 0}, frame) * kept
        terms = terms * scale
    if reduction == "mean":
        return saving(_mean_of_terms(_math.sum(terms), _math.sum(scale)), frame, *saved)
    return saving(reduced(terms, reduction), frame, *saved)


@composite(2, "nll_loss")
def _mean_of_terms(total: Any, weights: Any) -> Any:
    return total / weights


@in_functional("paddle.nn.functional.ctc_loss")
def ctc_loss(
    log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, blank: int = 0,
    reduction: str = "mean", norm_by_times: bool = False, zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Returns -log of the probability of label sequences, over all alignments.

    The loss of labels that do not fit into their steps is 0, as in Paddle: `zero_infinity` does nothing.

    `log_probs` are logits [time, batch, classes], which need not be normalised. The mean is that of the
    losses divided by the lengths of the labels. `norm_by_times` divides the gradients, not the losses, by the
    number of steps.
    """
    if reduction not in ("mean", "sum", "none"):
        reduced(log_probs, reduction)
    lengths = operand(label_lengths)
    given = operand(input_lengths)
    found: Any = _ctc(operand(log_probs), operand(labels), given, lengths, int(blank))
    if norm_by_times:
        found = _with_gradient_by(found, converted(given, found._spec.dtype, _frame(1)))
    if reduction == "mean":
        found = found / converted(lengths, found._spec.dtype, _frame(1))
    return reduced(found, reduction)


@composite(2)
def _with_gradient_by(loss: Any, steps: Any) -> Any:
    held = pointwise.stop_gradient(loss)
    return held + (loss - held) / steps


@composite(4, "ctc", wide=True)
def _ctc(log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, blank: int) -> Any:
    places = native.arange(1, labels.shape[1], dtype=label_lengths.dtype)
    alike = native.logical_and(labels[:, 1:] == labels[:, :-1], places < label_lengths[:, None])
    least = label_lengths + native.sum(alike.astype(label_lengths.dtype), axis=1)
    fits = least <= input_lengths.astype(label_lengths.dtype)
    counted = native.where(fits, label_lengths, 0)
    found = native_losses.ctc(log_probs, labels, input_lengths, counted, blank=blank, time_major=True)
    return native.where(fits, found, 0.0)


@in_functional
def log_loss(input: Any, label: Any, epsilon: float = 1e-4, name: Any = None) -> Any:
    """Returns the binary cross-entropy with `epsilon` added inside the logarithms."""
    return _log_terms(operand(input), operand(label), float(epsilon))


@composite(2, "log_loss", wide=True)
def _log_terms(chance: Any, label: Any, epsilon: float) -> Any:
    label = pointwise.stop_gradient(label)
    one, other = pointwise.log(chance + epsilon), pointwise.log(1.0 - chance + epsilon)
    return -label * one - (1.0 - label) * other


@composite(2, "hinge_embedding", wide=True)
def _hinge(x: Any, label: Any, margin: float) -> Tensor:
    return native.where(label == 1.0, x, native.where(label == -1.0, native_nn.relu(margin - x), 0.0))


@in_functional
def hinge_embedding_loss(
    input: Any, label: Any, margin: float = 1.0, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns x where the label is 1, relu(margin - x) where it is -1, and 0 elsewhere."""
    return reduced(_hinge(operand(input), operand(label), float(margin)), reduction)


@composite(2, "sigmoid_focal", wide=True)
def _focal(x: Any, label: Any, weighed: bool, alpha: float, gamma: float) -> Tensor:
    cross = native_nn.softplus(x) - x * label
    p = pointwise.logistic(x)
    right = p * label + (1.0 - p) * (1.0 - label)
    weight = label * alpha + (1.0 - label) * (1.0 - alpha) if weighed else 1.0
    return weight * (1.0 - right) ** gamma * cross  # type: ignore[no-any-return]


@in_functional
def sigmoid_focal_loss(
    logit: Any, label: Any, normalizer: Any = None, alpha: float = 0.25, gamma: float = 2.0,
    reduction: str = "sum", name: Any = None,
) -> Any:  # fmt: skip
    """Returns sigmoid cross-entropy in which well-classified elements count little (Lin et al., 2017)."""
    found = _focal(operand(logit), operand(label), float(alpha) >= 0.0, float(alpha), float(gamma))
    return reduced(found if normalizer is None else found / operand(normalizer), reduction)


@composite(1, "label_smooth", wide=True)
def _smoothed(label: Any, epsilon: float) -> Tensor:
    return label * (1.0 - epsilon) + epsilon / label.shape[-1]  # type: ignore[no-any-return]


@composite(2, "label_smooth", wide=True)
def _smoothed_by(label: Any, prior: Any, epsilon: float) -> Tensor:
    return label * (1.0 - epsilon) + pointwise.stop_gradient(prior) * epsilon  # type: ignore[no-any-return]


@in_functional
def label_smooth(label: Any, prior_dist: Any = None, epsilon: float = 0.1, name: Any = None) -> Any:
    """Returns (1 - epsilon) * label + epsilon / classes, or + epsilon * prior_dist."""
    x = operand(label)
    if prior_dist is not None:
        return _smoothed_by(x, operand(prior_dist), float(epsilon))
    return _smoothed(x, float(epsilon))


@in_functional
def dice_loss(input: Any, label: Any, epsilon: float = 1e-5, name: Any = None) -> Any:
    """Returns 1 - 2 |A and B| / (|A| + |B|) of shares [..., classes] and labels [..., 1], on average."""
    input = operand(input)
    hot = one_hot(_manipulation.squeeze(operand(label), -1), input._spec.shape[-1])
    axes = list(range(1, input._spec.ndim))
    both = _math.sum(input * hot, axes)
    total = _math.sum(input, axes) + _math.sum(hot, axes)
    return _math.mean(1.0 - both * 2.0 / (total + epsilon))


@in_functional
def soft_margin_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns log(1 + exp(-label * input)), with labels -1 and 1."""
    input = operand(input)
    label = _math.cast(operand(label), input._spec.dtype.name)
    return reduced(_math.log(1.0 + _math.exp(-label * input)), reduction)


@in_functional
def multi_label_soft_margin_loss(
    input: Any, label: Any, weight: Any = None, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns the mean over classes of the logistic loss of each, with labels 0 and 1."""
    input, label = operand(input), operand(label)
    found = -(label * log_sigmoid(input) + (1.0 - label) * log_sigmoid(-input))
    if weight is not None:
        found = found * weight
    return reduced(_math.mean(found, -1), reduction)


@in_functional
def multi_margin_loss(
    input: Any, label: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns by how much the scores of other classes come closer than `margin` to that of the label."""
    input, label = operand(input), operand(label)
    count = input._spec.shape[-1]
    hot = _math.cast(one_hot(label.reshape([-1]), count), input._spec.dtype.name)
    input = as_result(input, _frame(1))
    own = _math.sum(input * hot, -1, keepdim=True)
    over = _math.clip(margin - own + input, 0.0)
    found = _math.mean(_math.pow(over, p), -1) - margin**p / count
    if weight is not None:
        found = found * _math.sum(hot * operand(weight), -1)
    return reduced(found, reduction)


# -- layers ----------------------------------------------------------------------------------------------

BCELoss = layer_of_several("BCELoss", binary_cross_entropy, "weight reduction")
BCEWithLogitsLoss = layer_of_several(
    "BCEWithLogitsLoss", binary_cross_entropy_with_logits, "weight reduction pos_weight"
)
CrossEntropyLoss = layer_of_several(
    "CrossEntropyLoss", cross_entropy,
    "weight ignore_index reduction soft_label axis use_softmax label_smoothing",
)  # fmt: skip
NLLLoss = layer_of_several("NLLLoss", nll_loss, "weight ignore_index reduction")
HingeEmbeddingLoss = layer_of_several("HingeEmbeddingLoss", hinge_embedding_loss, "margin reduction")
SoftMarginLoss = layer_of_several("SoftMarginLoss", soft_margin_loss, "reduction")
MultiMarginLoss = layer_of_several("MultiMarginLoss", multi_margin_loss, "p margin weight reduction")
MultiLabelSoftMarginLoss = layer_of_several(
    "MultiLabelSoftMarginLoss", multi_label_soft_margin_loss, "weight reduction"
)


@in_nn
class CTCLoss(Layer):
    """-log of the probability of label sequences, over all alignments: see `ctc_loss`."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def forward(
        self, log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, norm_by_times: bool = False
    ) -> Any:
        """Returns the loss."""
        return ctc_loss(
            log_probs, labels, input_lengths, label_lengths, self.blank, self.reduction, norm_by_times,
            self.zero_infinity,
        )  # fmt: skip
