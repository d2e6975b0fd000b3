"""Functions of layers besides activations and convolutions: rows of tables, biases, dropout, blocks."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.ops import index, philox, pointwise, reduce, shape, table
from penstock.ops.validation import plain
from penstock.tensorflow._convert import integers, lengths_of, operand, record, same_dtype, tensor_of
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._reductions import reduced
from penstock.tensorflow._seeds import key_of
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import brackets
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe

_FORMATS = ("NWC", "NCW", "NDHWC", "NCDHW", "N...C", "NC...")


@named("tf.nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> EagerTensor:
    """Returns the rows of a table at `ids`. Its gradient by a variable is a `tf.IndexedSlices`."""
    if isinstance(params, list | tuple) and len(params) == 1:
        params = params[0]
    if max_norm is not None:
        raise ArgumentError(
            "embedding_lookup with max_norm is not supported by penstock.tensorflow yet.", site=here()
        )
    return record(
        index.take,
        (operand(params), integers(ids, "Tindices", "int16, int32, int64")),
        {"axis": 0},
        _frame(1),
    )


@named("tf.nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> EagerTensor:
    """Returns value + bias, where bias is a vector as long as the axis of channels.

    That is the last axis, or axis 1 where `data_format` begins with "NC".
    """
    frame = _frame(1)
    words = (None, "NHWC", "NCHW") if data_format is None or len(data_format) == 4 else _FORMATS
    if data_format not in words:
        raise ArgumentError("`data_format` must be of the form `N...C` or `NC...`", site=here())
    value, bias = same_dtype((value, bias), "BiasAdd")
    first = bool(data_format) and data_format.startswith("NC") and len(value._spec.shape) > 2
    if len(bias._spec.shape) != 1 or bias._spec.shape[0] != value._spec.shape[1 if first else -1]:
        raise InvalidArgumentError(
            f"Must provide as many biases as the {'channel' if first else 'last'} dimension of the input "
            f"tensor: {brackets(bias._spec.shape)} vs. {brackets(value._spec.shape)}",
            site=here(),
        )
    if first:
        lengths = (*bias._spec.shape, *[1] * (len(value._spec.shape) - 2))
        bias = record(shape.reshape, (bias,), {"shape": lengths}, frame)
    return record(pointwise.add, (value, bias), {}, frame)


@named("tf.nn.dropout")
def dropout(x: Any, rate: float, noise_shape: Any = None, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns x with a random part `rate` of its elements 0 and the others divided by 1 - rate.

    A rate that is a tensor is not read, so it is not checked either.
    """
    frame = _frame(1)
    x, tensor = operand(x), isinstance(rate, Tensor | Cell)
    rate = rate if tensor else plain(rate)
    if not tensor and not 0 <= rate < 1:
        raise ArgumentError(
            f"`rate` must be a scalar or scalar tensor in the range [0, 1). Received: {rate}", site=here()
        )
    lengths = x._spec.shape if noise_shape is None else lengths_of(noise_shape)
    dtype = x._spec.dtype
    params = {"shape": tuple(lengths), "dtype": dtype}
    drawn = record(philox.philox_uniform, (key_of(seed, ("uniform", dtype), lengths),), params, frame)
    if tensor:
        kept = record(pointwise.greater_equal, (drawn, rate), {}, frame)
        scaled = record(pointwise.divide, (x, record(pointwise.subtract, (1.0, rate), {}, frame)), {}, frame)
    else:
        kept = record(pointwise.greater_equal, (drawn, float(rate)), {}, frame)
        scaled = record(pointwise.multiply, (x, 1.0 / (1.0 - rate)), {}, frame)
    return record(pointwise.where, (kept, scaled, 0.0), {}, frame)


@named("tf.nn.l2_loss")
def l2_loss(t: Any, name: Any = None) -> EagerTensor:
    """Returns half the sum of squares."""
    frame = _frame(1)
    squares = record(pointwise.square, (operand(t),), {}, frame)
    return record(pointwise.multiply, (reduced(reduce.sum, squares, None, False, frame), 0.5), {}, frame)


@named("tf.math.zero_fraction", "tf.nn.zero_fraction")
def zero_fraction(value: Any, name: Any = None) -> EagerTensor:
    """Returns which part of the elements is zero."""
    frame = _frame(1)
    zero = record(pointwise.equal, (operand(value), 0), {}, frame)
    truths = record(table.cast, (zero,), {"dtype": np.dtype(np.float32)}, frame)
    return reduced(reduce.mean, truths, None, False, frame)


@named("tf.nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> EagerTensor:
    """Returns a penalty as it is: there is one replica."""
    return tensor_of(regularization_loss)


def _blocks(x: Any, size: Any, data_format: str, name: str) -> tuple[Any, int]:
    x, size = operand(x), int(size)
    if data_format != "NHWC":
        raise ArgumentError(f"tf.nn.{name} supports only NHWC.", site=here())
    if len(x._spec.shape) != 4:
        raise InvalidArgumentError(f"Input rank should be: 4 instead of: {len(x._spec.shape)}", site=here())
    return x, size


@named("tf.nn.space_to_depth")
def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: Any = None) -> EagerTensor:
    """Returns images whose blocks of pixels have become channels."""
    x, size = _blocks(input, block_size, data_format, "space_to_depth")
    _, height, width, _ = x._spec.shape
    if height % size or width % size:
        raise InvalidArgumentError(
            f"Image height {height} and width {width} should be divisible by block_size: {size}", site=here()
        )
    return _to_depth(x, size)  # type: ignore[return-value]


@composite(1, "space_to_depth")
def _to_depth(x: Any, size: int) -> Tensor:
    batch, height, width, channels = x.shape
    x = native.reshape(x, (batch, height // size, size, width // size, size, channels))
    x = native.permute_dims(x, (0, 1, 3, 2, 4, 5))
    return native.reshape(x, (batch, height // size, width // size, size * size * channels))


@named("tf.nn.depth_to_space")
def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: Any = None) -> EagerTensor:
    """Returns images whose channels have become blocks of pixels."""
    x, size = _blocks(input, block_size, data_format, "depth_to_space")
    if x._spec.shape[-1] % (size * size):
        raise InvalidArgumentError(
            f"Input depth dimension {x._spec.shape[-1]} should be divisible by: {size * size}", site=here()
        )
    return _to_space(x, size)  # type: ignore[return-value]


@composite(1, "depth_to_space")
def _to_space(x: Any, size: int) -> Tensor:
    batch, height, width, channels = x.shape
    x = native.reshape(x, (batch, height, width, size, size, channels // size // size))
    x = native.permute_dims(x, (0, 1, 3, 2, 4, 5))
    return native.reshape(x, (batch, height * size, width * size, channels // size // size))
