"""Sparse tensors, with the names and the order of arguments that TensorFlow 1 has."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow import _sparse_functions as newer
from penstock.tensorflow import sparse
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow.compat.v1.strings import _either

_add, _concat, _split = lift(newer.add), lift(newer.concat), lift(newer.split)

_matmul = lift(sparse.sparse_dense_matmul)


@named("tf.compat.v1.sparse.matmul")
def matmul(sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: Any = None) -> Any:
    """Returns the matrix product of a sparse and a dense matrix."""
    return _matmul(sp_a, b, adjoint_a, adjoint_b, name)


@named("tf.compat.v1.sparse_add", "tf.compat.v1.sparse.add")
def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Returns the sum of two sparse tensors, or of a sparse and a dense one."""
    least = _either(threshold, thresh, ("threshold", "thresh"))
    return _add(a, b, 0 if least is None else least)


@named("tf.compat.v1.sparse_concat", "tf.compat.v1.sparse.concat")
def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: Any = None,
    expand_nonconcat_dim: Any = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: Any = None,
) -> Any:
    """Returns sparse tensors one after another along an axis."""
    wide = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return _concat(axis if concat_dim is None else concat_dim, sp_inputs, bool(wide))


def _reduced(word: str, function: Any, sparse: bool, purpose: str) -> Any:
    lifted = lift(function)

    def reduce(
        sp_input: Any,
        axis: Any = None,
        keepdims: Any = None,
        reduction_axes: Any = None,
        keep_dims: Any = None,
    ) -> Any:
        place = _either(axis, reduction_axes, ("axis", "reduction_axes"))
        kept = _either(keepdims, keep_dims, ("keepdims", "keep_dims"))
        return lifted(sp_input, place, bool(kept), sparse)

    reduce.__name__ = reduce.__qualname__ = f"sparse_{word}"
    reduce.__doc__ = f"Returns {purpose} of a sparse tensor along axes{', as a sparse tensor' * sparse}."
    return named(f"tf.compat.v1.sparse_{word}", f"tf.compat.v1.sparse.{word}")(reduce)


sparse_reduce_sum = _reduced("reduce_sum", newer.reduce_sum, False, "the sum")
sparse_reduce_max = _reduced("reduce_max", newer.reduce_max, False, "the largest element")
sparse_reduce_sum_sparse = _reduced("reduce_sum_sparse", newer.reduce_sum, True, "the sum")
sparse_reduce_max_sparse = _reduced("reduce_max_sparse", newer.reduce_max, True, "the largest element")


@named("tf.compat.v1.sparse_split", "tf.compat.v1.sparse.split")
def sparse_split(
    keyword_required: Any = None,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: Any = None,
    split_dim: Any = None,
) -> Any:
    """Returns a sparse tensor in equal parts along an axis. `keyword_required` does nothing."""
    return _split(sp_input, num_split, _either(axis, split_dim, ("axis", "split_dim")))


def _segments(word: str, function: Any, purpose: str) -> Any:
    lifted = lift(function)

    def segments(
        data: Any, indices: Any, segment_ids: Any, name: Any = None, num_segments: Any = None,
        sparse_gradient: bool = False,
    ) -> Any:  # fmt: skip
        return lifted(data, indices, segment_ids, num_segments, name=name, sparse_gradient=sparse_gradient)

    segments.__name__ = segments.__qualname__ = f"sparse_segment_{word}"
    segments.__doc__ = (
        f"Returns {purpose} of the rows of `data` at `indices`, by the number of their segment.\n\n"
        "The gradient of `data` is dense; with `sparse_gradient`, that of a variable is one of rows."
    )
    names = f"tf.compat.v1.sparse_segment_{word}", f"tf.compat.v1.sparse.segment_{word}"
    return named(*names)(segments)


sparse_segment_sum = _segments("sum", newer.segment_sum, "the sum")
sparse_segment_mean = _segments("mean", newer.segment_mean, "the mean")
sparse_segment_sqrt_n = _segments("sqrt_n", newer.segment_sqrt_n, "the sum over the root of the number")
