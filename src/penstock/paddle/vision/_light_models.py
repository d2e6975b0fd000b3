"""Models of images that are small or fast: AlexNet, SqueezeNet, MobileNet 1 and 3, ShuffleNet 2.

Sublayers have Paddle's names, so that files of weights fit.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from penstock.paddle import nn
from penstock.paddle._manipulation import concat, flatten, split, squeeze
from penstock.paddle.nn import functional as F
from penstock.paddle.nn._rearranging import channel_shuffle
from penstock.paddle.vision.models import _drawn, _rounded


class ConvNormActivation(nn.Sequential):
    """A convolution, then a layer that normalises, then an activation; None leaves one of them out.

    The padding keeps the size by default. The convolution has a bias if no normalization follows.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any = 3, stride: Any = 1, padding: Any = None,
        groups: int = 1, norm_layer: Any = nn.BatchNorm2D, activation_layer: Any = nn.ReLU, dilation: int = 1,
        bias: bool | None = None,
    ) -> None:  # fmt: skip
        padding = (kernel_size - 1) // 2 * dilation if padding is None else padding
        wanted = None if (norm_layer is None if bias is None else bias) else False
        layers = [
            nn.Conv2D(
                in_channels, out_channels, kernel_size, stride, padding, dilation=dilation, groups=groups,
                bias_attr=wanted,
            )
        ]  # fmt: skip
        layers += [] if norm_layer is None else [norm_layer(out_channels)]
        layers += [] if activation_layer is None else [activation_layer()]
        super().__init__(*layers)


def _within(bound: float) -> Any:
    return nn.ParamAttr(initializer=nn.initializer.Uniform(-bound, bound))


def _drawn_evenly(kind: Any, inside: int, *arguments: Any, **options: Any) -> Any:
    """Returns a layer whose parameters are drawn between -1 / sqrt(inside) and 1 / sqrt(inside)."""
    bound = 1.0 / math.sqrt(inside)
    return kind(*arguments, **options, weight_attr=_within(bound), bias_attr=_within(bound))


class _ConvolvedAndPooled(nn.Layer):
    def __init__(self, channels: int, width: int, kernel: int, stride: int, padding: int) -> None:
        super().__init__()
        inside = channels * kernel * kernel
        self._conv = _drawn_evenly(nn.Conv2D, inside, channels, width, kernel, stride, padding)
        self._pool = nn.MaxPool2D(3, 2)

    def forward(self, inputs: Any) -> Any:
        """Returns the largest entries of the convolution, above 0."""
        return self._pool(F.relu(self._conv(inputs)))


class AlexNet(nn.Layer):
    """Five convolutions and three linear layers, for images [N, 3, 224, 224] (Krizhevsky et al., 2012)."""

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = _ConvolvedAndPooled(3, 64, 11, 4, 2)
        self._conv2 = _ConvolvedAndPooled(64, 192, 5, 1, 2)
        self._conv3 = _drawn_evenly(nn.Conv2D, 192 * 9, 192, 384, 3, 1, 1)
        self._conv4 = _drawn_evenly(nn.Conv2D, 384 * 9, 384, 256, 3, 1, 1)
        self._conv5 = _ConvolvedAndPooled(256, 256, 3, 1, 1)
        if num_classes > 0:
            flat = 256 * 6 * 6
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = _drawn_evenly(nn.Linear, flat, flat, 4096)
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = _drawn_evenly(nn.Linear, flat, 4096, 4096)
            self._fc8 = _drawn_evenly(nn.Linear, flat, 4096, num_classes)

    def forward(self, inputs: Any) -> Any:
        """Returns the scores of the classes."""
        x = F.relu(self._conv3(self._conv2(self._conv1(inputs))))
        x = self._conv5(F.relu(self._conv4(x)))
        if self.num_classes > 0:
            x = F.relu(self._fc6(self._drop1(flatten(x, 1))))
            x = self._fc8(F.relu(self._fc7(self._drop2(x))))
        return x


class _Fired(nn.Layer):
    def __init__(self, channels: int, width: int, kernel: int, padding: int = 0) -> None:
        super().__init__()
        self._conv = nn.Conv2D(channels, width, kernel, padding=padding)

    def forward(self, x: Any) -> Any:
        """Returns the convolution, above 0."""
        return F.relu(self._conv(x))


class _Fire(nn.Layer):
    """Few channels, and then many by two convolutions side by side."""

    def __init__(self, channels: int, few: int, many: int) -> None:
        super().__init__()
        self._conv = _Fired(channels, few, 1)
        self._conv_path1, self._conv_path2 = _Fired(few, many, 1), _Fired(few, many, 3, 1)

    def forward(self, inputs: Any) -> Any:
        """Returns both results, one after the other."""
        x = self._conv(inputs)
        return concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


