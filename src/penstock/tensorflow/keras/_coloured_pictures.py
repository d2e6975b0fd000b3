"""Pictures whose colours are changed: lighter, stronger, inverted, in fewer steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._scatter import scatter_nd
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._moved_pictures import blurred
from penstock.tensorflow.keras._pictures import Pictures, range_of, rescaled, values_of
from penstock.trace.source_site import here


class Coloured(Pictures):
    """Pictures with values of a range."""

    def _valued(self, factor: Any, value_range: Any, low: float, high: float, seed: Any) -> None:
        self.factor = range_of(self, "factor", factor, low, high)
        self.value_range = values_of(self, value_range)
        self._seeded(seed)

    def _clipped(self, images: Any) -> Any:
        return _arrays.clip_by_value(images, *map(float, self.value_range))


@named("tf.keras.layers.RandomBrightness")
class RandomBrightness(Coloured):
    """Pictures made brighter or darker by a part of the range of values.

    Pictures of whole numbers become numbers of the layer's dtype, where Keras lets them wrap around.
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self._valued(factor or 0.0, value_range, -1, 1, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, self.factor, source)

    def _changed(self, images: Any, drawn: Any) -> Any:
        low, high = self.value_range
        return self._clipped(images + self._own(drawn * float(high - low)))


@named("tf.keras.layers.RandomContrast")
class RandomContrast(Coloured):
    """Pictures whose distance from their mean is scaled at random.

    A single number makes pictures stronger only: Keras has no negative factor for the lower end.
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self._valued(factor or 0.0, value_range, 0, 1, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, (1.0 - self.factor[0], 1.0 + self.factor[1]), source, own=True)

    def _changed(self, images: Any, drawn: Any) -> Any:
        mean = ps.mean(images, axis=(1, 2), keepdims=True)
        return self._clipped((images - mean) * drawn + mean)


@named("tf.keras.layers.RandomGrayscale")
class RandomGrayscale(Pictures):
    """Pictures of which a part `factor` becomes grey."""

    _always = True

    def __init__(
        self, factor: float = 0.5, data_format: Any = None, seed: Any = None, **options: Any
    ) -> None:
        super().__init__(data_format=data_format, **options)
        if not 0 <= factor <= 1:
            raise ArgumentError(f"`factor` should be between 0 and 1. Received: factor={factor}", site=here())
        self.factor = factor
        self._seeded(seed)

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer, without a seed, as Keras does."""
        config = super().get_config()
        config.pop("seed")
        return config

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, (0, 1), source) < self.factor

    def _changed(self, images: Any, drawn: Any) -> Any:
        return _arrays.where(drawn, _grey(images), images)


def _grey(images: Any) -> Any:
    if images._spec.shape[-1] == 1:
        return images
    return ps.sum(
        images * constant(np.array([0.2989, 0.587, 0.114], images._spec.dtype)), axis=-1, keepdims=True
    )


class Saturated(Coloured):
    """Pictures whose colours become weaker or stronger, by a factor from -1 to 1."""

    _always = True

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self._valued(factor or 0.0, value_range, -1, 1, seed)


@named("tf.keras.layers.RandomColorDegeneration")
class RandomColorDegeneration(Saturated):
    """Pictures that lose a random part of their colour."""

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, self.factor, source)

    def _changed(self, images: Any, drawn: Any) -> Any:
        return self._clipped(images + self._own(drawn) * (_grey(images) - images))


