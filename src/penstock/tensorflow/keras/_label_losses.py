"""Losses of labels in sequences, of embeddings of labelled examples, and of labels that may be wrong."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.layers.masks import attach
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import losses, ops
from penstock.trace.source_site import here


@named("tf.keras.losses.ctc")
@losses._in_a_graph_too
def ctc(y_true: Any, y_pred: Any) -> Any:
    """Returns -log of the probability of labels [batch, length], over all alignments with their logits.

    `y_pred` are logits [batch, steps, classes]. Class 0 fills up short rows of labels, and is the blank.
    """
    for given, rank, words, shape in (
        (y_true, 2, "Targets `y_true`", "`(batch_size, max_length)` in integer format"),
        (y_pred, 3, "Logits `y_pred`", "`(batch_size, max_length, num_classes)`"),
    ):
        if len(ops.shape(given)) != rank:
            word = words.split("`")[1]
            raise ArgumentError(
                f"{words} are expected to be a tensor of shape {shape}. Received: "
                f"{word}.shape={ops.shape(given)}",
                site=here(),
            )
    labels = ops.cast(y_true, "int32")
    count, steps = ops.shape(y_pred)[:2]
    lengths = ops.sum(ops.cast(ops.not_equal(labels, 0), "int32"), axis=-1)
    return ops.ctc_loss(labels, y_pred, lengths, ops.full((count,), steps, "int32"), mask_index=0)


@named("tf.keras.losses.circle")
@losses._in_a_graph_too
def circle(
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Any:
    """Returns the circle loss of embeddings of length 1, and labels: Sun et al. (2020).

    Examples are compared with `ref_embeddings` and their `ref_labels`, or with each other; with
    `remove_diagonal`, none with the one in its own place. Examples whose loss is 0 do not count in a mean.
    """
    x, labels = ops.convert_to_tensor(y_pred), ops.reshape(ops.cast(y_true, "int32"), (-1, 1))
    others = x if ref_embeddings is None else ops.convert_to_tensor(ref_embeddings)
    known = labels if ref_labels is None else ops.reshape(ops.cast(ref_labels, "int32"), (-1, 1))
    distances = ops.maximum(1.0 - ops.matmul(x, ops.transpose(others)), 0.0)
    same = ops.equal(labels, ops.transpose(known))
    other = ops.logical_not(same)
    if remove_diagonal:
        same = ops.logical_and(same, ops.logical_not(ops.eye(*ops.shape(distances), dtype="bool")))
    near = ops.maximum((margin + distances) * ops.cast(same, distances.dtype), 0.0)
    far = ops.maximum((1.0 + margin - distances) * ops.cast(other, distances.dtype), 0.0)
    lowest = float("-inf")
    pulled = ops.where(same, -gamma * near * (margin - distances), lowest)
    pushed = ops.where(other, gamma * far * (1.0 - margin - distances), lowest)
    made = ops.softplus(ops.logsumexp(pulled, axis=1) + ops.logsumexp(pushed, axis=1))
    attach(made, ops.greater(made, 0.0))
    return made


@named("tf.keras.losses.categorical_generalized_cross_entropy")
@losses._in_a_graph_too
def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """Returns (1 - p ** q) / q for the probability p of each class: Zhang and Sabuncu (2018)."""
    p = ops.convert_to_tensor(y_pred)
    rows = ops.one_hot(ops.cast(y_true, "int32"), ops.shape(p)[-1], dtype=p.dtype)
    return (1.0 - ops.power(ops.sum(p * rows, axis=-1), q)) / q


CTC = named("tf.keras.losses.CTC")(losses._class("CTC", ctc, {}, "ctc"))
Circle = named("tf.keras.losses.Circle")(
    losses._class("Circle", circle, {"gamma": 80.0, "margin": 0.4, "remove_diagonal": True}, "circle")
)


_Generalized: Any = losses._class(
    "CategoricalGeneralizedCrossEntropy",
    categorical_generalized_cross_entropy,
    {"q": 0.5},
    "categorical_generalized_cross_entropy",
)


@named("tf.keras.losses.CategoricalGeneralizedCrossEntropy")
class CategoricalGeneralizedCrossEntropy(_Generalized):  # type: ignore[misc]
    """The loss categorical_generalized_cross_entropy, reduced over a batch, for q between 0 and 1."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if not 0 < self.q < 1:
            raise ArgumentError("q must be in the interval (0, 1)", site=here())


for _one in (CTC, Circle):
    _one.__module__ = __name__
