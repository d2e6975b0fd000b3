"""Layers that slide a window: convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from penstock.paddle._errors import InvalidValueError
from penstock.paddle.nn import _windows as windows
from penstock.paddle.nn import initializer
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here


def _several(value: Any, rank: int) -> list[int]:
    return list(value) if isinstance(value, list | tuple) else [value] * rank


class _Conv(Layer):
    """Parameters and printing of the convolutions."""

    _rank: ClassVar[int]
    _transposed: ClassVar[bool] = False
    _padding: Any

    def _prepare(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        output_padding: Any, dilation: Any, groups: int, padding_mode: str, weight_attr: Any, bias_attr: Any,
        data_format: str,
    ) -> None:  # fmt: skip
        super().__init__()
        rank = self._rank
        windows.channels_last(type(self).__name__, data_format, rank)
        if padding_mode != "zeros":
            raise InvalidValueError(
                f"{type(self).__name__}: padding_mode={padding_mode!r} is not supported yet.",
                remedy='Leave it at "zeros".',
                site=here(),
            )
        if in_channels % groups or out_channels % groups:
            raise InvalidValueError(
                "in_channels must be divisible by groups."
                if in_channels % groups
                else "out_channels must be divisible by groups.",
                origin=f"in_channels is {in_channels}, out_channels {out_channels}, groups {groups}",
                site=here(),
            )
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = _several(kernel_size, rank)
        self._stride, self._dilation = _several(stride, rank), _several(dilation, rank)
        self._padding, self._padding_mode, self._data_format = padding, padding_mode, data_format
        self.output_padding = output_padding
        if self._transposed:
            lengths = [in_channels, out_channels // groups, *self._kernel_size]
            start = None
        else:
            lengths = [out_channels, in_channels // groups, *self._kernel_size]
            start = initializer.Normal(0.0, math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels)))
        self.weight = self.create_parameter(lengths, weight_attr, default_initializer=start)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def extra_repr(self) -> str:
        """Returns the channels, the lengths, and what is not as by default."""
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        if self._stride != [1] * self._rank:
            text += f", stride={self._stride}"
        if self._padding != 0:
            text += f", padding={self._padding}"
        if self.output_padding != 0:
            text += f", output_padding={self.output_padding}"
        if self._dilation != [1] * self._rank:
            text += f", dilation={self._dilation}"
        if self._groups != 1:
            text += f", groups={self._groups}"
        return f"{text}, data_format={self._data_format}"


class _Forward(_Conv):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
        bias_attr: Any = None, data_format: str | None = None,
    ) -> None:  # fmt: skip
        data_format = data_format or ("NCL", "NCHW", "NCDHW")[self._rank - 1]
        self._prepare(
            in_channels, out_channels, kernel_size, stride, padding, 0, dilation, groups, padding_mode,
            weight_attr, bias_attr, data_format,
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        """Returns the convolution of the input."""
        return windows.convolved(
            x, self.weight, self.bias, self._rank, self._stride, self._padding, self._dilation, self._groups,
            self._data_format,
        )  # fmt: skip


class Conv1D(_Forward):
    """The convolution of [N, C, L] with `out_channels` filters; the weight is [filters, C / groups, length].

    >>> from penstock import paddle
    >>> paddle.nn.Conv1D(2, 3, 5)
    Conv1D(2, 3, kernel_size=[5], data_format=NCL)
    """

    _rank = 1


class Conv2D(_Forward):
    """The convolution of [N, C, H, W] with `out_channels` filters; the weight is [filters, C / groups, h, w].

    >>> from penstock import paddle
    >>> layer = paddle.nn.Conv2D(3, 8, 3, padding=1)
    >>> layer(paddle.ones([2, 3, 5, 5])).shape
    paddle.Size([2, 8, 5, 5])
    """

    _rank = 2


class Conv3D(_Forward):
    """The convolution of [N, C, D, H, W] with `out_channels` filters."""

    _rank = 3


class _Back(_Conv):
    _transposed = True

    def forward(self, x: Any, output_size: Any = None) -> Any:
        """Returns the input convolved the other way."""
        more = 0 if output_size is not None else self.output_padding
        return windows.convolved_back(
            x, self.weight, self.bias, self._rank, self._stride, self._padding, more, self._groups,
            self._dilation, output_size, self._data_format,
        )  # fmt: skip


class Conv1DTranspose(_Back):
    """The gradient of a convolution as a layer: [N, C, L] becomes longer."""

    _rank = 1

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1, weight_attr: Any = None,
        bias_attr: Any = None, data_format: str = "NCL",
    ) -> None:  # fmt: skip
        self._prepare(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups,
            "zeros", weight_attr, bias_attr, data_format,
        )  # fmt: skip


class Conv2DTranspose(_Back):
    """The gradient of a convolution as a layer: [N, C, H, W] becomes larger.

    >>> from penstock import paddle
    >>> layer = paddle.nn.Conv2DTranspose(3, 8, 2, stride=2)
    >>> layer(paddle.ones([2, 3, 5, 5])).shape
    paddle.Size([2, 8, 10, 10])
    """

    _rank = 2

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, dilation: Any = 1, groups: int = 1, weight_attr: Any = None,
        bias_attr: Any = None, data_format: str = "NCHW",
    ) -> None:  # fmt: skip
        self._prepare(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups,
            "zeros", weight_attr, bias_attr, data_format,
        )  # fmt: skip


# -- pooling ----------------------------------------------------------------------------------------------


class _Pool(Layer):
    """A pooling function as a layer: `_names` are its arguments after the input, with their defaults."""

    _function: Callable[..., Any]
    _names: tuple[tuple[str, Any], ...]

    def __init__(self, kernel_size: Any, *arguments: Any, **options: Any) -> None:
        super().__init__()
        options.pop("name", None)
        given = dict(zip((name for name, _ in self._names), arguments))
        self._arguments = {name: options.pop(name, given.get(name, default)) for name, default in self._names}
        if options:
            raise TypeError(
                f"{type(self).__name__}() got an unexpected keyword argument {next(iter(options))!r}"
            )
        self.kernel_size = self.ksize = kernel_size
        self.stride, self.padding = self._arguments["stride"], self._arguments["padding"]

    def forward(self, x: Any) -> Any:
        """Returns the input with its windows reduced."""
        return type(self)._function(x, self.kernel_size, **self._arguments)

    def extra_repr(self) -> str:
        """Returns the lengths, the stride and the padding."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def _pooling(name: str, function: Callable[..., Any], *names: tuple[str, Any]) -> Any:
    docstring = f"The function `{function.__name__}` as a layer."
    members = {
        "_function": staticmethod(function),
        "_names": (("stride", None), ("padding", 0), *names),
        "__doc__": docstring,
        "__module__": __name__,
    }
    return type(name, (_Pool,), members)


