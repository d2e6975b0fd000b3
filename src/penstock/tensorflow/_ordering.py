"""Sorting, counting and running sums under TensorFlow's names."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import segments as native_segments
from penstock.functions.arguments import whole_axis
from penstock.functions.composite import composite
from penstock.tensorflow._convert import integers, operand, same_dtype, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError, refused_dtype
from penstock.tensorflow._strings import takes_words
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _looked(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tensor_of(value).numpy())


# -- sorting --------------------------------------------------------------------------------------------


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ArgumentError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}",
            site=here(),
        )
    return direction == "DESCENDING"


@composite(1, "sort")
def _sort(values: Any, axis: int, descending: bool) -> Tensor:
    return native.sort(values, axis=axis, descending=descending)


@composite(1, "argsort")
def _argsort(values: Any, axis: int, descending: bool) -> Tensor:
    return native.argsort(values, axis=axis, descending=descending).astype("int32")


@named("tf.sort")
def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: Any = None) -> EagerTensor:
    """Returns the elements in order along an axis.

    >>> from penstock import tensorflow as tf
    >>> print(tf.sort([3, 1, 2], direction="DESCENDING").numpy())
    [3 2 1]
    """
    return _sort(operand(values), int(axis), _descending(direction))  # type: ignore[return-value]


@named("tf.argsort")
def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the positions, int32, that put the elements in order; equal ones keep theirs."""
    return _argsort(operand(values), int(axis), _descending(direction))  # type: ignore[return-value]


@composite(1, "top_k")
def _top_k(x: Any, k: int) -> tuple[Tensor, Tensor]:
    values, places = native_segments.top_k(x, k)
    return values, places.astype("int32")


class TopKV2(tuple[EagerTensor, EagerTensor]):
    """The result of `tf.math.top_k`: `values` and `indices`."""

    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


@named("tf.math.top_k", "tf.nn.top_k")
def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = np.int32, name: Any = None) -> Any:
    """Returns the k largest elements along the last axis, largest first, and their positions.

    `sorted` does nothing: the largest are always in order.

    >>> from penstock import tensorflow as tf
    >>> values, indices = tf.math.top_k([1.0, 5.0, 3.0], k=2)
    >>> print(values.numpy(), indices.numpy())
    [5. 3.] [1 2]
    """
    x, count = operand(input), int(k)
    length = x._spec.shape[-1] if x._spec.shape else 0
    if count > length:
        raise InvalidArgumentError(
            f"input must have at least k columns. Had {length}, needed {k}", site=here()
        )
    values, places = _top_k(x, count)
    wanted = numpy_dtype(index_type)
    return TopKV2((values, places if wanted == np.int32 else native.astype(places, wanted)))  # type: ignore[arg-type]


@named("tf.math.in_top_k", "tf.nn.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: Any, name: Any = None) -> EagerTensor:
    """Returns, for each row of predictions, whether the target's is among its k largest; ties count."""
    targets, x = integers(targets, "T", "int32, int64"), operand(predictions)
    return _in_top_k(targets, x, int(k))  # type: ignore[return-value]


@composite(2, "in_top_k")
def _in_top_k(targets: Any, x: Any, k: int) -> Tensor:
    own = native.take_along_axis(x, native.reshape(targets, (-1, 1)), axis=1)
    larger = native.sum((x > own).astype("int32"), axis=1)
    return native.logical_and(larger < k, native.all(native.isfinite(x), axis=1))


@composite(2, "searchsorted")
def _searchsorted(row: Any, values: Any, side: str, dtype: Any) -> Tensor:
    return native.searchsorted(row, values, side=side).astype(dtype)


@named("tf.searchsorted")
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = np.int32, name: Any = None
) -> EagerTensor:
    """Returns where each value would be put into a sorted sequence, along the last axis of both.

    >>> from penstock import tensorflow as tf
    >>> print(tf.searchsorted([1.0, 3.0, 5.0], [3.0, 4.0], side="right").numpy())
    [2 2]
    """
    if side not in ("left", "right"):
        raise ArgumentError("side must be either 'right' or 'left'.  Saw: %s." % side, site=here())  # noqa: UP031
    rows, values = same_dtype((sorted_sequence, values), "LowerBound")
    wanted = numpy_dtype(out_type)
    if len(rows._spec.shape) == 1:
        return _searchsorted(rows, values, side, wanted)  # type: ignore[return-value]
    lead, width = rows._spec.shape[:-1], values._spec.shape[-1]
    flat, wide = native.reshape(rows, (-1, rows._spec.shape[-1])), native.reshape(values, (-1, width))
    found = [_searchsorted(flat[i], wide[i], side, wanted) for i in builtins.range(flat._spec.shape[0])]
    return native.reshape(native.stack(found), (*lead, width))  # type: ignore[return-value]


