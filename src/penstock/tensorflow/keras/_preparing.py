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
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._functional import KerasTensor
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._seed_generator import SeedGenerator, default_seed
from penstock.tensorflow.sparse import from_dense
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


def _batches(data: Any) -> Any:
    """Yields the data to which a layer is adapted, array by array."""
    from penstock.tensorflow._dataset import Dataset

    if isinstance(data, Dataset):
        for one in data.as_numpy_iterator():
            yield one[0] if isinstance(one, tuple) else one
    else:
        yield np.asarray(strings(data)) if is_text(data) else np.asarray(
            data.numpy() if isinstance(data, Tensor) else data)  # fmt: skip


class _Prepares(Layer):
    """A layer that takes lists and arrays too."""

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Calls the layer."""
        given = [
            operand(np.asarray(one)) if isinstance(one, list | tuple | np.ndarray | int | float) else one
            for one in inputs
        ]
        return super().__call__(*given, **options)


@named("tf.keras.layers.Normalization")
class Normalization(_Prepares):
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
        self.mean: Any = None
        self.variance: Any = None

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
            self._finish(self.adapt_mean, self.adapt_variance)
        else:
            mean, variance = (np.asarray(one, np.float32) for one in (self.input_mean, self.input_variance))
            self._finish(*(constant(np.broadcast_to(one, shape)) for one in (mean, variance)))

    def _finish(self, mean: Any, variance: Any) -> None:
        shape = [1 if n is None else n for n in self._around]
        self.mean, self.variance = (_arrays.reshape(one, shape) for one in (mean, variance))

    def adapt(self, data: Any) -> None:
        """Takes the mean and the variance from data."""
        if self.input_mean is not None:
            raise ArgumentError("Cannot adapt a layer whose mean and variance were given.", site=here())
        total: Any = None
        for array in _batches(data):
            array = array.astype(np.float64)
            if not self.built:
                self.build(tuple(array.shape))
                self.built = True
            axes = tuple(n for n in range(array.ndim) if n not in self._kept_axes)
            part = (math.prod(array.shape[n] for n in axes), array.sum(axes), (array**2).sum(axes))
            total = part if total is None else tuple(a + b for a, b in zip(total, part, strict=True))
        count, sums, squares = total
        mean = sums / count
        self.adapt_mean.assign(mean.astype(np.float32))
        self.adapt_variance.assign((squares / count - mean**2).astype(np.float32))
        self._finish(self.adapt_mean, self.adapt_variance)

    def load_own_variables(self, store: Any) -> None:
        """Takes the mean and the variance from a file."""
        if self.input_mean is None:
            self.adapt_mean.assign(np.asarray(store["0"]))
            self.adapt_variance.assign(np.asarray(store["1"]))
            self._finish(self.adapt_mean, self.adapt_variance)

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        inputs = _elementwise.cast(operand(inputs), self.compute_dtype)
        deviation = ps.maximum(ps.sqrt(self.variance), 1e-7)
        return inputs * deviation + self.mean if self.invert else (inputs - self.mean) / deviation


@named("tf.keras.layers.Resizing")
class Resizing(_Prepares):
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
class CenterCrop(_Prepares):
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


class _Random(_Prepares):
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


# -- numbers of words and categories ------------------------------------------------------------------------


@named("tf.keras.layers.CategoryEncoding")
class CategoryEncoding(_Prepares):
    """Whole numbers as rows: "multi_hot", "one_hot", or "count"."""

    def __init__(
        self, num_tokens: Any = None, output_mode: str = "multi_hot", sparse: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        if output_mode not in ("multi_hot", "one_hot", "count"):
            raise ArgumentError(f"Unknown arg for output_mode: {output_mode}", site=here())
        if num_tokens is None:
            raise ArgumentError("num_tokens must be set to use this layer.", site=here())
        self.num_tokens, self.output_mode, self.sparse = num_tokens, output_mode, bool(sparse)

    def _looks_up(self, given: Any, count_weights: Any = None) -> Any:
        """Returns the result for numbers with only a known shape."""
        return _encoded_shape(given.shape, self.num_tokens, self.output_mode, self.compute_dtype)

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """Computes the layer."""
        own = _encoded(operand(inputs), self.num_tokens, self.output_mode, self.compute_dtype, count_weights)
        return from_dense(own) if self.sparse else own


def _encoded_shape(shape: Any, count: int, mode: str, dtype: Any) -> KerasTensor:
    """Returns what `_encoded` gives, for numbers of which only the shape is known."""
    own = tuple(shape)
    if mode == "int":
        return KerasTensor(own, "int64")
    whole = mode == "one_hot" and not (own and own[-1] == 1)
    return KerasTensor((*(own if whole else own[:-1]), count), dtype)


def _encoded(numbers: Any, count: int, mode: str, dtype: Any, weights: Any = None) -> Any:
    rows = _arrays.one_hot(_elementwise.cast(numbers, "int32"), count, dtype=dtype)
    if mode == "one_hot":
        shape = numbers._spec.shape
        return rows[..., 0, :] if shape and shape[-1] == 1 else rows
    if weights is not None:
        rows = rows * _elementwise.cast(operand(weights), dtype)[..., None]
    if not numbers._spec.shape:
        return rows
    made = ps.sum(rows, axis=-2) if mode == "count" else ps.max(rows, axis=-2)
    return _elementwise.cast(made, dtype)


@named("tf.keras.layers.Discretization")
class Discretization(_Prepares):
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
        _refuse(self, sparse=sparse)
        if (bin_boundaries is None) == (num_bins is None):
            raise ArgumentError("You need to set either `num_bins` or `bin_boundaries`.", site=here())
        self.bin_boundaries = None if bin_boundaries is None else list(bin_boundaries)
        self.num_bins, self.epsilon, self.output_mode = num_bins, epsilon, output_mode

    def adapt(self, data: Any) -> None:
        """Takes the bounds from a summary of data, of about 1 / `epsilon` values."""
        summary = np.zeros((2, 0), np.float32)
        for one in _batches(data):
            values = np.sort(one.ravel())
            step = max(len(values) * self.epsilon, 1)
            kept = values[int(step - 1) :: int(step)]
            each = np.concatenate([summary, np.stack([kept, np.full(len(kept), step, kept.dtype)])], axis=1)
            summary = _summarized(each[:, np.argsort(each[0])], self.epsilon)
        self.bin_boundaries = _summarized(summary, 1 / self.num_bins)[0, :-1].astype(np.float32).tolist()

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
        return _encoded(found, len(self.bin_boundaries) + 1, self.output_mode, self.compute_dtype)


def _summarized(summary: Any, epsilon: float) -> Any:
    """Returns values and their weights at parts of `epsilon` of the whole weight; few of them as they are."""
    if summary.shape[1] * epsilon < 1:
        return summary
    weights = np.cumsum(summary[1])
    parts = epsilon + np.arange(0.0, 1.0, epsilon)
    values = np.interp(parts, weights / weights[-1], summary[0])
    up_to = np.interp(parts, weights / weights[-1], weights)
    return np.stack([values, np.diff(up_to, prepend=0)]).astype(np.float32)


class _Lookup(Layer):
    """Words or numbers as those of their places in a vocabulary."""

    _text = True

    def __init__(
        self,
        max_tokens: Any = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        **options: Any,
    ) -> None:
        self._wanted = options.pop("vocabulary_dtype", None)
        options.pop("encoding", None)
        super().__init__(**options)
        _refuse(self, sparse=sparse)
        if num_oov_indices not in (0, 1):
            raise ArgumentError(
                f"{type(self).__name__}: num_oov_indices={num_oov_indices}; 0 and 1 are.", site=here()
            )
        self.max_tokens, self.num_oov_indices, self.mask_token = max_tokens, num_oov_indices, mask_token
        self.oov_token, self.invert, self.output_mode = oov_token, invert, output_mode
        self.pad_to_max_tokens, self._idf = pad_to_max_tokens, idf_weights
        self._tokens: list[Any] = []
        self._numbers: dict[Any, int] = {}
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    @property
    def _row_dtype(self) -> str:
        # As in Keras, `dtype` does not say it.
        return "float32" if self.output_mode == "tf_idf" else "int64"

    @property
    def _offset(self) -> int:
        return (self.mask_token is not None and self.output_mode == "int") + self.num_oov_indices

    def _token(self, one: Any) -> Any:
        if self._text:
            return one.decode() if isinstance(one, bytes) else str(one)
        return int(one)

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Takes words, the most frequent first; or a file with one in each line."""
        if isinstance(vocabulary, str):
            with open(vocabulary, encoding="utf-8") as file:
                vocabulary = file.read().splitlines()
        array = np.asarray(strings(vocabulary)) if is_text(vocabulary) else np.asarray(vocabulary)
        tokens = [self._token(one) for one in array.tolist()]
        special = [one for one in (self.mask_token, self.oov_token) if one is not None]
        start = 0
        if tokens and self.mask_token is not None and tokens[0] == self.mask_token:
            start = 1
        if len(tokens) > start and tokens[start] == self.oov_token and self.num_oov_indices:
            start += 1
        tokens = tokens[start:]
        twice = sorted({str(one) for one in tokens if tokens.count(one) > 1})
        if twice:
            raise ArgumentError(
                "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The "
                f"repeated terms are: {twice}",
                site=here(),
            )
        if any(one in special for one in tokens):
            raise ArgumentError("Found reserved mask or OOV token in `vocabulary`.", site=here())
        self._tokens = tokens
        self._numbers = {one: number + self._offset for number, one in enumerate(tokens)}
        if idf_weights is not None:
            self._idf = np.asarray(idf_weights, np.float32)

    def adapt(self, data: Any) -> None:
        """Takes the vocabulary from data: the most frequent first, equal ones from the last in order."""
        counts: dict[Any, int] = {}
        documents: dict[Any, int] = {}
        total = 0
        for array in _batches(data):
            rows = array.reshape(len(array), -1) if array.ndim else array.reshape(1, 1)
            for row in rows.tolist():
                total += 1
                words = [self._token(one) for one in row]
                for word in words:
                    counts[word] = counts.get(word, 0) + 1
                for word in set(words):
                    documents[word] = documents.get(word, 0) + 1
        self._learn(counts, documents, total)

    def _learn(self, counts: dict[Any, int], documents: dict[Any, int], total: int) -> None:
        ignored = (self.mask_token, self.oov_token)
        ordered = sorted((one for one in counts if one not in ignored), key=lambda one: (counts[one], one))[
            ::-1
        ]
        if self.max_tokens is not None:
            ordered = ordered[: max(0, self.max_tokens - self._offset)]
        self.set_vocabulary(ordered or [])
        if self.output_mode == "tf_idf":
            self._idf = np.log(1 + total / (1 + np.array([documents[one] for one in ordered], np.float32)))

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Returns the vocabulary, with what stands for padding and for unknown words."""
        special = []
        if include_special_tokens:
            special = [self.mask_token] if self.mask_token is not None and self.output_mode == "int" else []
            special += [self.oov_token] * self.num_oov_indices
        # Keras holds them in an array of NumPy.
        return [*special, *(np.str_(one) if isinstance(one, str) else np.int64(one) for one in self._tokens)]

    def vocabulary_size(self) -> int:
        """Returns the length of the vocabulary, with what stands for padding and for unknown words."""
        return len(self._tokens) + self._offset

    def _number_of(self, one: Any) -> int:
        token = self._token(one)
        if self.mask_token is not None and token == self.mask_token:
            return 0
        known = self._numbers.get(token)
        if known is not None:
            return known
        if not self.num_oov_indices:
            raise ArgumentError(
                f"When `num_oov_indices=0` all inputs should be in vocabulary, found OOV value {token!r}.",
                site=here(),
            )
        return self._offset - 1

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Looks the inputs up."""
        (given,) = inputs
        if isinstance(given, Tensor | StringTensor | np.ndarray | list | tuple | str):
            self.built = True
            return self.call(given)
        return super().__call__(*inputs, **options)

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for inputs with only a known shape."""
        if self.invert:
            return KerasTensor(given.shape, "string" if self._text else "int64")
        width = self.max_tokens if self.pad_to_max_tokens and self.max_tokens else self.vocabulary_size()
        return _encoded_shape(given.shape, width, self.output_mode, self._row_dtype)

    def call(self, inputs: Any) -> Any:
        """Looks the inputs up."""
        if self.invert:
            numbers = np.asarray(inputs.numpy() if hasattr(inputs, "numpy") else inputs)
            every = self.get_vocabulary()
            flat = [every[n] if 0 <= n < len(every) else self.oov_token for n in numbers.ravel().tolist()]
            made = np.empty(numbers.size, object)
            made[:] = flat
            return StringTensor(made.reshape(numbers.shape)) if self._text else constant(
                np.array(flat, np.int64).reshape(numbers.shape))  # fmt: skip
        array = np.asarray(strings(inputs)) if self._text else np.asarray(
            inputs.numpy() if hasattr(inputs, "numpy") else inputs)  # fmt: skip
        numbers = np.array([self._number_of(one) for one in array.ravel().tolist()], np.int64).reshape(
            array.shape
        )
        return self._given_out(constant(numbers))

    def _given_out(self, numbers: Any) -> Any:
        if self.output_mode == "int":
            return numbers
        width = self.max_tokens if self.pad_to_max_tokens and self.max_tokens else self.vocabulary_size()
        if self.output_mode == "tf_idf":
            counted = _encoded(numbers, width, "count", "float32")
            weights = np.concatenate([[np.mean(self._idf)] * self._offset, self._idf]).astype(np.float32)
            return counted * np.pad(weights, (0, width - len(weights)))
        return _encoded(numbers, width, self.output_mode, self._row_dtype)


@named("tf.keras.layers.StringLookup")
class StringLookup(_Lookup):
    """Words as the numbers of their places in a vocabulary; 0 stands for unknown words.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer(["b", "z"]).numpy().tolist()
    [2, 0]
    """


@named("tf.keras.layers.IntegerLookup")
class IntegerLookup(_Lookup):
    """Whole numbers as those of their places in a vocabulary; 0 stands for unknown ones."""

    _text = False

    def __init__(
        self,
        max_tokens: Any = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = -1,
        vocabulary: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, **options)


@named("tf.keras.layers.Hashing")
class Hashing(Layer):
    """Words or whole numbers as numbers below `num_bins`: the rests of their FarmHash, as in Keras.

    With `salt`, a whole number or two of them, the hash is SipHash under this key. `mask_value` gets the
    number 0, and the others those above it.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.layers.Hashing(num_bins=3)(["A", "B", "C", "D", "E"]).numpy().tolist()
    [1, 0, 1, 1, 2]
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        _refuse(self, sparse=sparse)
        self.num_bins, self.mask_value, self.salt, self.output_mode = num_bins, mask_value, salt, output_mode

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for inputs with only a known shape."""
        return _encoded_shape(given.shape, self.num_bins, self.output_mode, self.compute_dtype)

    def __call__(self, inputs: Any, **options: Any) -> Any:
        """Computes the layer."""
        from penstock.tensorflow._fingerprints import keyed
        from penstock.tensorflow.strings import to_hash_bucket_fast

        if isinstance(inputs, KerasTensor):
            return super().__call__(inputs, **options)

        array = np.asarray(strings(inputs)) if is_text(inputs) else np.asarray(
            inputs.numpy() if hasattr(inputs, "numpy") else inputs)  # fmt: skip
        words = [one if isinstance(one, bytes) else str(one).encode() for one in array.ravel().tolist()]
        masked = [self.mask_value is not None and one == str(self.mask_value).encode() for one in words]
        above = int(self.mask_value is not None and self.num_bins > 1)
        if not words:
            numbers = np.zeros(array.shape, np.int64)
        elif self.salt is None:
            numbers = to_hash_bucket_fast(words, self.num_bins - above).numpy()
        else:
            first, second = (self.salt, self.salt) if isinstance(self.salt, int) else self.salt
            found = [keyed(one, (first, second)) % (self.num_bins - above) for one in words]
            numbers = np.array(found, np.int64)
        placed = constant(
            np.where(masked, 0, numbers.reshape(-1) + above).reshape(array.shape).astype(np.int64)
        )
        self.built = True
        return placed if self.output_mode == "int" else _encoded(
            placed, self.num_bins, self.output_mode, self.compute_dtype, **options)  # fmt: skip


@named("tf.keras.layers.TextVectorization")
class TextVectorization(_Lookup):
    """Texts as rows of numbers of words.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["cat", "dog"])
    >>> layer(["A dog, a cat!"]).numpy().tolist()
    [[1, 3, 1]]
    """

    def __init__(
        self,
        max_tokens: Any = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: Any = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **options: Any,
    ) -> None:
        self.standardize, self.split, self.ngrams = standardize, split, ngrams
        self.output_sequence_length, self._encoding = output_sequence_length, encoding
        super().__init__(
            max_tokens, 1, "" if output_mode == "int" else None, "[UNK]", vocabulary, idf_weights, False,
            output_mode, pad_to_max_tokens, sparse, **options,
        )  # fmt: skip
        _refuse(self, ragged=ragged)

    def _words(self, text: bytes) -> list[str]:
        if callable(self.standardize):
            shown = self.standardize(StringTensor(text)).numpy().decode(self._encoding)
        else:
            shown = text.decode(self._encoding)
            if self.standardize in ("lower", "lower_and_strip_punctuation"):
                shown = shown.lower()
            if self.standardize in ("strip_punctuation", "lower_and_strip_punctuation"):
                shown = shown.translate(str.maketrans("", "", r"""!"#$%&()*+,-./:;<=>?@[\]^_`{|}~'"""))
        if callable(self.split):
            found = [one.decode() for one in np.asarray(self.split(StringTensor(shown))).ravel().tolist()]
        elif self.split == "character":
            found = list(shown)
        else:
            found = shown.split() if self.split == "whitespace" else [shown]
        if self.ngrams:
            sizes = range(1, self.ngrams + 1) if isinstance(self.ngrams, int) else self.ngrams
            found = [" ".join(found[n : n + size]) for size in sizes for n in range(len(found) - size + 1)]
        return found

    def adapt(self, data: Any) -> None:
        """Takes the vocabulary from texts: the most frequent words first, equal ones from the last in
        order."""
        counts: dict[str, int] = {}
        documents: dict[str, int] = {}
        total = 0
        for array in _batches(data):
            for text in np.asarray(strings(array)).ravel().tolist():
                total += 1
                words = self._words(text)
                for word in words:
                    counts[word] = counts.get(word, 0) + 1
                for word in set(words):
                    documents[word] = documents.get(word, 0) + 1
        self._learn(counts, documents, total)

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for texts with only a known shape."""
        own = tuple(given.shape)
        base = own[:-1] if len(own) > 1 and own[-1] == 1 else own
        if self.output_mode == "int":
            return KerasTensor((*base, self.output_sequence_length), "int64")
        width = self.max_tokens if self.pad_to_max_tokens and self.max_tokens else self.vocabulary_size()
        return KerasTensor((*base, width), self._row_dtype)

    def call(self, inputs: Any) -> Any:
        """Returns texts as rows of numbers of words, filled up with zeros."""
        array = np.asarray(strings(inputs))
        if array.ndim > 1 and array.shape[-1] == 1:
            array = array[..., 0]
        rows = [[self._number_of(word) for word in self._words(text)] for text in array.ravel().tolist()]
        length = self.output_sequence_length
        if self.output_mode != "int":
            longest = max(map(len, rows), default=0)
            width = self.max_tokens if self.pad_to_max_tokens and self.max_tokens else self.vocabulary_size()
            counted = np.zeros((len(rows), width), np.float32)
            for row, numbers in zip(counted, rows, strict=True):
                np.add.at(row, numbers, 1 if longest else 0)
            if self.output_mode == "multi_hot":
                counted = (counted > 0).astype(np.float32)
            elif self.output_mode == "tf_idf":
                weights = np.concatenate([[np.mean(self._idf)] * self._offset, self._idf]).astype(np.float32)
                counted = counted * np.pad(weights, (0, width - len(weights)))
            return constant(counted.astype(self._row_dtype).reshape(*array.shape, width))
        width = max(map(len, rows), default=0) if length is None else length
        made = np.zeros((len(rows), width), np.int64)
        for row, numbers in zip(made, rows, strict=True):
            row[: min(width, len(numbers))] = numbers[:width]
        return constant(made.reshape(*array.shape, width))
