"""Functions of arrays that TensorFlow 1 had under other names, or with other arguments."""

from __future__ import annotations

import sys
from collections import namedtuple
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import (
    _arrays,
    _blocks,
    _convert,
    _elementwise,
    _image_parts,
    _reductions,
    _scatter,
)
from penstock.tensorflow import linalg as _linalg
from penstock.tensorflow import random as _random
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.gradients import gradients, listed
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow.compat.v1._built import built
from penstock.trace.source_site import here

_frame = sys._getframe

ListDiff = namedtuple("ListDiff", "out idx")


def _converted(word: str, type: str) -> Any:
    def function(x: Any, name: Any = None) -> Any:
        return _elementwise.cast(x, word)

    function.__name__ = function.__qualname__ = f"to_{word}"
    function.__doc__ = f"Returns x converted to {word}."
    return built(f"tf.compat.v1.to_{word}", type=type)(function)


to_bfloat16, to_complex64, to_complex128 = (
    _converted(word, f"To{word.capitalize()}") for word in ("bfloat16", "complex64", "complex128")
)


def _block(block_size: Any, block_shape: Any, count: int) -> Any:
    if block_shape is not None:
        return block_shape
    if block_size is None:
        raise ArgumentError("Exactly one of block_shape and block_size is needed.", site=here())
    return [int(block_size)] * count


@built("tf.compat.v1.space_to_batch", "tf.compat.v1.nn.space_to_batch", type="SpaceToBatchND")
def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: Any = None, block_shape: Any = None
) -> Any:
    """Returns images padded with zeros, whose pixels in blocks have become images of their own."""
    return _blocks.space_to_batch(input, _block(block_size, block_shape, 2), paddings)


@built("tf.compat.v1.batch_to_space", type="BatchToSpaceND")
def batch_to_space(
    input: Any, crops: Any, block_size: Any = None, name: Any = None, block_shape: Any = None
) -> Any:
    """Returns images whose pixels were images of their own in the batch; `crops` are cut off."""
    return _blocks.batch_to_space(input, _block(block_size, block_shape, 2), crops)


@built("tf.compat.v1.space_to_batch_nd", "tf.compat.v1.manip.space_to_batch_nd", type="SpaceToBatchND")
def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: Any = None) -> Any:
    """Returns what `space_to_batch` does, for a block of any number of axes."""
    return _blocks.space_to_batch(input, block_shape, paddings)


@built("tf.compat.v1.batch_to_space_nd", "tf.compat.v1.manip.batch_to_space_nd", type="BatchToSpaceND")
def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: Any = None) -> Any:
    """Returns what `batch_to_space` does, for a block of any number of axes."""
    return _blocks.batch_to_space(input, block_shape, crops)


@built(
    "tf.compat.v1.extract_image_patches",
    "tf.compat.v1.image.extract_image_patches",
    type="ExtractImagePatches",
)
def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: Any = None,
    sizes: Any = None,
) -> Any:
    """Returns [batch, rows, columns, height x width x channels] of images: a patch at each place."""
    return _image_parts.extract_patches(images, ksizes if sizes is None else sizes, strides, rates, padding)


@named("tf.compat.v1.setdiff1d")
def setdiff1d(x: Any, y: Any, index_dtype: Any = "int32", name: Any = None) -> ListDiff:
    """Returns the elements of a vector that are not in another, and their places."""
    return ListDiff(*_difference(x, y, index_dtype))


@built(type="ListDiff")
def _difference(x: Any, y: Any, index_dtype: Any) -> tuple[Any, Any]:
    values = np.asarray(_convert.operand(x).numpy())
    kept = np.flatnonzero(~np.isin(values, np.asarray(_convert.operand(y).numpy())))
    return _convert.constant(values[kept]), _convert.constant(kept, index_dtype)


@built("tf.compat.v1.confusion_matrix", type="confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = "int32",
    name: Any = None,
    weights: Any = None,
) -> Any:
    """Returns how often each class, by row, was predicted as each class, by column."""
    from penstock.tensorflow import math

    return math.confusion_matrix(labels, predictions, num_classes, weights, dtype)


@built("tf.compat.v1.clip_by_average_norm", type="clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: Any = None) -> Any:
    """Returns a tensor scaled so that its norm, divided by the number of elements, is at most `clip_norm`."""
    t = _convert.operand(t)
    count = float(np.prod(t._spec.shape))
    norm = _reductions.reduce_sum(_elementwise.multiply(t, t))
    inverse = _elementwise.minimum(
        _elementwise.divide(count, _elementwise.sqrt(norm)), _elementwise.divide(1.0, clip_norm)
    )
    return t * clip_norm * inverse


@built("tf.compat.v1.sparse_to_dense", type="SparseToDense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: Any = None,
) -> Any:
    """Returns an array of one value with others at some places. `validate_indices` does nothing."""
    values = _convert.operand(sparse_values)
    places = _convert.operand(sparse_indices)
    if len(places._spec.shape) < 2:
        places = _arrays.reshape(places, [-1, 1])
    filled = _arrays.fill(output_shape, _elementwise.cast(default_value, values.dtype))
    if not values._spec.shape:
        values = _arrays.fill([places._spec.shape[0]], values)
    return _scatter.tensor_scatter_nd_update(filled, places, values)


@built("tf.compat.v1.sparse_matmul", type="SparseMatMul")
def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: Any = None,
) -> Any:
    """Returns the product of two matrices. `a_is_sparse` and `b_is_sparse` do nothing: both are dense."""
    return _linalg.matmul(a, b, transpose_a, transpose_b)


