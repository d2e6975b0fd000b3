"""Names that few programs use: bits as another dtype, histograms, approximate choices, enumerations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant, operand, tensor_of
from penstock.tensorflow._dtype import BY_NUMBER, numpy_dtype
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here


def _number(dtype: Any) -> int:
    return next(number for number, name in BY_NUMBER.items() if name == dtype.name)


@named("tf.bitcast")
def bitcast(input: Any, type: Any, name: Any = None) -> EagerTensor:
    """Returns the bits of numbers as another dtype, which looks at them; no gradient passes.

    A dtype with fewer bytes adds an axis at the end; one with more takes the last axis.

    >>> from penstock import tensorflow as tf
    >>> hex(tf.bitcast(tf.constant(1.0), tf.int32))
    '0x3f800000'
    """
    array, wanted = np.asarray(tensor_of(input).numpy()), numpy_dtype(type)
    own, size = array.dtype.itemsize, wanted.itemsize
    if size > own and (not array.ndim or array.shape[-1] * own != size):
        raise InvalidArgumentError(
            f"Cannot bitcast from {_number(array.dtype)} to {_number(wanted)}",
            origin=f"That is from {array.dtype.name} to {wanted.name}.",
            why=f"The last axis must hold {size // own} numbers for each new one; the shape is "
            f"{list(array.shape)}.",
            site=here(),
        )
    shape = array.shape if size == own else array.shape[:-1] if size > own else (*array.shape, own // size)
    return constant(np.frombuffer(array.tobytes(), wanted).reshape(shape))


@named("tf.histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = np.int32, name: Any = None
) -> EagerTensor:
    """Returns for each value the bin that it falls into, the first or last if it lies outside.

    >>> from penstock import tensorflow as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 1, 4], dtype=int32)
    """
    array = np.asarray(tensor_of(values).numpy())
    low, high = (float(one) for one in np.asarray(operand(value_range)))
    count = int(nbins)
    if low >= high or count < 1:
        raise InvalidArgumentError(
            f"value_range is [{low}, {high}] and nbins {count}: there must be room for a bin.", site=here()
        )
    bins = np.floor(count * (array - low) / (high - low))
    return constant(np.clip(bins, 0, count - 1).astype(numpy_dtype(dtype)))


class ApproxTopK(NamedTuple):
    """The largest or smallest elements along an axis, and where they are."""

    values: Any
    indices: Any


def _chosen(operand: Any, k: Any, axis: Any, largest: bool) -> ApproxTopK:
    from penstock.tensorflow import _arrays, _elementwise, _ordering

    x: Any = tensor_of(operand)
    place = int(axis) % len(x.shape)
    order = [i for i in range(len(x.shape)) if i != place] + [place]
    moved = _arrays.transpose(x, order)
    values, at = _ordering.top_k(moved if largest else _elementwise.negative(moved), int(k))
    back = list(np.argsort(order))
    values = values if largest else _elementwise.negative(values)
    return ApproxTopK(_arrays.transpose(values, back), _arrays.transpose(at, back))


@named("tf.nn.approx_max_k", "tf.math.approx_max_k")
def approx_max_k(
    operand: Any, k: Any, reduction_dimension: Any = -1, recall_target: Any = 0.95,
    reduction_input_size_override: Any = -1, aggregate_to_topk: bool = True, name: Any = None,
) -> ApproxTopK:  # fmt: skip
    """Returns the k largest elements along an axis, and where they are: all of them, found exactly.

    `recall_target`, `reduction_input_size_override` and `aggregate_to_topk` do nothing: nothing is missed.
    """
    return _chosen(operand, k, reduction_dimension, True)


@named("tf.nn.approx_min_k", "tf.math.approx_min_k")
def approx_min_k(
    operand: Any, k: Any, reduction_dimension: Any = -1, recall_target: Any = 0.95,
    reduction_input_size_override: Any = -1, aggregate_to_topk: bool = True, name: Any = None,
) -> ApproxTopK:  # fmt: skip
    """Returns the k smallest elements along an axis, and where they are: all of them, found exactly.

    `recall_target`, `reduction_input_size_override` and `aggregate_to_topk` do nothing: nothing is missed.
    """
    return _chosen(operand, k, reduction_dimension, False)


__all__ = ["bitcast", "histogram_fixed_width_bins"]
