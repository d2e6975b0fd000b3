"""Pooling over a given number of parts of an axis, and unpooling, with their layers."""

from __future__ import annotations

import math
from typing import Any

from penstock.functions import array as arrays
from penstock.functions import convolution as native
from penstock.functions import segments
from penstock.functions.composite import composite
from penstock.ops import reduce
from penstock.ops import shape as shapes
from penstock.paddle._convert import called, integers_in, operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle.nn._function_layers import attribute, layer_of_several
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._pooling import largest_with_places
from penstock.paddle.nn._windows import FORMATS, channels_last, plain, rank_is
from penstock.trace.tensor import Tensor


@composite(1, "adaptive_avg_pool")
def _adaptive(x: Any, rank: int, output_size: Any, data_format: str) -> Tensor:
    name = f"adaptive_avg_pool{rank}d"
    rank_is(name, x, rank)
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
    return called(_adaptive, operand(x), rank, plain(output_size), data_format or FORMATS[rank][0])


@in_functional("paddle.adaptive_avg_pool1d")
def adaptive_avg_pool1d(x: Any, output_size: Any, name: Any = None) -> Any:
    """Returns means of x [N, C, L] over `output_size` parts, which are as long as each other or nearly so."""
    return called(_adaptive, operand(x), 1, plain(output_size), "NCL")