# -- running sums ---------------------------------------------------------------------------------------


@composite(1, "cumsum")
def _cumsum(x: Any, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    return _running(native.cumulative_sum, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


@composite(1, "cumprod")
def _cumprod(x: Any, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    return _running(native.cumulative_prod, x, axis, exclusive, reverse)  # type: ignore[no-any-return]


def _running(function: Any, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    x = native.flip(x, axis=axis) if reverse else x
    found = function(x, axis=axis, dtype=x.dtype, include_initial=exclusive)
    if exclusive:
        length = x.shape[axis]
        found = native.take(found, native.arange(length), axis=axis)
    return native.flip(found, axis=axis) if reverse else found


@named("tf.cumsum", "tf.math.cumsum")
def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the sums of the elements up to each one, or with `exclusive` up to the one before.

    >>> from penstock import tensorflow as tf
    >>> print(tf.cumsum([1, 2, 3], exclusive=True).numpy(), tf.cumsum([1, 2, 3], reverse=True).numpy())
    [0 1 3] [6 5 3]
    """
    return _cumsum(operand(x), int(axis), bool(exclusive), bool(reverse))  # type: ignore[return-value]


@named("tf.math.cumprod", "tf.compat.v1.cumprod")
def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the products of the elements up to each one, or with `exclusive` up to the one before."""
    return _cumprod(operand(x), int(axis), bool(exclusive), bool(reverse))  # type: ignore[return-value]


@composite(1, "cumulative_logsumexp", wide=True)
def _cumulative_logsumexp(x: Any, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    x = native.flip(x, axis=axis) if reverse else x
    if exclusive:
        length, place = x.shape[axis], axis % len(x.shape)
        nothing = native.full(
            tuple(1 if i == place else n for i, n in enumerate(x.shape)), -np.inf, dtype=x.dtype
        )
        x = native.take(native.concat((nothing, x), axis=axis), native.arange(length), axis=axis)
    found = native.cumulative_logsumexp(x, axis=axis)
    return native.flip(found, axis=axis) if reverse else found


@named("tf.math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> EagerTensor:
    """Returns log(sum(exp(x))) of the elements up to each one, or with `exclusive` up to the one before.

    Elements of -inf at the start have a gradient of 0; TensorFlow's is NaN.

    >>> from penstock import tensorflow as tf
    >>> print(tf.math.cumulative_logsumexp([0.0, 0.0], exclusive=True).numpy())
    [-inf   0.]
    """
    x = operand(x)
    if x._spec.dtype.kind not in "fV":
        raise refused_dtype(x._spec.dtype, "bfloat16, half, float, double", site=here())
    place = whole_axis("cumulative_logsumexp", axis, len(x._spec.shape))
    return _cumulative_logsumexp(x, place, bool(exclusive), bool(reverse))  # type: ignore[return-value]


# -- counting -------------------------------------------------------------------------------------------


@composite(1, "count_nonzero")
def _count_nonzero(x: Any, axis: Any, keepdims: bool, dtype: Any) -> Tensor:
    return native.sum((x != 0).astype(dtype), axis=axis, keepdims=keepdims, dtype=dtype)


@named("tf.math.count_nonzero")
def count_nonzero(
    input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = np.int64, name: Any = None
) -> EagerTensor:
    """Returns how many elements are not zero."""
    axes = tuple(axis) if isinstance(axis, list | tuple) else axis
    found = _count_nonzero(operand(input), axes, bool(keepdims), numpy_dtype(dtype))
    return found  # type: ignore[return-value]


class Unique(NamedTuple):
    """Values, each once, and where each of those given is among them."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """Values, each once, where each of those given is among them, and how often each is there."""

    y: Any
    idx: Any
    count: Any


@named("tf.unique")
@takes_words
def unique(x: Any, out_idx: Any = np.int32, name: Any = None) -> Any:
    """Returns the values of a vector, each once, in the order of their first appearance, and where each is.

    How many there are depends on the values, which are read.

    >>> from penstock import tensorflow as tf
    >>> values, places = tf.unique([5, 3, 5])
    >>> print(values.numpy(), places.numpy())
    [5 3] [0 1 0]
    """
    values, places, _ = unique_with_counts(x, out_idx)
    return Unique(values, places)


@named("tf.unique_with_counts")
@takes_words
def unique_with_counts(x: Any, out_idx: Any = np.int32, name: Any = None) -> Any:
    """Returns what `unique` does, and how often each value is there."""
    array = _looked(x)
    if array.ndim != 1:
        raise InvalidArgumentError("unique expects a 1D vector.", site=here())
    _, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    wanted = numpy_dtype(out_idx)
    found = array[first[order]], place[inverse].astype(wanted), counts[order].astype(wanted)
    return UniqueWithCounts(*(tensor_of(one) for one in found))


@named("tf.math.bincount", "tf.compat.v1.bincount")
def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = np.int32,
    name: Any = None, axis: Any = None, binary_output: bool = False,
) -> EagerTensor:  # fmt: skip
    """Returns how often each whole number from 0 on is there, or the sums of their weights.

    How many there are depends on the values, which are read. With axis -1, each row is counted for itself;
    `binary_output` says whether a number is there at all. Rows may be those of a ragged or a sparse tensor.

    >>> from penstock import tensorflow as tf
    >>> tf.math.bincount([[1, 1, 0], [2, 1, 2]], axis=-1).numpy().tolist()
    [[1, 2, 0], [0, 1, 2]]
    """
    if axis is not None or binary_output or hasattr(arr, "_partition") or hasattr(arr, "dense_shape"):
        from penstock.tensorflow._counting_rows import bincount as by_row

        wanted = numpy_dtype(dtype)
        return by_row(arr, weights, minlength, maxlength, wanted, axis, binary_output)  # type: ignore[no-any-return]
    array = _looked(arr).reshape(-1)
    length = max(int(array.max()) + 1 if array.size else 0, 0 if minlength is None else int(minlength))
    length = length if maxlength is None else min(length, int(maxlength))
    kept = array < length
    if weights is None:
        found = np.bincount(array[kept], minlength=length).astype(numpy_dtype(dtype))
        return tensor_of(found)
    flat = native.reshape(operand(weights), (-1,))
    inside = np.where(kept, array, 0)
    held = native.where(tensor_of(kept), flat, native.zeros_like(flat))
    return native_segments.segment_sum(held, tensor_of(inside), length)  # type: ignore[return-value]


@named("tf.histogram_fixed_width")
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = np.int32, name: Any = None
) -> EagerTensor:
    """Returns how many values lie in each of `nbins` equal parts of a range; the outer ones take the rest."""
    x = operand(values)
    low, high = (float(one) for one in np.asarray(operand(value_range)))
    if not low < high:
        raise InvalidArgumentError(
            f"value_range[0] should be less than value_range[1], but got [{low}, {high}]", site=here()
        )
    return _histogram(x, low, high, int(nbins), numpy_dtype(dtype))  # type: ignore[return-value]


@composite(1, "histogram_fixed_width")
def _histogram(x: Any, low: float, high: float, bins: int, dtype: Any) -> Tensor:
    place = native.floor((native.reshape(x, (-1,)) - low) / (high - low) * bins)
    place = native.clip(place, 0, bins - 1).astype("int64")
    return native_segments.segment_sum(native.ones_like(place), place, bins).astype(dtype)


@named("tf.math.confusion_matrix")
def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None, dtype: Any = np.int32,
    name: Any = None,
) -> EagerTensor:  # fmt: skip
    """Returns how often each label (row) had each prediction (column), or the sums of their weights."""
    truth, guess = (_looked(one).reshape(-1).astype(np.int64) for one in (labels, predictions))
    largest = int(max(truth.max(initial=-1), guess.max(initial=-1))) + 1
    count = largest if num_classes is None else int(num_classes)
    if largest > count:
        raise InvalidArgumentError("`labels` out of bound", site=here())
    ones = np.ones(truth.size) if weights is None else _looked(weights).reshape(-1)
    found = np.zeros((count, count), np.float64)
    np.add.at(found, (truth, guess), ones)
    return tensor_of(found.astype(numpy_dtype(dtype)))


@named("tf.math.is_non_decreasing", "tf.compat.v1.is_non_decreasing")
def is_non_decreasing(x: Any, name: Any = None) -> EagerTensor:
    """Returns whether no element is smaller than the one before, in row-major order."""
    flat = native.reshape(operand(x), (-1,))
    return native.all(flat[1:] >= flat[:-1])  # type: ignore[return-value]


@named("tf.math.is_strictly_increasing", "tf.compat.v1.is_strictly_increasing")
def is_strictly_increasing(x: Any, name: Any = None) -> EagerTensor:
    """Returns whether every element is larger than the one before, in row-major order."""
    flat = native.reshape(operand(x), (-1,))
    return native.all(flat[1:] > flat[:-1])  # type: ignore[return-value]


@named("tf.math.invert_permutation", "tf.compat.v1.invert_permutation")
def invert_permutation(x: Any, name: Any = None) -> EagerTensor:
    """Returns, for each number from 0 on, where it is in a permutation of them."""
    x = integers(x, "T", "int32, int64")
    return native.astype(native.argsort(x), x._spec.dtype)  # type: ignore[return-value]
