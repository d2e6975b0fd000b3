"""Image models under Paddle's names. Their weights are drawn: nothing is downloaded."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from penstock.paddle import nn
from penstock.paddle._errors import NotThereError
from penstock.paddle._manipulation import flatten
from penstock.paddle._names import absent
from penstock.paddle._paths import path_to, paths_to
from penstock.paddle.vision import _stages
from penstock.trace.source_site import here


def _drawn(name: str, pretrained: bool) -> None:
    if pretrained:
        raise NotThereError(
            f"{name}(pretrained=True): Penstock downloads no weights.",
            remedy="Make the model without, and load a file: model.set_state_dict(paddle.load(path)).",
            site=here(),
        )


class LeNet(nn.Layer):
    """Two convolutions and three linear layers, for images [N, 1, 28, 28] (LeCun et al., 1998).

    >>> from penstock import paddle
    >>> paddle.vision.models.LeNet()(paddle.zeros([2, 1, 28, 28])).shape
    paddle.Size([2, 10])
    """

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, stride=1, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5, stride=1, padding=0),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        if num_classes > 0:
            self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes))

    def forward(self, inputs: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.features(inputs)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


class VGG(nn.Layer):
    """Convolutions `features`, and three linear layers (Simonyan and Zisserman, 2015)."""

    def __init__(self, features: Any, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.features, self.num_classes, self.with_pool = features, num_classes, with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, num_classes),
            )

    def forward(self, x: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.features(x)
        x = self.avgpool(x) if self.with_pool else x
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


_VGG = {
    11: (64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"),
    13: (64, 64, "M", 128, 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"),
    16: (64, 64, "M", 128, 128, "M", 256, 256, 256, "M", 512, 512, 512, "M", 512, 512, 512, "M"),
    19: (
        64, 64, "M", 128, 128, "M", 256, 256, 256, 256, "M", 512, 512, 512, 512, "M", 512, 512, 512, 512, "M",
    ),
}  # fmt: skip


def make_layers(cfg: Any, batch_norm: bool = False) -> Any:
    """Returns the convolutions of a VGG: `cfg` has the width of each, and "M" for each pooling between."""
    layers: list[Any] = []
    channels = 3
    for width in cfg:
        if isinstance(width, str):
            layers.append(nn.MaxPool2D(2, 2))
            continue
        layers.append(nn.Conv2D(channels, width, 3, padding=1))
        layers += [nn.BatchNorm2D(width), nn.ReLU()] if batch_norm else [nn.ReLU()]
        channels = width
    return nn.Sequential(*layers)


def _vgg(depth: int) -> Any:
    def model(pretrained: bool = False, batch_norm: bool = False, **options: Any) -> VGG:
        _drawn(f"vgg{depth}", pretrained)
        return VGG(make_layers(_VGG[depth], batch_norm), **options)

    model.__name__ = model.__qualname__ = f"vgg{depth}"
    model.__doc__ = f"Returns a VGG with {depth} layers that have weights."
    return model


vgg11, vgg13, vgg16, vgg19 = _vgg(11), _vgg(13), _vgg(16), _vgg(19)


class BasicBlock(nn.Layer):
    """Two convolutions with a shortcut around them."""

    expansion: ClassVar[int] = 1

    def __init__(
        self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None, groups: int = 1,
        base_width: int = 64, dilation: int = 1, norm_layer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        if groups != 1 or base_width != 64 or dilation > 1:
            raise NotImplementedError("BasicBlock has one group, width 64 and no dilation.")
        self.conv1 = nn.Conv2D(inplanes, planes, 3, padding=1, stride=stride, bias_attr=False)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm(planes)
        self.downsample, self.stride = downsample, stride

    def forward(self, x: Any) -> Any:
        """Returns relu(block(x) + shortcut(x))."""
        found = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(found + (x if self.downsample is None else self.downsample(x)))


class BottleneckBlock(nn.Layer):
    """Three convolutions, the middle one of fewer channels, with a shortcut around them."""

    expansion: ClassVar[int] = 4

    def __init__(
        self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None, groups: int = 1,
        base_width: int = 64, dilation: int = 1, norm_layer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2D(
            width, width, 3, padding=dilation, stride=stride, groups=groups, dilation=dilation,
            bias_attr=False,
        )  # fmt: skip
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample, self.stride = downsample, stride

    def forward(self, x: Any) -> Any:
        """Returns relu(block(x) + shortcut(x))."""
        found = self.relu(self.bn1(self.conv1(x)))
        found = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(found)))))
        return self.relu(found + (x if self.downsample is None else self.downsample(x)))


_BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


class ResNet(nn.Layer):
    """A residual network of blocks (He et al., 2016), for images [N, 3, H, W]."""

    def __init__(
        self, block: Any, depth: int = 50, width: int = 64, num_classes: int = 1000, with_pool: bool = True,
        groups: int = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.groups, self.base_width = groups, width
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inplanes, self.dilation, self._norm_layer = 64, 1, nn.BatchNorm2D
        self.conv1 = nn.Conv2D(3, 64, kernel_size=7, stride=2, padding=3, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(kernel_size=3, stride=2, padding=1)
        counts = _BLOCKS[depth]
        self.layer1 = self._make_layer(block, 64, counts[0])
        self.layer2 = self._make_layer(block, 128, counts[1], 2)
        self.layer3 = self._make_layer(block, 256, counts[2], 2)
        self.layer4 = self._make_layer(block, 512, counts[3], 2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block: Any, planes: int, blocks: int, stride: int = 1, dilate: bool = False) -> Any:
        """Returns a stage of the network. Its name is Paddle's, since subclasses call it.

        With `dilate`, the kernels of later stages become wider in place of steps between them.
        """
        norm, shortcut, before = self._norm_layer, None, self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        if stride != 1 or self.inplanes != planes * block.expansion:
            shortcut = nn.Sequential(
                nn.Conv2D(self.inplanes, planes * block.expansion, 1, stride=stride, bias_attr=False),
                norm(planes * block.expansion),
            )
        width = self.base_width
        layers = [block(self.inplanes, planes, stride, shortcut, self.groups, width, before, norm)]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes, groups=self.groups, base_width=width, norm_layer=norm))
        return nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = self.avgpool(x) if self.with_pool else x
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def _resnet(name: str, block: Any, depth: int, **fixed: Any) -> Any:
    def model(pretrained: bool = False, **options: Any) -> ResNet:
        _drawn(name, pretrained)
        return ResNet(block, depth, **{**fixed, **options})

    model.__name__ = model.__qualname__ = name
    model.__doc__ = f"Returns a residual network with {depth} layers that have weights."
    return model


resnet18, resnet34 = _resnet("resnet18", BasicBlock, 18), _resnet("resnet34", BasicBlock, 34)
resnet50, resnet101 = _resnet("resnet50", BottleneckBlock, 50), _resnet("resnet101", BottleneckBlock, 101)
resnet152 = _resnet("resnet152", BottleneckBlock, 152)
wide_resnet50_2 = _resnet("wide_resnet50_2", BottleneckBlock, 50, width=128)
wide_resnet101_2 = _resnet("wide_resnet101_2", BottleneckBlock, 101, width=128)
resnext50_32x4d = _resnet("resnext50_32x4d", BottleneckBlock, 50, groups=32, width=4)
resnext101_32x4d = _resnet("resnext101_32x4d", BottleneckBlock, 101, groups=32, width=4)
resnext152_32x4d = _resnet("resnext152_32x4d", BottleneckBlock, 152, groups=32, width=4)
resnext50_64x4d = _resnet("resnext50_64x4d", BottleneckBlock, 50, groups=64, width=4)
resnext101_64x4d = _resnet("resnext101_64x4d", BottleneckBlock, 101, groups=64, width=4)
resnext152_64x4d = _resnet("resnext152_64x4d", BottleneckBlock, 152, groups=64, width=4)


def _rounded(value: float, divisor: int = 8) -> int:
    found = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return found + divisor if found < 0.9 * value else found


def _convolved(channels: int, width: int, kernel: int, stride: int, groups: int = 1) -> Any:
    return nn.Sequential(
        nn.Conv2D(channels, width, kernel, stride, (kernel - 1) // 2, groups=groups, bias_attr=False),
        nn.BatchNorm2D(width),
        nn.ReLU6(),
    )


class InvertedResidual(nn.Layer):
    """A convolution to more channels, one for each of them, and one back (Sandler et al., 2018)."""

    def __init__(self, inp: int, oup: int, stride: int, expand_ratio: float, norm_layer: Any = None) -> None:
        super().__init__()
        hidden = round(inp * expand_ratio)
        self.use_res_connect = stride == 1 and inp == oup
        layers = [_convolved(inp, hidden, 1, 1)] if expand_ratio != 1 else []
        layers.append(_convolved(hidden, hidden, 3, stride, hidden))
        layers.append(nn.Conv2D(hidden, oup, 1, 1, 0, bias_attr=False))
        layers.append((norm_layer or nn.BatchNorm2D)(oup))
        self.conv = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Returns the result, with a shortcut where the shapes allow."""
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Layer):
    """Inverted residuals (Sandler et al., 2018), for images [N, 3, H, W]."""

    _settings: ClassVar[Sequence[tuple[int, int, int, int]]] = (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
        (6, 320, 1, 1),
    )  # fmt: skip

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = _rounded(32 * scale)
        self.last_channel = _rounded(1280 * max(1.0, scale))
        layers = [_convolved(3, channels, 3, 2)]
        for ratio, width, count, stride in self._settings:
            wide = _rounded(width * scale)
            for i in range(count):
                layers.append(InvertedResidual(channels, wide, stride if i == 0 else 1, ratio))
                channels = wide
        layers.append(_convolved(channels, self.last_channel, 1, 1))
        self.features = nn.Sequential(*layers)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(self.last_channel, num_classes))

    def forward(self, x: Any) -> Any:
        """Returns the scores of the classes."""
        x = self.features(x)
        x = self.pool2d_avg(x) if self.with_pool else x
        return self.classifier(flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v2(pretrained: bool = False, scale: float = 1.0, **options: Any) -> MobileNetV2:
    """Returns a MobileNetV2, whose widths are `scale` times those of the paper."""
    _drawn("mobilenet_v2", pretrained)
    return MobileNetV2(scale, **options)


paths_to(
    sys.modules[__name__],
    "densenet inceptionv3 lenet mobilenetv1 mobilenetv2 mobilenetv3 resnet shufflenetv2 squeezenet vgg",
)
path_to(sys.modules[__name__], "_utils", _stages)
_LATER = {
    "_light_models": (
        "AlexNet", "MobileNetV1", "MobileNetV3Large", "MobileNetV3Small", "ShuffleNetV2", "SqueezeNet",
        "alexnet", "mobilenet_v1", "mobilenet_v3_large", "mobilenet_v3_small", "shufflenet_v2_swish",
        "shufflenet_v2_x0_25", "shufflenet_v2_x0_33", "shufflenet_v2_x0_5", "shufflenet_v2_x1_0",
        "shufflenet_v2_x1_5", "shufflenet_v2_x2_0", "squeezenet1_0", "squeezenet1_1",
    ),
    "_branching_models": (
        "DenseNet", "GoogLeNet", "InceptionV3", "densenet121", "densenet161", "densenet169", "densenet201",
        "densenet264", "googlenet", "inception_v3",
    ),
}  # fmt: skip
"""Models whose file is imported on first use."""
_NAMES = (
    "ResNet resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext50_64x4d "
    "resnext101_32x4d resnext101_64x4d resnext152_32x4d resnext152_64x4d wide_resnet50_2 "
    "wide_resnet101_2 VGG vgg11 vgg13 vgg16 vgg19 MobileNetV1 mobilenet_v1 MobileNetV2 "
    "mobilenet_v2 MobileNetV3Small MobileNetV3Large mobilenet_v3_small mobilenet_v3_large LeNet "
    "DenseNet densenet121 densenet161 densenet169 densenet201 densenet264 AlexNet alexnet "
    "InceptionV3 inception_v3 SqueezeNet squeezenet1_0 squeezenet1_1 GoogLeNet googlenet "
    "ShuffleNetV2 shufflenet_v2_x0_25 shufflenet_v2_x0_33 shufflenet_v2_x0_5 shufflenet_v2_x1_0 "
    "shufflenet_v2_x1_5 shufflenet_v2_x2_0 shufflenet_v2_swish"
)
"""The models in the order in which Paddle lists them."""
__all__ = list(_NAMES.split())


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(importlib.import_module(f"penstock.paddle.vision.{module}"), name)
    raise absent("paddle.vision.models", name, __all__)