@named("tf.keras.layers.RandomHue")
class RandomHue(Pictures):
    """Pictures with all hues turned at random, by up to half of `factor` of the whole circle."""

    _always = True

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor, self.value_range = range_of(self, "factor", factor or 0.0, 0, 1), value_range
        self._seeded(seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        side = self._uniform(images, (0.0, 1.0), source, ())
        side = _arrays.where(side > 0.5, -ps.ones_like(side), ps.ones_like(side))
        return side * self._uniform(images, self.factor, source, ()) * 0.5

    def _changed(self, images: Any, drawn: Any) -> Any:
        from penstock.tensorflow import image

        own = image.rgb_to_hsv(rescaled(images, self.value_range, (0, 1)))
        hue = own[..., 0] + self._own(drawn)[:, None, None]
        hue = _arrays.where(hue > 1.0, hue - 1.0, hue)
        hue = _arrays.where(hue < 0.0, hue + 1.0, hue)
        made = image.hsv_to_rgb(ps.stack([hue, own[..., 1], own[..., 2]], axis=-1))
        return rescaled(_arrays.clip_by_value(made, 0.0, 1.0), (0, 1), self.value_range)


@named("tf.keras.layers.RandomSaturation")
class RandomSaturation(Saturated):
    """Pictures whose colours are made weaker with a factor below a half, and stronger with one above."""

    def _drawn(self, images: Any, source: Any) -> Any:
        factor = self._uniform(images, self.factor, source, ())
        return factor / (1.0 - factor + 1e-7)

    def _changed(self, images: Any, drawn: Any) -> Any:
        from penstock.tensorflow import image

        own = image.rgb_to_hsv(images)
        strong = self._clipped(own[..., 1] * self._own(drawn)[:, None, None])
        return image.hsv_to_rgb(ps.stack([own[..., 0], strong, own[..., 2]], axis=-1))


@named("tf.keras.layers.RandomSharpness")
class RandomSharpness(Coloured):
    """Pictures blended with smooth ones below a half, and made sharper above."""

    _always = True

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self._valued(factor, value_range, 0, 1, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, self.factor, source, ())[:, None, None, None]

    def _changed(self, images: Any, drawn: Any) -> Any:
        from penstock.tensorflow._convolution import depthwise_conv2d

        kernel = np.full((3, 3, images._spec.shape[-1], 1), 1.0 / 13.0, images._spec.dtype)
        kernel[1, 1] = 5.0 / 13.0
        smooth = depthwise_conv2d(images, constant(kernel), (1, 1, 1, 1), "SAME")
        return self._clipped(images + (1.0 - self._own(drawn * 2.0)) * (smooth - images))


@named("tf.keras.layers.RandomPosterization")
class RandomPosterization(Coloured):
    """Pictures with fewer steps of colour: `factor` bits of 8, or a random number of them from a pair."""

    _always = True

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self._valued(factor, value_range, 1, 8, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        count = images._spec.shape[0]
        if self.factor[0] == self.factor[1]:
            return constant(np.full((count, 1, 1, 1), 2.0 ** (8 - self.factor[0]), np.float32))
        bits = random.randint((count,), *self.factor, "uint8", source)
        steps = 2.0 ** (8.0 - _elementwise.cast(bits, "float32"))
        return ps.round(steps)[:, None, None, None]

    def _changed(self, images: Any, drawn: Any) -> Any:
        whole, step = ps.floor(rescaled(images, self.value_range, (0, 255))), self._own(drawn)
        return rescaled(ps.floor(whole / step) * step, (0, 255), self.value_range)


@named("tf.keras.layers.RandomInvert")
class RandomInvert(Pictures):
    """Pictures of which a random part is inverted; `factor` says how often."""

    def __init__(
        self, factor: Any = 1.0, value_range: Any = (0, 255), seed: Any = None, data_format: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor, self.value_range = range_of(self, "factor", factor, 0, 1), value_range
        self._seeded(seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        often = self._uniform(images, self.factor, source)
        return self._uniform(images, (0, 1), source) < often

    def _changed(self, images: Any, drawn: Any) -> Any:
        return _arrays.where(drawn, float(self.value_range[1]) - images, images)


@named("tf.keras.layers.RandomGaussianBlur")
class RandomGaussianBlur(Pictures):
    """Pictures blurred by a Gaussian kernel of a random deviation; `factor` says how often."""

    def __init__(
        self, factor: Any = 1.0, kernel_size: Any = 3, sigma: Any = 1.0, value_range: Any = (0, 255),
        data_format: Any = None, seed: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor = range_of(self, "factor", factor, 0, 1)
        size = tuple(kernel_size) if isinstance(kernel_size, tuple | list) else (kernel_size, kernel_size)
        if len(size) != 2 or any(one % 2 == 0 for one in size):
            raise ArgumentError(
                f"kernel_size must be an odd number. Received: kernel_size={kernel_size}", site=here()
            )
        self.kernel_size, self.sigma = size, range_of(self, "sigma", sigma, 0, 1)
        self.value_range = value_range
        self._seeded(seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        often = self._uniform(images, self.factor, source)
        chosen = self._uniform(images, (0.0, 1.0), source) < often
        return chosen, random.uniform((2,), *self.sigma, self.compute_dtype, source) + 1e-6

    def _changed(self, images: Any, drawn: Any) -> Any:
        chosen, deviation = drawn
        wide, tall = (int(one) // 2 for one in self.kernel_size)
        smooth = blurred(images, deviation[0], deviation[1], wide, tall, whole=True)
        return _arrays.clip_by_value(_arrays.where(chosen, smooth, images), *map(float, self.value_range))


@named("tf.keras.layers.Solarization")
class Solarization(Pictures):
    """Pictures made lighter at random, with values above a random threshold inverted."""

    def __init__(
        self, addition_factor: Any = 0.0, threshold_factor: Any = 0.0, value_range: Any = (0, 255),
        seed: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(**options)
        self._seeded(seed)
        self.addition_factor = range_of(self, "addition_factor", addition_factor, 0, 1)
        self.threshold_factor = range_of(self, "threshold_factor", threshold_factor, 0, 1)
        self.value_range = values_of(self, value_range)

    def _drawn(self, images: Any, source: Any) -> Any:
        return [
            self._uniform(images, (one[0], one[1] * 255), source, own=True)
            for one in (self.addition_factor, self.threshold_factor)
        ]

    def _changed(self, images: Any, drawn: Any) -> Any:
        made = _arrays.clip_by_value(rescaled(images, self.value_range, (0, 255)) + drawn[0], 0.0, 255.0)
        made = _arrays.where(made < drawn[1], made, 255.0 - made)
        return rescaled(made, (0, 255), self.value_range)


@named("tf.keras.layers.AutoContrast")
class AutoContrast(Pictures):
    """Pictures with each colour stretched over the whole range of values, also without training."""

    def __init__(self, value_range: Any = (0, 255), **options: Any) -> None:
        super().__init__(**options)
        self.value_range = values_of(self, value_range)

    def _changed(self, images: Any, drawn: Any) -> Any:
        own = rescaled(images, self.value_range, (0, 255))
        low = ps.min(own, axis=(1, 2), keepdims=True)
        high = ps.max(own, axis=(1, 2), keepdims=True)
        flat = ps.equal(high, low)
        scale = 255.0 / _arrays.where(flat, ps.ones_like(high), high - low)
        made = _arrays.clip_by_value(own * scale - low * scale, 0.0, 255.0)
        return _arrays.where(flat, images, rescaled(made, (0, 255), self.value_range))

    def _unchanged(self, images: Any) -> Any:
        return self._changed(images, None)


@named("tf.keras.layers.Equalization")
class Equalization(Pictures):
    """Pictures in which all values of a colour are about equally frequent in the batch, while training."""

    def __init__(
        self, value_range: Any = (0, 255), bins: int = 256, data_format: Any = None, **options: Any
    ) -> None:
        super().__init__(data_format=data_format, **options)
        self.value_range, self.bins = values_of(self, value_range), bins

    def _changed(self, images: Any, drawn: Any) -> Any:
        own = rescaled(images, self.value_range, (0, 255))
        made = ps.stack([self._equal(own[..., n]) for n in range(own._spec.shape[-1])], axis=-1)
        return rescaled(_elementwise.cast(made, self.compute_dtype), (0, 255), self.value_range)

    def _equal(self, values: Any) -> Any:
        last = self.bins - 1
        scaled = _arrays.clip_by_value(_elementwise.cast(values, "float32") * last / 255.0, 0.0, float(last))
        places = _arrays.reshape(_elementwise.cast(scaled, "int32"), (-1, 1))
        counts = scatter_nd(places, ps.ones_like(_elementwise.cast(places[:, 0], "float64")), (self.bins,))
        below = ps.cumulative_sum(counts, axis=0)
        total = below[-1]
        least = ps.min(_arrays.where(below > 0.0, below, ps.zeros_like(below) + total))
        alone = ps.equal(total, least)
        table = (below - least) * 255.0 / _arrays.where(alone, ps.ones_like(total), total - least)
        table = _elementwise.cast(_arrays.clip_by_value(ps.round(table), 0.0, 255.0), "float32")
        found = _arrays.clip_by_value(values / 255.0 * last, 0.0, float(last))
        made = _arrays.gather(table, _elementwise.cast(found, "int32"))
        return _arrays.where(ps.sum(ps.greater(counts, 0.0)) <= 1, values, made)


@named("tf.keras.layers.RandomColorJitter")
class RandomColorJitter(Pictures):
    """Pictures with random brightness, contrast, saturation and hue: those whose factors are given."""

    def __init__(
        self, value_range: Any = (0, 255), brightness_factor: Any = None, contrast_factor: Any = None,
        saturation_factor: Any = None, hue_factor: Any = None, seed: Any = None, data_format: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self._seeded(seed)
        self.value_range, self.brightness_factor = value_range, brightness_factor
        self.contrast_factor, self.saturation_factor = contrast_factor, saturation_factor
        self.hue_factor = hue_factor
        kinds = (
            (RandomBrightness, brightness_factor), (RandomContrast, contrast_factor),
            (RandomSaturation, saturation_factor), (RandomHue, hue_factor),
        )  # fmt: skip
        self._steps = [
            kind(factor, value_range=value_range, seed=seed) for kind, factor in kinds if factor is not None
        ]

    def _drawn(self, images: Any, source: Any) -> Any:
        return [one._drawn(images, source) for one in self._steps]

    def _changed(self, images: Any, drawn: Any) -> Any:
        for step, own in zip(self._steps, drawn, strict=True):
            images = step._changed(images, own)
        return images
