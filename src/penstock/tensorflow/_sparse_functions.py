"""Sparse tensors joined, cut, turned, reduced and combined: places in NumPy, values in the record."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.tensorflow import _elementwise, _scatter
from penstock.tensorflow._convert import constant, lengths_of, operand, same_dtype, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor_shape import brackets
from penstock.tensorflow.sparse import SparseTensor, reorder, to_dense
from penstock.trace.source_site import here

Places = np.ndarray[Any, Any]


def places(x: SparseTensor) -> Places:
    """Returns the place of each element, as an array."""
    return np.asarray(x.indices.numpy(), np.int64)


def dims(x: SparseTensor) -> tuple[int, ...]:
    """Returns the length of each axis."""
    return tuple(int(n) for n in x.dense_shape.numpy())


def made(at: Places, values: Any, lengths: Sequence[int]) -> SparseTensor:
    """Returns a sparse tensor."""
    return SparseTensor(
        constant(np.asarray(at, np.int64).reshape(-1, len(lengths))),
        values,
        constant(np.asarray(lengths, np.int64)),
    )


def _axis(axis: Any, rank: int) -> int:
    place = int(axis)
    if not -rank <= place < rank:
        raise ArgumentError(f"axis {place} is out of range for a tensor of {rank} axes.", site=here())
    return place % rank


def _numbers(at: Places, lengths: Sequence[int]) -> Any:
    """Returns one number for each place."""
    if not lengths:
        return np.zeros(len(at), np.int64)
    return np.ravel_multi_index(tuple(at.T), tuple(lengths)) if len(at) else np.zeros(0, np.int64)


# -- arranging ------------------------------------------------------------------------------------------


@named("tf.sparse.concat")
def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: Any = None) -> SparseTensor:
    """Returns sparse tensors joined along an axis; the others must be equal, or grow to the longest.

    >>> from penstock import tensorflow as tf
    >>> x = tf.sparse.from_dense([[1, 0], [0, 2]])
    >>> tf.sparse.to_dense(tf.sparse.concat(1, [x, x])).numpy().tolist()
    [[1, 0, 1, 0], [0, 2, 0, 2]]
    """
    parts = list(sp_inputs)
    place = _axis(axis, len(dims(parts[0])))
    shapes = [dims(one) for one in parts]
    others = {one[:place] + one[place + 1 :] for one in shapes}
    if len(others) > 1 and not expand_nonconcat_dims:
        first = shapes[0]
        wrong = next(
            (n, i)
            for n, one in enumerate(shapes)
            for i in range(len(first))
            if i != place and one[i] != first[i]
        )
        raise InvalidArgumentError(
            f"Input shapes must match: expected {first[wrong[1]]} for dimension {wrong[1]} but got "
            f"{shapes[wrong[0]][wrong[1]]} at position {wrong[0]}",
            remedy="Say expand_nonconcat_dims=True to let them grow.",
            site=here(),
        )
    moved, before = [], 0
    for one, shape in zip(parts, shapes, strict=True):
        at = places(one).copy()
        at[:, place] += before
        moved.append(at)
        before += shape[place]
    lengths = [max(one[i] for one in shapes) for i in range(len(shapes[0]))]
    lengths[place] = before
    return reorder(made(np.concatenate(moved), leaves.joined([one.values for one in parts]), lengths))


@named("tf.sparse.reshape", "tf.compat.v1.sparse_reshape")
def reshape(sp_input: SparseTensor, shape: Any, name: Any = None) -> SparseTensor:
    """Returns a sparse tensor in another shape of as many places; one length may be -1."""
    own, lengths = dims(sp_input), list(lengths_of(shape))
    total, rest = math.prod(own), math.prod(n for n in lengths if n != -1)
    if -1 in lengths:
        lengths[lengths.index(-1)] = total // rest if rest else 0
    if math.prod(lengths) != total:
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{math.prod(lengths)}. input_shape={brackets(own)} output_shape={brackets(lengths)}",
            site=here(),
        )
    at = np.stack(np.unravel_index(_numbers(places(sp_input), own), lengths), 1)
    return made(at, sp_input.values, lengths)


@named("tf.sparse.transpose", "tf.compat.v1.sparse_transpose")
def transpose(sp_input: SparseTensor, perm: Any = None, name: Any = None) -> SparseTensor:
    """Returns a sparse tensor with its axes in another order, reversed if none is given."""
    lengths = dims(sp_input)
    order = list(range(len(lengths)))[::-1] if perm is None else list(lengths_of(perm))
    return reorder(made(places(sp_input)[:, order], sp_input.values, [lengths[i] for i in order]))


@named("tf.sparse.expand_dims")
def expand_dims(sp_input: SparseTensor, axis: Any = None, name: Any = None) -> SparseTensor:
    """Returns a sparse tensor with a new axis of length 1, the last one if none is named."""
    lengths = dims(sp_input)
    place = _axis(-1 if axis is None else axis, len(lengths) + 1)
    at = np.insert(places(sp_input), place, 0, 1)
    return made(at, sp_input.values, (*lengths[:place], 1, *lengths[place:]))


@named("tf.sparse.reset_shape", "tf.compat.v1.sparse_reset_shape")
def reset_shape(sp_input: SparseTensor, new_shape: Any = None) -> SparseTensor:
    """Returns the same elements in other lengths: those named, or no more than the elements need."""
    at, lengths = places(sp_input), dims(sp_input)
    wanted = tuple(at.max(0, initial=-1) + 1) if new_shape is None else lengths_of(new_shape)
    if new_shape is not None and (
        len(wanted) != len(lengths) or any(a < b for a, b in zip(wanted, lengths, strict=True))
    ):
        raise InvalidArgumentError(
            f"new_shape is {list(wanted)}: it may not be below {list(lengths)}.", site=here()
        )
    return made(at, sp_input.values, wanted)


@named("tf.sparse.retain", "tf.compat.v1.sparse_retain")
def retain(sp_input: SparseTensor, to_retain: Any) -> SparseTensor:
    """Returns the elements for which a list of truth values says so."""
    kept = np.flatnonzero(np.asarray(tensor_of(to_retain).numpy(), bool))
    return made(places(sp_input)[kept], leaves.gathered(sp_input.values, kept), dims(sp_input))


@named("tf.sparse.slice", "tf.compat.v1.sparse_slice")
def slice(sp_input: SparseTensor, start: Any, size: Any, name: Any = None) -> SparseTensor:
    """Returns the block of a sparse tensor that begins at `start` and has the lengths `size`."""
    first, lengths, own = lengths_of(start), lengths_of(size), dims(sp_input)
    stop = [min(a + n, length) for a, n, length in zip(first, lengths, own, strict=True)]
    return _block(sp_input, first, stop)


def _block(x: SparseTensor, first: Sequence[int], stop: Sequence[int]) -> SparseTensor:
    at = places(x)
    kept = np.flatnonzero(((at >= np.asarray(first)) & (at < np.asarray(stop))).all(1))
    lengths = [max(0, b - a) for a, b in zip(first, stop, strict=True)]
    return made(at[kept] - np.asarray(first), leaves.gathered(_with_dense_gradient(x.values), kept), lengths)


def _with_dense_gradient(values: Any) -> Any:
    """Returns values through which a gradient is dense; words have none."""
    from penstock.tensorflow._arrays import with_dense_gradient
    from penstock.tensorflow._strings import StringTensor

    return values if isinstance(values, StringTensor) else with_dense_gradient(values)


@named("tf.sparse.split")
def split(sp_input: SparseTensor, num_split: Any, axis: Any, name: Any = None) -> list[SparseTensor]:
    """Returns the parts of a sparse tensor along an axis; the first ones are longer by one if need be."""
    lengths = dims(sp_input)
    place, count = _axis(axis, len(lengths)), int(num_split)
    size, more = divmod(lengths[place], count)
    found, start = [], 0
    for number in range(count):
        stop = start + size + (number < more)
        first, last = [0] * len(lengths), list(lengths)
        first[place], last[place] = start, stop
        found.append(_block(sp_input, first, last))
        start = stop
    return found


@named("tf.sparse.eye")
def eye(num_rows: Any, num_columns: Any = None, dtype: Any = "float32", name: Any = None) -> SparseTensor:
    """Returns a matrix with ones on the diagonal."""
    rows = int(num_rows)
    columns = rows if num_columns is None else int(num_columns)
    count = min(rows, columns)
    at = np.stack([np.arange(count), np.arange(count)], 1)
    return made(at, constant(np.ones(count, numpy_dtype(dtype))), (rows, columns))


@named("tf.sparse.fill_empty_rows", "tf.compat.v1.sparse_fill_empty_rows")
def fill_empty_rows(sp_input: SparseTensor, default_value: Any, name: Any = None) -> tuple[SparseTensor, Any]:
    """Returns a matrix with a value in the first column of each row that had none, and which rows those are.

    >>> from penstock import tensorflow as tf
    >>> x = tf.SparseTensor([[0, 1]], [3.0], [2, 2])
    >>> filled, empty = tf.sparse.fill_empty_rows(x, -1.0)
    >>> tf.sparse.to_dense(filled).numpy().tolist(), empty.numpy().tolist()
    ([[0.0, 3.0], [-1.0, 0.0]], [False, True])
    """
    at, lengths = places(sp_input), dims(sp_input)
    empty = np.setdiff1d(np.arange(lengths[0]), at[:, 0])
    fresh = np.zeros((len(empty), len(lengths)), np.int64)
    fresh[:, 0] = empty
    fill = leaves.filling(sp_input.values, default_value, (len(empty),))
    joined = made(np.concatenate([at, fresh]), leaves.joined([sp_input.values, fill]), lengths)
    return reorder(joined), constant(np.isin(np.arange(lengths[0]), empty))


@named("tf.sparse.to_indicator", "tf.compat.v1.sparse_to_indicator")
def to_indicator(sp_input: SparseTensor, vocab_size: Any, name: Any = None) -> Any:
    """Returns for each row which of the numbers below `vocab_size` are among its elements."""
    numbers = np.asarray(sp_input.values.numpy(), np.int64)
    at, lengths = places(sp_input), (*dims(sp_input)[:-1], int(vocab_size))
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < int(vocab_size):
        raise InvalidArgumentError(
            f"The elements must be from 0 to {int(vocab_size) - 1}; they reach from {numbers.min()} to "
            f"{numbers.max()}.",
            site=here(),
        )
    there = np.zeros(lengths, bool)
    there[(*at[:, :-1].T, numbers)] = True
    return constant(there)


# -- values ---------------------------------------------------------------------------------------------


@named("tf.sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """Returns a function's results for the elements, at the same positions.

    >>> from penstock import tensorflow as tf
    >>> tf.sparse.map_values(tf.square, tf.sparse.from_dense([3, 0, 2])).values.numpy().tolist()
    [9, 4]
    """
    found = [one for one in (*args, *kwargs.values()) if isinstance(one, SparseTensor)]
    if not found:
        raise ArgumentError("No SparseTensor in argument list of map_values", site=here())
    first = found[0]
    for other in found[1:]:
        if dims(other) != dims(first) or not np.array_equal(places(other), places(first)):
            raise InvalidArgumentError("All sparse tensors must have the same indices.", site=here())

    def plain(one: Any) -> Any:
        return one.values if isinstance(one, SparseTensor) else one

    values = op(*map(plain, args), **{key: plain(one) for key, one in kwargs.items()})
    return made(places(first), values, dims(first))


def _together(a: SparseTensor, b: SparseTensor) -> tuple[Places, Any, Any]:
    """Returns the places that one of two has, and the values of each there, 0 where it has none."""
    shape, other = dims(a), dims(b)
    if len(shape) != len(other):
        raise InvalidArgumentError(
            f"Ranks of input tensors must match, but saw ranks: {len(shape)} and {len(other)}", site=here()
        )
    for axis, (mine, theirs) in enumerate(zip(shape, other, strict=True)):
        if mine != theirs:
            raise InvalidArgumentError(
                f"Operands' shapes do not match: got {mine} and {theirs} for dimension {axis}", site=here()
            )
    left, right = (_numbers(places(one), shape) for one in (a, b))
    every = np.union1d(left, right)
    one, two = same_dtype((a.values, b.values), "SparseAdd")
    values = [
        _scatter.scatter_nd(np.searchsorted(every, numbers)[:, None], value, [len(every)])
        for numbers, value in ((left, one), (right, two))
    ]
    return np.stack(np.unravel_index(every, shape), 1), values[0], values[1]


@named("tf.sparse.add")
def add(a: Any, b: Any, threshold: Any = 0, name: Any = None) -> Any:
    """Returns the sum of two sparse tensors, or of a sparse and a dense one, which is dense.

    Of two sparse tensors, sums of two elements whose size is below `threshold` are left out.
    """
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
            raise ArgumentError(
                "At least one input should be SparseTensor; do you mean to use tf.add()?", site=here()
            )
        dense = [to_dense(one) if isinstance(one, SparseTensor) else operand(one) for one in (a, b)]
        return _elementwise.add(*dense)
    at, left, right = _together(a, b)
    found = made(at, _elementwise.add(left, right), dims(a))
    least = float(np.asarray(tensor_of(threshold).numpy()))
    if not least:
        return found
    shape = dims(a)
    both = np.intersect1d(*(_numbers(places(one), shape) for one in (a, b)))
    alone = ~np.isin(_numbers(at, shape), both)
    return retain(found, alone | (np.abs(np.asarray(found.values.numpy())) >= least))


def _larger(names: str, function: Callable[[Any, Any], Any], purpose: str) -> Any:
    def combined(sp_a: SparseTensor, sp_b: SparseTensor, name: Any = None) -> SparseTensor:
        at, left, right = _together(sp_a, sp_b)
        return made(at, function(left, right), dims(sp_a))

    return row(
        combined, names, f"Returns the {purpose} of two sparse tensors, at the places that one of them has."
    )


maximum = _larger("tf.sparse.maximum tf.compat.v1.sparse_maximum", _elementwise.maximum, "larger elements")
minimum = _larger("tf.sparse.minimum tf.compat.v1.sparse_minimum", _elementwise.minimum, "smaller elements")


# -- reductions -----------------------------------------------------------------------------------------


def _reduced(kind: Any, x: SparseTensor, axis: Any, keepdims: Any, output_is_sparse: bool) -> Any:
    lengths = dims(x)
    if axis is None:
        axes = set(range(len(lengths)))
    else:
        axes = {_axis(one, len(lengths)) for one in np.reshape(lengths_of(axis), -1)}
    kept = [i for i in range(len(lengths)) if i not in axes]
    left = [lengths[i] for i in kept]
    every, ids = np.unique(_numbers(places(x)[:, kept], left), return_inverse=True)
    values = kind(x.values, constant(ids.astype(np.int64)), len(every))
    shape = [1 if i in axes else n for i, n in enumerate(lengths)] if keepdims else left
    at = np.stack(np.unravel_index(every, shape), 1) if shape else np.zeros((len(every), 0), np.int64)
    if output_is_sparse:
        return made(at, values, shape)
    return _scatter.scatter_nd(at, values, shape) if shape else _total(values)


def _total(values: Any) -> Any:
    from penstock.tensorflow._reductions import reduce_sum

    return reduce_sum(values)


@named("tf.sparse.reduce_sum")
def reduce_sum(
    sp_input: SparseTensor, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the sum over all axes, or over those named; dense unless `output_is_sparse`.

    >>> from penstock import tensorflow as tf
    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]]), axis=1).numpy().tolist()
    [3, 3]
    """
    return _reduced(_scatter.unsorted_segment_sum, sp_input, axis, keepdims, output_is_sparse)


