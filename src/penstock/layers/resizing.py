"""Layers that change the lengths of the spatial axes: repeating, zero padding, or cropping."""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions import array, resize
from penstock.functions.convolution import lengths_of
from penstock.layers.arguments import data_format_of
from penstock.layers.base import Layer
from penstock.layers.options import Options
from penstock.trace.source_site import here


class _Resizing(Layer):
    """A layer over 1 to 3 spatial axes."""

    _takes_one = True

    rank: ClassVar[int]

    def _axes(self, inputs: Any) -> tuple[int, ...]:
        """Returns the spatial axes of the layer's input."""
        shape = inputs._spec.shape
        if len(shape) != self.rank + 2:
            raise ArgumentError(
                f"{self._input_words} {self.name!r} is incompatible with the layer: expected "
                f"ndim={self.rank + 2}, found ndim={len(shape)}. Full shape received: {tuple(shape)}",
                why=f"{type(self).__name__} takes [batch, {self.rank} lengths, channels].",
                site=here(),
            )
        first = 1 if self.data_format == "channels_last" else 2
        return tuple(range(first, first + self.rank))


class _UpSampling(_Resizing):
    """Makes each spatial axis a whole number of times as long."""

    def __init__(
        self,
        size: Any = 2,
        data_format: str | None = None,
        interpolation: str = "nearest",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        self.size = lengths_of(type(self).__name__, "size", size, self.rank)
        self.data_format = data_format_of(self, data_format)
        if not isinstance(interpolation, str):
            raise ArgumentError(
                f"{type(self).__name__}: interpolation is {interpolation!r}.",
                remedy=f"Use {', '.join(resize.METHODS)}.",
                site=here(),
            )
        self.interpolation = interpolation.lower()

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        axes = self._axes(inputs)
        if self.interpolation == "nearest":
            for axis, times in zip(axes, self.size, strict=True):
                inputs = array.repeat(inputs, times, axis=axis)
            return inputs
        lengths = [inputs._spec.shape[axis] * n for axis, n in zip(axes, self.size, strict=True)]
        return resize.resize(inputs, lengths, self.interpolation, axes=axes)


class UpSampling1D(_UpSampling):
    """Each step of [batch, steps, channels] `size` times.

    Args:
        size: the factor: an int, or one for each spatial axis.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `size` has the wrong shape, or names an axis that is not there.
        ArgumentError: if an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.UpSampling1D(3)(ps.zeros((1, 2, 4))).shape
    (1, 6, 4)
    """

    rank = 1

    def __init__(self, size: Any = 2, **options: Unpack[Options]) -> None:
        super().__init__(size, **options)


class UpSampling2D(_UpSampling):
    """Images `size` times as high and wide; `interpolation` is a method of `ps.nn.resize`.

    Args:
        size: the factor: an int, or one for each spatial axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        interpolation: a method of `ps.nn.resize`.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `size` has the wrong shape, or names an axis that is not there.
        ArgumentError: if `data_format`, `interpolation` or an input has a value that is not allowed.
        PenstockError: if `interpolation` has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.UpSampling2D((2, 3))(ps.zeros((1, 2, 2, 4))).shape
    (1, 4, 6, 4)
    """

    rank = 2


class UpSampling3D(_UpSampling):
    """Volumes `size` times as long along each axis, every element repeated.

    Args:
        size: the factor: an int, or one for each spatial axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ShapeError: if `size` has the wrong shape, or names an axis that is not there.
        ArgumentError: if `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.UpSampling3D(2)(ps.zeros((1, 2, 2, 2, 4))).shape
    (1, 4, 4, 4, 4)
    """

    rank = 3

    def __init__(self, size: Any = 2, data_format: str | None = None, **options: Unpack[Options]) -> None:
        super().__init__(size, data_format, **options)


def _pairs(layer: _Resizing, what: str, given: Any) -> tuple[tuple[int, int], ...]:
    """Returns the amounts before and after, for each spatial axis."""
    rank = layer.rank
    several = [given] * rank if isinstance(given, int | np.integer) else given
    if rank == 1 and isinstance(several, list | tuple) and len(several) == 2:
        several = [several]
    found = []
    if isinstance(several, list | tuple) and len(several) == rank:
        for one in several:
            pair = (one, one) if isinstance(one, int | np.integer) else one
            if isinstance(pair, list | tuple) and len(pair) == 2 and all(_counts(n) for n in pair):
                found.append((int(pair[0]), int(pair[1])))
    if len(found) != rank:
        raise ArgumentError(
            f"{type(layer).__name__}: {what} is {given!r}.",
            remedy="Give one number of at least 0 for all sides, one for each spatial axis, or a pair "
            "(before, after) for each.",
            site=here(),
        )
    return tuple(found)


def _counts(n: Any) -> bool:
    return isinstance(n, int | np.integer) and not isinstance(n, bool) and bool(n >= 0)


class _ZeroPadding(_Resizing):
    """Zeros around the spatial axes."""

    def __init__(self, padding: Any = 1, data_format: str | None = None, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self.data_format = data_format_of(self, data_format)
        self._around = _pairs(self, "padding", padding)
        self.padding = self._around[0] if self.rank == 1 else self._around

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        widths = [(0, 0)] * (self.rank + 2)
        for axis, pair in zip(self._axes(inputs), self._around, strict=True):
            widths[axis] = pair
        return resize.pad(inputs, widths)


class ZeroPadding1D(_ZeroPadding):
    """Steps of zeros before and after: `padding` is one number, or a pair.

    Args:
        padding: "valid" for windows inside alone, "same" for as many as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `padding`, `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.ZeroPadding1D((1, 2))(ps.ones((1, 2, 4))).shape
    (1, 5, 4)
    """

    rank = 1


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images: `padding` is one number, (high, wide), or ((top, bottom), (left, right)).

    Args:
        padding: "valid" for windows inside alone, "same" for as many as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `padding`, `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.ZeroPadding2D(((1, 0), (2, 2)))(ps.ones((1, 3, 3, 4))).shape
    (1, 4, 7, 4)
    """

    rank = 2


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes: `padding` is one number, one for each axis, or a pair for each.

    Args:
        padding: "valid" for windows inside alone, "same" for as many as positions.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `padding`, `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.ZeroPadding3D((1, 0, 2))(ps.ones((1, 2, 2, 2, 4))).shape
    (1, 4, 2, 6, 4)
    """

    rank = 3


class _Cropping(_Resizing):
    """The spatial axes without their first and last entries."""

    least: ClassVar[Any] = 1

    def __init__(
        self, cropping: Any = None, data_format: str | None = None, **options: Unpack[Options]
    ) -> None:
        super().__init__(**options)
        self.data_format = data_format_of(self, data_format)
        self._around = _pairs(self, "cropping", self.least if cropping is None else cropping)
        self.cropping = self._around[0] if self.rank == 1 else self._around

    def call(self, inputs: Any) -> Any:
        """Computes the layer."""
        shape = tuple(inputs._spec.shape)
        key = [slice(None)] * len(shape)
        for axis, (before, after) in zip(self._axes(inputs), self._around, strict=True):
            if before + after >= shape[axis]:
                raise ArgumentError(
                    f"`cropping` parameter of `{type(self).__name__}` layer must be smaller than the input "
                    f"length. Received: inputs.shape={shape}, cropping={self.cropping}",
                    site=here(),
                )
            key[axis] = slice(before, shape[axis] - after)
        return inputs[tuple(key)]


class Cropping1D(_Cropping):
    """Steps without the first and last: `cropping` is one number, or a pair, (1, 1) by default.

    Args:
        cropping: the number of entries to cut off: an int, or a pair for each spatial axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `cropping`, `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Cropping1D((1, 2))(ps.ones((1, 5, 4))).shape
    (1, 2, 4)
    """

    rank = 1


class Cropping2D(_Cropping):
    """Images without a border: `cropping` has the forms of `padding` in `ZeroPadding2D`, 0 by default.

    Args:
        cropping: the number of entries to cut off: an int, or a pair for each spatial axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `cropping`, `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Cropping2D(((1, 0), (2, 2)))(ps.ones((1, 4, 7, 4))).shape
    (1, 3, 3, 4)
    """

    rank, least = 2, 0


class Cropping3D(_Cropping):
    """Volumes without a border: `cropping` has the forms of `padding` in `ZeroPadding3D`, 1 by default.

    Args:
        cropping: the number of entries to cut off: an int, or a pair for each spatial axis.
        data_format: "channels_last" or "channels_first"; None for the first.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `cropping`, `data_format` or an input has a value that is not allowed.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.layers.Cropping3D((1, 0, 2))(ps.ones((1, 4, 2, 6, 4))).shape
    (1, 2, 2, 2, 4)
    """

    rank = 3


__all__: list[str] = [
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
]
