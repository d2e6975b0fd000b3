"""Layers that prepare data: numbers, words, categories and pictures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.functions.scratch import Scratch, exact
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._encoded_rows import MODES, encoded, encoded_tensor, mode_of
from penstock.tensorflow.keras._functional import KerasTensor
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._seed_generator import SeedGenerator, default_seed
from penstock.tensorflow.keras._vocabulary_counts import array_of, batches
from penstock.trace.local import local
from penstock.trace.source_site import here


class Prepares(Layer):
    """A layer that takes lists and arrays too."""

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Calls the layer."""
        given = [
            operand(np.asarray(one)) if isinstance(one, list | tuple | np.ndarray | int | float) else one
            for one in inputs
        ]
        return super().__call__(*given, **options)


@named("tf.keras.layers.Normalization")
class Normalization(Prepares):
    """(x - mean) / sqrt(variance), along the axes named in `axis`; `adapt` takes both from data.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.Normalization(axis=None)
    >>> layer.adapt([1.0, 2.0, 3.0])
    >>> layer(tf.constant([2.0])).numpy().tolist()
    [0.0]
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        if (mean is None) != (variance is None):
            raise ArgumentError(
                "When setting values directly, both `mean` and `variance` must be set. Got "
                f"mean={mean} and variance={variance}",
                site=here(),
            )
        self.input_mean, self.input_variance, self.invert = mean, variance, invert
        self._moments: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the mean and the variance."""
        rank = len(input_shape)
        self._kept_axes = sorted(one % rank for one in self.axis)
        shape = tuple(input_shape[one] for one in self._kept_axes)
        if None in shape:
            raise ArgumentError(
                f"All `axis` values to be kept must have a known shape. Received axis={self.axis}, "
                f"inputs.shape={input_shape}",
                site=here(),
            )
        self._around = [n if axis in self._kept_axes else 1 for axis, n in enumerate(input_shape)]
        if self.input_mean is None:
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            self.count = self.add_weight((), "zeros", dtype="int32", trainable=False, name="count")
            self._moments = (self.adapt_mean, self.adapt_variance)
        else:
            mean, variance = (np.asarray(one, np.float32) for one in (self.input_mean, self.input_variance))
            self._moments = tuple(constant(np.broadcast_to(one, shape)) for one in (mean, variance))

    @property
    def mean(self) -> Any:
        """What is subtracted, in a shape that broadcasts; None before the layer is built."""
        return self._around_inputs(0)

    @property
    def variance(self) -> Any:
        """What is divided by, squared; None before the layer is built."""
        return self._around_inputs(1)

    def _around_inputs(self, place: int) -> Any:
        if self._moments is None:
            return None
        shape = [1 if n is None else n for n in self._around]
        return _arrays.reshape(self._moments[place], shape)

    def adapt(self, data: Any) -> None:
        """Takes the mean and the variance from data."""
        if self.input_mean is not None:
            raise ArgumentError("Cannot adapt a layer whose mean and variance were given.", site=here())
        total: Any = None
        for one in batches(data):
            array = array_of(one).astype(np.float64)
            if not self.built:
                self.build(tuple(array.shape))
                self.built = True
                object.__setattr__(self, "_first_shape", tuple(array.shape))
            axes = tuple(n for n in range(array.ndim) if n not in self._kept_axes)
            part = (math.prod(array.shape[n] for n in axes), array.sum(axes), (array**2).sum(axes))
            total = part if total is None else tuple(a + b for a, b in zip(total, part, strict=True))
        count, sums, squares = total
        mean = sums / count
        self.adapt_mean.assign(mean.astype(np.float32))
        self.adapt_variance.assign((squares / count - mean**2).astype(np.float32))

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        inputs = _elementwise.cast(operand(inputs), self.compute_dtype)
        deviation = ps.maximum(ps.sqrt(self.variance), 1e-7)
        return inputs * deviation + self.mean if self.invert else (inputs - self.mean) / deviation


