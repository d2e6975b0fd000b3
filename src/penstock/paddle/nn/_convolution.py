"""Convolutions, and the layers that learn their weights; arguments as Paddle writes them."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from penstock.functions import convolution as native
from penstock.functions.composite import composite
from penstock.ops import shape as shapes
from penstock.ops.window import convolution, dilated
from penstock.paddle._convert import HANDLES, called, operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle.nn import initializer
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.nn._padding import pad
from penstock.paddle.nn._windows import FORMATS, channels_last, padding_of, plain, rank_is
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _placed(bias: Tensor, y: Tensor, last: bool) -> Tensor:
    return bias if last else shapes.reshape(bias, shape=(1, y.shape[1], *(1,) * (y.ndim - 2)))


@composite(2, "conv")
def _conv(
    x: Any, weight: Any, rank: int, stride: Any, padding: Any, dilation: Any, groups: int, data_format: str
) -> Tensor:
    name = f"conv{rank}d"
    rank_is(name, x, rank)
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
    pads = padding_of(name, padding, rank, last)
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
    return y + _placed(bias, y, data_format == FORMATS[rank][1])


@composite(2, "conv_transpose")
def _transposed(
    x: Any, weight: Any, rank: int, stride: Any, padding: Any, output_padding: Any, groups: int,
    dilation: Any, output_size: Any, data_format: str,
) -> Tensor:  # fmt: skip
    name = f"conv{rank}d_transpose"
    rank_is(name, x, rank)
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
    given = padding_of(name, padding, rank, last)
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
    return y + _placed(bias, y, others[-1] == FORMATS[rank][1])


def convolved(x: Any, weight: Any, bias: Any, rank: int, *others: Any) -> Any:
    """Returns a convolution; `others` are stride, padding, dilation, groups and data_format."""
    others = tuple([plain(one) if isinstance(one, (list, tuple, *HANDLES)) else one for one in others])
    if bias is None:
        return called(_conv, operand(x), weight, rank, *others)
    return called(_conv_with_bias, operand(x), weight, bias, rank, *others)


def convolved_back(x: Any, weight: Any, bias: Any, rank: int, *others: Any) -> Any:
    """Returns a transposed convolution.

    `others` are stride, padding, output_padding, groups, dilation, output_size and data_format.
    """
    others = tuple([plain(one) if isinstance(one, (list, tuple, *HANDLES)) else one for one in others])
    if bias is None:
        return called(_transposed, operand(x), weight, rank, *others)
    return called(_transposed_with_bias, operand(x), weight, bias, rank, *others)


@in_functional("paddle.conv1d")
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


@in_functional("paddle.conv2d")
def conv2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of x [N, C, H, W] with a weight [filters, C / groups, height, width]."""
    return convolved(x, weight, bias, 2, stride, padding, dilation, groups, data_format)


@in_functional("paddle.conv3d")
def conv3d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, data_format: str = "NCDHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the convolution of x [N, C, D, H, W] with a weight [filters, C / groups, *lengths]."""
    return convolved(x, weight, bias, 3, stride, padding, dilation, groups, data_format)


