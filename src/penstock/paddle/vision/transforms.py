"""Transforms of images under Paddle's names. Random numbers come from Python's `random`, as in Paddle."""

from __future__ import annotations

import random as _random
import sys as _sys
from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as _np

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to as _path_to
from penstock.paddle.vision import _changes as _F
from penstock.paddle.vision._images import size_of as _size_of


class Compose:
    """Transforms one after another."""

    def __init__(self, transforms: _Sequence[Any]) -> None:
        self.transforms = transforms

    def __call__(self, data: Any) -> Any:
        """Returns the transformed data."""
        for one in self.transforms:
            data = one(data)
        return data

    def __repr__(self) -> str:
        return "\n".join([f"{type(self).__name__}(", *(f"    {one}" for one in self.transforms), ")"])


class BaseTransform:
    """Base of the transforms: subclasses define how they change an image, and the other items in `keys`.

    Given a tuple, its parts are taken by the keys ("image", "coords", "boxes", "mask"); those without a key,
    and those for which a subclass has no `_apply_...`, stay.
    """

    def __init__(self, keys: Any = None) -> None:
        if keys is not None and not isinstance(keys, list | tuple):
            raise ValueError(f"keys should be a sequence, but got keys={keys}")
        self.keys = ("image",) if keys is None else tuple(keys)
        self.params: Any = None

    def _get_params(self, inputs: Any) -> Any:
        """Returns the parameters that are drawn once for all parts."""

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError

    def __call__(self, inputs: Any) -> Any:
        """Returns the transformed image, or tuple."""
        several = isinstance(inputs, tuple)
        parts = inputs if several else (inputs,)
        self.params = self._get_params(parts)
        found = []
        for i, one in enumerate(parts):
            apply = getattr(self, f"_apply_{self.keys[i]}", None) if i < len(self.keys) else None
            found.append(one if apply is None else apply(one))
        return tuple(found) if several else found[0]


class ToTensor(BaseTransform):
    """An image as a tensor [C, H, W] with numbers from 0 to 1."""

    def __init__(self, data_format: str = "CHW", keys: Any = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, image: Any) -> Any:
        return _F.to_tensor(image, self.data_format)


class Resize(BaseTransform):
    """An image of another size."""

    def __init__(self, size: Any, interpolation: str = "bilinear", keys: Any = None) -> None:
        super().__init__(keys)
        self.size, self.interpolation = size, interpolation

    def _apply_image(self, image: Any) -> Any:
        return _F.resize(image, self.size, self.interpolation)


