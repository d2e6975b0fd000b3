"""Models of images whose layers lie side by side or all feed the later ones: DenseNet, GoogLeNet, Inception.

Sublayers have Paddle's names, so that files of weights fit.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from penstock.paddle import nn
from penstock.paddle._manipulation import concat, flatten, squeeze
from penstock.paddle.nn import functional as F
from penstock.paddle.vision._light_models import ConvNormActivation, _made, _within


class _NormalizedFirst(nn.Layer):
    def __init__(self, channels: int, width: int, kernel: int, padding: int = 0) -> None:
        super().__init__()
        self._batch_norm = nn.BatchNorm(channels, act="relu")
        self._conv = nn.Conv2D(channels, width, kernel, padding=padding, bias_attr=False)

    def forward(self, input: Any) -> Any:
        """Returns the convolution of the ReLU of the normalized input."""
        return self._conv(self._batch_norm(input))


class _NormalizedLast(nn.Layer):
    def __init__(self, channels: int, width: int, kernel: int, stride: int, padding: int) -> None:
        super().__init__()
        self._conv = nn.Conv2D(channels, width, kernel, stride, padding, bias_attr=False)
        self._batch_norm = nn.BatchNorm(width, act="relu")

    def forward(self, input: Any) -> Any:
        """Returns the ReLU of the normalized convolution."""
        return self._batch_norm(self._conv(input))


class _Dense(nn.Layer):
    """A layer whose result is concatenated with its input."""

    def __init__(self, channels: int, growth: int, bottleneck: int, dropout: float) -> None:
        super().__init__()
        self.bn_ac_func1 = _NormalizedFirst(channels, bottleneck * growth, 1)
        self.bn_ac_func2 = _NormalizedFirst(bottleneck * growth, growth, 3, 1)
        self.dropout = dropout
        if dropout:
            self.dropout_func = nn.Dropout(dropout, mode="downscale_in_infer")

    def forward(self, input: Any) -> Any:
        """Returns the input and new channels."""
        found = self.bn_ac_func2(self.bn_ac_func1(input))
        return concat([input, self.dropout_func(found) if self.dropout else found], axis=1)


class _DenseBlock(nn.Layer):
    def __init__(
        self, name: str, channels: int, count: int, bottleneck: int, growth: int, dropout: float
    ) -> None:
        super().__init__()
        for number in range(count):
            layer = _Dense(channels + number * growth, growth, bottleneck, dropout)
            self.add_sublayer(f"{name}_{number + 1}", layer)

    def forward(self, input: Any) -> Any:
        """Returns the result of the last layer."""
        for layer in self.children():
            input = layer(input)
        return input


class _Transition(nn.Layer):
    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.conv_ac_func = _NormalizedFirst(channels, width, 1)
        self.pool2d_avg = nn.AvgPool2D(2, 2)

    def forward(self, input: Any) -> Any:
        """Returns fewer channels of half the size."""
        return self.pool2d_avg(self.conv_ac_func(input))


class DenseNet(nn.Layer):
    """Layers that take in the results of all layers before them (Huang et al., 2017), for [N, 3, H, W]."""

    _COUNTS = {  # noqa: RUF012
        121: (6, 12, 24, 16), 161: (6, 12, 36, 24), 169: (6, 12, 32, 32), 201: (6, 12, 48, 32),
        264: (6, 12, 64, 48),
    }  # fmt: skip

    def __init__(
        self, layers: int = 121, bn_size: int = 4, dropout: float = 0.0, num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        assert layers in self._COUNTS, (
            f"supported layers are {list(self._COUNTS)} but input layer is {layers}"
        )
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth = (96, 48) if layers == 161 else (64, 32)
        self.conv1_func = _NormalizedLast(3, channels, 7, 2, 3)
        self.pool2d_max = nn.MaxPool2D(3, 2, 1)
        self._names: list[str] = []
        for number, count in enumerate(self._COUNTS[layers], 2):
            block = _DenseBlock(f"conv{number}", channels, count, bn_size, growth, dropout)
            self._names.append(f"db_conv_{number}")
            self.add_sublayer(self._names[-1], block)
            channels += count * growth
            if number < 5:
                self._names.append(f"tr_conv{number}_blk")
                self.add_sublayer(self._names[-1], _Transition(channels, channels // 2))
                channels //= 2
        self.batch_norm = nn.BatchNorm(channels, act="relu")
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.out = nn.Linear(channels, num_classes, weight_attr=_within(1.0 / math.sqrt(channels)))

    def forward(self, input: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.pool2d_max(self.conv1_func(input))
        for name in self._names:
            x = getattr(self, name)(x)
        x = self.batch_norm(x)
        x = self.pool2d_avg(x) if self.with_pool else x
        return self.out(flatten(x, 1)) if self.num_classes > 0 else x


class _Plain(nn.Layer):
    def __init__(self, channels: int, width: int, kernel: int, stride: int = 1) -> None:
        super().__init__()
        self._conv = nn.Conv2D(channels, width, kernel, stride, (kernel - 1) // 2, bias_attr=False)

    def forward(self, inputs: Any) -> Any:
        """Returns the convolution."""
        return self._conv(inputs)


class _Inception(nn.Layer):
    """Convolutions of three sizes and a pooling, side by side (Szegedy et al., 2015)."""

    def __init__(
        self, channels: int, one: int, before_three: int, three: int, before_five: int, five: int, pooled: int
    ) -> None:
        super().__init__()
        self._conv1 = _Plain(channels, one, 1)
        self._conv3r, self._conv3 = _Plain(channels, before_three, 1), _Plain(before_three, three, 3)
        self._conv5r, self._conv5 = _Plain(channels, before_five, 1), _Plain(before_five, five, 5)
        self._pool = nn.MaxPool2D(3, 1, 1)
        self._convprj = _Plain(channels, pooled, 1)

    def forward(self, inputs: Any) -> Any:
        """Returns the four results, one after the other, above 0."""
        ways = (
            self._conv1(inputs), self._conv3(self._conv3r(inputs)), self._conv5(self._conv5r(inputs)),
            self._convprj(self._pool(inputs)),
        )  # fmt: skip
        return F.relu(concat(list(ways), axis=1))


def _linear(inside: int, outside: int, channels: int) -> Any:
    return nn.Linear(inside, outside, weight_attr=_within(math.sqrt(3.0 / channels)))


class GoogLeNet(nn.Layer):
    """Inception modules with two more classifiers on the way (Szegedy et al., 2015), for [N, 3, 224, 224]."""

    _ROWS = {  # noqa: RUF012
        "3a": (192, 64, 96, 128, 16, 32, 32), "3b": (256, 128, 128, 192, 32, 96, 64),
        "4a": (480, 192, 96, 208, 16, 48, 64), "4b": (512, 160, 112, 224, 24, 64, 64),
        "4c": (512, 128, 128, 256, 24, 64, 64), "4d": (512, 112, 144, 288, 32, 64, 64),
        "4e": (528, 256, 160, 320, 32, 128, 128), "5a": (832, 256, 160, 320, 32, 128, 128),
        "5b": (832, 384, 192, 384, 48, 128, 128),
    }  # fmt: skip

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv, self._pool = _Plain(3, 64, 7, 2), nn.MaxPool2D(3, 2)
        self._conv_1, self._conv_2 = _Plain(64, 64, 1), _Plain(64, 192, 3)
        for name, row in self._ROWS.items():
            setattr(self, f"_ince{name}", _Inception(*row))
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1, self._pool_o2 = nn.AvgPool2D(5, 3), nn.AvgPool2D(5, 3)
        if num_classes > 0:
            self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = _linear(1024, num_classes, 1024)
            for number, channels in (1, 512), (2, 528):
                setattr(self, f"_conv_o{number}", _Plain(channels, 128, 1))
                setattr(self, f"_fc_o{number}", _linear(1152, 1024, 2048))
                setattr(self, f"_drop_o{number}", nn.Dropout(0.7, mode="downscale_in_infer"))
                setattr(self, f"_out{number}", _linear(1024, num_classes, 1024))

    def forward(self, inputs: Any) -> Any:
        """Returns the scores of the classes by the last modules, and by those in the middle."""
        x = self._conv_2(self._conv_1(self._pool(self._conv(inputs))))
        kept = {}
        for name in self._ROWS:
            x = self._pool(x) if name in ("3a", "4a", "5a") else x
            x = kept[name] = getattr(self, f"_ince{name}")(x)
        out, out1, out2 = x, kept["4a"], kept["4d"]
        if self.with_pool:
            out, out1, out2 = self._pool_5(out), self._pool_o1(out1), self._pool_o2(out2)
        if self.num_classes > 0:
            out = self._fc_out(squeeze(self._drop(out), [2, 3]))
            out1 = F.relu(self._fc_o1(flatten(self._conv_o1(out1), 1)))
            out1 = self._out1(self._drop_o1(out1))
            out2 = self._fc_o2(flatten(self._conv_o2(out2), 1))
            out2 = self._out2(self._drop_o2(out2))
        return out, out1, out2


class _Ways(nn.Layer):
    """Chains of convolutions side by side, and a pooling: what `_chains` and `_ending` name, in that order.

    A chain is a list of names; a tuple of names ends it in several convolutions of the same input.
    """

    def __init__(self, convolutions: dict[str, tuple[Any, ...]], chains: Any, ending: str) -> None:
        super().__init__()
        self._chains, self._ending = chains, ending
        for name, row in convolutions.items():
            setattr(self, name, _normalized(*row))
        pool = nn.MaxPool2D(3, 2) if ending == "largest" else nn.AvgPool2D(3, 1, 1, exclusive=False)
        self.branch_pool = pool

    def forward(self, x: Any) -> Any:
        """Returns the results, one after the other."""
        found = []
        for chain in self._chains:
            y, last = x, ()
            for name in chain:
                if isinstance(name, tuple):
                    last = name
                else:
                    y = getattr(self, name)(y)
            found += [concat([getattr(self, one)(y) for one in last], axis=1)] if last else [y]
        pooled = self.branch_pool(x)
        found.append(pooled if self._ending == "largest" else self.branch_pool_conv(pooled))
        return concat(found, axis=1)


def _normalized(channels: int, width: int, kernel: Any, stride: int = 1, padding: Any = 0) -> Any:
    return ConvNormActivation(channels, width, kernel, stride, padding)


def _a(channels: int, pooled: int) -> _Ways:
    rows = {
        "branch1x1": (channels, 64, 1), "branch5x5_1": (channels, 48, 1), "branch5x5_2": (48, 64, 5, 1, 2),
        "branch3x3dbl_1": (channels, 64, 1), "branch3x3dbl_2": (64, 96, 3, 1, 1),
        "branch3x3dbl_3": (96, 96, 3, 1, 1), "branch_pool_conv": (channels, pooled, 1),
    }  # fmt: skip
    double = ["branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3"]
    return _Ways(rows, [["branch1x1"], ["branch5x5_1", "branch5x5_2"], double], "mean")


def _b(channels: int) -> _Ways:
    rows = {
        "branch3x3": (channels, 384, 3, 2), "branch3x3dbl_1": (channels, 64, 1),
        "branch3x3dbl_2": (64, 96, 3, 1, 1), "branch3x3dbl_3": (96, 96, 3, 2),
    }  # fmt: skip
    return _Ways(rows, [["branch3x3"], ["branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3"]], "largest")


def _c(channels: int, width: int) -> _Ways:
    row, column = ((1, 7), 1, (0, 3)), ((7, 1), 1, (3, 0))
    rows = {
        "branch1x1": (channels, 192, 1), "branch7x7_1": (channels, width, 1),
        "branch7x7_2": (width, width, *row), "branch7x7_3": (width, 192, *column),
        "branch7x7dbl_1": (channels, width, 1), "branch7x7dbl_2": (width, width, *column),
        "branch7x7dbl_3": (width, width, *row), "branch7x7dbl_4": (width, width, *column),
        "branch7x7dbl_5": (width, 192, *row), "branch_pool_conv": (channels, 192, 1),
    }  # fmt: skip
    chains = [
        ["branch1x1"],
        [f"branch7x7_{i}" for i in (1, 2, 3)],
        [f"branch7x7dbl_{i}" for i in range(1, 6)],
    ]
    return _Ways(rows, chains, "mean")


def _d(channels: int) -> _Ways:
    rows = {
        "branch3x3_1": (channels, 192, 1), "branch3x3_2": (192, 320, 3, 2),
        "branch7x7x3_1": (channels, 192, 1), "branch7x7x3_2": (192, 192, (1, 7), 1, (0, 3)),
        "branch7x7x3_3": (192, 192, (7, 1), 1, (3, 0)), "branch7x7x3_4": (192, 192, 3, 2),
    }  # fmt: skip
    chains = [["branch3x3_1", "branch3x3_2"], [f"branch7x7x3_{i}" for i in range(1, 5)]]
    return _Ways(rows, chains, "largest")


def _e(channels: int) -> _Ways:
    row, column = ((1, 3), 1, (0, 1)), ((3, 1), 1, (1, 0))
    rows = {
        "branch1x1": (channels, 320, 1), "branch3x3_1": (channels, 384, 1),
        "branch3x3_2a": (384, 384, *row), "branch3x3_2b": (384, 384, *column),
        "branch3x3dbl_1": (channels, 448, 1), "branch3x3dbl_2": (448, 384, 3, 1, 1),
        "branch3x3dbl_3a": (384, 384, *row), "branch3x3dbl_3b": (384, 384, *column),
        "branch_pool_conv": (channels, 192, 1),
    }  # fmt: skip
    chains = [
        ["branch1x1"], ["branch3x3_1", ("branch3x3_2a", "branch3x3_2b")],
        ["branch3x3dbl_1", "branch3x3dbl_2", ("branch3x3dbl_3a", "branch3x3dbl_3b")],
    ]  # fmt: skip
    return _Ways(rows, chains, "mean")


class _Stem(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv_1a_3x3 = _normalized(3, 32, 3, 2)
        self.conv_2a_3x3 = _normalized(32, 32, 3)
        self.conv_2b_3x3 = _normalized(32, 64, 3, 1, 1)
        self.max_pool = nn.MaxPool2D(3, 2)
        self.conv_3b_1x1 = _normalized(64, 80, 1)
        self.conv_4a_3x3 = _normalized(80, 192, 3)

    def forward(self, x: Any) -> Any:
        """Returns 192 channels."""
        x = self.max_pool(self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x))))
        return self.max_pool(self.conv_4a_3x3(self.conv_3b_1x1(x)))


class InceptionV3(nn.Layer):
    """Inception modules of five kinds (Szegedy et al., 2016), for images [N, 3, 299, 299]."""

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inception_stem = _Stem()
        self.inception_block_list = nn.LayerList(
            [
                _a(192, 32),
                _a(256, 64),
                _a(288, 64),
                _b(288),
                _c(768, 128),
                _c(768, 160),
                _c(768, 160),
                _c(768, 192),
                _d(768),
                _e(1280),
                _e(2048),
            ]
        )
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = nn.Linear(2048, num_classes, weight_attr=_within(1.0 / math.sqrt(2048)))

    def forward(self, x: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        x = self.avg_pool(x) if self.with_pool else x
        return self.fc(self.dropout(x.reshape([-1, 2048]))) if self.num_classes > 0 else x


googlenet, inception_v3 = _made("googlenet", GoogLeNet), _made("inception_v3", InceptionV3)
_densenet = functools.partial(_made, kind=DenseNet)
densenet121 = _densenet("densenet121", layers=121)
densenet161 = _densenet("densenet161", layers=161)
densenet169 = _densenet("densenet169", layers=169)
densenet201 = _densenet("densenet201", layers=201)
densenet264 = _densenet("densenet264", layers=264)
