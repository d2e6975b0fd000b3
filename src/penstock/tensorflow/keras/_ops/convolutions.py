"""Functions of keras.ops that convolve, pool and take apart images, whichever axis their channels are."""

from __future__ import annotations

from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _beam_search,
    _cross_entropies,
    _elementwise,
    _rarer_networks,
    _scatter,
)
from penstock.tensorflow import sparse as _sparse
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._tensor import spoken as _spoken
from penstock.tensorflow.keras._adaptive_windows import pooled as _pooled
from penstock.tensorflow.keras._adaptive_windows import sizes as _sizes
from penstock.tensorflow.keras._ops.base import _given, _public, _real
from penstock.tensorflow.keras._ops.networks import _channels_last, conv, depthwise_conv
from penstock.trace.source_site import here as _here


@_public
def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the transposed convolution of pictures: it lengthens axes that the convolution shortens."""
    x, back = _channels_last(_real(inputs), data_format)
    made = _ps.nn.conv_transpose(
        x,
        _real(kernel),
        _both(strides),
        padding.lower(),
        _both(output_padding),
        dilation_rate=_both(dilation_rate),
    )
    return back(_spoken(made))


def _both(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@_public
def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Any:
    """Returns the convolution of each channel by itself, then of the channels of each pixel."""
    x, back = _channels_last(_real(inputs), data_format)
    apart = depthwise_conv(x, depthwise_kernel, strides, padding, None, dilation_rate)
    return back(conv(apart, pointwise_kernel))


def _adaptive(name: str, function: Any, what: str) -> None:
    def pool(inputs: Any, output_size: Any, data_format: Any = None) -> Any:
        x, back = _channels_last(_real(inputs), data_format)
        rank = len(x._spec.shape) - 2
        if rank not in (1, 2, 3):
            raise _ArgumentError(f"{name} supports 1D, 2D, or 3D inputs only.", site=_here())
        counts = _sizes(name, output_size, rank)
        return back(_spoken(_pooled(x, counts, function, "channels_last", name)))

    pool.__doc__ = f"Returns the {what} of windows, `output_size` of them along each axis."
    _public(pool, name)


_adaptive("adaptive_average_pool", _ps.nn.average_pool, "mean")
_adaptive("adaptive_max_pool", _ps.nn.max_pool, "largest element")


def _twice(value: Any) -> tuple[int, int]:
    a, b = (value, value) if isinstance(value, int) else value
    return int(a), int(b)


def _ranked(x: Any, rank: int) -> Any:
    x = _given(x)
    if len(x._spec.shape) != rank:
        raise _ArgumentError(
            f"Input must be a {rank}D tensor. Received: input.shape={tuple(x.shape)}", site=_here()
        )
    return x


def _windows(shape: Any, kernel: Any, rate: Any, stride: Any) -> tuple[list[int], Any]:
    """Returns how many windows fit into (height, width), and the places that each covers.

    The places are numbers in a plane of that shape, [kernel places, windows].
    """
    counts = [(n - r * (k - 1) - 1) // s + 1 for n, k, r, s in zip(shape, kernel, rate, stride, strict=True)]
    down, right = (
        _np.arange(k)[:, None] * r + _np.arange(c)[None, :] * s
        for k, r, c, s in zip(kernel, rate, counts, stride, strict=True)
    )
    places = down[:, None, :, None] * shape[1] + right[None, :, None, :]
    return counts, places.reshape(kernel[0] * kernel[1], counts[0] * counts[1]).astype(_np.int32)


@_public
def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Returns the windows of pictures [batch, channels, height, width]: [batch, channels * places, count]."""
    x = _ranked(x, 4)
    kernel, rate, sides, step = (_twice(one) for one in (kernel_size, dilation, padding, stride))
    if any(sides):
        x = _arrays.pad(x, [[0, 0], [0, 0], [sides[0]] * 2, [sides[1]] * 2])
    count, channels, height, width = x._spec.shape
    _, places = _windows((height, width), kernel, rate, step)
    found = _arrays.gather(_arrays.reshape(x, [-1, channels, height * width]), places, axis=2)
    return _arrays.reshape(found, [count, channels * places.shape[0], places.shape[1]])


@_public
def fold(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Returns pictures that are the sums of their windows, which `unfold` takes apart."""
    x = _ranked(x, 3)
    size, kernel, rate, sides, step = (
        _twice(one) for one in (output_size, kernel_size, dilation, padding, stride)
    )
    height, width = (n + 2 * p for n, p in zip(size, sides, strict=True))
    _, places = _windows((height, width), kernel, rate, step)
    channels = x._spec.shape[1] // places.shape[0]
    rows = _arrays.transpose(_arrays.reshape(x, [-1, channels, places.size]), [2, 0, 1])
    whole = _scatter.unsorted_segment_sum(rows, places.reshape(-1), height * width)
    made = _arrays.reshape(_arrays.transpose(whole, [1, 2, 0]), [-1, channels, height, width])
    return made[:, :, sides[0] : height - sides[0], sides[1] : width - sides[1]]


# -- labels of sequences ------------------------------------------------------------------------------------


@_public
def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> Any:
    """Returns -log of the probability of labels, over all their alignments with [batch, steps, labels]."""
    output = _real(output)
    kind = "float64" if output._spec.dtype == _np.float64 else "float32"
    found = _cross_entropies.ctc_loss(
        labels=_given(target, "int32"),
        logits=_elementwise.cast(output, "float32"),
        label_length=target_length,
        logit_length=output_length,
        blank_index=mask_index,
        logits_time_major=False,
    )
    return _elementwise.cast(found, kind)


@_public
def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: Any = 0,
) -> Any:
    """Returns the likeliest labels of logits [batch, steps, labels], filled with -1, and their scores."""
    x = _real(inputs)
    count, steps, labels = x._spec.shape
    x = _arrays.transpose(x, (1, 0, 2))
    lengths = _given(sequence_lengths, "int32")
    if strategy == "greedy":
        decoded, scores = _rarer_networks.ctc_greedy_decoder(x, lengths, merge_repeated, mask_index)
    elif strategy == "beam_search":
        if mask_index is not None:
            mask_index %= labels
            # TensorFlow's blank is the last label.
            x = _arrays.concat(
                [x[..., :mask_index], x[..., mask_index + 1 :], x[..., mask_index : mask_index + 1]], -1
            )
        decoded, scores = _beam_search.ctc_beam_search_decoder(x, lengths, beam_width, top_paths)
    else:
        raise _ArgumentError(
            f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'.", site=_here()
        )
    rows = [
        _sparse.to_dense(_sparse.SparseTensor(one.indices, one.values, (count, steps)), default_value=-1)
        for one in decoded
    ]
    made = _elementwise.cast(_arrays.stack(rows), "int32")
    if strategy == "beam_search" and mask_index is not None:
        made = _arrays.where(made >= mask_index, made + 1, made)
    return made, scores