@named("tf.sparse.reduce_max")
def reduce_max(
    sp_input: SparseTensor, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest of the elements there are over all axes, or over those named; 0 where are none."""
    return _reduced(_scatter.unsorted_segment_max, sp_input, axis, keepdims, output_is_sparse)


@named("tf.sparse.softmax", "tf.compat.v1.sparse_softmax")
def softmax(sp_input: SparseTensor, name: Any = None) -> SparseTensor:
    """Returns the softmax of the elements there are along the last axis."""
    from penstock.tensorflow import _arrays

    lengths, values = dims(sp_input), sp_input.values
    every, ids = np.unique(_numbers(places(sp_input)[:, :-1], lengths[:-1]), return_inverse=True)
    rows = constant(ids.astype(np.int64))
    top = _scatter.unsorted_segment_max(values, rows, len(every))
    powers = _elementwise.exp(_elementwise.subtract(values, _arrays.stop_gradient(_arrays.gather(top, rows))))
    total = _scatter.unsorted_segment_sum(powers, rows, len(every))
    return made(places(sp_input), _elementwise.divide(powers, _arrays.gather(total, rows)), lengths)


def _segments(names: str, kind: Callable[..., Any], purpose: str) -> Any:
    def segments(
        data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: Any = None,
        sparse_gradient: bool = False,
    ) -> Any:  # fmt: skip
        from penstock.tensorflow import _arrays

        known = np.asarray(tensor_of(segment_ids).numpy())
        least = int(known[-1]) + 1 if known.size else 0
        count = least if num_segments is None else int(num_segments)
        rows = data if sparse_gradient else _arrays.with_dense_gradient(data)
        return kind(_arrays.gather(rows, indices), constant(known), count)

    return row(
        segments,
        names,
        f"Returns {purpose} of the rows of `data` at `indices`, by the number of their segment.\n\n"
        "The gradient of `data` is dense; with `sparse_gradient`, that of a variable is one of rows.",
    )


segment_sum = _segments("tf.sparse.segment_sum", _scatter.unsorted_segment_sum, "the sum")
segment_mean = _segments("tf.sparse.segment_mean", _scatter.unsorted_segment_mean, "the mean")
segment_sqrt_n = _segments(
    "tf.sparse.segment_sqrt_n",
    _scatter.unsorted_segment_sqrt_n,
    "the sum, divided by the root of their number,",
)


@named("tf.sparse.mask", "tf.compat.v1.sparse_mask")
def mask(a: Any, mask_indices: Any, name: Any = None) -> Any:
    """Returns the rows of a gradient of rows, tf.IndexedSlices, without those of some indices.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([4, 7]))
    >>> tf.sparse.mask(rows, [4]).indices.numpy().tolist()
    [7]
    """
    from penstock.tensorflow import _arrays
    from penstock.tensorflow._tape import IndexedSlices

    known = np.asarray(tensor_of(a.indices).numpy())
    kept = constant(np.flatnonzero(~np.isin(known, np.asarray(tensor_of(mask_indices).numpy()))))
    lengths = None if a.dense_shape is None else a.dense_shape.numpy()
    return IndexedSlices(_arrays.gather(a.values, kept), _arrays.gather(a.indices, kept), lengths)


@named("tf.sparse.sampled_addmm")
def sampled_addmm(
    indices: Any, values: Any, dense_shape: Any, mat1: Any, mat2: Any, beta: Any = 1.0, alpha: Any = 1.0,
    output_type: Any = np.float32,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Returns alpha times the matrix product at the places of a sparse matrix, plus beta times its elements.

    Matrices may have axes in front, which the indices and the elements have too.
    """
    from penstock.tensorflow import _arrays, _products

    at = np.asarray(tensor_of(indices).numpy(), np.int64)
    left, right = (_elementwise.cast(operand(one), output_type) for one in (mat1, mat2))
    product = _products.matmul(left, right)
    depth = len(product.shape) - 2
    batch = [np.broadcast_to(np.arange(n).reshape((-1,) + (1,) * (depth - i)), at.shape[:-1])
             for i, n in enumerate(at.shape[:depth])]  # fmt: skip
    places_in = np.concatenate([np.stack([*batch], -1), at], -1) if depth else at
    found = _arrays.gather_nd(product, constant(places_in))
    own = _elementwise.cast(operand(values), output_type)
    made_of = _elementwise.add(_elementwise.multiply(found, alpha), _elementwise.multiply(own, beta))
    return tensor_of(indices), made_of, tensor_of(dense_shape)


