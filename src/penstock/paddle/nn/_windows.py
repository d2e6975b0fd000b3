"""Functions that slide a window: convolutions and pooling, with arguments as Paddle writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.functions import array as arrays
from penstock.functions import convolution as native
from penstock.functions import resize
from penstock.functions.composite import composite
from penstock.ops import reduce
from penstock.ops import shape as shapes
from penstock.ops.window import convolution, dilated
from penstock.paddle._convert import HANDLES, data, integers_in, operand, translated
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
_Pairs = tuple[tuple[int, int], ...]


def channels_last(name: str, data_format: str, rank: int) -> bool:
    """Returns whether a format has the channels at its end; raises ValueError for one that is not known."""
    if data_format not in _FORMATS[rank]:
        first, last = _FORMATS[rank]
        raise InvalidValueError(
            f"Attr(data_format) of {name} should be '{first}' or '{last}'. Received "
            f"Attr(data_format): {data_format}.",
            site=here(),
        )
    return data_format == _FORMATS[rank][1]


def _plain(value: Any) -> Any:
    """Returns an argument with its lists as tuples, so that it can be looked up, and tensors as numbers."""
    return integers_in(value)


def _called(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except PenstockError as error:
        raise translated(error) from None


def _padding(name: str, padding: Any, rank: int, last: bool) -> Any:
    """Returns padding as a word, or as a pair (before, after) for each spatial axis.

    Paddle takes "SAME", "VALID", one number, one for each axis, two for each axis in a row, or a pair for
    every axis of the input, its batch and its channels included.
    """
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise InvalidValueError(
                f"Unknown padding: '{padding}'. It can only be 'SAME' or 'VALID'.", site=here()
            )
        return padding.lower()
    if isinstance(padding, int):
        return ((padding, padding),) * rank
    several = tuple(padding)
    if several and all(isinstance(one, tuple) for one in several) and len(several) == rank + 2:
        outer = (several[0], several[-1 if last else 1])
        if any(any(pair) for pair in outer):
            raise InvalidValueError(
                f"Non-zero padding({list(several)}) in the batch or channel dimensions is not supported.",
                site=here(),
            )
        return several[1:-1] if last else several[2:]
    if all(isinstance(one, int) for one in several):
        if len(several) == rank:
            return tuple((one, one) for one in several)
        if len(several) == 2 * rank:
            return tuple(zip(several[::2], several[1::2], strict=True))
    raise InvalidValueError(
        f"{name}: padding is {padding!r}.",
        remedy=f"Give 'SAME', 'VALID', a number, {rank} of them, or {2 * rank}: before and after each axis.",
        site=here(),
    )


def _rank_is(name: str, x: Tensor, rank: int) -> None:
    if x.ndim != rank + 2:
        raise InvalidValueError(
            f"The input of {name} should be a {rank + 2}-D Tensor, but received a {x.ndim}-D Tensor of shape "
            f"{list(x.shape)}.",
            remedy="Add the missing axis: x.unsqueeze(0) for a batch of one.",
            site=here(),
        )


def _placed(bias: Tensor, y: Tensor, last: bool) -> Tensor:
    return bias if last else shapes.reshape(bias, shape=(1, y.shape[1], *(1,) * (y.ndim - 2)))


# -- convolution ------------------------------------------------------------------------------------------


@composite(2, "conv")
def _conv(
    x: Any, weight: Any, rank: int, stride: Any, padding: Any, dilation: Any, groups: int, data_format: str
) -> Tensor:
    name = f"conv{rank}d"
    _rank_is(name, x, rank)
    last = channels_last(name, data_format, rank)
    channels = x.shape[-1 if last else 1]
    if weight.ndim != rank + 2 or weight.shape[1] * groups != channels:
        raise InvalidValueError(
            "The number of input's channels should be equal to filter's channels * groups for Op(Conv). But "
            f"received: the input's channels is {channels}, the input's shape is {list(x.shape)}; the "
            f"filter's channels is {weight.shape[1] if weight.ndim > 1 else 0}, the filter's shape is "
            f"{list(weight.shape)}; the groups is {groups}, the data_format is {data_format}.",
            remedy="A weight is [out_channels, in_channels / groups, *kernel_size].",
            site=here(),
        )
    pads = _padding(name, padding, rank, last)
    kernel = shapes.transpose(weight, axes=(*range(2, rank + 2), 1, 0))
    # With "SAME" Paddle leaves dilation out.
    dilation = 1 if pads == "same" else dilation
    order = "channels_last" if last else "channels_first"
    return native.conv(x, kernel, stride, pads, order, dilation)


@composite(3, "conv")
def _conv_with_bias(
    x: Any, weight: Any, bias: Any, rank: int, stride: Any, padding: Any, dilation: Any, groups: int,
    data_format: str,
) -> Tensor:  # fmt: skip
    y = _conv(x, weight, rank, stride, padding, dilation, groups, data_format)
    return y + _placed(bias, y, data_format == _FORMATS[rank][1])


@composite(2, "conv_transpose")
def _transposed(
    x: Any, weight: Any, rank: int, stride: Any, padding: Any, output_padding: Any, groups: int,
    dilation: Any, output_size: Any, data_format: str,
) -> Tensor:  # fmt: skip
    name = f"conv{rank}d_transpose"
    _rank_is(name, x, rank)
    last = channels_last(name, data_format, rank)
    x = x if last else native.moved(x, True)
    channels = x.shape[-1]
    if weight.ndim != rank + 2 or weight.shape[0] != channels or channels % groups:
        raise InvalidValueError(
            f"The number of input channels of Op({name}) should be equal to the first dimension of the "
            f"filter. But received: {channels} channels, a filter of shape {list(weight.shape)}, groups "
            f"{groups}.",
            remedy="A weight is [in_channels, out_channels / groups, *kernel_size].",
            site=here(),
        )
    steps = native.lengths_of(name, "stride", stride, rank)
    spaces = native.lengths_of(name, "dilation", dilation, rank)
    more = native.lengths_of(name, "output_padding", output_padding, rank, 0)
    windows = tuple(dilated(k, d) for k, d in zip(weight.shape[2:], spaces, strict=True))
    given = _padding(name, padding, rank, last)
    if isinstance(given, str):
        # Those of the convolution whose gradient this is: as many places as x has elements.
        totals = [max(0, w - s) if given == "same" else 0 for w, s in zip(windows, steps, strict=True)]
        given = tuple((total // 2, total - total // 2) for total in totals)
    pads = []
    for i, (low, high) in enumerate(given):
        length = (x.shape[1 + i] - 1) * steps[i] - low - high + windows[i] + more[i]
        if output_size is not None:
            wanted = native.lengths_of(name, "output_size", output_size, rank)[i]
            if not length <= wanted < length + steps[i]:
                raise InvalidValueError(
                    f"{name}: output_size is {output_size}, and axis {i} can be {length} to "
                    f"{length + steps[i] - 1} long.",
                    site=here(),
                )
            high -= wanted - length
        pads.append((windows[i] - 1 - low, windows[i] - 1 - high + more[i]))
    inner, filters = channels // groups, weight.shape[1]
    kernel = shapes.reshape(weight, shape=(groups, inner, *weight.shape[1:]))
    kernel = shapes.transpose(kernel, axes=(*range(3, rank + 3), 1, 0, 2))
    y = convolution(
        shapes.reshape(x, shape=(*x.shape[:-1], groups, inner)),
        shapes.flip(kernel, axes=tuple(range(rank))),
        strides=(1,) * rank,
        padding=tuple(pads),
        spread=steps,
        dilation=spaces,
    )
    y = shapes.reshape(y, shape=(*y.shape[:-2], groups * filters))
    return y if last else native.moved(y, False)


@composite(3, "conv_transpose")
def _transposed_with_bias(x: Any, weight: Any, bias: Any, rank: int, *others: Any) -> Tensor:
    y = _transposed(x, weight, rank, *others)
    return y + _placed(bias, y, others[-1] == _FORMATS[rank][1])


def convolved(x: Any, weight: Any, bias: Any, rank: int, *others: Any) -> Any:
    """Returns a convolution; `others` are stride, padding, dilation, groups and data_format."""
    others = tuple([_plain(one) if isinstance(one, (list, tuple, *HANDLES)) else one for one in others])
    if bias is None:
        return _called(_conv, operand(x), weight, rank, *others)
    return _called(_conv_with_bias, operand(x), weight, bias, rank, *others)


def convolved_back(x: Any, weight: Any, bias: Any, rank: int, *others: Any) -> Any:
    """Returns a transposed convolution.

    `others` are stride, padding, output_padding, groups, dilation, output_size and data_format.
    """
    others = tuple([_plain(one) if isinstance(one, (list, tuple, *HANDLES)) else one for one in others])
    if bias is None:
        return _called(_transposed, operand(x), weight, rank, *others)
    return _called(_transposed_with_bias, operand(x), weight, bias, rank, *others)


def conv1d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_format: str = "NCL", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of x [N, C, L] with a weight [filters, C / groups, length].

    >>> from penstock import paddle
    >>> x, weight = paddle.to_tensor([[[1.0, 2.0, 3.0]]]), paddle.to_tensor([[[1.0, 10.0]]])
    >>> paddle.nn.functional.conv1d(x, weight).tolist()
    [[[21.0, 32.0]]]
    """
    return convolved(x, weight, bias, 1, stride, padding, dilation, groups, data_format)