class RandomResizedCrop(BaseTransform):
    """A part of an image, drawn at random, resized."""

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3.0 / 4, 4.0 / 3),
        interpolation: str = "bilinear", keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        self.size = (size, size) if isinstance(size, int) else size
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def _apply_image(self, image: Any) -> Any:
        part = _F.crop(image, *_F.area_of(image, self.scale, self.ratio))
        return _F.resize(part, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """The middle of an image."""

    def __init__(self, size: Any, keys: Any = None) -> None:
        super().__init__(keys)
        self.size = (size, size) if isinstance(size, int) else size

    def _apply_image(self, image: Any) -> Any:
        return _F.center_crop(image, self.size)


class RandomHorizontalFlip(BaseTransform):
    """Left and right exchanged, with a probability."""

    _flip = staticmethod(_F.hflip)

    def __init__(self, prob: float = 0.5, keys: Any = None) -> None:
        super().__init__(keys)
        if not 0 <= prob <= 1:
            raise ValueError("probability must be between 0 and 1")
        self.prob = prob

    def _get_params(self, inputs: Any) -> Any:
        return _random.random() < self.prob

    def _apply_image(self, image: Any) -> Any:
        return self._flip(image) if self.params else image


class RandomVerticalFlip(RandomHorizontalFlip):
    """Top and bottom exchanged, with a probability."""

    _flip = staticmethod(_F.vflip)


class Transpose(BaseTransform):
    """The axes of an image in another order: channels first."""

    def __init__(self, order: Any = (2, 0, 1), keys: Any = None) -> None:
        super().__init__(keys)
        self.order = order

    def _apply_image(self, image: Any) -> Any:
        if hasattr(image, "_spec"):
            return image.transpose(list(self.order))
        array = _np.asarray(image)
        array = array[..., None] if array.ndim == 2 else array
        return array.transpose(self.order)


class Normalize(BaseTransform):
    """(image - mean) / std for each channel."""

    def __init__(
        self, mean: Any = 0.0, std: Any = 1.0, data_format: str = "CHW", to_rgb: bool = False,
        keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        self.mean = [mean] * 3 if isinstance(mean, int | float) else mean
        self.std = [std] * 3 if isinstance(std, int | float) else std
        self.data_format, self.to_rgb = data_format, to_rgb

    def _apply_image(self, image: Any) -> Any:
        return _F.normalize(image, self.mean, self.std, self.data_format, self.to_rgb)


class _Amount(BaseTransform):
    """A change by a factor drawn between 1 - value and 1 + value."""

    _change: Any
    _least, _bound, _middle = 0.0, float("inf"), 1.0

    def __init__(self, value: Any, keys: Any = None) -> None:
        super().__init__(keys)
        if isinstance(value, int | float):
            if value < 0:
                raise ValueError(f"If {type(self).__name__} is a single number, it must be non negative.")
            low, high = self._middle - value, self._middle + value
            value = (max(low, self._least) if self._middle else low, high)
        self.value = None if value[0] == value[1] == self._middle else tuple(value)

    def _apply_image(self, image: Any) -> Any:
        if self.value is None:
            return image
        return type(self)._change(image, _random.uniform(*self.value))


class BrightnessTransform(_Amount):
    """An image made brighter or darker."""

    _change = staticmethod(_F.adjust_brightness)


class ContrastTransform(_Amount):
    """An image with more or less contrast."""

    _change = staticmethod(_F.adjust_contrast)


class SaturationTransform(_Amount):
    """An image with stronger or weaker colours."""

    _change = staticmethod(_F.adjust_saturation)


class HueTransform(_Amount):
    """An image with its colours turned."""

    _change = staticmethod(_F.adjust_hue)
    _middle = 0.0


class ColorJitter(BaseTransform):
    """Brightness, contrast, saturation and hue changed at random, in random order."""

    def __init__(
        self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0, keys: Any = None
    ) -> None:
        super().__init__(keys)
        self.brightness, self.contrast, self.saturation, self.hue = brightness, contrast, saturation, hue

    def _get_params(self, inputs: Any) -> Any:
        kinds = {
            BrightnessTransform: self.brightness, ContrastTransform: self.contrast,
            SaturationTransform: self.saturation, HueTransform: self.hue,
        }  # fmt: skip
        chosen: list[Any] = [kind(value, self.keys) for kind, value in kinds.items() if value is not None]
        _random.shuffle(chosen)
        return Compose(chosen)

    def _apply_image(self, image: Any) -> Any:
        return self.params(image)


class RandomCrop(BaseTransform):
    """A part of an image of one size, from a place drawn at random."""

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0,
        padding_mode: str = "constant", keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.padding, self.pad_if_needed = padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def _apply_image(self, image: Any) -> Any:
        if self.padding is not None:
            image = _F.pad(image, self.padding, self.fill, self.padding_mode)
        width, height = _size_of(image)
        tall, wide = self.size
        if self.pad_if_needed and width < wide:
            image = _F.pad(image, (wide - width, 0), self.fill, self.padding_mode)
        if self.pad_if_needed and height < tall:
            image = _F.pad(image, (0, tall - height), self.fill, self.padding_mode)
        width, height = _size_of(image)
        if (width, height) == (wide, tall):
            return image
        if width < wide or height < tall:
            raise ValueError(
                f"The image is {width} x {height}, smaller than the part of {wide} x {tall}. Set "
                "pad_if_needed=True, or resize it first."
            )
        top = _random.randint(0, height - tall)
        return _F.crop(image, top, _random.randint(0, width - wide), tall, wide)


class Pad(BaseTransform):
    """An image with a border."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant", keys: Any = None) -> None:
        super().__init__(keys)
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def _apply_image(self, image: Any) -> Any:
        return _F.pad(image, self.padding, self.fill, self.padding_mode)


class RandomRotation(BaseTransform):
    """An image turned by an angle drawn at random."""

    def __init__(
        self, degrees: Any, interpolation: str = "nearest", expand: bool = False, center: Any = None,
        fill: Any = 0, keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        self.degrees = (-degrees, degrees) if isinstance(degrees, int | float) else degrees
        self.interpolation, self.expand, self.center, self.fill = interpolation, expand, center, fill

    def _apply_image(self, image: Any) -> Any:
        angle = _random.uniform(*self.degrees)
        return _F.rotate(image, angle, self.interpolation, self.expand, self.center, self.fill)


class Grayscale(BaseTransform):
    """An image without colours."""

    def __init__(self, num_output_channels: int = 1, keys: Any = None) -> None:
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, image: Any) -> Any:
        return _F.to_grayscale(image, self.num_output_channels)


class RandomErasing(BaseTransform):
    """A part of an image replaced by a value, with a probability."""

    def __init__(
        self, prob: float = 0.5, scale: Any = (0.02, 0.33), ratio: Any = (0.3, 3.3), value: Any = 0,
        inplace: bool = False, keys: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(keys)
        if isinstance(value, str):
            raise NotImplementedError("RandomErasing: value='random' is not there yet; give numbers.")
        self.prob, self.scale, self.ratio = prob, scale, ratio
        self.value, self.inplace = value, inplace

    def _apply_image(self, image: Any) -> Any:
        if _random.random() >= self.prob:
            return image
        part = _F.erased_area(image, self.scale, self.ratio)
        return image if part is None else _F.erase(image, *part, self.value, self.inplace)


_path_to(_sys.modules[__name__], "transforms")
_path_to(_sys.modules[__name__], "functional", _sys.modules[__name__], _F)


__getattr__, __dir__, _public = _namespace(
    "paddle.vision.transforms", globals(), "vision._changes", rest="vision._warping"
)