class SqueezeNet(nn.Layer):
    """Fire modules (Iandola et al., 2016), `version` "1.0" or "1.1", for images [N, 3, H, W]."""

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        assert version in ("1.0", "1.1"), (
            f"supported versions are ['1.0', '1.1'] but input version is {version}"
        )
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        first = 96 if version == "1.0" else 64
        self._conv = nn.Conv2D(3, 96, 7, 2) if version == "1.0" else nn.Conv2D(3, 64, 3, 2, 1)
        self._pool = nn.MaxPool2D(3, 2)
        for number, few in enumerate((16, 16, 32, 32, 48, 48, 64, 64), 1):
            setattr(self, f"_conv{number}", _Fire(first, few, 4 * few))
            first = 8 * few
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        self._conv9 = nn.Conv2D(512, num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs: Any) -> Any:
        """Returns the scores of the classes."""
        x = self._pool(F.relu(self._conv(inputs)))
        pooled = (3, 7) if self.version == "1.0" else (2, 4)
        for number in range(1, 9):
            x = getattr(self, f"_conv{number}")(x)
            x = self._pool(x) if number in pooled else x
        if self.num_classes > 0:
            x = self._conv9(self._drop(x))
        return squeeze(self._avg_pool(F.relu(x)), [2, 3]) if self.with_pool else x


class _Separable(nn.Layer):
    def __init__(self, channels: int, width: int, stride: int, scale: float) -> None:
        super().__init__()
        inside, outside = int(channels * scale), int(width * scale)
        self._depthwise_conv = ConvNormActivation(inside, inside, 3, stride, 1, groups=inside)
        self._pointwise_conv = ConvNormActivation(inside, outside, 1, 1, 0)

    def forward(self, x: Any) -> Any:
        """Returns a convolution of each channel, then one across channels."""
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(nn.Layer):
    """Convolutions of single channels, and across them (Howard et al., 2017), for images [N, 3, H, W]."""

    _LAYERS = (
        ("conv2_1", 32, 64, 1), ("conv2_2", 64, 128, 2), ("conv3_1", 128, 128, 1), ("conv3_2", 128, 256, 2),
        ("conv4_1", 256, 256, 1), ("conv4_2", 256, 512, 2),
        *((f"conv5_{i}", 512, 512, 1) for i in range(1, 6)),
        ("conv5_6", 512, 1024, 2), ("conv6", 1024, 1024, 1),
    )  # fmt: skip

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, 2, 1)
        for name, channels, width, stride in self._LAYERS:
            self.add_sublayer(name, _Separable(channels, width, stride, scale))
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.conv1(x)
        for name, *_ in self._LAYERS:
            x = getattr(self, name)(x)
        x = self.pool2d_avg(x) if self.with_pool else x
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


class SqueezeExcitation(nn.Layer):
    """Channels weighed by a function of their means (Hu et al., 2018)."""

    def __init__(
        self, input_channels: int, squeeze_channels: int, activation: Any = nn.ReLU,
        scale_activation: Any = nn.Sigmoid,
    ) -> None:  # fmt: skip
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2D(squeeze_channels, input_channels, 1)
        self.activation, self.scale_activation = activation(), scale_activation()

    def forward(self, input: Any) -> Any:
        """Returns the input, weighed."""
        weight = self.fc2(self.activation(self.fc1(self.avgpool(input))))
        return self.scale_activation(weight) * input


