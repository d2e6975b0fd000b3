"""Embeddings of sparse rows of numbers, summed or averaged for each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.tensorflow import _elementwise, _scatter, _sparse_functions
from penstock.tensorflow._arrays import gather
from penstock.tensorflow._convert import operand, tensor_of
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.source_site import here

_COMBINERS = ("mean", "sqrtn", "sum")


@named("tf.nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any, combiner: Any = None, max_norm: Any = None, name: Any = None,
    allow_fast_lookup: bool = False,
) -> EagerTensor:  # fmt: skip
    """Returns for each row of `sp_ids` the rows of a table that it names, weighted and combined.

    "sum" adds them up, "mean", the default, divides by the sum of the weights, and "sqrtn" by the root of the
    sum of their squares. A row of zeros stands for an empty row between others. `allow_fast_lookup` does
    nothing.

    >>> from penstock import tensorflow as tf
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[1.0], [2.0], [3.0]]), ids, None).numpy().tolist()
    [[2.0], [2.0]]
    """
    for one, role in ((sp_ids, "sp_ids"), (sp_weights, "sp_weights")):
        if not (isinstance(one, SparseTensor) or (one is None and role == "sp_weights")):
            raise ArgumentError(
                f"{role} must be a SparseTensor, and is {type(one).__name__}.",
                remedy="Make one with tf.sparse.from_dense.",
                site=here(),
            )
    way = "mean" if combiner is None else combiner
    if way not in _COMBINERS:
        raise ArgumentError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}", site=here())
    table = _one_table(params)
    rows = _sparse_functions.places(sp_ids)[:, 0]
    found: Any = gather(table, sp_ids.values)
    if max_norm is not None:
        from penstock.tensorflow._clipping import clip_by_norm

        found = clip_by_norm(found, max_norm, axes=list(range(1, len(found.shape))))
    if sp_weights is None:
        weights: Any = tensor_of(np.ones(len(rows), found._spec.dtype))
    else:
        weights = _elementwise.cast(operand(sp_weights.values), found.dtype)
    beside = native.reshape(weights, (-1, *[1] * (len(found.shape) - 1)))
    count = int(rows[-1]) + 1 if len(rows) else 0
    total = _scatter.unsorted_segment_sum(spoken(found * beside), rows, count)
    if way == "sum":
        return spoken(total)
    scale = _scatter.unsorted_segment_sum(spoken(beside if way == "mean" else beside * beside), rows, count)
    scale = native.sqrt(scale) if way == "sqrtn" else scale
    # An empty row stays zero.
    nothing = native.equal(scale, 0)
    divided = native.divide(total, native.where(nothing, native.ones_like(scale), scale))
    return spoken(native.where(nothing, native.zeros_like(total), divided))


def _one_table(params: Any) -> Any:
    several = list(params) if isinstance(params, list | tuple) else [params]
    if len(several) != 1:
        raise ArgumentError(
            f"embedding_lookup_sparse was given a table in {len(several)} pieces, which is not supported by "
            "penstock.tensorflow yet.",
            remedy="Join them with tf.concat.",
            site=here(),
        )
    return several[0]


@named("tf.nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None, combiner: str = "mean",
    default_id: Any = None, max_norm: Any = None, name: Any = None, allow_fast_lookup: bool = False,
) -> EagerTensor:  # fmt: skip
    """Returns what `embedding_lookup_sparse` does, with a row for each row of `sparse_ids`.

    Negative numbers are left out, and those whose weight is not positive. An empty row gives the row
    `default_id` of the table, or zeros. `allow_fast_lookup` does nothing.

    >>> from penstock import tensorflow as tf
    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [1, -1], [3, 2])
    >>> table = tf.constant([[1.0], [2.0]])
    >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy().tolist()
    [[2.0], [0.0], [0.0]]
    """
    lengths = _sparse_functions.dims(sparse_ids)
    leading = lengths[:-1]
    wide = (int(np.prod(leading)), lengths[-1])
    ids = _sparse_functions.reshape(sparse_ids, wide)
    kept = np.asarray(ids.values.numpy()) >= 0
    weights = None if sparse_weights is None else _sparse_functions.reshape(sparse_weights, wide)
    if weights is not None and combiner != "sum":
        kept &= np.asarray(weights.values.numpy()) > 0
    ids = _sparse_functions.retain(ids, kept)
    weights = None if weights is None else _sparse_functions.retain(weights, kept)
    ids, empty = _sparse_functions.fill_empty_rows(ids, 0 if default_id is None else default_id)
    if weights is not None:
        weights, _ = _sparse_functions.fill_empty_rows(weights, 1.0)
    found: Any = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    if default_id is None:
        found = native.where(
            native.reshape(empty, (-1, *[1] * (len(found.shape) - 1))), native.zeros_like(found), found
        )
    return spoken(native.reshape(found, (*leading, *found.shape[1:])))


__all__ = ["embedding_lookup_sparse", "safe_embedding_lookup_sparse"]
