"""Candidate samplers: some of many classes, and how often each class is to be expected among them.

The classes drawn are Penstock's, the expectations TensorFlow's. Distinct classes are not drawn one after
another: draws in a row are met in the order of exponential waiting times, whose rates are the probabilities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise, _ordering, _reductions
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._draws import uniform
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.trace.source_site import here


def _true(true_classes: Any, num_true: int) -> Any:
    """Returns the true classes of each row as whole numbers of 64 bits."""
    classes = _elementwise.cast(operand(true_classes), "int64")
    shape = classes._spec.shape
    if len(shape) != 2 or (isinstance(shape[1], int) and shape[1] != int(num_true)):
        expected = "true_classes must be a matrix" if len(shape) != 2 else (
            f"true_classes must have num_true columns, expected: {num_true} was: {shape[1]}"
        )  # fmt: skip
        raise InvalidArgumentError(f"{expected}.", origin=f"it has shape {shape}", site=here())
    return classes


def _drawn(
    chances: np.ndarray[Any, Any], true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any
) -> tuple[Any, Any, Any]:
    """Returns drawn classes, and how often the true classes and those are to be expected."""
    true, count = _true(true_classes, num_true), int(num_sampled)
    table = constant(chances.astype(np.float32))
    if not unique:
        ends = np.cumsum(chances) / chances.sum()
        at = uniform([count], seed=seed)
        places = _ordering.searchsorted(constant(ends.astype(np.float32)), at, side="right", out_type="int64")
        last = np.int64(np.flatnonzero(chances)[-1])
        sampled = _elementwise.minimum(places, last)
        expected = [_arrays.gather(table, one) * float(count) for one in (true, sampled)]
        return sampled, expected[0], expected[1]
    if count > int((chances > 0.0).sum()):
        raise InvalidArgumentError(
            "Sampler's range is too small.",
            origin=f"num_sampled={count} distinct classes of {int((chances > 0.0).sum())}",
            remedy="Draw fewer, or write unique=False.",
            site=here(),
        )
    waiting = -_elementwise.log1p(-uniform([chances.size], seed=seed)) / table
    first, found = _ordering.top_k(-waiting, count)
    sampled = _elementwise.cast(found, "int64")
    # What is drawn again before the last class has come is a Poisson number; its mean stands for it.
    tries = float(count) + _reductions.reduce_sum(_arrays.gather(table, sampled) * (first - first[count - 1]))
    often = [
        -_elementwise.expm1(tries * _elementwise.log1p(-_arrays.gather(table, one)))
        for one in (true, sampled)
    ]
    return sampled, often[0], often[1]


@named(
    "tf.random.uniform_candidate_sampler", "tf.compat.v1.random.uniform_candidate_sampler",
    "tf.compat.v1.nn.uniform_candidate_sampler",
)  # fmt: skip
def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Returns classes drawn from 0 to `range_max`, and how often the true and the drawn ones are expected.

    >>> from penstock import tensorflow as tf
    >>> drawn, of_true, of_drawn = tf.random.uniform_candidate_sampler([[3], [7]], 1, 2, False, 10)
    >>> drawn.shape, of_true.numpy().ravel().tolist() == [0.20000000298023224] * 2
    (TensorShape([2]), True)
    """
    chances = np.full(int(range_max), 1.0 / int(range_max))
    return _drawn(chances, true_classes, num_true, num_sampled, unique, seed)


@named(
    "tf.random.log_uniform_candidate_sampler", "tf.compat.v1.random.log_uniform_candidate_sampler",
    "tf.compat.v1.nn.log_uniform_candidate_sampler",
)  # fmt: skip
def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Returns classes drawn by the law of Zipf, the smaller the likelier, and how often they are expected."""
    numbers = np.arange(int(range_max))
    chances = np.log((numbers + 2.0) / (numbers + 1.0)) / np.log(int(range_max) + 1.0)
    return _drawn(chances, true_classes, num_true, num_sampled, unique, seed)


@named(
    "tf.random.fixed_unigram_candidate_sampler", "tf.nn.fixed_unigram_candidate_sampler",
    "tf.compat.v1.random.fixed_unigram_candidate_sampler", "tf.compat.v1.nn.fixed_unigram_candidate_sampler",
)  # fmt: skip
def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: str = "",
    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0,
    unigrams: Any = (), seed: Any = None, name: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Returns classes drawn by given frequencies, of a list or a file, and how often they are expected.

    The frequencies are raised to the power `distortion`; the first `num_reserved_ids` classes are not drawn,
    and of several shards the classes whose number leaves the remainder `shard`.
    """
    if bool(vocab_file) == bool(len(unigrams)):
        raise InvalidArgumentError(
            "Must provide either vocab_file or unigrams.", remedy="Give one of them.", site=here()
        )
    if vocab_file:
        with open(vocab_file, encoding="utf-8") as file:
            unigrams = [float(line.rstrip().rpartition(",")[2]) for line in file if line.strip()]
    weights = np.concatenate([np.zeros(int(num_reserved_ids)), np.asarray(unigrams, float) ** distortion])
    if weights.size != int(range_max):
        raise InvalidArgumentError(
            f"range_max is {range_max}, must be equal to or less than the number of unigrams and reserved "
            f"classes, {weights.size}.",
            remedy=f"Write range_max={weights.size}.",
            site=here(),
        )
    weights = np.where(np.arange(weights.size) % int(num_shards) == int(shard), weights, 0.0)
    return _drawn(weights / weights.sum(), true_classes, num_true, num_sampled, unique, seed)


@named(
    "tf.random.all_candidate_sampler", "tf.nn.all_candidate_sampler",
    "tf.compat.v1.random.all_candidate_sampler", "tf.compat.v1.nn.all_candidate_sampler",
)  # fmt: skip
def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None, name: Any = None
) -> tuple[Any, Any, Any]:
    """Returns all classes, each of them expected once. `unique` and `seed` do nothing."""
    once = constant(np.ones(int(num_sampled), np.float32))
    classes = constant(np.arange(int(num_sampled), dtype=np.int64))
    return classes, _arrays.gather(once, _true(true_classes, num_true)), once


class ComputeAccidentalHits(NamedTuple):
    """Where a drawn class is a true one: rows, places among the drawn, and the weight that excludes it."""

    indices: Any
    ids: Any
    weights: Any


@named("tf.nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None, name: Any = None
) -> ComputeAccidentalHits:
    """Returns where drawn classes are true ones: their rows, their places, and the lowest float32 for each.

    `seed` does nothing: nothing is drawn.

    >>> from penstock import tensorflow as tf
    >>> hits = tf.nn.compute_accidental_hits([[3], [7]], [7, 1], 1)
    >>> hits.indices.numpy().tolist(), hits.ids.numpy().tolist()
    ([1], [0])
    """
    true = np.asarray(_true(true_classes, num_true).numpy())
    places = {int(one): at for at, one in enumerate(np.asarray(operand(sampled_candidates).numpy()))}
    found = [(row, places[int(one)]) for row, every in enumerate(true) for one in every if int(one) in places]
    lowest = np.full(len(found), np.finfo(np.float32).min, np.float32)
    return ComputeAccidentalHits(
        constant(np.array([row for row, _ in found], np.int32)),
        constant(np.array([at for _, at in found], np.int64)),
        constant(lowest),
    )