@built("tf.compat.v1.random_poisson", "tf.compat.v1.random.poisson", type="random_poisson", fresh=True)
def random_poisson(lam: Any, shape: Any, dtype: Any = "float32", seed: Any = None, name: Any = None) -> Any:
    """Returns draws from Poisson distributions, others at each run."""
    return _random.poisson(shape, lam, dtype, seed)


@named("tf.compat.v1.hessians")
def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Any]:
    """Returns the matrix of second derivatives of the sum of `ys` for each of `xs`.

    For an x of several axes it has each of them twice. `colocate_gradients_with_ops`, `gate_gradients` and
    `aggregation_method` do nothing.
    """
    from penstock.tensorflow.compat.v1 import _lifted as tf

    found = []
    for one in listed(xs):
        slope = tf.reshape(gradients(ys, one)[0], [-1])
        length = slope.shape.as_list()[0]
        rows = [gradients(slope[row], one)[0] for row in range(length)]
        whole = tf.stack([tf.zeros_like(one) if row is None else row for row in rows])
        shape = one.shape.as_list()
        found.append(tf.reshape(whole, [*shape, *shape]))
    return found


@named("tf.compat.v1.get_seed", "tf.compat.v1.random.get_seed")
def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """Returns the seed of the graph and that of an operation, which is its number where none is given."""
    graph = mode.default()
    if graph.seed is None:
        return (None, None) if op_seed is None else (87654321, op_seed)
    return graph.seed, len(graph.operations) if op_seed is None else op_seed


def _scattered(word: str, combine: Any, verb: str) -> Any:
    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: Any = None) -> Any:
        from penstock.tensorflow.compat.v1 import _lifted as tf

        value = tf.convert_to_tensor(ref)
        updates = tf.convert_to_tensor(updates, dtype=ref.dtype)
        rows = tf.concat([tf.shape(indices), tf.shape(value)[1:]], 0)
        updates = tf.broadcast_to(updates, rows) if updates.shape.rank == 0 else updates
        return ref.assign(combine(tf, value, indices, updates), name=name)

    scatter.__name__ = scatter.__qualname__ = word
    scatter.__doc__ = f"{verb} rows of a variable at some indices. `use_locking` does nothing."
    return named(f"tf.compat.v1.{word}")(scatter)


def _placed(function: str) -> Any:
    """Returns what puts updates into rows by a function of that name in `tf`."""
    return lambda tf, value, indices, updates: getattr(tf, function)(
        value, tf.expand_dims(indices, -1), updates
    )


def _factors(tf: Any, value: Any, indices: Any, updates: Any) -> Any:
    """Returns the product of all updates of each row, which is 1 where there are none."""
    length = tf.shape(value)
    rows = tf.reshape(updates, tf.concat([[-1], length[1:]], 0))
    return tf.math.unsorted_segment_prod(rows, tf.reshape(indices, [-1]), length[0])


def _multiplied(tf: Any, value: Any, indices: Any, updates: Any) -> Any:
    return tf.multiply(value, _factors(tf, value, indices, updates))


def _divided(tf: Any, value: Any, indices: Any, updates: Any) -> Any:
    divide = tf.truncatediv if value.dtype.is_integer else tf.divide
    return divide(value, _factors(tf, value, indices, updates))


def _scattered_at(word: str, function: Any, verb: str) -> Any:
    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: Any = None) -> Any:
        from penstock.tensorflow.compat.v1 import _lifted as tf

        return ref.assign(getattr(tf, function)(tf.convert_to_tensor(ref), indices, updates), name=name)

    scatter.__name__ = scatter.__qualname__ = word
    scatter.__doc__ = f"{verb} elements of a variable at some places. `use_locking` does nothing."
    return named(f"tf.compat.v1.{word}")(scatter)


@named("tf.compat.v1.batch_scatter_update")
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: Any = None
) -> Any:
    """Replaces, in each element of a batch, entries of a variable at some indices.

    The last axis of `indices` runs along an axis of the variable; the axes before are the batch's.
    `use_locking` does nothing.
    """
    from penstock.tensorflow.compat.v1 import _lifted as tf

    places = tf.convert_to_tensor(indices)
    lengths = tf.unstack(tf.shape(places))
    batch = tf.meshgrid(*map(tf.range, lengths), indexing="ij")[:-1]
    where = tf.stack([*(tf.cast(one, places.dtype) for one in batch), places], axis=-1)
    return scatter_nd_update(ref, where, updates, name=name)  # type: ignore[name-defined]  # noqa: F821


@named("tf.compat.v1.count_up_to")
def count_up_to(ref: Any, limit: int, name: Any = None) -> Any:
    """Returns the value of a variable and adds 1 to it; raises OutOfRangeError once it is the limit."""
    return ref._counted(int(limit), name, _frame(1))


for _ending, _verb in (
    ("update", "Replaces"), ("add", "Adds to"), ("sub", "Subtracts from"),
    ("max", "Raises, where they are smaller,"), ("min", "Lowers, where they are larger,"),
):  # fmt: skip
    _function = f"tensor_scatter_nd_{_ending}"
    globals()[f"scatter_{_ending}"] = _scattered(f"scatter_{_ending}", _placed(_function), _verb)
    if _ending in ("update", "add", "sub"):
        globals()[f"scatter_nd_{_ending}"] = _scattered_at(f"scatter_nd_{_ending}", _function, _verb)
scatter_mul = _scattered("scatter_mul", _multiplied, "Multiplies")
scatter_div = _scattered("scatter_div", _divided, "Divides (whole numbers toward zero)")
