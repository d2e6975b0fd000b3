"""Layers that change pictures: what they share, and pictures cut, resized and put in a row of changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.scratch import Scratch, exact
from penstock.layers.cloning import arguments_of
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._seeds import in_call
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._preparing import Prepares
from penstock.tensorflow.keras._seed_generator import SeedGenerator, default_seed
from penstock.trace.lengths import is_symbolic
from penstock.trace.local import local
from penstock.trace.source_site import here


def range_of(layer: Any, name: str, given: Any, low: float = -1.0, high: float = 1.0) -> tuple[Any, Any]:
    """Returns an argument, a number or a pair of them, as a range; raises ArgumentError outside of bounds."""
    pair = tuple(given) if isinstance(given, tuple | list) else (given, given)
    if len(pair) != 2 or not all(isinstance(one, int | float) for one in pair) or (
        pair[0] > high or pair[1] < low
    ):  # fmt: skip
        raise ArgumentError(
            f"{type(layer).__name__}: the `{name}` argument should be a number (or a list of two numbers) in "
            f"the range [{low}, {high}]. Received: {name}={given}",
            site=here(),
        )
    if isinstance(given, tuple | list):
        return tuple(sorted(pair))
    return max(-abs(given), low) if low < 0 else int(low), abs(given)


def values_of(layer: Any, given: Any) -> list[Any]:
    """Returns the smallest and the largest value of pictures; raises ArgumentError for no pair."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(
            f"{type(layer).__name__}: the `value_range` argument should be a list of two numbers. Received: "
            f"value_range={given}",
            site=here(),
        )
    return sorted(given)


def rescaled(images: Any, before: Any, after: Any) -> Any:
    """Returns values of one range in another."""
    if before[0] == after[0] and before[1] == after[1]:
        return images
    parts = (images - float(before[0])) / float(before[1] - before[0])
    return parts * float(after[1] - after[0]) + float(after[0])


