"""Datasets of random pictures, a few hundred each."""

import os

import torch
from torch.utils.data import Dataset

COUNT = int(os.environ.get("WILD_PICTURES", "256"))


class Pictures(Dataset):
    """Random pictures between 0 and 1 with random labels; `data` and `targets` as torchvision names them."""

    shape, kinds = (1, 28, 28), 10

    def __init__(self, *_places, transform=None, target_transform=None, **_options):
        generator = torch.Generator().manual_seed(0)
        bytes_ = torch.randint(0, 256, (COUNT, *self.shape), generator=generator, dtype=torch.uint8)
        self.data = bytes_[:, 0] if self.shape[0] == 1 else bytes_.permute(0, 2, 3, 1).numpy()
        self.targets = torch.arange(COUNT) % self.kinds
        self.classes = [str(one) for one in range(self.kinds)]
        self.transform, self.target_transform = transform, target_transform
        self._pictures = bytes_.float() / 255

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture, label = self._pictures[index], int(self.targets[index])
        if self.transform is not None:
            picture = self.transform(picture)
        if self.target_transform is not None:
            label = self.target_transform(label)
        return picture, label


class MNIST(Pictures):
    """Pictures of one channel."""


class FashionMNIST(MNIST):
    """The same."""


class CIFAR10(Pictures):
    """Pictures of three channels."""

    shape = (3, 32, 32)


class CIFAR100(CIFAR10):
    """Of a hundred kinds."""

    kinds = 100


class ImageFolder(Pictures):
    """Larger pictures of three channels."""

    shape, kinds = (3, 64, 64), 2


class FakeData(Pictures):
    """Pictures of a size and number that is told."""

    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, **_options):
        self.shape, self.kinds = tuple(image_size), num_classes
        super().__init__(transform=transform)
