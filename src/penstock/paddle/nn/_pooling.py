"""Pooling: windows reduced to their largest element, their mean or their norm, and its layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.functions import array as arrays
from penstock.functions import convolution as native
from penstock.functions import resize
from penstock.functions.composite import composite
from penstock.ops import shape as shapes
from penstock.paddle import _math
from penstock.paddle._convert import HANDLES, called, data, operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import saving
from penstock.paddle.nn._function_layers import OfFunction, attribute, layer_of
from penstock.paddle.nn._windows import channels_last, padding_of, plain, rank_is
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor


@composite(1, "pool")
def _pooled(
    x: Any, kind: str, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    exclusive: bool, divisor: Any, data_format: str,
) -> Tensor:  # fmt: skip
    name = f"{kind}_pool{rank}d"
    rank_is(name, x, rank)
    last = channels_last(name, data_format, rank)
    order = "channels_last" if last else "channels_first"
    window = native.lengths_of(name, "kernel_size", kernel_size, rank)
    steps = window if stride is None else native.lengths_of(name, "stride", stride, rank)
    pads = padding_of(name, padding, rank, last)
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
        # Windows without elements of the input, as in Paddle.
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
    """Returns over how many elements each window's mean is taken, with or without those of the padding."""
    found: Any = np.ones(())
    for n, w, s, (low, high), count in zip(lengths, window, steps, pads, places, strict=True):
        first = np.arange(count) * s - low
        last = np.minimum(first + w, n + high)
        if exclusive:
            first, last = np.maximum(first, 0), np.minimum(last, n)
        found = np.multiply.outer(found, np.maximum(last - first, 0))
    return np.asarray(found, np.float64)


def _pool(x: Any, *others: Any) -> Any:
    others = tuple([plain(one) if isinstance(one, (list, tuple, *HANDLES)) else one for one in others])
    return called(_pooled, operand(x), *others)


def _largest(
    x: Any, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, data_format: str,
    return_mask: bool,
) -> Any:  # fmt: skip
    if not return_mask:
        return _pool(x, "max", rank, kernel_size, stride, padding, bool(ceil_mode), True, None, data_format)
    name = f"max_pool{rank}d"
    x = operand(x)
    rank_is(name, x, rank)
    if channels_last(name, data_format, rank):
        raise InvalidValueError(
            "When setting return_mask to true, data_format must be set to NCHW in API:max_pool2d", site=here()
        )
    window = native.lengths_of(name, "kernel_size", plain(kernel_size), rank)
    steps = window if stride is None else native.lengths_of(name, "stride", plain(stride), rank)
    pads = padding_of(name, plain(padding), rank, False)
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

    `ranges` are, for each of the axes, the parts of it that the windows cover.
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


@in_functional
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


@in_functional
def max_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
    ceil_mode: bool = False, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window, and with `return_mask` its place, of x [N, C, H, W]."""
    return _largest(x, 2, kernel_size, stride, padding, bool(ceil_mode), data_format, return_mask)


@in_functional
def max_pool3d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
    ceil_mode: bool = False, data_format: str = "NCDHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window, and with `return_mask` its place, of x [N, C, D, H, W]."""
    return _largest(x, 3, kernel_size, stride, padding, bool(ceil_mode), data_format, return_mask)


@in_functional
def avg_pool1d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, exclusive: bool = True,
    ceil_mode: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of x [N, C, L]; zeros of the padding count unless `exclusive`."""
    return _pool(x, "avg", 1, kernel_size, stride, padding, bool(ceil_mode), bool(exclusive), None, "NCL")


@in_functional
def avg_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    exclusive: bool = True, divisor_override: Any = None, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of x [N, C, H, W].

    `divisor_override` multiplies the mean by the window's size and divides it by this number. As in Paddle,
    that is not the sum divided by it where a window holds padding, unless `exclusive` is false.
    """
    divisor = None if divisor_override is None else float(divisor_override)
    flags = bool(ceil_mode), bool(exclusive)
    return _pool(x, "avg", 2, kernel_size, stride, padding, *flags, divisor, data_format)