def conv2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of x [N, C, H, W] with a weight [filters, C / groups, height, width]."""
    return convolved(x, weight, bias, 2, stride, padding, dilation, groups, data_format)


def conv3d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_format: str = "NCDHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of x [N, C, D, H, W] with a weight [filters, C / groups, *lengths]."""
    return convolved(x, weight, bias, 3, stride, padding, dilation, groups, data_format)


def conv1d_transpose(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1, output_size: Any = None, data_format: str = "NCL", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x [N, C, L] convolved the other way, with a weight [C, filters / groups, length]."""
    return convolved_back(
        x, weight, bias, 1, stride, padding, output_padding, groups, dilation, output_size, data_format
    )


def conv2d_transpose(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    dilation: Any = 1, groups: int = 1, output_size: Any = None, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x [N, C, H, W] convolved the other way, with a weight [C, filters / groups, height, width]."""
    return convolved_back(
        x, weight, bias, 2, stride, padding, output_padding, groups, dilation, output_size, data_format
    )


# -- pooling ----------------------------------------------------------------------------------------------


@composite(1, "pool")
def _pooled(
    x: Any, kind: str, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    exclusive: bool, divisor: Any, data_format: str,
) -> Tensor:  # fmt: skip
    name = f"{kind}_pool{rank}d"
    _rank_is(name, x, rank)
    last = channels_last(name, data_format, rank)
    order = "channels_last" if last else "channels_first"
    window = native.lengths_of(name, "kernel_size", kernel_size, rank)
    steps = window if stride is None else native.lengths_of(name, "stride", stride, rank)
    pads = _padding(name, padding, rank, last)
    lengths = x.shape[1:-1] if last else x.shape[2:]
    given = pads
    if ceil_mode and not isinstance(pads, str):
        # Windows that begin inside reach beyond the end.
        pads = tuple(
            (low, high + (-(n + low + high - w)) % s)
            for n, w, s, (low, high) in zip(lengths, window, steps, pads, strict=True)
        )
    beyond = pads != given
    if not isinstance(pads, str) and any(w <= max(pair) for w, pair in zip(window, pads, strict=True)):
        # Windows that hold nothing of the input: so Paddle has them.
        emptiness = 0.0 if kind == "avg" else float(np.finfo(x.dtype).min)
        around = [(0, 0), *pads, (0, 0)] if last else [(0, 0), (0, 0), *pads]
        x = resize.pad(x, around, "constant", emptiness)
        moved, pads = pads, ((0, 0),) * rank
    else:
        moved = pads
    if kind == "max":
        return native.max_pool(x, window, steps, pads, order)
    if not beyond and moved is pads:
        y = native.average_pool(x, window, steps, pads, order, not exclusive)
        return y if divisor is None else y * (math.prod(window) / divisor)
    y = native.average_pool(x, window, steps, pads, order, True) * float(math.prod(window))
    counts = _counts(lengths, window, steps, given, exclusive, y.shape[1:-1] if last else y.shape[2:])
    counts = counts.reshape((*counts.shape, 1) if last else counts.shape).astype(x.dtype)
    y = y / arrays.asarray(counts)
    return y if divisor is None else y * (math.prod(window) / divisor)


def _counts(
    lengths: Any, window: Any, steps: Any, pads: Any, exclusive: bool, places: Any
) -> np.ndarray[Any, Any]:
    """Returns how many elements the mean of each window is over: without, or with those of the padding."""
    found: Any = np.ones(())
    for n, w, s, (low, high), count in zip(lengths, window, steps, pads, places, strict=True):
        first = np.arange(count) * s - low
        last = np.minimum(first + w, n + high)
        if exclusive:
            first, last = np.maximum(first, 0), np.minimum(last, n)
        found = np.multiply.outer(found, np.maximum(last - first, 0))
    return np.asarray(found, np.float64)


def _pool(x: Any, *others: Any) -> Any:
    others = tuple([_plain(one) if isinstance(one, (list, tuple, *HANDLES)) else one for one in others])
    return _called(_pooled, operand(x), *others)


def _largest(
    x: Any, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, data_format: str,
    return_mask: bool,
) -> Any:  # fmt: skip
    if not return_mask:
        return _pool(x, "max", rank, kernel_size, stride, padding, bool(ceil_mode), True, None, data_format)
    name = f"max_pool{rank}d"
    x = operand(x)
    _rank_is(name, x, rank)
    if channels_last(name, data_format, rank):
        raise InvalidValueError(
            "When setting return_mask to true, data_format must be set to NCHW in API:max_pool2d", site=here()
        )
    window = native.lengths_of(name, "kernel_size", _plain(kernel_size), rank)
    steps = window if stride is None else native.lengths_of(name, "stride", _plain(stride), rank)
    pads = _padding(name, _plain(padding), rank, False)
    own = x._spec.shape[2:]
    if isinstance(pads, str):
        totals = [
            max((math.ceil(n / s) - 1) * s + w - n, 0) if pads == "same" else 0
            for n, s, w in zip(own, steps, window, strict=True)
        ]
        pads = tuple((one // 2, one - one // 2) for one in totals)
    ranges = []
    for n, w, s, (low, high) in zip(own, window, steps, pads, strict=True):
        free = n + low + high - w
        count = (-(-free // s) if ceil_mode else free // s) + 1
        ranges.append([range(max(i * s - low, 0), max(min(i * s - low + w, n), 1)) for i in range(count)])
    return largest_with_places(x, ranges)


def largest_with_places(x: Any, ranges: Sequence[Sequence[range]]) -> tuple[Any, Any]:
    """Returns the largest elements of windows over the last axes, and their places in these, flattened.

    `ranges` are, for each of the axes, what the windows hold of it.
    """
    own = x._spec.shape[-len(ranges) :]
    table: Any = np.zeros((1, 1), np.int64)
    for n, several in zip(own, ranges, strict=True):
        longest = max(map(len, several))
        # A shorter window holds its last element more than once.
        rows = np.asarray([[*one, *[one[-1]] * (longest - len(one))] for one in several])
        table = table[:, None, :, None] * n + rows[None, :, None, :]
        table = table.reshape(table.shape[0] * table.shape[1], -1)
    return _picked(x, data(table), tuple(len(several) for several in ranges))


@composite(2, "max_pool")
def _picked(x: Any, table: Any, places: Any) -> tuple[Tensor, Tensor]:
    outer, size = x.shape[: len(x.shape) - len(places)], math.prod(x.shape[len(x.shape) - len(places) :])
    flat = shapes.reshape(x, shape=(*outer, size))
    seen = arrays.take(flat, shapes.reshape(table, shape=(math.prod(table.shape),)), axis=len(outer))
    seen = shapes.reshape(seen, shape=(*outer, *table.shape))
    best = arrays.argmax(seen, axis=-1)
    columns = arrays.arange(table.shape[0]) * table.shape[1]
    where = arrays.take(shapes.reshape(table, shape=(math.prod(table.shape),)), best + columns, axis=0)
    values = arrays.take_along_axis(flat, where, axis=-1)
    both = (shapes.reshape(one, shape=(*outer, *places)) for one in (values, where.astype(np.int32)))
    return tuple(both)  # type: ignore[return-value]


def max_pool1d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
    ceil_mode: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window, and with `return_mask` its place, of x [N, C, L].

    >>> from penstock import paddle
    >>> paddle.nn.functional.max_pool1d(paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]]), 2).tolist()
    [[[3.0, 2.0]]]
    """
    return _largest(x, 1, kernel_size, stride, padding, bool(ceil_mode), "NCL", return_mask)


def max_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
    ceil_mode: bool = False, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window, and with `return_mask` its place, of x [N, C, H, W]."""
    return _largest(x, 2, kernel_size, stride, padding, bool(ceil_mode), data_format, return_mask)


def max_pool3d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
    ceil_mode: bool = False, data_format: str = "NCDHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window, and with `return_mask` its place, of x [N, C, D, H, W]."""
    return _largest(x, 3, kernel_size, stride, padding, bool(ceil_mode), data_format, return_mask)


def avg_pool1d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, exclusive: bool = True,
    ceil_mode: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of x [N, C, L]; zeros of the padding count unless `exclusive`."""
    return _pool(x, "avg", 1, kernel_size, stride, padding, bool(ceil_mode), bool(exclusive), None, "NCL")


def avg_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    exclusive: bool = True, divisor_override: Any = None, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of x [N, C, H, W].

    With `divisor_override` it is times the window's size, divided by that: with `exclusive`, which does not
    count the padding, this is not the sum divided by it where a window holds padding (as in Paddle).
    """
    divisor = None if divisor_override is None else float(divisor_override)
    flags = bool(ceil_mode), bool(exclusive)
    return _pool(x, "avg", 2, kernel_size, stride, padding, *flags, divisor, data_format)


def avg_pool3d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    exclusive: bool = True, divisor_override: Any = None, data_format: str = "NCDHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of x [N, C, D, H, W]; `divisor_override` as in `avg_pool2d`."""
    divisor = None if divisor_override is None else float(divisor_override)
    flags = bool(ceil_mode), bool(exclusive)
    return _pool(x, "avg", 3, kernel_size, stride, padding, *flags, divisor, data_format)


@composite(1, "adaptive_avg_pool")
def _adaptive(x: Any, rank: int, output_size: Any, data_format: str) -> Tensor:
    name = f"adaptive_avg_pool{rank}d"
    _rank_is(name, x, rank)
    first = 1 if channels_last(name, data_format, rank) else 2
    several = output_size if isinstance(output_size, tuple) else (output_size,) * rank
    wanted = [x.shape[first + i] if n is None else n for i, n in enumerate(several)]
    for axis, count in enumerate(native.lengths_of(name, "output_size", wanted, rank), first):
        length = x.shape[axis]
        if count == length:
            continue
        parts = []
        for i in range(count):
            window = [(0, n, 1) for n in x.shape]
            window[axis] = (i * length // count, -((i + 1) * length // -count), 1)
            part = shapes.slice_(x, window=tuple(window))
            parts.append(reduce.mean(part, axes=(axis,), keepdims=True))
        x = parts[0] if count == 1 else shapes.concat(*parts, axis=axis)
    return x  # type: ignore[no-any-return]


def adaptive_mean(x: Any, rank: int, output_size: Any, data_format: str | None) -> Any:
    """Returns means over parts of the spatial axes."""
    return _called(_adaptive, operand(x), rank, _plain(output_size), data_format or _FORMATS[rank][0])


def adaptive_avg_pool1d(x: Any, output_size: Any, name: Any = None) -> Any:
    """Returns means of x [N, C, L] over `output_size` parts, which are as long as each other or nearly so."""
    return _called(_adaptive, operand(x), 1, _plain(output_size), "NCL")


def adaptive_avg_pool2d(x: Any, output_size: Any, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns means of x [N, C, H, W] over parts: one number for both axes, or two; None keeps an axis."""
    return _called(_adaptive, operand(x), 2, _plain(output_size), data_format)
