"""Losses over some of the classes, which are sampled."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow.compat.v1 import _lifted as tf


def _likely(numbers: Any, num_classes: int) -> Any:
    """Returns how likely each class is in the log-uniform sampler, where frequent ones have small numbers."""
    floats = tf.cast(numbers, tf.float32)
    return (tf.log(floats + 2.0) - tf.log(floats + 1.0)) / float(np.log(num_classes + 1.0))


def _distinct(num_sampled: int, num_classes: int, seed: Any) -> tuple[Any, Any]:
    """Returns distinct classes, drawn one after another until there are enough, and the number of tries.

    Draws in a row are met in the order of exponential waiting times, whose rates are the probabilities; what
    is drawn again before the last class has come is a Poisson number.
    """
    chances = _likely(tf.range(num_classes), num_classes)
    times = -tf.log(1.0 - tf.random_uniform([num_classes], seed=seed)) / chances
    first, sampled = tf.nn.top_k(-times, num_sampled)
    again = tf.reduce_sum(tf.gather(chances, sampled) * (first - first[num_sampled - 1]))
    # The mean of that number stands for it.
    return tf.cast(sampled, tf.int64), float(num_sampled) + again


def _sampled(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_accidental_hits: bool, seed: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the logits of the true classes and of sampled ones, less the logarithms of how often they
    come."""
    labels = tf.reshape(tf.cast(labels, tf.int64), [-1, num_true])
    if sampled_values is None:
        sampled, tries = _distinct(num_sampled, num_classes, seed)

        def expected(numbers: Any) -> Any:
            # How likely a class is to be met in all tries, since each counts once.
            return -tf.math.expm1(tries * tf.math.log1p(-_likely(numbers, num_classes)))

        often_true, often_sampled = expected(labels), expected(sampled)
    else:
        sampled, often_true, often_sampled = sampled_values
    weights = weights[0] if isinstance(weights, list) else weights
    true_w, sampled_w = tf.gather(weights, tf.reshape(labels, [-1])), tf.gather(weights, sampled)
    true_b, sampled_b = tf.gather(biases, tf.reshape(labels, [-1])), tf.gather(biases, sampled)
    size = int(inputs.shape[-1])
    rows = tf.reshape(true_w, [-1, num_true, size]) * tf.expand_dims(inputs, 1)
    true_logits = tf.reduce_sum(rows, 2) + tf.reshape(true_b, [-1, num_true]) - tf.log(often_true)
    logits = tf.matmul(inputs, sampled_w, transpose_b=True) + sampled_b - tf.log(often_sampled)
    if remove_accidental_hits:
        hits = tf.reduce_any(tf.equal(tf.expand_dims(labels, 2), tf.reshape(sampled, [1, 1, -1])), 1)
        logits = logits + tf.cast(hits, tf.float32) * -3.4e38
    return true_logits, logits


def _beside(true: Any, sampled: Any, num_true: int) -> tuple[Any, Any]:
    """Returns the logits of true and sampled classes in one row, and what each is to be."""
    targets = tf.concat([tf.ones_like(true) / float(num_true), tf.zeros_like(sampled)], 1)
    return tf.concat([true, sampled], 1), targets


@named("tf.compat.v1.nn.nce_loss")
def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
    partition_strategy: str = "mod", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the noise-contrastive loss of each row, with new samples of classes at each run.

    Draws are Penstock's; true classes count 1 / num_true each.

    `partition_strategy` does nothing: a table is one piece.
    """
    true, sampled = _sampled(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    logits, targets = _beside(true, sampled, num_true)
    return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits), 1)


@named("tf.compat.v1.nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
    partition_strategy: str = "mod", name: Any = "sampled_softmax_loss", seed: Any = None,
) -> Any:  # fmt: skip
    """Returns the cross entropy of each row over its true classes and sampled ones, drawn anew at each
    run.

    `partition_strategy` does nothing: a table is one piece.
    """
    true, sampled = _sampled(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    logits, targets = _beside(true, sampled, num_true)
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.stop_gradient(targets), logits=logits)


@named("tf.nn.nce_loss")
def nce_loss_v2(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
    name: Any = "nce_loss",
) -> Any:  # fmt: skip
    """Returns the noise-contrastive loss of each row, with new samples of classes at each call.

    Draws are Penstock's; true classes count 1 / num_true each.
    """
    return nce_loss(
        weights, biases, labels, tf.convert_to_tensor(inputs), num_sampled, num_classes, num_true,
        sampled_values, remove_accidental_hits,
    )  # fmt: skip


@named("tf.nn.sampled_softmax_loss")
def sampled_softmax_loss_v2(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
    seed: Any = None, name: Any = "sampled_softmax_loss",
) -> Any:  # fmt: skip
    """Returns the cross entropy of each row over its true classes and sampled ones, drawn anew at each
    call."""
    return sampled_softmax_loss(
        weights, biases, labels, tf.convert_to_tensor(inputs), num_sampled, num_classes, num_true,
        sampled_values, remove_accidental_hits, seed=seed,
    )  # fmt: skip