@in_functional
def avg_pool3d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    exclusive: bool = True, divisor_override: Any = None, data_format: str = "NCDHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the mean of each window of x [N, C, D, H, W]; `divisor_override` as in `avg_pool2d`."""
    divisor = None if divisor_override is None else float(divisor_override)
    flags = bool(ceil_mode), bool(exclusive)
    return _pool(x, "avg", 3, kernel_size, stride, padding, *flags, divisor, data_format)


def _lp_pool(x: Any, norm_type: float, pool: Any, rank: int, options: dict[str, Any]) -> Any:
    x = operand(x)
    if norm_type == math.inf:
        raise InvalidValueError("lp_pool with norm_type=inf is max_pool.", site=here())
    kernel = options["kernel_size"]
    size = kernel**rank if isinstance(kernel, int) else math.prod(kernel)
    means = pool(_math.pow(x, norm_type), exclusive=False, **options)
    return saving(_math.pow(means * float(size), 1.0 / norm_type), user_frame(2), result=True)


@in_functional
def lp_pool1d(
    x: Any, norm_type: float, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    data_format: str = "NCL", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the p-norm of each window of sequences; `data_format` is "NCL"."""
    options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "ceil_mode": ceil_mode}
    return _lp_pool(x, float(norm_type), avg_pool1d, 1, options)


@in_functional
def lp_pool2d(
    x: Any, norm_type: float, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the p-norm of each window of images."""
    options = {
        "kernel_size": kernel_size, "stride": stride, "padding": padding, "ceil_mode": ceil_mode,
        "data_format": data_format,
    }  # fmt: skip
    return _lp_pool(x, float(norm_type), avg_pool2d, 2, options)


# -- layers ----------------------------------------------------------------------------------------------


class _Pool(OfFunction):
    """A pooling function as a layer."""

    _kept_as = "{}"
    _is_named = True
    ksize = attribute("kernel_size")

    def extra_repr(self) -> str:
        """Returns the lengths, the stride and the padding."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _PoolOfNorms(OfFunction):
    """A pooling function with a norm as a layer."""

    _kept_as = "{}"
    _is_named = True
    norm_type: Any
    stride: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.norm_type = float(self.norm_type)
        if hasattr(type(self), "ksize") and self.stride is None:
            self.stride = self.ksize


_WINDOW = "kernel_size stride padding"
MaxPool1D = layer_of("MaxPool1D", max_pool1d, f"{_WINDOW} return_mask ceil_mode", _Pool)
MaxPool2D = layer_of("MaxPool2D", max_pool2d, f"{_WINDOW} return_mask ceil_mode data_format", _Pool)
MaxPool3D = layer_of("MaxPool3D", max_pool3d, f"{_WINDOW} return_mask ceil_mode data_format", _Pool)
AvgPool1D = layer_of("AvgPool1D", avg_pool1d, f"{_WINDOW} exclusive ceil_mode", _Pool)
AvgPool2D = layer_of(
    "AvgPool2D",
    avg_pool2d,
    f"{_WINDOW} ceil_mode exclusive divisor_override data_format",
    _Pool,
    known="divisor=divisor_override",
)
AvgPool3D = layer_of(
    "AvgPool3D",
    avg_pool3d,
    f"{_WINDOW} ceil_mode exclusive divisor_override data_format",
    _Pool,
    known="divisor=divisor_override",
)
LPPool1D = layer_of(
    "LPPool1D LPPool1d", lp_pool1d, f"norm_type {_WINDOW} ceil_mode data_format", _PoolOfNorms
)
LPPool2D = layer_of(
    "LPPool2D LPPool2d", lp_pool2d, f"norm_type {_WINDOW} ceil_mode data_format", _PoolOfNorms,
    known="ksize=kernel_size",
)  # fmt: skip