_MASK, _CEIL, _EXCLUSIVE = ("return_mask", False), ("ceil_mode", False), ("exclusive", True)
_DIVISOR = ("divisor_override", None)
MaxPool1D = _pooling("MaxPool1D", windows.max_pool1d, _MASK, _CEIL)
MaxPool2D = _pooling("MaxPool2D", windows.max_pool2d, _MASK, _CEIL, ("data_format", "NCHW"))
MaxPool3D = _pooling("MaxPool3D", windows.max_pool3d, _MASK, _CEIL, ("data_format", "NCDHW"))
AvgPool1D = _pooling("AvgPool1D", windows.avg_pool1d, _EXCLUSIVE, _CEIL)
AvgPool2D = _pooling("AvgPool2D", windows.avg_pool2d, _CEIL, _EXCLUSIVE, _DIVISOR, ("data_format", "NCHW"))
AvgPool3D = _pooling("AvgPool3D", windows.avg_pool3d, _CEIL, _EXCLUSIVE, _DIVISOR, ("data_format", "NCDHW"))


class AdaptiveAvgPool1D(Layer):
    """Means over `output_size` parts of [N, C, L]."""

    def __init__(self, output_size: Any, name: str | None = None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, x: Any) -> Any:
        """Returns the means."""
        return windows.adaptive_avg_pool1d(x, self.output_size)

    def extra_repr(self) -> str:
        """Returns how many parts there are."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2D(AdaptiveAvgPool1D):
    """Means over `output_size` parts of [N, C, H, W]: a number for both axes, or two; None keeps an axis."""

    def __init__(self, output_size: Any, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__(output_size)
        self._data_format = data_format

    def forward(self, x: Any) -> Any:
        """Returns the means."""
        return windows.adaptive_avg_pool2d(x, self.output_size, self._data_format)


__all__ = [
    "AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AvgPool1D", "AvgPool2D", "AvgPool3D", "Conv1D",
    "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "MaxPool1D", "MaxPool2D", "MaxPool3D",
]  # fmt: skip
