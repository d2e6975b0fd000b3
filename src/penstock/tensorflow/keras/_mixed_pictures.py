"""Pictures with parts erased, pictures mixed with others of the batch, and mixtures of many changes."""

from __future__ import annotations

import random as chance
from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._seeds import chosen_once
from penstock.tensorflow.keras import _coloured_pictures as coloured
from penstock.tensorflow.keras import _moved_pictures as moved
from penstock.tensorflow.keras import random
from penstock.tensorflow.keras._pictures import Pictures, range_of
from penstock.trace.source_site import here


class Boxed(Pictures):
    """Pictures in which boxes at random places are replaced."""

    def _bounds(self, images: Any, length: int, part: Any, source: Any) -> tuple[Any, Any]:
        """Returns where a box begins and ends along an axis, of which it takes a part."""
        size = part * float(length)
        start = self._uniform(images, (0, 1), source, (), own=True) * (float(length) - size)
        return start, start + size

    def _inside(self, images: Any, across: Any, along: Any) -> Any:
        """Returns which pixels are in the box of each picture."""
        _, height, width, _ = images._spec.shape
        x = constant(np.arange(width, dtype=images._spec.dtype)[None, None, :, None])
        y = constant(np.arange(height, dtype=images._spec.dtype)[None, :, None, None])
        left, right, top, bottom = (one[:, None, None, None] for one in (*across, *along))
        columns, rows = ps.logical_and(x >= left, x < right), ps.logical_and(y >= top, y < bottom)
        return ps.logical_and(columns, rows)