class _Inverted(nn.Layer):
    """More channels, a convolution of each, weights for each, and fewer again (Howard et al., 2019)."""

    def __init__(
        self, channels: int, kernel: int, wide: int, width: int, weighed: bool, activation: Any, stride: int,
        norm: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.use_res_connect = stride == 1 and channels == width
        self.use_se, self.expand = weighed, channels != wide
        made = functools.partial(ConvNormActivation, norm_layer=norm)
        if self.expand:
            self.expand_conv = made(channels, wide, 1, 1, 0, activation_layer=activation)
        half = (kernel - 1) // 2
        self.bottleneck_conv = made(
            wide, wide, kernel, stride, half, groups=wide, activation_layer=activation
        )
        if weighed:
            few = _rounded(wide // 4)
            self.mid_se = SqueezeExcitation(wide, few, scale_activation=nn.Hardsigmoid)
        self.linear_conv = made(wide, width, 1, 1, 0, activation_layer=None)

    def forward(self, x: Any) -> Any:
        """Returns the result, with a shortcut where the shapes allow."""
        found = self.bottleneck_conv(self.expand_conv(x) if self.expand else x)
        found = self.linear_conv(self.mid_se(found) if self.use_se else found)
        return x + found if self.use_res_connect else found


class MobileNetV3(nn.Layer):
    """The blocks of MobileNetV3 (Howard et al., 2019), one for each row of `config`."""

    def __init__(
        self, config: Any, last_channel: int, scale: float = 1.0, num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        rows: list[tuple[Any, ...]] = [
            (_rounded(one * scale), kernel, _rounded(wide * scale), _rounded(width * scale), *rest)
            for one, kernel, wide, width, *rest in config
        ]
        self.config, self.scale, self.last_channel = config, scale, last_channel
        self.num_classes, self.with_pool = num_classes, with_pool
        norm = functools.partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)
        made = functools.partial(ConvNormActivation, norm_layer=norm, activation_layer=nn.Hardswish)
        first, last = rows[0][0], rows[-1][0]
        self.conv = made(3, first, 3, 2, 1)
        self.blocks = nn.Sequential(*(_Inverted(*(*row, norm)) for row in rows))
        self.lastconv = made(last, last * 6, 1, 1, 0)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(last * 6, last_channel), nn.Hardswish(), nn.Dropout(0.2),
                nn.Linear(last_channel, num_classes),
            )  # fmt: skip

    def forward(self, x: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.lastconv(self.blocks(self.conv(x)))
        x = self.avgpool(x) if self.with_pool else x
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


_R, _H = nn.ReLU, nn.Hardswish


class MobileNetV3Small(MobileNetV3):
    """MobileNetV3 with eleven blocks; its widths are `scale` times those of the paper."""

    _ROWS: tuple[tuple[Any, ...], ...] = (
        (16, 3, 16, 16, True, _R, 2), (16, 3, 72, 24, False, _R, 2), (24, 3, 88, 24, False, _R, 1),
        (24, 5, 96, 40, True, _H, 2), (40, 5, 240, 40, True, _H, 1), (40, 5, 240, 40, True, _H, 1),
        (40, 5, 120, 48, True, _H, 1), (48, 5, 144, 48, True, _H, 1), (48, 5, 288, 96, True, _H, 2),
        (96, 5, 576, 96, True, _H, 1), (96, 5, 576, 96, True, _H, 1),
    )  # fmt: skip
    _LAST = 1024

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__(self._ROWS, _rounded(self._LAST * scale), scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3Small):
    """MobileNetV3 with fifteen blocks; its widths are `scale` times those of the paper."""

    _ROWS = (
        (16, 3, 16, 16, False, _R, 1), (16, 3, 64, 24, False, _R, 2), (24, 3, 72, 24, False, _R, 1),
        (24, 5, 72, 40, True, _R, 2), (40, 5, 120, 40, True, _R, 1), (40, 5, 120, 40, True, _R, 1),
        (40, 3, 240, 80, False, _H, 2), (80, 3, 200, 80, False, _H, 1), (80, 3, 184, 80, False, _H, 1),
        (80, 3, 184, 80, False, _H, 1), (80, 3, 480, 112, True, _H, 1), (112, 3, 672, 112, True, _H, 1),
        (112, 5, 672, 160, True, _H, 2), (160, 5, 960, 160, True, _H, 1), (160, 5, 960, 160, True, _H, 1),
    )  # fmt: skip
    _LAST = 1280


class _Halved(nn.Layer):
    """One half of the channels as it is, the other through three convolutions (Ma et al., 2018)."""

    def __init__(self, width: int, activation: Any) -> None:
        super().__init__()
        half = width // 2
        self._conv_pw = ConvNormActivation(half, half, 1, 1, 0, activation_layer=activation)
        self._conv_dw = ConvNormActivation(half, half, 3, 1, 1, groups=half, activation_layer=None)
        self._conv_linear = ConvNormActivation(half, half, 1, 1, 0, activation_layer=activation)

    def forward(self, inputs: Any) -> Any:
        """Returns both halves, shuffled."""
        kept, x = split(inputs, 2, axis=1)
        x = self._conv_linear(self._conv_dw(self._conv_pw(x)))
        return channel_shuffle(concat([kept, x], axis=1), 2)


class _Reduced(nn.Layer):
    """All channels through two branches, each of which halves the image (Ma et al., 2018)."""

    def __init__(self, channels: int, width: int, activation: Any) -> None:
        super().__init__()
        half = width // 2
        self._conv_dw_1 = ConvNormActivation(
            channels, channels, 3, 2, 1, groups=channels, activation_layer=None
        )
        self._conv_linear_1 = ConvNormActivation(channels, half, 1, 1, 0, activation_layer=activation)
        self._conv_pw_2 = ConvNormActivation(channels, half, 1, 1, 0, activation_layer=activation)
        self._conv_dw_2 = ConvNormActivation(half, half, 3, 2, 1, groups=half, activation_layer=None)
        self._conv_linear_2 = ConvNormActivation(half, half, 1, 1, 0, activation_layer=activation)

    def forward(self, inputs: Any) -> Any:
        """Returns both results, shuffled."""
        one = self._conv_linear_1(self._conv_dw_1(inputs))
        other = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(inputs)))
        return channel_shuffle(concat([one, other], axis=1), 2)