@in_functional
def adaptive_avg_pool2d(x: Any, output_size: Any, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns means of x [N, C, H, W] over parts: one number for both axes, or two; None keeps an axis."""
    return called(_adaptive, operand(x), 2, plain(output_size), data_format)


def _adaptive_max(x: Any, rank: int, output_size: Any, return_mask: bool) -> Any:
    x = operand(x)
    given = integers_in(output_size)
    several = (given,) * rank if isinstance(given, int) else tuple(given)
    own = x._spec.shape[2:]
    counts = [n if m is None else int(m) for n, m in zip(own, several, strict=True)]
    ranges = [
        [range(i * n // m, -((i + 1) * n // -m)) for i in range(m)] for n, m in zip(own, counts, strict=True)
    ]
    found = largest_with_places(x, ranges)
    return found if return_mask else found[0]


@in_functional
def adaptive_max_pool1d(x: Any, output_size: Any, return_mask: bool = False, name: Any = None) -> Any:
    """Returns the largest elements of parts of x [N, C, L], and with `return_mask` their places."""
    return _adaptive_max(x, 1, output_size, return_mask)


@in_functional
def adaptive_max_pool2d(x: Any, output_size: Any, return_mask: bool = False, name: Any = None) -> Any:
    """Returns the largest elements of parts of x [N, C, H, W], and with `return_mask` their places."""
    return _adaptive_max(x, 2, output_size, return_mask)


@in_functional
def adaptive_max_pool3d(x: Any, output_size: Any, return_mask: bool = False, name: Any = None) -> Any:
    """Returns the largest elements of parts of x [N, C, D, H, W], and with `return_mask` their places."""
    return _adaptive_max(x, 3, output_size, return_mask)


@in_functional
def adaptive_avg_pool3d(x: Any, output_size: Any, data_format: str = "NCDHW", name: Any = None) -> Any:
    """Returns means of x [N, C, D, H, W] over parts: one number for all axes, or three."""
    return adaptive_mean(x, 3, output_size, data_format)


@composite(2, "max_unpool")
def _unpooled(x: Any, indices: Any, lengths: Any) -> Tensor:
    batch, channels = x.shape[:2]
    size, count = math.prod(lengths), math.prod(x.shape[2:])
    rows = arrays.reshape(arrays.arange(batch * channels) * size, (batch * channels, 1))
    places = arrays.reshape(arrays.reshape(indices, (batch * channels, count)).astype("int64") + rows, (-1,))
    zeros = arrays.zeros((batch * channels * size,), dtype=x.dtype)
    found = segments.scatter_update(zeros, places, arrays.reshape(x, (-1,)))
    return arrays.reshape(found, (batch, channels, *lengths))


def _unpool(x: Any, indices: Any, rank: int, kernel: Any, stride: Any, padding: Any, output_size: Any) -> Any:
    def several(value: Any) -> tuple[int, ...]:
        value = integers_in(value)
        return (value,) * rank if isinstance(value, int) else tuple(value)

    x = operand(x)
    window = several(kernel)
    steps = window if stride is None else several(stride)
    if output_size is None:
        own = zip(x._spec.shape[2:], window, steps, several(padding), strict=True)
        lengths = tuple((n - 1) * s - 2 * p + w for n, w, s, p in own)
    else:
        lengths = several(output_size)[-rank:]
    return _unpooled(x, operand(indices), lengths)


@in_functional
def max_unpool1d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCL",
    output_size: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns zeros with the elements of x at the places that max_pool1d gave; `data_format` is "NCL"."""
    return _unpool(x, indices, 1, kernel_size, stride, padding, output_size)


@in_functional
def max_unpool2d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCHW",
    output_size: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns zeros with the elements of x at the places that max_pool2d gave; `data_format` is "NCHW"."""
    return _unpool(x, indices, 2, kernel_size, stride, padding, output_size)


# -- layers ----------------------------------------------------------------------------------------------

MaxUnPool1D = layer_of_several(
    "MaxUnPool1D",
    max_unpool1d,
    "kernel_size stride padding data_format output_size",
    "output_size",
    "ksize=kernel_size",
)
MaxUnPool2D = layer_of_several(
    "MaxUnPool2D",
    max_unpool2d,
    "kernel_size stride padding data_format output_size",
    "output_size",
    "ksize=kernel_size",
)


@in_nn
class AdaptiveAvgPool1D(Layer):
    """Means over `output_size` parts of [N, C, L]."""

    _output_size = attribute("output_size")
    name: str | None

    def __init__(self, output_size: Any, name: str | None = None) -> None:
        super().__init__()
        self.output_size, self.name = output_size, name

    def forward(self, x: Any) -> Any:
        """Returns the means."""
        return adaptive_avg_pool1d(x, self.output_size)

    def extra_repr(self) -> str:
        """Returns how many parts there are."""
        return f"output_size={self.output_size}"


@in_nn
class AdaptiveAvgPool2D(AdaptiveAvgPool1D):
    """Means over `output_size` parts of [N, C, H, W]: a number for both axes, or two; None keeps an axis."""

    def __init__(self, output_size: Any, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__(output_size)
        self._data_format, self.name = data_format, name

    def forward(self, x: Any) -> Any:
        """Returns the means."""
        return adaptive_avg_pool2d(x, self.output_size, self._data_format)


@in_nn("AdaptiveMaxPool1d")
class AdaptiveMaxPool1D(Layer):
    """The largest elements of `output_size` parts of [N, C, L]."""

    return_indices = _return_mask = attribute("return_mask")
    _output_size = attribute("output_size")
    _function = staticmethod(adaptive_max_pool1d)

    def __init__(self, output_size: Any, return_mask: bool = False, name: str | None = None) -> None:
        super().__init__()
        self.output_size, self.return_mask, self.name = output_size, return_mask, name

    def forward(self, x: Any) -> Any:
        """Returns the largest elements, and with `return_mask` their places."""
        return type(self)._function(x, self.output_size, self.return_mask)

    def extra_repr(self) -> str:
        """Returns how many parts there are."""
        return f"output_size={self.output_size}, return_mask={self.return_mask}"


@in_nn("AdaptiveMaxPool2d")
class AdaptiveMaxPool2D(AdaptiveMaxPool1D):
    """The largest elements of parts of [N, C, H, W]."""

    _function = staticmethod(adaptive_max_pool2d)


@in_nn("AdaptiveMaxPool3d")
class AdaptiveMaxPool3D(AdaptiveMaxPool1D):
    """The largest elements of parts of [N, C, D, H, W]."""

    _function = staticmethod(adaptive_max_pool3d)


@in_nn
class AdaptiveAvgPool3D(Layer):
    """Means over parts of [N, C, D, H, W]."""

    output_size = attribute("_output_size")

    def __init__(self, output_size: Any, data_format: str = "NCDHW", name: str | None = None) -> None:
        super().__init__()
        self._output_size, self._data_format = output_size, data_format

    def forward(self, x: Any) -> Any:
        """Returns the means."""
        return adaptive_avg_pool3d(x, self.output_size, self._data_format)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"output_size={self.output_size}"