class Pictures(Prepares):
    """A change of pictures [batch, height, width, channels], or of one without a batch.

    It is given pictures, or a dictionary with "images", which it returns changed; "labels" are mixed as the
    pictures are, and "segmentation_masks" moved as they are. Raises ArgumentError for boxes.
    """

    _always = False
    """Whether there is a draw without training, too."""
    _takes_whole = False
    """Whether pictures of whole numbers remain such."""

    def __init__(self, data_format: Any = None, bounding_box_format: Any = None, **options: Any) -> None:
        super().__init__(**options)
        if data_format not in (None, "channels_last", "channels_first"):
            raise ArgumentError(f"{type(self).__name__}: data_format={data_format!r}.", site=here())
        self.data_format = data_format or "channels_last"
        self.bounding_box_format = bounding_box_format

    def _seeded(self, seed: Any) -> None:
        self.seed = seed
        self._stream = SeedGenerator(seed)

    @property
    def generator(self) -> SeedGenerator:
        """Where the seeds of the layer's draws come from."""
        if self._stream is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'generator'")
        found: SeedGenerator = self._stream
        return found

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer."""
        config = {**arguments_of(self), **super().get_config()}
        found = {key: self.__dict__.get(key, one) for key, one in config.items()}
        if found.get("bounding_box_format") is None:
            found.pop("bounding_box_format", None)
        return {**found, "data_format": self.data_format}

    def call(self, data: Any, training: Any = True) -> Any:
        """Computes the layer."""
        if not isinstance(data, dict):
            return self._applied(data, [None, None], training)[0]
        parts = {"images", "labels"} | ({"segmentation_masks"} if self._moves_masks else set())
        unknown = sorted(set(data) - parts)
        if unknown:
            raise ArgumentError(
                f"{type(self).__name__} was given {', '.join(map(repr, unknown))}.",
                why=f"It changes only {', '.join(map(repr, sorted(parts)))} in penstock.tensorflow.",
                remedy="Change the others by functions of your own.",
                site=here(),
            )
        more = [data.get("labels"), data.get("segmentation_masks")]
        made = self._applied(data["images"], more, training)
        names = ("images", "labels", "segmentation_masks")
        return {**data, **{name: one for name, one in zip(names, made, strict=True) if name in data}}

    def _taken(self, images: Any) -> Any:
        """Returns pictures in the dtype in which the layer computes."""
        images = operand(np.asarray(images)) if isinstance(images, list | np.ndarray) else operand(images)
        if not self._takes_whole or in_call():
            images = _elementwise.cast(images, self.compute_dtype)
        if len(images._spec.shape) not in (3, 4):
            raise ArgumentError(
                "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: "
                f"data.shape={images._spec.shape}",
                site=here(),
            )
        return images

    def _applied(self, images: Any, more: list[Any], training: Any) -> list[Any]:
        """Returns the pictures changed, and the labels and masks, None if there are none."""
        images = self._taken(images)
        labels, masks = (None if one is None else operand(one) for one in more)
        if isinstance(local.trace, Scratch) and not exact.get() and self._same_shape:
            # Only shapes are asked for, and there are no pictures yet.
            return [images, labels, masks]
        alone, turned = len(images._spec.shape) == 3, self.data_format == "channels_first"

        def batch(one: Any) -> Any:
            one = one[None] if alone else one
            return _arrays.transpose(one, (0, 2, 3, 1)) if turned else one

        def back(one: Any) -> Any:
            one = _arrays.transpose(one, (0, 3, 1, 2)) if turned else one
            return one[0] if alone else one

        own = batch(images)
        drawn = self._drawn(own, self._stream) if training or self._always else None
        if labels is not None and training and drawn is not None:
            labels = self._mixed(labels[None], drawn)[0] if alone else self._mixed(labels, drawn)
        if masks is not None:
            masks = back(self._masks(batch(masks), drawn, training))
        return [back(self._changed(own, drawn) if training else self._unchanged(own)), labels, masks]

    _same_shape = True
    """Whether the result has the shape of the pictures."""
    _stream: Any = None

    def _drawn(self, images: Any, source: Any) -> Any:
        """Returns what is drawn for a batch."""
        return None

    def _changed(self, images: Any, drawn: Any) -> Any:
        """Returns a batch, changed as was drawn."""
        raise NotImplementedError

    def _unchanged(self, images: Any) -> Any:
        """Returns a batch as it is without training."""
        return images

    _moves_masks = True
    """Whether masks that say what is where in pictures can be given with them."""

    def _masks(self, masks: Any, drawn: Any, training: Any) -> Any:
        """Returns the masks of a batch, moved as its pictures: as they are, if only colours change."""
        return masks

    def _moved_masks(self, masks: Any, drawn: Any, training: Any) -> Any:
        """Returns masks changed as pictures are."""
        masks = _elementwise.cast(masks, self.compute_dtype)
        return self._changed(masks, drawn) if training else self._unchanged(masks)

    def _mixed(self, labels: Any, drawn: Any) -> Any:
        """Returns the labels of a batch, changed as was drawn."""
        return labels

    def _own(self, drawn: Any) -> Any:
        """Returns what was drawn in the dtype in which the layer computes."""
        return _elementwise.cast(drawn, self.compute_dtype)

    def _uniform(
        self, images: Any, bounds: Any, source: Any, shape: Any = (1, 1, 1), own: bool = False
    ) -> Any:
        """Returns numbers for each picture, in the dtype of the layer if they are its `own`."""
        dtype = self.compute_dtype if own else None
        return random.uniform((images._spec.shape[0], *shape), bounds[0], bounds[1], dtype, source)


def _resized(images: Any, height: int, width: int, method: str, antialias: bool = False) -> Any:
    from penstock.tensorflow import image

    return image.resize(images, (height, width), method, antialias=antialias)


def _cut(images: Any, height: int, width: int) -> Any:
    """Returns the middle part of pictures with the proportions of a height and a width."""
    tall, wide = images._spec.shape[1:3]
    rows = max(min(tall, int(wide * height / width)), 1)
    columns = max(min(wide, int(tall * width / height)), 1)
    top, left = (tall - rows) // 2, (wide - columns) // 2
    return images[:, top : top + rows, left : left + columns]


def _widened(images: Any, height: int, width: int, value: float) -> Any:
    """Returns pictures with as much around them as they need for the proportions of a height and a width."""
    tall, wide = images._spec.shape[1:3]
    top = (max(tall, int(wide * height / width)) - tall) // 2
    left = (max(wide, int(tall * width / height)) - wide) // 2
    around = [(0, 0), (top, top), (left, left), (0, 0)]
    return _arrays.pad(images, constant(np.array(around, np.int32)), constant_values=value)


@named("tf.keras.layers.Resizing")
class Resizing(Pictures):
    """Pictures of one height and width; of whole numbers, they remain so.

    With `crop_to_aspect_ratio` what does not fit is cut off, and with `pad_to_aspect_ratio` there is
    `fill_value` around them; otherwise proportions change. `fill_mode` is "constant".

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> tf.keras.layers.Resizing(4, 4)(np.ones((1, 8, 6, 3), "uint8")).shape
    TensorShape([1, 4, 4, 3])
    """

    _takes_whole, _same_shape = True, False

    def _masks(self, masks: Any, drawn: Any, training: Any) -> Any:
        return self._sized(masks, "nearest")

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
        super().__init__(data_format=data_format, **options)
        if fill_mode != "constant" or (crop_to_aspect_ratio and pad_to_aspect_ratio):
            raise ArgumentError(
                f"Resizing: fill_mode={fill_mode!r}, {crop_to_aspect_ratio=}, {pad_to_aspect_ratio=}.",
                why="Only 'constant' is a fill mode, and only one of the two can be True.",
                site=here(),
            )
        self.height, self.width, self.interpolation = height, width, interpolation
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = crop_to_aspect_ratio, pad_to_aspect_ratio
        self.fill_mode, self.fill_value, self.antialias = fill_mode, fill_value, bool(antialias)

    def _changed(self, images: Any, drawn: Any) -> Any:
        return self._sized(images, self.interpolation)

    def _sized(self, images: Any, method: str) -> Any:
        own = images._spec.dtype
        if self.crop_to_aspect_ratio:
            images = _cut(images, self.height, self.width)
        elif self.pad_to_aspect_ratio:
            images = _widened(images, self.height, self.width, self.fill_value)
        made = _resized(images, self.height, self.width, method, self.antialias)
        if made._spec.dtype == own:
            return made
        if own.kind in "iu":
            bounds = np.iinfo(own)
            made = _arrays.clip_by_value(_elementwise.round(made), float(bounds.min), float(bounds.max))
        return _elementwise.cast(made, own)

    def _unchanged(self, images: Any) -> Any:
        return self._changed(images, None)


@named("tf.keras.layers.CenterCrop")
class CenterCrop(Pictures):
    """The middle of pictures; smaller ones are cut to the proportions and resized."""

    _same_shape = False
    _masks = Pictures._moved_masks

    def __init__(self, height: int, width: int, data_format: Any = None, **options: Any) -> None:
        super().__init__(data_format=data_format, **options)
        self.height, self.width = height, width

    def _changed(self, images: Any, drawn: Any) -> Any:
        tall, wide = images._spec.shape[1:3]
        if isinstance(local.trace, Scratch) and not exact.get() and is_symbolic([tall, wide]):
            # Pictures of any size have this one afterwards.
            return _resized(images, self.height, self.width, "bilinear")
        if tall < self.height or wide < self.width:
            return _resized(_cut(images, self.height, self.width), self.height, self.width, "bilinear")
        top, left = (tall - self.height) // 2, (wide - self.width) // 2
        return images[:, top : top + self.height, left : left + self.width]

    def _unchanged(self, images: Any) -> Any:
        return self._changed(images, None)


@named("tf.keras.layers.RandomCrop")
class RandomCrop(Pictures):
    """A part of pictures at a random place while training; smaller ones are resized. Nothing otherwise."""

    _same_shape = False
    _masks = Pictures._moved_masks

    def __init__(
        self, height: int, width: int, seed: Any = None, data_format: Any = None, **options: Any
    ) -> None:
        super().__init__(data_format=data_format, **options)
        # The seed that it keeps is drawn before that of its generator, as in Keras.
        kept = default_seed() if seed is None else seed
        self._seeded(seed)
        self.height, self.width, self.seed = height, width, kept

    def _drawn(self, images: Any, source: Any) -> Any:
        tall, wide = images._spec.shape[1:3]
        if tall > self.height and wide > self.width:
            return [
                _elementwise.cast(random.uniform((), 0, float(n + 1), seed=source), "int32")
                for n in (tall - self.height, wide - self.width)
            ]
        rows = max(min(tall, int(wide * self.height / self.width)), 1)
        columns = max(min(wide, int(tall * self.width / self.height)), 1)
        return [int((tall - rows) / 2), int((wide - columns) / 2)]

    def _changed(self, images: Any, drawn: Any) -> Any:
        for axis, (start, length) in enumerate(zip(drawn, (self.height, self.width), strict=True), 1):
            count = min(length, images._spec.shape[axis] - (start if isinstance(start, int) else 0))
            places = constant(np.arange(count, dtype=np.int32)) + start
            images = _arrays.gather(images, places, axis=axis)
        if images._spec.shape[1:3] == (self.height, self.width):
            return images
        return _elementwise.cast(_resized(images, self.height, self.width, "bilinear"), self.compute_dtype)


@named("tf.keras.layers.MaxNumBoundingBoxes")
class MaxNumBoundingBoxes(Pictures):
    """Pictures in a dictionary with "bounding_boxes", of which each gets `max_number`: cut off, or filled up.

    Raises ArgumentError, a ValueError, for pictures without boxes.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> boxes = {"boxes": np.ones((1, 1, 4)), "labels": np.ones((1, 1))}
    >>> layer = tf.keras.layers.MaxNumBoundingBoxes(2, bounding_box_format="xyxy")
    >>> made = layer({"images": np.zeros((1, 4, 4, 3)), "bounding_boxes": boxes})
    >>> made["bounding_boxes"]["labels"].numpy().tolist()
    [[1.0, -1.0]]
    """

    def __init__(self, max_number: int, fill_value: int = -1, **options: Any) -> None:
        super().__init__(**options)
        self.max_number, self.fill_value = int(max_number), int(fill_value)

    def call(self, data: Any, training: Any = True) -> Any:
        """Computes the layer; `training` does nothing."""
        boxes = data.get("bounding_boxes") if isinstance(data, dict) else None
        if boxes is None or not self.bounding_box_format:
            raise ArgumentError(
                "MaxNumBoundingBoxes needs bounding_box_format, and a dictionary with 'bounding_boxes'.",
                site=here(),
            )
        return {
            **data,
            "bounding_boxes": {
                key: self._filled_up(operand(one), 2 if key == "boxes" else 1) for key, one in boxes.items()
            },
        }

    def _filled_up(self, values: Any, back: int) -> Any:
        """Returns values with `max_number` along an axis, so many from the last."""
        shape = values._spec.shape
        place = len(shape) - back
        kept = values[tuple([slice(None)] * place + [slice(0, self.max_number)])]
        around = [
            (0, max(0, self.max_number - n)) if axis == place else (0, 0) for axis, n in enumerate(shape)
        ]
        return _arrays.pad(kept, constant(np.array(around, np.int32)), constant_values=self.fill_value)


@named("tf.keras.layers.Pipeline")
class Pipeline(Layer):
    """Layers one after another, without variables of their own."""

    def __init__(self, layers: Any, name: Any = None) -> None:
        super().__init__(name=name)
        self._pipeline_layers = list(layers)

    @property
    def layers(self) -> list[Any]:
        """The layers, in order."""
        return self._pipeline_layers

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer."""
        from penstock.tensorflow.keras._serial import serialize_keras_object

        return {"layers": [serialize_keras_object(one) for one in self._pipeline_layers], "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns layers one after another, recreated."""
        from penstock.tensorflow.keras._serial import deserialize_keras_object

        return cls(**{**config, "layers": [deserialize_keras_object(one) for one in config["layers"]]})

    def call(self, inputs: Any, training: Any = True) -> Any:
        """Computes the layers."""
        for layer in self._pipeline_layers:
            inputs = (
                layer(inputs, training=training) if isinstance(layer, Pictures | Pipeline) else layer(inputs)
            )
        return inputs