@named("tf.keras.layers.RandomErasing")
class RandomErasing(Boxed):
    """Pictures with a box of a random part `scale` of them replaced, by noise or `fill_value`."""

    def __init__(
        self, factor: Any = 1.0, scale: Any = (0.02, 0.33), fill_value: Any = None,
        value_range: Any = (0, 255), seed: Any = None, data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.factor = range_of(self, "factor", factor, 0, 1)
        self.scale = range_of(self, "scale", scale, 0, 1)
        if isinstance(fill_value, tuple | list) and len(fill_value) != 3:
            raise ArgumentError(
                "The `fill_value` argument should be a number (or a list of three numbers). Received: "
                f"{fill_value}",
                site=here(),
            )
        self.fill_value, self.value_range = fill_value, value_range
        self._seeded(seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        count, height, width, channels = images._spec.shape
        part = ps.sqrt(self._uniform(images, self.scale, source, (2,), own=True))
        across = self._bounds(images, width, part[:, 0], source)
        along = self._bounds(images, height, part[:, 1], source)
        often = self._uniform(images, self.factor, source)
        chosen = self._uniform(images, (0.0, 1.0), source) < often
        if self.fill_value is not None:
            value: Any = constant(np.asarray(self.fill_value, images._spec.dtype))
        elif self.data_format == "channels_first":
            drawn = random.normal((count, channels, height, width), dtype=self.compute_dtype, seed=source)
            value = _arrays.transpose(drawn, (0, 2, 3, 1)) * float(self.value_range[1])
        else:
            drawn = random.normal((count, height, width, channels), dtype=self.compute_dtype, seed=source)
            value = drawn * float(self.value_range[1])
        value = _arrays.clip_by_value(value, *map(float, self.value_range))
        return ps.logical_and(self._inside(images, across, along), chosen), value

    def _changed(self, images: Any, drawn: Any) -> Any:
        return _arrays.where(drawn[0], drawn[1], images)


@named("tf.keras.layers.CutMix")
class CutMix(Boxed):
    """Pictures with a box replaced by that of another picture of the batch; labels are mixed as much."""

    _masks = Pictures._moved_masks

    def __init__(self, factor: Any = 1.0, seed: Any = None, data_format: Any = None, **options: Any) -> None:
        super().__init__(data_format=data_format, **options)
        self.factor = range_of(self, "factor", factor, 0, 1)
        self._seeded(seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        count, height, width, _ = images._spec.shape
        alpha = random.uniform((), *self.factor, self.compute_dtype, source) + 1e-6
        kept = random.beta((count,), alpha, alpha, self.compute_dtype, source)
        part = ps.sqrt(1.0 - kept)
        across = self._bounds(images, width, part, source)
        along = self._bounds(images, height, part, source)
        weight = 1.0 - (across[1] - across[0]) * (along[1] - along[0]) / float(width * height)
        order = random.shuffle(constant(np.arange(count, dtype=np.int32)), seed=source)
        return self._inside(images, across, along), order, weight

    def _changed(self, images: Any, drawn: Any) -> Any:
        return _arrays.where(drawn[0], _arrays.gather(images, drawn[1]), images)

    def _mixed(self, labels: Any, drawn: Any) -> Any:
        return _blended(labels, drawn[1], drawn[2][:, None])


@named("tf.keras.layers.MixUp")
class MixUp(Pictures):
    """Pictures that each become a mean of two of the batch, with random weights; labels too."""

    _always, _moves_masks = True, False

    def __init__(self, alpha: float = 0.2, data_format: Any = None, seed: Any = None, **options: Any) -> None:
        super().__init__(data_format=data_format, **options)
        self.alpha = alpha
        self._seeded(seed)

    def _drawn(self, images: Any, source: Any) -> Any:
        count = images._spec.shape[0]
        order = random.shuffle(constant(np.arange(count, dtype=np.int64)), seed=source)
        return order, random.beta((count,), self.alpha, self.alpha, seed=source)

    def _changed(self, images: Any, drawn: Any) -> Any:
        return _blended(images, drawn[0], drawn[1][:, None, None, None])

    def _mixed(self, labels: Any, drawn: Any) -> Any:
        return _blended(labels, drawn[0], drawn[1][:, None])


def _blended(values: Any, order: Any, weight: Any) -> Any:
    values = _elementwise.cast(values, "float32") if values._spec.dtype.kind in "biu" else values
    weight = _elementwise.cast(weight, values._spec.dtype)
    return weight * values + (1.0 - weight) * _arrays.gather(values, order)


class Several(Pictures):
    """Pictures to which some of many changes are applied."""

    _moves_masks = False

    def _consist_of(
        self, factor: Any, value_range: Any, interpolation: str, seed: Any, all_ops: bool
    ) -> None:
        near = {"interpolation": interpolation, "seed": seed, "data_format": self.data_format}
        own = {"value_range": value_range, "seed": seed}
        bits = max(1, int(8 * factor[1]))
        # In the order in which they draw seeds of their own.
        self._changes: dict[str, Any] = {
            "random_shear": moved.RandomShear(factor, factor, **near),
            "random_translation": moved.RandomTranslation(factor, factor, **near),
            "random_rotation": moved.RandomRotation(factor, **near),
        }
        later: dict[str, Any] = {
            "solarization": lambda: coloured.Solarization(factor, factor, **own),
            "random_posterization": lambda: coloured.RandomPosterization(bits, **own),
        }
        colours: dict[str, Any] = {
            "random_brightness": lambda: coloured.RandomBrightness(factor, **own),
            "random_color_degeneration": lambda: coloured.RandomColorDegeneration(factor, **own),
            "random_contrast": lambda: coloured.RandomContrast(factor, **own),
            "random_sharpness": lambda: coloured.RandomSharpness(factor, **own),
        }
        if not all_ops:
            colours = {}
        groups = (later, colours) if isinstance(self, AugMix) else (colours, later)
        for group in groups:
            self._changes.update({name: make() for name, make in group.items()})
        self._changes["auto_contrast"] = coloured.AutoContrast(value_range)
        self._changes["equalization"] = coloured.Equalization(value_range)


_OF_AUGMIX = (
    "random_shear", "random_translation", "random_rotation", "random_posterization", "solarization",
    "auto_contrast", "equalization", "random_brightness", "random_color_degeneration", "random_contrast",
    "random_sharpness",
)  # fmt: skip
_OF_AUGMENT = (
    "random_shear", "random_translation", "random_rotation", "random_brightness", "random_color_degeneration",
    "random_contrast", "random_sharpness", "random_posterization", "solarization", "auto_contrast",
    "equalization",
)  # fmt: skip


@named("tf.keras.layers.AugMix")
class AugMix(Several):
    """Pictures blended with a mixture of chains of random changes.

    Python's `random` chooses the changes, as in Keras: once where a function is traced, as that of a data
    set is.
    """

    def __init__(
        self, value_range: Any = (0, 255), num_chains: int = 3, chain_depth: int = 3, factor: Any = 0.3,
        alpha: float = 1.0, all_ops: bool = True, interpolation: str = "bilinear", seed: Any = None,
        data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.value_range, self.num_chains, self.chain_depth = value_range, num_chains, chain_depth
        self.factor = range_of(self, "factor", factor, 0, 1)
        self.alpha, self.all_ops, self.interpolation = alpha, all_ops, interpolation
        self._seeded(seed)
        self._consist_of(self.factor, value_range, interpolation, seed, all_ops)

    def _drawn(self, images: Any, source: Any) -> Any:
        parts = random.gamma((self.num_chains,), self.alpha, seed=source)
        weights = parts / ps.sum(parts, axis=-1, keepdims=True)
        kept = random.beta((), self.alpha, self.alpha, seed=source)
        names = _OF_AUGMIX if self.all_ops else _OF_AUGMIX[:7]
        chains = []
        for _ in range(self.num_chains):
            chosen = chosen_once(lambda: [chance.choice([*names, None]) for _ in range(self.chain_depth)])
            chains.append([(one, self._changes[one]._drawn(images, source)) for one in chosen if one])
        return weights, kept, chains

    def _changed(self, images: Any, drawn: Any) -> Any:
        weights, kept, chains = drawn
        total: Any = ps.zeros_like(images)
        for place, chain in enumerate(chains):
            own = images
            for name, one in chain:
                own = self._changes[name]._changed(own, one)
            total = total + own * weights[place]
        made = kept * images + (1.0 - kept) * total
        return _arrays.clip_by_value(made, *map(float, self.value_range))


@named("tf.keras.layers.RandAugment")
class RandAugment(Several):
    """Pictures to which `num_ops` of eleven changes, chosen at random for the batch, are applied."""

    def __init__(
        self, value_range: Any = (0, 255), num_ops: int = 2, factor: Any = 0.5,
        interpolation: str = "bilinear", seed: Any = None, data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.value_range, self.num_ops, self.interpolation = value_range, num_ops, interpolation
        self.factor = range_of(self, "factor", factor, 0, 1)
        self._seeded(seed)
        self._consist_of(self.factor, value_range, interpolation, seed, True)

    def _drawn(self, images: Any, source: Any) -> Any:
        chosen = random.randint((self.num_ops,), 0, len(_OF_AUGMENT), seed=source)
        return chosen, {name: self._changes[name]._drawn(images, source) for name in _OF_AUGMENT}

    def _changed(self, images: Any, drawn: Any) -> Any:
        chosen, own = drawn
        for step in range(self.num_ops):
            for place, name in enumerate(_OF_AUGMENT):
                made = self._changes[name]._changed(images, own[name])
                images = _arrays.where(ps.equal(chosen[step], place), made, images)
        return images
