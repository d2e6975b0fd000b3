"""Changes of pictures, which here are tensors from the start."""

import numpy
import torch
from torch.nn import functional


class Compose:
    """One change after another."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, picture):
        for one in self.transforms:
            picture = one(picture)
        return picture


class ToTensor:
    """Makes a tensor of what is none."""

    def __call__(self, picture):
        if isinstance(picture, torch.Tensor):
            return picture
        array = numpy.asarray(picture)
        array = array[..., None] if array.ndim == 2 else array
        return torch.from_numpy(array.copy()).permute(2, 0, 1).float() / 255


class Normalize:
    """Takes a mean away and divides by a deviation."""

    def __init__(self, mean, std, inplace=False):
        self.mean, self.std = mean, std

    def __call__(self, picture):
        mean, std = (torch.as_tensor(one).float().view(-1, 1, 1) for one in (self.mean, self.std))
        return (picture - mean) / std


class Resize:
    """Makes pictures of another size."""

    def __init__(self, size, *_arguments, **_options):
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def __call__(self, picture):
        return (
            functional.interpolate(picture[None], self.size)[0] if picture.shape[1:] != self.size else picture
        )


class CenterCrop(Resize):
    """Here the same as a change of size."""


class RandomResizedCrop(Resize):
    """Here the same as a change of size."""


class RandomCrop(Resize):
    """Here the same as a change of size."""


class Lambda:
    """A function of the script's own."""

    def __init__(self, function):
        self.function = function

    def __call__(self, picture):
        return self.function(picture)


class RandomApply:
    """Changes that are made now and then: here never."""

    def __init__(self, *_arguments, **_options):
        pass

    def __call__(self, picture):
        return picture


class RandomHorizontalFlip(RandomApply):
    """Here no change."""


class RandomGrayscale(RandomApply):
    """Here no change."""


class ColorJitter(RandomApply):
    """Here no change."""


class RandomRotation(RandomApply):
    """Here no change."""


class Pad(RandomApply):
    """Here no change."""


class InterpolationMode:
    """Names of ways to change a size."""

    BICUBIC = BILINEAR = NEAREST = "nearest"
