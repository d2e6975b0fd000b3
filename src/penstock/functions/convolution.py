"""Convolution and pooling over one, two or three spatial axes, with arguments as the field writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.functions.composite import composite
from penstock.ops.shape import broadcast_to, flip, reshape, transpose
from penstock.ops.table import cast
from penstock.ops.window import Lengths, Pads, convolution, dilated
from penstock.ops.window_pool import max_pool as _max_pool
from penstock.ops.window_pool import sum_pool as _sum_pool
from penstock.trace.lengths import maximum
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

Steps = int | Sequence[int]
Padding = str | int | Sequence[int] | Sequence[tuple[int, int]]


def conv(
    x: Any,
    kernel: Any,
    strides: Steps = 1,
    padding: Padding = "valid",
    data_format: str = "channels_last",
    dilation_rate: Steps = 1,
) -> Tensor:
    """Returns the convolution of x [batch, *lengths, channels] with a kernel [*lengths, channels, filters].

    With 1 to 3 spatial axes, the result is [batch, *places, filters]; `data_format="channels_first"` has the
    channels of x and of the result after the batch. The kernel is not flipped (a cross-correlation, as in all
    frameworks). `padding` is "valid" (none), "same" (as many places as the input has elements, divided by the
    strides and rounded up; an odd zero goes at the end), a number of zeros, or a pair (before, after) for
    each axis. A kernel that takes fewer channels than x has works on groups: x with 6 channels and a kernel
    for 2 make 3 groups of 2 channels, and the filters are divided among the groups in order. Raises
    ShapeError if the shapes do not fit.

    Args:
        x: real numbers [batch, *lengths, channels].
        kernel: the kernel, [*lengths, channels, filters].
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid", "same", a number of zeros, or a pair (before, after) for each axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.

    Returns:
        A tensor [batch, *lengths, filters].

    Raises:
        ShapeError: if `x`, `kernel`, `strides` or `padding` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `x` or `kernel` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.reshape(ps.asarray([1.0, 2.0, 3.0]), (1, 3, 1))
    >>> kernel = ps.reshape(ps.asarray([1.0, 10.0]), (2, 1, 1))
    >>> ps.nn.conv(x, kernel).numpy().ravel().tolist()
    [21.0, 32.0]
    """
    return _conv(x, kernel, strides, hashable(padding), data_format, dilation_rate)


def conv_transpose(
    x: Any,
    kernel: Any,
    strides: Steps = 1,
    padding: str = "valid",
    output_padding: Steps | None = None,
    data_format: str = "channels_last",
    dilation_rate: Steps = 1,
    output_lengths: Sequence[int] | None = None,
) -> Tensor:
    """Returns the transposed convolution of x [batch, *lengths, channels].

    The kernel is [*lengths, filters, channels]. The result is the gradient, with respect to its input, of the
    `conv` whose results have the lengths of x. With strides s and a kernel of length k, an axis of length n
    becomes n * s ("same") or n * s + max(k - s, 0) ("valid"), or with `output_padding` p:
    (n - 1) * s + k % 2 + p and (n - 1) * s + k + p. `output_lengths` gives the lengths explicitly.

    Args:
        x: real numbers [batch, *lengths, channels].
        kernel: the kernel, [*lengths, filters, channels].
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid" for windows inside alone, "same" for as many as positions.
        output_padding: additional length of each axis of the result; None computes it.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.
        output_lengths: the spatial lengths of the result; None computes them.

    Returns:
        A tensor [batch, *lengths, filters].

    Raises:
        ShapeError: if `x`, `kernel`, `strides` or `padding` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `x` or `kernel` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.reshape(ps.asarray([1.0, 2.0]), (1, 2, 1))
    >>> kernel = ps.reshape(ps.asarray([1.0, 10.0, 100.0]), (3, 1, 1))
    >>> ps.nn.conv_transpose(x, kernel, strides=2).numpy().ravel().tolist()
    [1.0, 10.0, 102.0, 20.0, 200.0]
    """
    return _conv_transpose(
        x,
        kernel,
        strides,
        padding,
        output_padding,
        data_format,
        dilation_rate,
        None if output_lengths is None else tuple(output_lengths),
    )


def depthwise_conv(
    x: Any,
    kernel: Any,
    strides: Steps = 1,
    padding: Padding = "valid",
    data_format: str = "channels_last",
    dilation_rate: Steps = 1,
) -> Tensor:
    """Returns each channel of x convolved with its own filters: the kernel is [*lengths, channels, filters].

    Filter j of channel i is channel i * filters + j of the result. Other arguments are those of `conv`.

    Args:
        x: real numbers [batch, *lengths, channels].
        kernel: the kernel, [*lengths, channels, filters].
        strides: the distance between windows: an int, or one for each spatial axis.
        padding: "valid", "same", a number of zeros, or a pair (before, after) for each axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        dilation_rate: the distance between the elements of the kernel: an int, or one for each spatial
            axis.

    Returns:
        A tensor [batch, *lengths, filters].

    Raises:
        ShapeError: if `x`, `kernel`, `strides` or `padding` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `x` or `kernel` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.reshape(ps.asarray([1.0, 2.0, 3.0, 4.0]), (1, 2, 2))
    >>> kernel = ps.reshape(ps.asarray([1.0, 10.0, 1.0, 10.0]), (2, 2, 1))
    >>> ps.nn.depthwise_conv(x, kernel).numpy().ravel().tolist()
    [4.0, 60.0]
    """
    return _depthwise_conv(x, kernel, strides, hashable(padding), data_format, dilation_rate)


def max_pool(
    x: Any,
    pool_size: Steps,
    strides: Steps | None = None,
    padding: Padding = "valid",
    data_format: str = "channels_last",
) -> Tensor:
    """Returns the largest element of each window of x [batch, *lengths, channels].

    `strides` is the distance between windows, by default `pool_size`. If several elements are largest, the
    gradient goes to the first (as in TensorFlow and PyTorch). The other arguments are those of `conv`.

    Args:
        x: real numbers [batch, *lengths, channels].
        pool_size: the lengths of a window: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis; None for the windows'
            lengths.
        padding: "valid" for windows inside alone, "same" for as many as positions.
        data_format: "channels_last" or "channels_first"; None for the first.

    Returns:
        A tensor [batch, *lengths, channels] with shorter lengths.

    Raises:
        ShapeError: if `x`, `pool_size`, `strides` or `padding` has the wrong shape, or names an axis that is
            not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.reshape(ps.asarray([1.0, 3.0, 2.0, 0.0]), (1, 4, 1))
    >>> ps.nn.max_pool(x, 2).numpy().ravel().tolist()
    [3.0, 2.0]
    """
    return _max_pooled(x, pool_size, strides, hashable(padding), data_format)


def average_pool(
    x: Any,
    pool_size: Steps,
    strides: Steps | None = None,
    padding: Padding = "valid",
    data_format: str = "channels_last",
    count_padding: bool = False,
) -> Tensor:
    """Returns the mean of each window of x [batch, *lengths, channels].

    Zeros of the padding are not counted unless `count_padding` says so (TensorFlow does not count them,
    PyTorch does). The other arguments are those of `max_pool`.

    Args:
        x: real numbers [batch, *lengths, channels].
        pool_size: the lengths of a window: an int, or one for each spatial axis.
        strides: the distance between windows: an int, or one for each spatial axis; None for the windows'
            lengths.
        padding: "valid" for windows inside alone, "same" for as many as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        count_padding: whether zeros of the padding count.

    Returns:
        A tensor [batch, *lengths, channels] with shorter lengths.

    Raises:
        ShapeError: if `x`, `pool_size`, `strides` or `padding` has the wrong shape, or names an axis that is
            not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> x = ps.reshape(ps.asarray([1.0, 3.0, 2.0]), (1, 3, 1))
    >>> ps.nn.average_pool(x, 2, padding="same").numpy().ravel().tolist()
    [2.0, 2.0]
    """
    return _average_pooled(x, pool_size, strides, hashable(padding), data_format, count_padding)


# -- arguments ----------------------------------------------------------------------------------------------


def hashable(padding: Padding) -> Any:
    """Returns padding with its lists as tuples."""
    if isinstance(padding, str | int):
        return padding
    if not isinstance(padding, list | tuple):
        # Any other value is refused by name where the number of axes is known.
        return repr(padding)
    return tuple(tuple(pair) if isinstance(pair, list | tuple) else pair for pair in padding)


def lengths_of(name: str, what: str, value: Any, rank: int, least: int = 1) -> Lengths:
    """Returns one whole number for each spatial axis; raises ShapeError for anything else."""
    several = value if isinstance(value, Sequence) else (value,) * rank
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in several)
    if len(several) != rank or not whole or any(n < least for n in several):
        raise ShapeError(
            f"{name}: {what} is {value!r}.",
            why=f"There are {rank} spatial axes, and each needs a whole number of at least {least}.",
            remedy=f"Give one number for all of them, or {rank} numbers.",
            site=here(),
        )
    return tuple(int(n) for n in several)


def rank_of(name: str, x: Any) -> int:
    """Returns how many spatial axes x has: all but its batch and its channels."""
    rank = x.ndim - 2
    if not 1 <= rank <= 3:
        raise ShapeError(
            f"{name}: the input has shape {x.shape}.",
            why="It takes a batch axis, one to three spatial axes, and a channel axis.",
            remedy="Add the missing axis, for example expand_dims(x, axis=0) for a batch.",
            site=here(),
        )
    return int(rank)


def _channels_last(name: str, data_format: str) -> bool:
    if data_format not in ("channels_last", "channels_first"):
        raise PenstockError(
            f"{name}: data_format is {data_format!r}.",
            remedy='Use "channels_last" or "channels_first".',
            site=here(),
        )
    return data_format == "channels_last"


def moved(x: Tensor, to_last: bool) -> Tensor:
    """Returns x with its channels, after the batch, put last, or the other way round."""
    rank = x.ndim - 2
    axes = (0, *range(2, 2 + rank), 1) if to_last else (0, rank + 1, *range(1, 1 + rank))
    return transpose(x, axes=axes)


def pads_of(name: str, padding: Any, lengths: Lengths, windows: Lengths, strides: Lengths) -> Pads:
    """Returns how many zeros go before and after each axis; `windows` are lengths with dilation."""
    rank = len(lengths)
    if padding == "valid":
        return ((0, 0),) * rank
    if padding == "same":
        totals = [
            maximum(0, ((n + s - 1) // s - 1) * s + w - n)
            for n, w, s in zip(lengths, windows, strides, strict=True)
        ]
        return tuple((total // 2, total - total // 2) for total in totals)
    several = padding if isinstance(padding, tuple) else (padding,) * rank
    pairs = [pair if isinstance(pair, tuple) else (pair, pair) for pair in several]
    if len(pairs) != rank or not all(
        len(pair) == 2 and all(isinstance(n, int) and n >= 0 for n in pair) for pair in pairs
    ):
        raise ShapeError(
            f"{name}: padding is {padding!r}.",
            remedy=f'Use "valid", "same", a number, or {rank} pairs (before, after).',
            site=here(),
        )
    return tuple((int(low), int(high)) for low, high in pairs)


def _fits(name: str, lengths: Lengths, windows: Lengths, pads: Pads) -> None:
    """Refuses windows that are longer than the axes they slide along."""
    for n, window, (low, high) in zip(lengths, windows, pads, strict=True):
        if n and window > n + low + high:
            raise ShapeError(
                f"{name}: a window of {window} does not fit an axis of {n + low + high}.",
                origin=f"lengths {lengths}, windows {windows}, padding {pads}",
                remedy='Make the window smaller, or pad the input: padding="same".',
                site=here(),
            )


def _dtypes(x: Tensor, kernel: Tensor) -> tuple[Tensor, Tensor]:
    common = np.result_type(x.dtype, kernel.dtype) if "V" not in x.dtype.kind + kernel.dtype.kind else None
    if x.dtype.kind in "iub" and kernel.dtype.kind in "fcV":
        common = kernel.dtype
    if common is not None and x.dtype != common:
        x = cast(x, dtype=common)
    return x, kernel


# -- composites ---------------------------------------------------------------------------------------------


@composite(2, "conv")
def _conv(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
) -> Tensor:
    rank = rank_of("conv", x)
    last = _channels_last("conv", data_format)
    x, kernel = _dtypes(x if last else moved(x, True), kernel)
    if kernel.ndim != rank + 2:
        raise ShapeError(
            f"conv: the kernel has shape {kernel.shape}, the input {x.shape}.",
            remedy=f"Give a kernel of {rank} lengths, channels and filters.",
            site=here(),
        )
    channels, (taken, filters) = x.shape[-1], kernel.shape[rank:]
    groups = channels // taken if taken and channels % taken == 0 else 0
    if not groups or filters % groups:
        raise ShapeError(
            f"conv: the input has {channels} channels, but the kernel {kernel.shape} takes {taken} and "
            f"returns {filters}.",
            why="The kernel's channels must be the input's, or divide them into groups.",
            remedy="Check the order of the axes: x is [batch, lengths, channels] unless "
            'data_format="channels_first".',
            site=here(),
        )
    steps = lengths_of("conv", "strides", strides, rank)
    dilation = lengths_of("conv", "dilation_rate", dilation_rate, rank)
    windows = tuple(dilated(n, d) for n, d in zip(kernel.shape[:rank], dilation, strict=True))
    pads = pads_of("conv", padding, x.shape[1:-1], windows, steps)
    _fits("conv", x.shape[1:-1], windows, pads)
    y = convolution(
        reshape(x, shape=(*x.shape[:-1], groups, taken)),
        reshape(kernel, shape=(*kernel.shape[:-1], groups, filters // groups)),
        strides=steps,
        padding=pads,
        spread=(1,) * rank,
        dilation=dilation,
    )
    y = reshape(y, shape=(*y.shape[:-2], filters))
    return y if last else moved(y, False)


@composite(2, "conv_transpose")
def _conv_transpose(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    output_padding: Any = None,
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    output_lengths: Any = None,
) -> Tensor:
    name = "conv_transpose"
    rank = rank_of(name, x)
    last = _channels_last(name, data_format)
    x, kernel = _dtypes(x if last else moved(x, True), kernel)
    if kernel.ndim != rank + 2 or kernel.shape[-1] != x.shape[-1]:
        raise ShapeError(
            f"{name}: the kernel has shape {kernel.shape}, the input {x.shape}.",
            why=(
                "The last axis of the kernel is for the input's channels, the axis before it for the filters."
            ),
            remedy=f"Give a kernel of {rank} lengths, filters and {x.shape[-1]} channels.",
            site=here(),
        )
    if padding not in ("valid", "same"):
        raise ShapeError(f"{name}: padding is {padding!r}.", remedy='Use "valid" or "same".', site=here())
    steps = lengths_of(name, "strides", strides, rank)
    dilation = lengths_of(name, "dilation_rate", dilation_rate, rank)
    more = None if output_padding is None else lengths_of(name, "output_padding", output_padding, rank, 0)
    pads = []
    for i in range(rank):
        n, s, k = x.shape[1 + i], steps[i], dilated(kernel.shape[i], dilation[i])
        if output_lengths is not None:
            length = int(output_lengths[i])
        elif padding == "same":
            length = n * s if more is None else (n - 1) * s + k % 2 + more[i]
        else:
            length = n * s + max(k - s, 0) if more is None else (n - 1) * s + k + more[i]
        ((low, _),) = pads_of(name, padding, (length,), (k,), (s,)) if length > 0 else ((0, 0),)
        if padding == "same":
            # Zeros of the convolution whose results are as long as x, which need not be ceil(length / s).
            low = maximum(0, (n - 1) * s + k - length) // 2
        before = k - 1 - low
        pads.append((before, length + k - 1 - dilated(n, s) - before))
    turned = transpose(flip(kernel, axes=tuple(range(rank))), axes=(*range(rank), rank + 1, rank))
    y = convolution(
        reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1])),
        reshape(turned, shape=(*turned.shape[:-1], 1, turned.shape[-1])),
        strides=(1,) * rank,
        padding=tuple(pads),
        spread=steps,
        dilation=dilation,
    )
    y = reshape(y, shape=(*y.shape[:-2], y.shape[-1]))
    return y if last else moved(y, False)


@composite(2, "depthwise_conv")
def _depthwise_conv(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
) -> Tensor:
    rank = rank_of("depthwise_conv", x)
    channels = x.shape[-1 if _channels_last("depthwise_conv", data_format) else 1]
    if kernel.ndim != rank + 2 or kernel.shape[rank] != channels:
        raise ShapeError(
            f"depthwise_conv: the kernel has shape {kernel.shape}, the input {x.shape}.",
            remedy=f"Give a kernel of {rank} lengths, {channels} channels, and filters for each.",
            site=here(),
        )
    kernel = reshape(kernel, shape=(*kernel.shape[:rank], 1, channels * kernel.shape[-1]))
    return _conv(x, kernel, strides, padding, data_format, dilation_rate)


def _geometry(name: str, x: Tensor, pool_size: Any, strides: Any, padding: Any) -> dict[str, Any]:
    rank = x.ndim - 2
    window = lengths_of(name, "pool_size", pool_size, rank)
    steps = window if strides is None else lengths_of(name, "strides", strides, rank)
    pads = pads_of(name, padding, x.shape[1:-1], window, steps)
    _fits(name, x.shape[1:-1], window, pads)
    if any(low >= n or high >= n for n, (low, high) in zip(window, pads, strict=True) if low or high):
        raise ShapeError(
            f"{name}: padding {pads} is as long as the window {window}.",
            why="A window could contain nothing but padding.",
            remedy="Pad by less than the window.",
            site=here(),
        )
    return {"window": window, "strides": steps, "padding": pads, "dilation": (1,) * rank}


@composite(1, "max_pool")
def _max_pooled(
    x: Any, pool_size: Any, strides: Any = None, padding: Any = "valid", data_format: str = "channels_last"
) -> Tensor:
    rank_of("max_pool", x)
    last = _channels_last("max_pool", data_format)
    x = x if last else moved(x, True)
    y = _max_pool(x, **_geometry("max_pool", x, pool_size, strides, padding))
    return y if last else moved(y, False)


@composite(1, "average_pool", wide=True)
def _average_pooled(
    x: Any,
    pool_size: Any,
    strides: Any = None,
    padding: Any = "valid",
    data_format: str = "channels_last",
    count_padding: bool = False,
) -> Tensor:
    rank_of("average_pool", x)
    last = _channels_last("average_pool", data_format)
    x = x if last else moved(x, True)
    geometry = _geometry("average_pool", x, pool_size, strides, padding)
    total = _sum_pool(x, **geometry)
    if count_padding or not any(map(any, geometry["padding"])):
        y = total / float(math.prod(geometry["window"]))
    else:
        # The number of input elements in each window.
        ones = broadcast_to(local.trace.constant(1, x.dtype), shape=(1, *x.shape[1:-1], 1))
        y = total / _sum_pool(ones, **geometry)
    return y if last else moved(y, False)