# -- sets -----------------------------------------------------------------------------------------------


def rows_of(x: Any) -> tuple[tuple[int, ...], dict[tuple[int, ...], list[Any]]]:
    """Returns the lengths of all axes but the last, and by place in them the elements of a row."""
    if isinstance(x, SparseTensor):
        found: dict[tuple[int, ...], list[Any]] = {}
        for at, value in zip(places(x).tolist(), np.asarray(x.values.numpy()).tolist(), strict=True):
            found.setdefault(tuple(at[:-1]), []).append(value)
        return dims(x)[:-1], found
    array = np.asarray(leaves.leaf(x).numpy())
    return array.shape[:-1], {at: array[at].tolist() for at in np.ndindex(array.shape[:-1])}


def _set_operation(a: Any, b: Any, chosen: Callable[[set[Any], set[Any]], set[Any]]) -> SparseTensor:
    (lengths, left), (others, right) = rows_of(a), rows_of(b)
    if lengths != others:
        raise InvalidArgumentError(
            f"Mismatched shapes {brackets(lengths)} vs {brackets(others)}", site=here()
        )
    rows = {at: sorted(chosen(set(left.get(at, ())), set(right.get(at, ())))) for at in np.ndindex(lengths)}
    at = [(*place, n) for place, found in rows.items() for n in range(len(found))]
    values = [one for found in rows.values() for one in found]
    longest = max(map(len, rows.values()), default=0)
    given = a.values if isinstance(a, SparseTensor) else leaves.leaf(a)
    if isinstance(given, StringTensor):
        held: Any = StringTensor(np.array([*values, b""], object)[:-1])
    else:
        held = constant(np.asarray(values, given.dtype.as_numpy_dtype))
    return made(np.asarray(at, np.int64), held, (*lengths, longest))


