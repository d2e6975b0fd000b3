"""Layers that perturb their input while training, so that a model does not rely on single values."""

from __future__ import annotations

import sys
from typing import Any, Unpack

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions.composite import composite
from penstock.functions.keys import DrawKey, key
from penstock.layers.arguments import data_format_of, fraction, wholes
from penstock.layers.base import Layer, honoured
from penstock.layers.options import Options, Plain
from penstock.ops import philox, pointwise
from penstock.ops import random as draws
from penstock.ops.validation import plain
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def stream_of(layer: Any, seed: Any, draws: bool = True) -> Any:
    """Returns where the draws of a layer come from, see `Layer._source`; None if it `draws` nothing."""
    seed = plain(seed)
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise ArgumentError(
            f"{type(layer).__name__}: seed is {seed!r}.",
            remedy="Give a whole number of at least 0.",
            site=here(),
        )
    return layer._source(seed) if draws else None


def next_key(stream: Any) -> DrawKey:
    """Returns the key of the next draw of a layer: of its own stream, or of `ps.random`."""
    return key() if stream is None else stream.key()


def fractions(stream: Any, shape: Shape, dtype: Any, frame: Any) -> Tensor:
    """Returns draws from 0 to 1, which decide what is dropped of data of this dtype."""
    taken = next_key(stream)
    if taken._spec is philox.KEY:
        # As many random bits as the data have, as in Keras.
        return philox.philox_uniform.record((taken,), {"shape": shape, "dtype": dtype}, frame)
    params = {"shape": shape, "dtype": np.dtype(np.float32)}
    return draws.random_uniform.record((taken,), params, frame)


def normals(stream: Any, shape: Shape, dtype: Any, frame: Any) -> Tensor:
    """Returns draws from the normal distribution."""
    taken = next_key(stream)
    primitive = philox.philox_normal if taken._spec is philox.KEY else draws.random_normal
    return primitive.record((taken,), {"shape": shape, "dtype": dtype}, frame)


@composite(2, "dropout", wide=True)
def dropped(x: Any, random: Any, rate: float) -> Tensor:
    """Returns x divided by 1 - rate where `random`, in 0 .. 1, is at least `rate`, and 0 elsewhere."""
    return pointwise.where(random >= rate, x / (1.0 - rate), 0.0)


def rate_of(rate: Any) -> float:
    """Returns a rate in 0 .. 1; raises ArgumentError for anything else."""
    rate = plain(rate)
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise ArgumentError(
            "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: "
            f"rate={rate}",
            why="It is the fraction that is dropped.",
            site=here(),
        )
    return float(rate)


_LIMIT = -1.6732632423543772 * 1.0507009873554805
"""The limit of selu at minus infinity: minus its alpha times its scale."""


@composite(2, "alpha_dropout", wide=True)
def dropped_to_limit(x: Any, random: Any, rate: float) -> Tensor:
    """Returns x with elements at selu's limit where a draw is below the rate, scaled to variance 1."""
    scale = ((1.0 - rate) * (1.0 + rate * _LIMIT**2)) ** -0.5
    kept = pointwise.where(random >= rate, x, _LIMIT)
    return kept * scale - scale * _LIMIT * rate  # type: ignore[no-any-return]


