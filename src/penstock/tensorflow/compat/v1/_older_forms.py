"""Functions that TensorFlow 1 had under other names, or with other arguments."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named, own_name
from penstock.ops import philox, pointwise
from penstock.ops.shape import reshape
from penstock.tensorflow import _arrays, _batch_gather, _convert, _elementwise, _layer_functions, _reductions
from penstock.tensorflow._cross_entropies import labels_of
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._seeds import key_of
from penstock.tensorflow.compat.v1._built import built
from penstock.tensorflow.linalg import matmul
from penstock.tensorflow.nn import bias_add, relu
from penstock.tensorflow.nn import sigmoid_cross_entropy_with_logits as _sigmoid_cross_entropy
from penstock.tensorflow.nn import softmax_cross_entropy_with_logits as _softmax_cross_entropy
from penstock.tensorflow.nn import sparse_softmax_cross_entropy_with_logits as _sparse_cross_entropy
from penstock.tensorflow.nn import weighted_cross_entropy_with_logits as _weighted_cross_entropy
from penstock.tensorflow.random import normal, uniform
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


def _cast(names: str, dtype: str, type: str = "Cast") -> Any:
    def function(x: Any, name: Any = None) -> Any:
        return _elementwise.cast(x, dtype)

    function.__name__ = function.__qualname__ = own_name(names)
    function.__doc__ = f"Returns x converted to {dtype}."
    return built(names, type=type)(function)


to_float = _cast("tf.compat.v1.to_float", "float32", "ToFloat")
to_double = _cast("tf.compat.v1.to_double", "float64")
to_int32 = _cast("tf.compat.v1.to_int32", "int32")
to_int64 = _cast("tf.compat.v1.to_int64", "int64")


@built("tf.compat.v1.div", type="div")
def div(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x / y as Python 2 divides: of integers, the quotient rounded down."""
    x = _convert.operand(x)
    whole = x._spec.dtype.kind in "iu"
    return (_elementwise.floordiv if whole else _elementwise.divide)(x, y)


@built("tf.compat.v1.nn.dropout", type="dropout", fresh=True)
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: Any = None,
    rate: Any = None,
) -> Any:
    """Returns x with a random part of its elements 0 and the others divided by `keep_prob` = 1 - `rate`."""
    frame = _frame(1)
    if keep_prob is None and rate is None:
        raise ArgumentError("You must provide a rate to dropout.", site=here())
    kept = keep_prob if rate is None else 1.0 - rate
    x = _convert.operand(x)
    if not isinstance(kept, Tensor | Cell):
        if not 0 < kept <= 1:
            raise ArgumentError(f"keep_prob must be in the range (0, 1]: {kept}", site=here())
        kept = float(kept)
    lengths = x._spec.shape if noise_shape is None else _convert.lengths_of(noise_shape)
    dtype = x._spec.dtype
    params = {"shape": tuple(lengths), "dtype": dtype}
    drawn = _convert.record(
        philox.philox_uniform, (key_of(seed, ("uniform", dtype), lengths),), params, frame
    )
    there = _convert.record(pointwise.greater_equal, (drawn, 1.0 - kept), {}, frame)
    scaled = _convert.record(pointwise.divide, (x, kept), {}, frame)
    return _convert.record(pointwise.where, (there, scaled, 0.0), {}, frame)


@built("tf.compat.v1.where", type="Select")
def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Returns x where the condition holds, and y elsewhere; a vector of truths chooses whole rows.

    Without x and y: the places at which it holds.
    """
    if x is not None and y is not None:
        condition, x = _convert.operand(condition), _convert.operand(x)
        rank = len(x._spec.shape)
        if len(condition._spec.shape) == 1 < rank:
            rows = (*condition._spec.shape, *[1] * (rank - 1))
            condition = _convert.record(reshape, (condition,), {"shape": rows}, _frame(1))
    return _arrays.where(condition, x, y)


@built("tf.compat.v1.where_v2", type="SelectV2")
def where_v2(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Returns what `tf.where` of TensorFlow 2 does: the operands broadcast."""
    return _arrays.where(condition, x, y)


@built("tf.compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: Any = None,
    axis: Any = None,
) -> Any:
    """Returns the cross entropy of each row; no gradient passes to the labels."""
    return _softmax_cross_entropy(labels_of(labels), logits, dim if axis is None else axis)