@named("tf.sets.intersection", "tf.compat.v1.sets.set_intersection")
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns for each row the elements that both have, in order and once.

    `validate_indices` does nothing: the order of the elements does not matter here.

    >>> from penstock import tensorflow as tf
    >>> tf.sparse.to_dense(tf.sets.intersection([[1, 2, 3]], [[3, 1, 5]])).numpy().tolist()
    [[1, 3]]
    """
    return _set_operation(a, b, lambda x, y: x & y)


@named("tf.sets.union", "tf.compat.v1.sets.set_union")
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns for each row the elements that one has, in order and once.

    `validate_indices` does nothing: the order of the elements does not matter here.
    """
    return _set_operation(a, b, lambda x, y: x | y)


@named("tf.sets.difference", "tf.compat.v1.sets.set_difference")
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Returns for each row the elements that the first has and the second has not, or the other way round.

    `validate_indices` does nothing: the order of the elements does not matter here.
    """
    return _set_operation(a, b, (lambda x, y: x - y) if aminusb else (lambda x, y: y - x))


@named("tf.sets.size", "tf.compat.v1.sets.set_size")
def size(a: SparseTensor, validate_indices: bool = True) -> Any:
    """Returns how many different elements each row has.

    `validate_indices` does nothing: the order of the elements does not matter here.
    """
    lengths, rows = rows_of(a)
    counts = np.zeros(lengths, np.int32)
    for at, elements in rows.items():
        counts[at] = len(set(elements))
    return constant(counts)


__all__ = ["concat", "dims", "intersection", "made", "places"]