@named("tf.keras.layers.Resizing")
class Resizing(Prepares):
    """Pictures of one height and width."""

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        fill_mode: str = "constant",
        fill_value: float = 0.0,
        antialias: bool = False,
        data_format: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        _refuse(self, data_format=data_format not in (None, "channels_last"), fill_value=fill_value != 0.0,
                fill_mode=fill_mode != "constant")  # fmt: skip
        self.height, self.width, self.interpolation = height, width, interpolation
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = crop_to_aspect_ratio, pad_to_aspect_ratio
        self.antialias = antialias

    def call(self, data: Any) -> Any:
        """Computes the layer."""
        from penstock.tensorflow import image

        height, width = data._spec.shape[-3:-1]
        if self.pad_to_aspect_ratio:
            return image.resize_with_pad(data, self.height, self.width, self.interpolation, self.antialias)
        if self.crop_to_aspect_ratio:
            tall = min(height, int(width * self.height / self.width))
            wide = min(width, int(height * self.width / self.height))
            data = image.crop_to_bounding_box(data, (height - tall) // 2, (width - wide) // 2, tall, wide)
        made = image.resize(data, (self.height, self.width), self.interpolation, antialias=self.antialias)
        return _elementwise.cast(made, self.compute_dtype)


def _refuse(layer: Any, **wrong: bool) -> None:
    names = [name for name, given in wrong.items() if given]
    if names:
        raise ArgumentError(
            f"{type(layer).__name__}: {', '.join(names)} cannot be set in penstock.tensorflow.", site=here()
        )


@named("tf.keras.layers.CenterCrop")
class CenterCrop(Prepares):
    """The middle of pictures; smaller ones are resized."""

    def __init__(self, height: int, width: int, data_format: Any = None, **options: Any) -> None:
        super().__init__(**options)
        _refuse(self, data_format=data_format not in (None, "channels_last"))
        self.height, self.width = height, width

    def call(self, images: Any) -> Any:
        """Computes the layer."""
        from penstock.tensorflow import image

        height, width = images._spec.shape[-3:-1]
        images = _elementwise.cast(images, self.compute_dtype)
        if height < self.height or width < self.width:
            return Resizing(self.height, self.width, crop_to_aspect_ratio=True)(images)
        top, left = (height - self.height) // 2, (width - self.width) // 2
        return image.crop_to_bounding_box(images, top, left, self.height, self.width)


class _Random(Prepares):
    """A change of pictures that is drawn at random while training; nothing otherwise."""

    def __init__(self, **options: Any) -> None:
        for name, neutral in (("fill_mode", "reflect"), ("fill_value", 0.0), ("interpolation", "bilinear"),
                              ("data_format", None), ("seed", None), ("value_range", None)):  # fmt: skip
            setattr(self, f"_{name}", options.pop(name, neutral))
        super().__init__(**options)
        self.seed = self._seed
        self._stream = SeedGenerator(self._seed)

    @property
    def generator(self) -> SeedGenerator:
        """Where the seeds of the layer's draws come from."""
        found: SeedGenerator = self._stream
        return found

    def call(self, images: Any, training: Any = True) -> Any:
        """Computes the layer."""
        images = _elementwise.cast(operand(images), self.compute_dtype)
        if not training:
            return images
        single = len(images._spec.shape) == 3
        made = self._changed(images[None] if single else images)
        return made[0] if single else made

    def _changed(self, images: Any) -> Any:
        raise NotImplementedError

    def _drawn(self, images: Any, low: float = 0.0, high: float = 1.0) -> Any:
        """Returns a number for each picture."""
        return random.uniform((images._spec.shape[0], 1, 1, 1), low, high, seed=self._stream)


@named("tf.keras.layers.RandomFlip")
class RandomFlip(_Random):
    """Pictures mirrored at random: "horizontal", "vertical", or both."""

    def __init__(self, mode: str = "horizontal_and_vertical", **options: Any) -> None:
        super().__init__(**options)
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ArgumentError(
                "`mode` should be one of ('horizontal', 'vertical', 'horizontal_and_vertical'). Received: "
                f"mode={mode}",
                site=here(),
            )
        self.mode = mode

    def _changed(self, images: Any) -> Any:
        flips = self._drawn(images) <= 0.5
        for axis, name in ((2, "horizontal"), (1, "vertical")):
            if name in self.mode:
                images = _arrays.where(flips, ps.flip(images, axis=axis), images)
        return images


def _range(value: Any) -> tuple[float, float]:
    return (
        (float(value[0]), float(value[1]))
        if isinstance(value, tuple | list)
        else (-float(value), float(value))
    )


@named("tf.keras.layers.RandomBrightness")
class RandomBrightness(_Random):
    """Pictures made brighter or darker by a part of the range of values."""

    def __init__(self, factor: Any, value_range: Any = (0, 255), **options: Any) -> None:
        super().__init__(**options)
        self.factor, self.value_range = factor, value_range

    def _changed(self, images: Any) -> Any:
        low, high = self.value_range
        moved = self._drawn(images, *_range(self.factor)) * (high - low)
        return _arrays.clip_by_value(images + moved, low, high)


@named("tf.keras.layers.RandomContrast")
class RandomContrast(_Random):
    """Pictures whose distance from their mean is scaled at random."""

    def __init__(self, factor: Any, value_range: Any = (0, 255), **options: Any) -> None:
        super().__init__(**options)
        self.factor, self.value_range = factor, value_range

    def _changed(self, images: Any) -> Any:
        if isinstance(self.factor, tuple | list):
            low, high = 1.0 - self.factor[0], 1.0 + self.factor[1]
        else:
            # A single number makes pictures stronger only: Keras has no negative factor for the lower end.
            low, high = 1.0, 1.0 + self.factor
        mean = ps.mean(images, axis=(1, 2), keepdims=True)
        made = (images - mean) * self._drawn(images, low, high) + mean
        return _arrays.clip_by_value(made, *map(float, self.value_range))


class _Affine(_Random):
    """Pictures that are moved, turned or zoomed: each is sampled at changed coordinates."""

    def _matrices(self, images: Any) -> Any:
        """Returns, for each picture, where its pixels come from: six numbers around its middle."""
        raise NotImplementedError

    def _changed(self, images: Any) -> Any:
        if self._fill_mode not in ("reflect", "constant", "nearest", "wrap"):
            raise ArgumentError(
                f"{type(self).__name__}: fill_mode={self._fill_mode!r} is not taken.", site=here()
            )
        if isinstance(local.trace, Scratch) and not exact.get():
            # Only shapes are asked for, and there are no pictures yet.
            return images
        from scipy.ndimage import affine_transform

        mode = {"reflect": "reflect", "constant": "constant", "nearest": "nearest", "wrap": "wrap"}[
            self._fill_mode
        ]
        order = 0 if self._interpolation == "nearest" else 1
        made = []
        for picture, matrix in zip(np.asarray(images.numpy()), self._matrices(images), strict=True):
            height, width = picture.shape[:2]
            middle = np.array([(height - 1) / 2, (width - 1) / 2])
            offset = middle - matrix[:, :2] @ middle + matrix[:, 2]
            planes = [
                affine_transform(
                    picture[..., n], matrix[:, :2], offset, order=order, mode=mode, cval=self._fill_value
                )
                for n in range(picture.shape[2])
            ]
            made.append(np.stack(planes, -1))
        return constant(np.stack(made).astype(images._spec.dtype))

    def _numbers(self, images: Any, bounds: tuple[float, float]) -> Any:
        return np.asarray(self._drawn(images, *bounds).numpy()).ravel()


@named("tf.keras.layers.RandomRotation")
class RandomRotation(_Affine):
    """Pictures turned at random, by a part of a whole turn. No gradient passes."""

    def __init__(self, factor: Any, **options: Any) -> None:
        super().__init__(**options)
        self.factor = factor

    def _matrices(self, images: Any) -> Any:
        angles = self._numbers(images, _range(self.factor)) * 2 * np.pi
        return [np.array([[np.cos(a), np.sin(a), 0.0], [-np.sin(a), np.cos(a), 0.0]]) for a in angles]


@named("tf.keras.layers.RandomZoom")
class RandomZoom(_Affine):
    """Pictures zoomed at random. No gradient passes."""

    def __init__(self, height_factor: Any, width_factor: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.height_factor, self.width_factor = height_factor, width_factor

    def _zoom(self, images: Any, factor: Any) -> Any:
        low, high = _range(factor)
        return self._numbers(images, (1.0 + low, 1.0 + high))

    def _matrices(self, images: Any) -> Any:
        tall = self._zoom(images, self.height_factor)
        wide = tall if self.width_factor is None else self._zoom(images, self.width_factor)
        return [np.array([[a, 0.0, 0.0], [0.0, b, 0.0]]) for a, b in zip(tall, wide, strict=True)]


@named("tf.keras.layers.RandomTranslation")
class RandomTranslation(_Affine):
    """Pictures moved at random, by a part of their height and width. No gradient passes."""

    def __init__(self, height_factor: Any, width_factor: Any, **options: Any) -> None:
        super().__init__(**options)
        self.height_factor, self.width_factor = height_factor, width_factor

    def _matrices(self, images: Any) -> Any:
        height, width = images._spec.shape[1:3]
        down = self._numbers(images, _range(self.height_factor)) * height
        right = self._numbers(images, _range(self.width_factor)) * width
        return [np.array([[1.0, 0.0, -a], [0.0, 1.0, -b]]) for a, b in zip(down, right, strict=True)]


@named("tf.keras.layers.RandomCrop")
class RandomCrop(_Random):
    """A part of pictures at a random place while training; smaller ones are resized. Nothing otherwise."""

    def __init__(self, height: int, width: int, **options: Any) -> None:
        # The seed that it keeps is drawn before that of its generator, as in Keras.
        seed = default_seed() if options.get("seed") is None else options["seed"]
        super().__init__(**options)
        self.height, self.width, self.seed = height, width, seed

    def call(self, images: Any, training: Any = True) -> Any:
        """Computes the layer."""
        from penstock.tensorflow import image

        images = _elementwise.cast(operand(images), self.compute_dtype)
        height, width = images._spec.shape[-3:-1]
        if not training:
            return images
        if height <= self.height or width <= self.width:
            return Resizing(self.height, self.width, crop_to_aspect_ratio=True)(images)
        top, left = (
            int(np.asarray(random.uniform((), 0, float(n + 1), seed=self._stream).numpy()))
            for n in (height - self.height, width - self.width)
        )
        return image.crop_to_bounding_box(images, top, left, self.height, self.width)


@named("tf.keras.layers.Discretization")
class Discretization(Prepares):
    """Numbers as those of the bins they lie in; bounds are given, or taken from data as quantiles."""

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: Any = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if (bin_boundaries is None) == (num_bins is None):
            raise ArgumentError("You need to set either `num_bins` or `bin_boundaries`.", site=here())
        self.bin_boundaries = None if bin_boundaries is None else list(bin_boundaries)
        self.num_bins, self.epsilon, self.sparse = num_bins, epsilon, sparse
        self.output_mode = mode_of(self, output_mode, sparse, MODES)

    def adapt(self, data: Any) -> None:
        """Takes the bounds from a summary of data, of about 1 / `epsilon` values."""
        summary = np.zeros((2, 0), np.float32)
        for one in batches(data):
            values = np.sort(array_of(one).ravel())
            step = max(len(values) * self.epsilon, 1)
            kept = values[int(step - 1) :: int(step)]
            each = np.concatenate([summary, np.stack([kept, np.full(len(kept), step, kept.dtype)])], axis=1)
            summary = _summarized(each[:, np.argsort(each[0])], self.epsilon)
        self.bin_boundaries = _summarized(summary, 1 / self.num_bins)[0, :-1].astype(np.float32).tolist()

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for numbers with only a known shape."""
        count = self.num_bins if self.bin_boundaries is None else len(self.bin_boundaries) + 1
        made = encoded_tensor(given.shape, count, self.output_mode, self.compute_dtype)
        return KerasTensor(made.shape, "int32") if self.output_mode == "int" else made

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        if self.bin_boundaries is None:
            raise ArgumentError("You need to `adapt` the layer, or give `bin_boundaries`.", site=here())
        x = operand(inputs)
        bounds = np.asarray(self.bin_boundaries, x._spec.dtype if x._spec.dtype.kind == "f" else np.float32)
        above = ps.greater_equal(_elementwise.cast(x, bounds.dtype)[..., None], operand(bounds))
        found = ps.sum(_elementwise.cast(above, "int32"), axis=-1)
        if self.output_mode == "int":
            return _elementwise.cast(found, "int32")
        count = len(self.bin_boundaries) + 1
        return encoded(found, count, self.output_mode, self.compute_dtype, sparse=self.sparse)


def _summarized(summary: Any, epsilon: float) -> Any:
    """Returns values and their weights at parts of `epsilon` of the whole weight; few of them as they are."""
    if summary.shape[1] * epsilon < 1:
        return summary
    weights = np.cumsum(summary[1])
    parts = epsilon + np.arange(0.0, 1.0, epsilon)
    values = np.interp(parts, weights / weights[-1], summary[0])
    up_to = np.interp(parts, weights / weights[-1], weights)
    return np.stack([values, np.diff(up_to, prepend=0)]).astype(np.float32)