@built("tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2", type="softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: Any = None, dim: Any = None
) -> Any:
    """Returns the cross entropy of each row; gradients pass to the labels too."""
    chosen = dim if axis is None else axis
    return _softmax_cross_entropy(labels, logits, -1 if chosen is None else chosen)


@built("tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Any = None
) -> Any:
    """Returns the cross entropy of each row, whose class is a number."""
    return _sparse_cross_entropy(labels, logits)


@built("tf.compat.v1.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Any = None
) -> Any:
    """Returns the cross entropy of each element with the sigmoid of its logit."""
    return _sigmoid_cross_entropy(labels, logits)


@built("tf.compat.v1.nn.weighted_cross_entropy_with_logits", type="logistic_loss")
def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: Any = None, targets: Any = None
) -> Any:
    """Returns sigmoid cross-entropy in which positive labels, once called `targets`, weigh `pos_weight`."""
    if labels is not None and targets is not None:
        raise ArgumentError("Cannot specify both 'targets' and 'labels'.", site=here())
    return _weighted_cross_entropy(targets if labels is None else labels, logits, pos_weight)


@built("tf.compat.v1.nn.xw_plus_b", type="xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: Any = None) -> Any:
    """Returns x @ weights + biases."""
    return bias_add(matmul(x, weights), biases)


@built("tf.compat.v1.nn.relu_layer", type="relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: Any = None) -> Any:
    """Returns relu(x @ weights + biases)."""
    return relu(bias_add(matmul(x, weights), biases))


@built("tf.compat.v1.random_normal", "tf.compat.v1.random.normal", type="random_normal", fresh=True)
def random_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> Any:
    """Returns draws from the normal distribution, others at each run."""
    return normal(shape, mean, stddev, dtype, seed)


@built("tf.compat.v1.random_uniform", "tf.compat.v1.random.uniform", type="random_uniform", fresh=True)
def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: Any = None,
    name: Any = None,
) -> Any:
    """Returns draws from `minval`, included, to `maxval` (1), not included, others at each run."""
    return uniform(shape, minval, maxval, dtype, seed)


@built("tf.compat.v1.count_nonzero", type="count_nonzero")
def count_nonzero(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, dtype: Any = "int64", name: Any = None
) -> Any:
    """Returns how many elements are not zero."""
    there = _elementwise.cast(
        _elementwise.not_equal(input_tensor, np.zeros((), _convert.operand(input_tensor)._spec.dtype)), dtype
    )
    return _reductions.reduce_sum(there, axis, bool(keepdims))


@built("tf.compat.v1.depth_to_space", "tf.compat.v1.nn.depth_to_space", type="DepthToSpace")
def depth_to_space(input: Any, block_size: Any, name: Any = None, data_format: str = "NHWC") -> Any:
    """Returns images whose channels have become blocks of pixels."""
    return _layer_functions.depth_to_space(input, block_size, data_format)


@built("tf.compat.v1.space_to_depth", "tf.compat.v1.nn.space_to_depth", type="SpaceToDepth")
def space_to_depth(input: Any, block_size: Any, name: Any = None, data_format: str = "NHWC") -> Any:
    """Returns images whose blocks of pixels have become channels."""
    return _layer_functions.space_to_depth(input, block_size, data_format)


@built("tf.compat.v1.batch_gather", type="batch_gather")
def batch_gather(params: Any, indices: Any, name: Any = None) -> Any:
    """Returns slices at indices of their own for each row of all axes of `indices` but the last."""
    count = len(_convert.operand(indices)._spec.shape) - 1
    return _batch_gather.batch_gather(params, indices, count, count)


@named("tf.compat.v1.nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any, partition_strategy: str = "mod", name: Any = None,
    combiner: Any = None, max_norm: Any = None, allow_fast_lookup: bool = False,
) -> Any:  # fmt: skip
    """Returns what `tf.nn.embedding_lookup_sparse` does. `allow_fast_lookup` does nothing.

    `partition_strategy` does nothing: a table in one piece is not divided.
    """
    from penstock.tensorflow import _sparse_embeddings

    lookup = lift(_sparse_embeddings.embedding_lookup_sparse)
    return lookup(params, sp_ids, sp_weights, combiner, max_norm, name=name)