class Dropout(Layer):
    """While training, sets a random fraction `rate` of the elements to 0 and divides the others by 1 - rate.

    `noise_shape` has 1 for an axis along which elements are dropped together, and None for the full length of
    an axis. Draws come from `ps.random`, or from the layer's own stream if it has a `seed`.

    Args:
        rate: the share of elements that is dropped, from 0 to 1.
        noise_shape: the shape of the mask; an axis of length 1 shares it.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `rate`, `noise_shape`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> layer = ps.layers.Dropout(0.5, seed=1)
    >>> x = ps.ones((1, 4))
    >>> bool(ps.all(layer(x) == x)), sorted(set(layer(x, training=True).numpy().ravel().tolist()))
    (True, [0.0, 2.0])
    """

    supports_masking = True

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **options: Unpack[Options]
    ) -> None:
        super().__init__(**options)
        self.rate = rate_of(rate)
        if noise_shape is not None:
            several = isinstance(noise_shape, list | tuple)
            lengths = [one for one in noise_shape if one is not None] if several else noise_shape
            if min(wholes(self, "noise_shape", lengths), default=1) < 1 or not several:
                raise ArgumentError(
                    f"{type(self).__name__}: noise_shape is {noise_shape!r}.",
                    remedy="Give a length for each axis of the input: 1, or None for its full length.",
                    site=here(),
                )
        self.noise_shape, self.seed = noise_shape, seed
        self._stream = stream_of(self, seed, self.rate > 0)

    def _noise(self, shape: Shape) -> Shape:
        if self.noise_shape is None:
            return shape
        return tuple(n if m is None else int(m) for n, m in zip(shape, self.noise_shape, strict=True))

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Computes the layer."""
        if not training:
            return inputs
        honoured(self, "rate")
        if not self.rate:
            return inputs
        if self.rate >= 1:
            return inputs * 0.0
        shape = self._noise(tuple(inputs._spec.shape))
        random = fractions(self._stream, shape, inputs._spec.dtype, _frame(1))
        return dropped(inputs, random, self.rate)


class _SpatialDropout(Dropout):
    """Dropout of whole channels."""

    rank: int

    def __init__(
        self, rate: float, data_format: str | None = None, seed: int | None = None, **options: Unpack[Options]
    ) -> None:
        super().__init__(rate, seed=seed, **options)
        self.data_format = data_format_of(self, data_format)

    def _noise(self, shape: Shape) -> Shape:
        ones = (1,) * self.rank
        if self.data_format == "channels_first":
            return (*shape[:2], *ones)
        return (shape[0], *ones, shape[-1])


class SpatialDropout1D(_SpatialDropout):
    """Dropout of whole channels of [batch, steps, channels].

    Args:
        rate: the share of elements that is dropped, from 0 to 1.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `rate`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.SpatialDropout1D(0.5)(ps.zeros((2, 3, 4))).shape
    (2, 3, 4)
    """

    rank = 1

    def __init__(self, rate: float, seed: int | None = None, **options: Unpack[Options]) -> None:
        super().__init__(rate, None, seed, **options)


class SpatialDropout2D(_SpatialDropout):
    """Dropout of whole channels of images.

    Args:
        rate: the share of elements that is dropped, from 0 to 1.
        data_format: "channels_last" or "channels_first"; None for the first.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `rate`, `data_format`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.SpatialDropout2D(0.5)(ps.zeros((2, 3, 3, 4))).shape
    (2, 3, 3, 4)
    """

    rank = 2


class SpatialDropout3D(_SpatialDropout):
    """Dropout of whole channels of volumes.

    Args:
        rate: the share of elements that is dropped, from 0 to 1.
        data_format: "channels_last" or "channels_first"; None for the first.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `rate`, `data_format`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.SpatialDropout3D(0.5)(ps.zeros((2, 3, 3, 3, 4))).shape
    (2, 3, 3, 3, 4)
    """

    rank = 3


class AlphaDropout(Dropout):
    """Dropout that keeps mean 0 and variance 1, for layers of `selu` (Klambauer and others, 2017).

    Dropped elements become selu's limit for small numbers, and the result is scaled and shifted.

    Args:
        rate: the share of elements that is dropped, from 0 to 1.
        noise_shape: the shape of the mask; an axis of length 1 shares it.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `rate`, `noise_shape`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.AlphaDropout(0.5)(ps.ones((1, 2)))
    Tensor([[1., 1.]], dtype=float32)
    """

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Computes the layer."""
        if not training:
            return inputs
        honoured(self, "rate")
        if not self.rate:
            return inputs
        shape = self._noise(tuple(inputs._spec.shape))
        random = fractions(self._stream, shape, np.dtype(np.float32), _frame(1))
        return dropped_to_limit(inputs, random, self.rate)


class GaussianDropout(Layer):
    """While training, multiplies by draws of mean 1 and variance rate / (1 - rate).

    Args:
        rate: the share of elements that is dropped, from 0 to 1.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `rate`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.GaussianDropout(0.5)(ps.ones((1, 2)))
    Tensor([[1., 1.]], dtype=float32)
    """

    supports_masking = True

    def __init__(self, rate: float, seed: int | None = None, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.rate, self.seed = rate_of(rate), seed
        self._stream = stream_of(self, seed, self.rate > 0)
        if self.rate == 1:
            raise ArgumentError(
                "GaussianDropout: rate is 1.", why="The variance would be 1 / 0.", site=here()
            )

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Computes the layer."""
        if not training:
            return inputs
        honoured(self, "rate")
        if not self.rate:
            return inputs
        noise = normals(self._stream, tuple(inputs._spec.shape), inputs._spec.dtype, _frame(1))
        return inputs * (1.0 + noise * (self.rate / (1.0 - self.rate)) ** 0.5)


class GaussianNoise(Layer):
    """While training, adds draws from the normal distribution of mean 0.

    Args:
        stddev: the standard deviation, a number from 0.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `stddev`, `seed` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.GaussianNoise(0.1)(ps.ones((1, 2)))
    Tensor([[1., 1.]], dtype=float32)
    """

    supports_masking = True

    def __init__(self, stddev: float, seed: int | None = None, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.stddev, self.seed = fraction(self, "stddev", stddev), seed
        self._stream = stream_of(self, seed, self.stddev > 0)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Computes the layer."""
        if not training:
            return inputs
        honoured(self, "stddev")
        noise = normals(self._stream, tuple(inputs._spec.shape), inputs._spec.dtype, _frame(1))
        return inputs + noise * self.stddev


class ActivityRegularization(Layer):
    """The input, unchanged; a penalty on its elements is added to `losses`, for each example of the batch.

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `l1`, `l2` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> layer = ps.layers.ActivityRegularization(l2=0.5)
    >>> x = layer(ps.asarray([[1.0, 2.0]]))
    >>> [float(loss) for loss in layer.losses]
    [2.5]
    """

    supports_masking = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **options: Unpack[Plain]) -> None:
        from penstock.layers.regularizers import L1L2

        super().__init__(activity_regularizer=L1L2(l1, l2), **options)
        self.l1, self.l2 = l1, l2

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        return inputs


__all__: list[str] = [
    "ActivityRegularization",
    "AlphaDropout",
    "Dropout",
    "GaussianDropout",
    "GaussianNoise",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
]