@in_functional
def conv1d_transpose(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1, output_size: Any = None, data_format: str = "NCL", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x [N, C, L] convolved the other way, with a weight [C, filters / groups, length]."""
    return convolved_back(
        x, weight, bias, 1, stride, padding, output_padding, groups, dilation, output_size, data_format
    )


@in_functional
def conv2d_transpose(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    dilation: Any = 1, groups: int = 1, output_size: Any = None, data_format: str = "NCHW", name: Any = None,
) -> Any:  # fmt: skip
    """Returns x [N, C, H, W] convolved the other way, with a weight [C, filters / groups, height, width]."""
    return convolved_back(
        x, weight, bias, 2, stride, padding, output_padding, groups, dilation, output_size, data_format
    )


# -- layers ----------------------------------------------------------------------------------------------


def _several(value: Any, rank: int) -> list[int]:
    return list(value) if isinstance(value, list | tuple) else [value] * rank


_MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Layer):
    """Parameters and printing of the convolutions."""

    _rank: ClassVar[int]
    _transposed: ClassVar[bool] = False
    _padding: Any

    def _prepare(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        output_padding: Any, dilation: Any, groups: int, padding_mode: str, weight_attr: Any, bias_attr: Any,
        data_format: str, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        rank = self._rank
        channels_last(type(self).__name__, data_format, rank)
        if padding_mode not in _MODES:
            raise InvalidValueError(
                f"padding_mode must be one of {list(_MODES)}, but got padding_mode={padding_mode!r}",
                site=here(),
            )
        if padding_mode != "zeros" and not isinstance(padding, int):
            raise InvalidTypeError(
                f"when padding_mode is {padding_mode!r}, padding must be an int, but it is {padding!r}.",
                remedy='Pad before: paddle.nn.functional.pad(x, ..., mode="' + padding_mode + '").',
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
        self.weight = self.create_parameter(lengths, weight_attr, dtype, default_initializer=start)
        self.bias = self.create_parameter([out_channels], bias_attr, dtype, is_bias=True)

    def extra_repr(self) -> str:
        """Returns the channels, the lengths, and the settings that differ from their defaults."""
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        if self._stride != [1] * self._rank:
            text += f", stride={self._stride}"
        if self._padding != 0:
            text += f", padding={self._padding}"
        if self._padding_mode != "zeros":
            text += f", padding_mode={self._padding_mode}"
        if self.output_padding != 0:
            text += f", output_padding={self.output_padding}"
        if self._dilation != [1] * self._rank:
            text += f", dilation={self._dilation}"
        if self._groups != 1:
            text += f", groups={self._groups}"
        return f"{text}, data_format={self._data_format}"


class _Forward(_Conv):
    """Without `bias` there is none, whatever `bias_attr`. `device` does nothing: there is one place."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None,
        bias_attr: Any = None, data_format: str | None = None, *, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        data_format = data_format or ("NCL", "NCHW", "NCDHW")[self._rank - 1]
        self._prepare(
            in_channels, out_channels, kernel_size, stride, padding, 0, dilation, groups, padding_mode,
            weight_attr, bias_attr if bias else False, data_format, dtype,
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        """Returns the convolution of the input, around which entries by `padding_mode` are put first."""
        padding = self._padding
        if self._padding_mode != "zeros":
            x, padding = pad(x, [padding] * 2 * self._rank, self._padding_mode, 0.0, self._data_format), 0
        return convolved(
            x, self.weight, self.bias, self._rank, self._stride, padding, self._dilation, self._groups,
            self._data_format,
        )  # fmt: skip


@in_nn("Conv1d")
class Conv1D(_Forward):
    """The convolution of [N, C, L] with `out_channels` filters; the weight is [filters, C / groups, length].

    >>> from penstock import paddle
    >>> paddle.nn.Conv1D(2, 3, 5)
    Conv1D(2, 3, kernel_size=[5], data_format=NCL)
    """

    _rank = 1


@in_nn("Conv2d")
class Conv2D(_Forward):
    """The convolution of [N, C, H, W] with `out_channels` filters; the weight is [filters, C / groups, h, w].

    >>> from penstock import paddle
    >>> layer = paddle.nn.Conv2D(3, 8, 3, padding=1)
    >>> layer(paddle.ones([2, 3, 5, 5])).shape
    paddle.Size([2, 8, 5, 5])
    """

    _rank = 2


@in_nn("Conv3d")
class Conv3D(_Forward):
    """The convolution of [N, C, D, H, W] with `out_channels` filters."""

    _rank = 3


class _Back(_Conv):
    _transposed = True

    def forward(self, x: Any, output_size: Any = None) -> Any:
        """Returns the input convolved the other way."""
        more = 0 if output_size is not None else self.output_padding
        return convolved_back(
            x, self.weight, self.bias, self._rank, self._stride, self._padding, more, self._groups,
            self._dilation, output_size, self._data_format,
        )  # fmt: skip


@in_nn
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


@in_nn
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
