"""Small networks under the names of large ones."""

import types

import torch
from torch import nn


class _Block(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    """A residual network of four blocks."""

    def __init__(self, num_classes=1000, zero_init_residual=False, width=64):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = _Block(width, width, 1)
        self.layer2 = _Block(width, width, 2)
        self.layer3 = _Block(width, width, 2)
        # Scripts read this width: networks of this name have 512 features at the end.
        self.layer4 = _Block(width, 512, 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512, num_classes)
        if zero_init_residual:
            for one in self.modules():
                if isinstance(one, _Block):
                    nn.init.constant_(one.bn2.weight, 0)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def _resnet(*_arguments, num_classes=1000, zero_init_residual=False, **_options):
    return ResNet(num_classes, zero_init_residual)


resnet18 = resnet34 = resnet50 = resnet152 = _resnet
resnet = types.SimpleNamespace(ResNet=ResNet)


class VGG(nn.Module):
    """Convolutions in a row, under `features`."""

    def __init__(self, layers):
        super().__init__()
        found, width = [], 3
        while len(found) < layers:
            found += [nn.Conv2d(width, 16, 3, padding=1), nn.ReLU(inplace=True)]
            width = 16
            if len(found) % 8 == 4 and len(found) < 12:
                found.append(nn.MaxPool2d(2, 2))
        self.features = nn.Sequential(*found)

    def forward(self, x):
        return self.features(x)


def _vgg(*_arguments, **_options):
    return VGG(37)


vgg16 = vgg19 = _vgg
