"""Functions that few programs use: isotonic regression, labels in order, images as JPEG keeps them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _scatter, random
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.trace.source_site import here


def _pooled(row: Any) -> list[int]:
    """Returns the number of the segment of each element: neighbours that would rise are pooled.

    The pool-adjacent-violators algorithm (M. Ayer et al., 1955).
    """
    pools: list[list[float]] = []
    for value in row:
        pools.append([float(value), 1])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] < pools[-1][0] * pools[-2][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    return [number for number, (_, count) in enumerate(pools) for _ in range(int(count))]


class IsotonicRegression(NamedTuple):
    """Numbers that never rise along an axis, and the segment of each."""

    output: Any
    segments: Any


@named("tf.nn.isotonic_regression")
def isotonic_regression(
    inputs: Any, decreasing: bool = True, axis: Any = -1, name: Any = None
) -> IsotonicRegression:
    """Returns the nearest numbers that never rise along an axis, and which segment each belongs to.

    Each segment is the mean of its inputs, through which the gradient passes; the segments are looked at.
    They never fall with `decreasing=False`.

    >>> from penstock import tensorflow as tf
    >>> found, segments = tf.nn.isotonic_regression(tf.constant([[3.0, 1.0, 2.0]]))
    >>> found.numpy().tolist(), segments.numpy().tolist()
    ([[3.0, 1.5, 1.5]], [[0, 1, 1]])
    """
    x = tensor_of(inputs)
    rank = len(x.shape)
    if not -rank <= int(axis) < rank:
        raise ArgumentError(f"axis={axis} is out of range for {rank} axes.", site=here())
    order = [i for i in range(rank) if i != int(axis) % rank] + [int(axis) % rank]
    back = list(np.argsort(order))
    moved = _arrays.transpose(x, order)
    shape = tuple(int(n) for n in moved.shape)
    values = np.asarray(moved.numpy(), np.float64).reshape(-1, shape[-1])
    ids = np.array([_pooled(row if decreasing else -row) for row in values], np.int64).reshape(values.shape)
    places = constant((ids + np.arange(len(ids))[:, None] * shape[-1]).ravel())
    flat = _arrays.reshape(moved, [-1])
    means = _scatter.unsorted_segment_mean(flat, places, ids.size)
    found = _arrays.reshape(_arrays.gather(means, places), shape)
    segments = constant(ids.astype(np.int32).reshape(shape))
    return IsotonicRegression(_arrays.transpose(found, back), _arrays.transpose(segments, back))


@named("tf.nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[Any, Any]:
    """Returns the most likely label at each step, without blanks, and the log probability that was given up.

    `inputs` are [steps, batch, labels]. The labels are a list with one sparse tensor; the blank is the last
    label unless `blank_index` says otherwise.
    """
    from penstock.tensorflow.sparse import SparseTensor

    logits = np.asarray(tensor_of(inputs).numpy())
    if logits.ndim != 3:
        raise InvalidArgumentError("inputs is not a 3-Tensor", site=here())
    _, batch, labels = logits.shape
    lengths = np.asarray(tensor_of(sequence_length).numpy())
    blank = labels - 1 if blank_index is None else int(blank_index) % labels
    best, score = logits.argmax(-1), np.zeros((batch, 1), logits.dtype)
    rows: list[list[int]] = []
    for row in range(batch):
        before, kept = -1, []
        for step in range(int(lengths[row])):
            label = int(best[step, row])
            score[row] -= logits[step, row, label]
            if label != blank and not (merge_repeated and label == before):
                kept.append(label)
            before = label
        rows.append(kept)
    at = [(row, n) for row, kept in enumerate(rows) for n in range(len(kept))]
    values = np.array([one for kept in rows for one in kept], np.int64)
    shape = np.array([batch, max(map(len, rows), default=0)], np.int64)
    made = SparseTensor(constant(np.array(at, np.int64).reshape(-1, 2)), constant(values), constant(shape))
    return [made], constant(score)


@named("tf.nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: Any = None) -> tuple[Any, Any]:
    """Returns rows of labels without repetitions, filled up with zeros, and how many labels each has.

    >>> from penstock import tensorflow as tf
    >>> kept, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [4])
    >>> kept.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2]], [2])
    """
    rows, lengths = tensor_of(labels), tensor_of(seq_length)
    values = np.asarray(rows.numpy())
    kept = [
        [one for at, one in enumerate(row[:count]) if not at or row[at - 1] != one]
        for row, count in zip(values, np.asarray(lengths.numpy()), strict=True)
    ]
    found = np.zeros((len(kept), max(map(len, kept), default=0)), values.dtype)
    for row, one in zip(found, kept, strict=True):
        row[: len(one)] = one
    return constant(found), constant(np.array([len(one) for one in kept], lengths._spec.dtype))


@named("tf.nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: Any = None) -> list[Any]:
    """Returns the labels of each row once, filled up with zeros, and the place of each among them."""
    values = np.asarray(tensor_of(labels).numpy())
    found, places = np.zeros(values.shape, np.int64), np.zeros(values.shape, np.int32)
    for number, row in enumerate(values):
        own = list(dict.fromkeys(row.tolist()))
        found[number, : len(own)] = own
        places[number] = [own.index(one) for one in row.tolist()]
    return [constant(found), constant(places)]


@named("tf.image.adjust_jpeg_quality")
def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: Any = None) -> Any:
    """Returns an image as it is after it was kept as JPEG of a quality, from 0 to 100; no gradient passes.

    `dct_method` is that of `decode_jpeg`.
    """
    from penstock.tensorflow import image as images

    given = tensor_of(image)
    own = given.dtype
    pixels = images.convert_image_dtype(given, np.uint8, saturate=True)
    encoded = images.encode_jpeg(pixels, quality=int(jpeg_quality))
    kept = images.decode_jpeg(encoded, int(given.shape[-1]), dct_method=dct_method)
    return images.convert_image_dtype(kept, numpy_dtype(own), saturate=True)


@named("tf.image.random_jpeg_quality")
def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None) -> Any:
    """Returns an image as it is after it was kept as JPEG of a random quality between two, which differ.

    Raises ArgumentError for qualities that are not from 0 to 100, or in the other order.
    """
    low, high = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, random.uniform((), low, high, np.int32, seed))


@named("tf.image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Any:
    """Returns what `random_jpeg_quality` does, with a quality that two numbers decide."""
    low, high = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, random.stateless_uniform((), seed, low, high, np.int32))


def _qualities(low: int, high: int) -> tuple[int, int]:
    if not (0 <= low <= 100 and 0 <= high <= 100):
        raise ArgumentError("jpeg encoding range must be between 0 and 100.", site=here())
    if low >= high:
        raise ArgumentError("`min_jpeg_quality` must be less than `max_jpeg_quality`.", site=here())
    return low, high


__all__ = [
    "adjust_jpeg_quality", "ctc_greedy_decoder", "isotonic_regression", "random_jpeg_quality",
    "stateless_random_jpeg_quality",
]  # fmt: skip