class ShuffleNetV2(nn.Layer):
    """Blocks that shuffle channels (Ma et al., 2018), for images [N, 3, H, W]; `act` is "relu" or "swish"."""

    _WIDTHS = {  # noqa: RUF012
        0.25: (24, 24, 48, 96, 512), 0.33: (24, 32, 64, 128, 512), 0.5: (24, 48, 96, 192, 1024),
        1.0: (24, 116, 232, 464, 1024), 1.5: (24, 176, 352, 704, 1024), 2.0: (24, 224, 488, 976, 2048),
    }  # fmt: skip

    def __init__(
        self, scale: float = 1.0, act: str | None = "relu", num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__()
        if scale not in self._WIDTHS:
            raise NotImplementedError(f"This scale size:[{scale}] is not implemented!")
        activations = {"relu": nn.ReLU, "swish": nn.Swish, None: None}
        if act not in activations:
            raise RuntimeError(f"The activation function is not supported: {act}")
        activation = activations[act]
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        first, *widths, last = self._WIDTHS[scale]
        self._conv1 = ConvNormActivation(3, first, 3, 2, 1, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(3, 2, 1)
        self._blocks: list[str] = []
        for stage, (width, count) in enumerate(zip(widths, (4, 8, 4), strict=True), 2):
            for number in range(1, count + 1):
                block = _Halved(width, activation) if number > 1 else _Reduced(first, width, activation)
                self._blocks.append(f"{stage}_{number}")
                self.add_sublayer(self._blocks[-1], block)
            first = width
        self._last_conv = ConvNormActivation(first, last, 1, 1, 0, activation_layer=activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(last, num_classes)

    def forward(self, inputs: Any) -> Any:
        """Returns the scores of the classes."""
        x = self._max_pool(self._conv1(inputs))
        for name in self._blocks:
            x = getattr(self, name)(x)
        x = self._last_conv(x)
        x = self._pool2d_avg(x) if self.with_pool else x
        return self._fc(flatten(x, 1)) if self.num_classes > 0 else x


def _made(name: str, kind: Any, **fixed: Any) -> Any:
    def model(pretrained: bool = False, **options: Any) -> Any:
        _drawn(name, pretrained)
        return kind(**{**fixed, **options})

    model.__name__ = model.__qualname__ = name
    settings = f", with {', '.join(f'{one}={value!r}' for one, value in fixed.items())}" if fixed else ""
    model.__doc__ = f"Returns the layer {kind.__name__}{settings}. Its weights are drawn."
    return model


alexnet = _made("alexnet", AlexNet)
squeezenet1_0 = _made("squeezenet1_0", SqueezeNet, version="1.0")
squeezenet1_1 = _made("squeezenet1_1", SqueezeNet, version="1.1")
mobilenet_v1 = _made("mobilenet_v1", MobileNetV1, scale=1.0)
mobilenet_v3_small = _made("mobilenet_v3_small", MobileNetV3Small, scale=1.0)
mobilenet_v3_large = _made("mobilenet_v3_large", MobileNetV3Large, scale=1.0)
shufflenet_v2_x0_25 = _made("shufflenet_v2_x0_25", ShuffleNetV2, scale=0.25)
shufflenet_v2_x0_33 = _made("shufflenet_v2_x0_33", ShuffleNetV2, scale=0.33)
shufflenet_v2_x0_5 = _made("shufflenet_v2_x0_5", ShuffleNetV2, scale=0.5)
shufflenet_v2_x1_0 = _made("shufflenet_v2_x1_0", ShuffleNetV2, scale=1.0)
shufflenet_v2_x1_5 = _made("shufflenet_v2_x1_5", ShuffleNetV2, scale=1.5)
shufflenet_v2_x2_0 = _made("shufflenet_v2_x2_0", ShuffleNetV2, scale=2.0)
shufflenet_v2_swish = _made("shufflenet_v2_swish", ShuffleNetV2, scale=1.0, act="swish")
