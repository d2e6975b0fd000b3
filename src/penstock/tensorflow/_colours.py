"""Colours of images [..., red, green, blue]: gamma, hue and saturation, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.ops.validation import plain
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._draws import uniform
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._image_changes import adjust_contrast, convert_image_dtype
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


def _fractions(image: Any) -> Any:
    """Returns images in single or half precision, whole numbers as fractions of their largest."""
    x = tensor_of(image)
    own = x._spec.dtype
    return x if own in (np.float16, np.float32) else convert_image_dtype(x, np.float32)


def _three(x: Any) -> Any:
    if not x._spec.shape or x._spec.shape[-1] != 3:
        count = x._spec.shape[-1] if x._spec.shape else 0
        raise InvalidArgumentError(
            f"input must have 3 channels but instead has {count} channels.",
            remedy="Give red, green and blue along the last axis.",
            site=here(),
        )
    return x


def _number(value: Any) -> Any:
    value = plain(value)
    return value if isinstance(value, Tensor | Cell) else float(value)


# -- hue, saturation, value -----------------------------------------------------------------------------


@composite(1, "rgb_to_hsv")
def _hsv(x: Any) -> Tensor:
    red, green, blue = (x[..., i] for i in range(3))
    top = native.max(x, axis=-1)
    span = top - native.min(x, axis=-1)
    some, bright = span > 0.0, top > 0.0
    sixth = 1.0 / (6.0 * native.where(some, span, 1.0))
    hue = native.where(
        top == red,
        sixth * (green - blue),
        native.where(top == green, sixth * (blue - red) + 2.0 / 6.0, sixth * (red - green) + 4.0 / 6.0),
    )
    hue = native.where(some, hue, 0.0)
    saturation = native.where(bright, span / native.where(bright, top, 1.0), 0.0)
    return native.stack([native.where(hue < 0.0, hue + 1.0, hue), saturation, top], axis=-1)


@composite(1, "hsv_to_rgb")
def _rgb(x: Any) -> Tensor:
    hue, saturation, value = x[..., 0] * 6.0, x[..., 1], x[..., 2]
    shares = (native.abs(hue - 3.0) - 1.0, 2.0 - native.abs(hue - 2.0), 2.0 - native.abs(hue - 4.0))
    parts = [(1.0 - saturation + saturation * native.clip(one, 0.0, 1.0)) * value for one in shares]
    return native.stack(parts, axis=-1)


@named("tf.image.rgb_to_hsv")
def rgb_to_hsv(images: Any, name: Any = None) -> EagerTensor:
    """Returns hue, saturation and value, each from 0 to 1, of red, green and blue.

    >>> from penstock import tensorflow as tf
    >>> print(tf.image.rgb_to_hsv([0.0, 0.5, 0.0]).numpy().round(3))
    [0.333 1.    0.5  ]
    """
    return _hsv(_three(tensor_of(images)))  # type: ignore[return-value]


@named("tf.image.hsv_to_rgb")
def hsv_to_rgb(images: Any, name: Any = None) -> EagerTensor:
    """Returns red, green and blue of hue, saturation and value."""
    return _rgb(_three(tensor_of(images)))  # type: ignore[return-value]


@composite(2, "adjust_hue")
def _turned(x: Any, turn: Any) -> Tensor:
    """Turns hues; the largest and the smallest of the three colours stay the same numbers."""
    red, green, blue = (x[..., i] for i in range(3))
    top, low = native.max(x, axis=-1), native.min(x, axis=-1)
    span = top - low
    middle = native.maximum(native.minimum(red, green), native.minimum(native.maximum(red, green), blue))
    share = (middle - low) / native.where(span > 0.0, span, 1.0)
    # The circle has six parts, in each of which one colour is the largest and one the smallest.
    part = native.where(
        red < green,
        native.where(blue < red, 1.0, native.where(blue > green, 3.0, 2.0)),
        native.where(blue < green, 0.0, native.where(blue > red, 4.0, 5.0)),
    )
    place = native.where(span > 0.0, part + _rising(part, share), 0.0)
    place = native.remainder(place + turn * 6.0, 6.0)
    part = native.floor(place)
    middle = low + _rising(part, place - part) * span
    return native.stack(
        [_colour(native.remainder(part + n, 6.0), top, middle, low) for n in (0.0, 4.0, 2.0)], axis=-1
    )


def _rising(part: Any, share: Any) -> Any:
    """Returns how far the middle colour is above the smallest, or the way back: it rises in even parts."""
    return native.where(native.remainder(part, 2.0) == 0.0, share, 1.0 - share)


def _colour(part: Any, top: Any, middle: Any, low: Any) -> Any:
    """Returns one colour, of which part 0 is the first in which it is the largest and falls to the middle."""
    largest = (part == 0.0) | (part == 5.0)
    return native.where(largest, top, native.where((part == 1.0) | (part == 4.0), middle, low))


# -- changes --------------------------------------------------------------------------------------------


@named("tf.image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> EagerTensor:
    """Returns gain * image ** gamma, whole numbers as if they went from 0 to 1."""
    exponent, factor = _number(gamma), _number(gain)
    if isinstance(exponent, float) and exponent < 0:
        raise ArgumentError("Gamma should be a non-negative real number.", site=here())
    x = tensor_of(image)
    return convert_image_dtype(factor * _fractions(x) ** exponent, x._spec.dtype, saturate=True)


@named("tf.image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: Any = None) -> EagerTensor:
    """Returns images whose hue, from 0 to 1 around the circle, is turned by `delta`, from -1 to 1."""
    turn = _number(delta)
    if isinstance(turn, float) and not -1.0 <= turn <= 1.0:
        raise InvalidArgumentError("delta must be in the interval [-1, 1]", site=here())
    x = tensor_of(image)
    changed = _turned(_three(_fractions(x)), turn)
    return convert_image_dtype(spoken(changed), x._spec.dtype)


@named("tf.image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: Any = None) -> EagerTensor:
    """Returns images whose saturation is multiplied, and cut off at 0 and 1."""
    x = tensor_of(image)
    parts = _hsv(_three(_fractions(x)))
    saturation = native.clip(parts[..., 1] * _number(saturation_factor), 0.0, 1.0)
    changed = _rgb(native.stack([parts[..., 0], saturation, parts[..., 2]], axis=-1))
    return convert_image_dtype(spoken(changed), x._spec.dtype)


# -- by chance ------------------------------------------------------------------------------------------


def _between(lower: Any, upper: Any, seed: Any) -> Any:
    if upper <= lower:
        raise ArgumentError("upper must be > lower.", site=here())
    if lower < 0:
        raise ArgumentError("lower must be non-negative.", site=here())
    return uniform((), float(lower), float(upper), seed=seed)


@named("tf.image.random_contrast")
def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> EagerTensor:
    """Returns images after `adjust_contrast` by a random factor between two."""
    return adjust_contrast(image, _between(lower, upper, seed))


@named("tf.image.random_saturation")
def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> EagerTensor:
    """Returns images after `adjust_saturation` by a random factor between two."""
    return adjust_saturation(image, _between(lower, upper, seed))


@named("tf.image.random_hue")
def random_hue(image: Any, max_delta: Any, seed: Any = None) -> EagerTensor:
    """Returns images after `adjust_hue` by a random turn of at most `max_delta`, from 0 to 0.5."""
    if max_delta > 0.5:
        raise ArgumentError("max_delta must be <= 0.5.", site=here())
    if max_delta < 0:
        raise ArgumentError("max_delta must be non-negative.", site=here())
    return adjust_hue(image, uniform((), -float(max_delta), float(max_delta), seed=seed))
