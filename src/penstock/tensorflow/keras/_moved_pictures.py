"""Pictures mirrored, turned, moved, zoomed, sheared and bent at random while training."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._projected_images import FILLS, displaced, projected
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._pictures import Pictures, range_of
from penstock.trace.source_site import here


@named("tf.keras.layers.RandomFlip")
class RandomFlip(Pictures):
    """Pictures mirrored at random: "horizontal", "vertical", or both."""

    _masks = Pictures._moved_masks

    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: Any = None, data_format: Any = None, **options: Any
    ) -> None:
        super().__init__(data_format=data_format, **options)
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ArgumentError(
                "`mode` should be one of ('horizontal', 'vertical', 'horizontal_and_vertical'). Received: "
                f"mode={mode}",
                site=here(),
            )
        self._seeded(seed)
        self.mode = mode

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, (0.0, 1.0), source) <= 0.5

    def _changed(self, images: Any, drawn: Any) -> Any:
        for axis, name in ((2, "horizontal"), (1, "vertical")):
            if name in self.mode:
                images = _arrays.where(drawn, ps.flip(images, axis=axis), images)
        return images


class Sampled(Pictures):
    """Pictures whose pixels come from other places: `fill_mode` says what is outside of them."""

    _fills = FILLS

    def _filled(self, fill_mode: str, interpolation: str, fill_value: float, seed: Any) -> None:
        for name, given, known in (
            ("fill_mode", fill_mode, self._fills), ("interpolation", interpolation, ("nearest", "bilinear"))
        ):  # fmt: skip
            if given not in known:
                raise NotImplementedError(f"Unknown `{name}` {given}. Expected of one {known}.")
        self.fill_mode, self.interpolation, self.fill_value = fill_mode, interpolation, fill_value
        self._seeded(seed)

    def _maps(self, images: Any, drawn: Any) -> list[Any]:
        """Returns the numbers of the map of each picture, eight of shape [batch] or single ones."""
        raise NotImplementedError

    def _changed(self, images: Any, drawn: Any) -> Any:
        return self._moved(images, drawn, self.interpolation)

    def _masks(self, masks: Any, drawn: Any, training: Any) -> Any:
        return self._moved(masks, drawn, "nearest") if training else masks

    def _moved(self, images: Any, drawn: Any, interpolation: str) -> Any:
        """Returns pictures, or masks of them, moved as was drawn."""
        count = images._spec.shape[0]
        rows = [
            constant(np.full(count, one, np.float32)) if isinstance(one, float) else
            _elementwise.cast(one, "float32") for one in self._maps(images, drawn)
        ]  # fmt: skip
        # Places are computed in float32, whatever the layer computes in.
        own, maps = _elementwise.cast(images, "float32"), ps.stack(rows, axis=1)
        made = projected(own, maps, interpolation, self.fill_mode, self.fill_value)
        return _elementwise.cast(made, images._spec.dtype)


@named("tf.keras.layers.RandomRotation")
class RandomRotation(Sampled):
    """Pictures turned at random, by a part of a whole turn."""

    def __init__(
        self, factor: Any, fill_mode: str = "reflect", interpolation: str = "bilinear", seed: Any = None,
        fill_value: float = 0.0, data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor = range_of(self, "factor", factor or 0.0)
        self._filled(fill_mode, interpolation, fill_value, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        return self._uniform(images, [one * 360.0 for one in self.factor], source, ())

    def _maps(self, images: Any, drawn: Any) -> list[Any]:
        height, width = images._spec.shape[1:3]
        angle = drawn * (np.pi / 180.0)
        cosine, sine = ps.cos(angle), ps.sin(angle)
        x, y = 0.5 * (width - 1), 0.5 * (height - 1)
        return [cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine, 0.0, 0.0]


@named("tf.keras.layers.RandomZoom")
class RandomZoom(Sampled):
    """Pictures zoomed at random: in with factors below 0, out with those above."""

    def __init__(
        self, height_factor: Any, width_factor: Any = None, fill_mode: str = "reflect",
        interpolation: str = "bilinear", seed: Any = None, fill_value: float = 0.0, data_format: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.height_factor, self.width_factor = height_factor, width_factor
        self._tall = range_of(self, "height_factor", height_factor)
        self._wide = None if width_factor is None else range_of(self, "width_factor", width_factor)
        self._filled(fill_mode, interpolation, fill_value, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        tall, wide = (
            None if one is None else self._uniform(images, (1.0 + one[0], 1.0 + one[1]), source, (1,))[:, 0]
            for one in (self._tall, self._wide)
        )
        return tall, tall if wide is None else wide

    def _maps(self, images: Any, drawn: Any) -> list[Any]:
        height, width = images._spec.shape[1:3]
        tall, wide = drawn
        x, y = (width - 1.0) / 2.0 * (1.0 - wide), (height - 1.0) / 2.0 * (1.0 - tall)
        return [wide, 0.0, x, 0.0, tall, y, 0.0, 0.0]


@named("tf.keras.layers.RandomTranslation")
class RandomTranslation(Sampled):
    """Pictures moved at random, by a part of their height and width."""

    def __init__(
        self, height_factor: Any, width_factor: Any, fill_mode: str = "reflect",
        interpolation: str = "bilinear", seed: Any = None, fill_value: float = 0.0, data_format: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.height_factor, self.width_factor = height_factor, width_factor
        self._tall = range_of(self, "height_factor", height_factor)
        self._wide = range_of(self, "width_factor", width_factor)
        self._filled(fill_mode, interpolation, fill_value, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        height, width = images._spec.shape[1:3]
        down = self._uniform(images, self._tall, source, (1,))[:, 0] * float(height)
        return down, self._uniform(images, self._wide, source, (1,))[:, 0] * float(width)

    def _maps(self, images: Any, drawn: Any) -> list[Any]:
        return [1.0, 0.0, -drawn[1], 0.0, 1.0, -drawn[0], 0.0, 0.0]


@named("tf.keras.layers.RandomShear")
class RandomShear(Sampled):
    """Pictures sheared at random along both axes."""

    def __init__(
        self, x_factor: Any = 0.0, y_factor: Any = 0.0, interpolation: str = "bilinear",
        fill_mode: str = "reflect", fill_value: float = 0.0, data_format: Any = None, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.x_factor, self.y_factor = (
            range_of(self, name, (-one, one) if isinstance(one, int | float) else one)
            for name, one in (("x_factor", x_factor), ("y_factor", y_factor))
        )
        self._filled(fill_mode, interpolation, fill_value, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        side = self._uniform(images, (0, 1), source, (1,), own=True)[:, 0]
        side = _arrays.where(side > 0.5, -ps.ones_like(side), ps.ones_like(side))
        along = self._uniform(images, self.y_factor, source, (1,), own=True)[:, 0]
        across = self._uniform(images, self.x_factor, source, (1,), own=True)[:, 0]
        return across * side, along * side

    def _maps(self, images: Any, drawn: Any) -> list[Any]:
        return [1.0, drawn[0], 0.0, drawn[1], 1.0, 0.0, 0.0, 0.0]


@named("tf.keras.layers.RandomPerspective")
class RandomPerspective(Sampled):
    """Pictures whose corners are moved at random, each by up to half of `scale`; `factor` says how often."""

    def __init__(
        self, factor: Any = 1.0, scale: float = 1.0, interpolation: str = "bilinear", fill_value: float = 0.0,
        seed: Any = None, data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor = range_of(self, "factor", factor, 0, 1)
        self.scale = range_of(self, "scale", scale, 0, 1)[1]
        self._filled("constant", interpolation, fill_value, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        often = self._uniform(images, self.factor, source, ())
        chosen = self._uniform(images, (0.0, 1.0), source, ()) < often
        moved = self._uniform(images, (-0.5 * self.scale, 0.5 * self.scale), source, (4, 2), own=True)
        return chosen, moved

    def _maps(self, images: Any, drawn: Any) -> list[Any]:
        height, width = images._spec.shape[1:3]
        corners = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]], np.float32)
        ends = constant(corners) + constant(corners) * _elementwise.cast(drawn[1], "float32")
        nothing = ps.zeros_like(ends[:, 0, 0])
        rows, wanted = [], []
        for place, corner in enumerate(corners):
            x, y, one = ends[:, place, 0], ends[:, place, 1], nothing + 1.0
            for value, before in ((float(corner[0]), True), (float(corner[1]), False)):
                own, other = [x, y, one], [nothing] * 3
                parts = [*own, *other] if before else [*other, *own]
                rows.append(ps.stack([*parts, x * -value, y * -value], axis=-1))
                wanted.append(value)
        right = np.broadcast_to(np.array(wanted, np.float32)[:, None], (images._spec.shape[0], 8, 1))
        found = ps.linalg.solve(ps.stack(rows, axis=1), constant(right.copy()))[..., 0]
        return [found[:, n] for n in range(8)]

    def _moved(self, images: Any, drawn: Any, interpolation: str) -> Any:
        moved = super()._moved(images, drawn, interpolation)
        return _arrays.where(drawn[0][:, None, None, None], moved, images)


@named("tf.keras.layers.RandomElasticTransform")
class RandomElasticTransform(Sampled):
    """Pictures bent at random: pixels move by smooth waves; `factor` says how often, and `scale` how much."""

    _fills = ("constant", "nearest", "wrap", "reflect")
    _moves_masks = False

    def __init__(
        self, factor: Any = 1.0, scale: Any = 1.0, interpolation: str = "bilinear",
        fill_mode: str = "reflect", fill_value: float = 0.0, value_range: Any = (0, 255),
        seed: Any = None, data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor = range_of(self, "factor", factor, 0, 1)
        self.scale = range_of(self, "scale", scale, 0, 1)
        self.value_range = value_range
        self._filled(fill_mode, interpolation, fill_value, seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        if not self.scale[1] or not self.factor[1]:
            return None
        often = self._uniform(images, self.factor, source, ())
        chosen = self._uniform(images, (0.0, 1.0), source, ()) < often
        much = random.uniform((), *self.scale, self.compute_dtype, source)
        # The waves along both axes are equal, as in Keras.
        return chosen, much, random.normal(images._spec.shape[:3], dtype=self.compute_dtype, seed=source)

    def _changed(self, images: Any, drawn: Any) -> Any:
        if drawn is None:
            return images
        chosen, much, waves = drawn
        height, width = images._spec.shape[1:3]
        deviation = min(height, width) * (0.05 * much)
        largest = 3 * int(min(height, width) * 0.05 * self.scale[1])
        waves = blurred((waves * deviation)[..., None], deviation, deviation, largest, largest)[..., 0]
        moved = waves * (max(height, width) * (0.1 * much))
        columns = constant(np.arange(width, dtype=moved._spec.dtype)[None, None, :]) + moved
        rows = constant(np.arange(height, dtype=moved._spec.dtype)[None, :, None]) + moved
        made = displaced(images, rows, columns, self.interpolation, self.fill_mode, self.fill_value)
        made = _arrays.where(chosen[:, None, None, None], made, images)
        return _arrays.clip_by_value(made, *map(float, self.value_range))


def blurred(images: Any, across: Any, along: Any, wide: int, tall: int, whole: bool = False) -> Any:
    """Returns pictures blurred by Gaussian kernels of these deviations, which reach so many pixels far.

    Unless they are `whole`, kernels reach three times as far as the whole part of their deviation.
    """
    from penstock.tensorflow._convolution import depthwise_conv2d

    def kernel(reach: int, deviation: Any) -> Any:
        places = np.arange(-reach, reach + 1, dtype=across._spec.dtype)
        weights = ps.exp(-0.5 * (constant(places) / deviation) ** 2)
        if not whole:
            near = constant(np.abs(places)) <= 3.0 * ps.floor(deviation)
            weights = _arrays.where(near, weights, ps.zeros_like(weights))
        return weights / ps.sum(weights)

    channels = images._spec.shape[-1]
    flat = kernel(tall, along)[:, None] * kernel(wide, across)[None, :]
    made = _arrays.reshape(flat, (2 * wide + 1, 2 * tall + 1, 1, 1))
    return depthwise_conv2d(images, _arrays.tile(made, (1, 1, channels, 1)), (1, 1, 1, 1), "SAME")
