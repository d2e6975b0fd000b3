"""Images and sequences brought to other lengths, and the layers that do it."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import resize
from penstock.functions.composite import composite
from penstock.paddle._convert import data, integers_in, operand
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle.nn._adaptive_pooling import adaptive_mean
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_MODES = {
    "nearest": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "trilinear": (3,),
    "bicubic": (2,),
    "area": (1, 2, 3),
}
_LAST = ("NWC", "NLC", "NHWC", "NDHWC")


@in_functional("upsample")
def interpolate(
    x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False,
    align_mode: int = 0, data_format: str | None = None, recompute_scale_factor: Any = None,
    antialias: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with its spatial axes brought to other lengths: those of `size`, or times `scale_factor`.

    `mode` is "nearest", "linear", "bilinear", "trilinear", "bicubic" or "area". With `align_corners` corners
    stay where they are. With `align_mode=1` pixels are points that begin at 0, in the linear modes. With
    `recompute_scale_factor` the factor is that of the lengths, which are whole numbers.
    """
    if antialias:
        raise NotThereError(
            "interpolate() does not smooth what it makes smaller (antialias=True).",
            remedy='Take means: mode="area".',
            site=here(),
        )
    x = operand(x)
    rank = x._spec.ndim - 2
    mode = mode.lower()
    if mode not in _MODES or rank not in _MODES[mode]:
        raise InvalidValueError(
            f"interpolate: mode {mode!r} is not for a tensor of {rank + 2} axes.",
            remedy=f"Use one of {', '.join(key for key, ranks in _MODES.items() if rank in ranks)}.",
            site=here(),
        )
    if (size is None) is (scale_factor is None):
        raise InvalidValueError("One of size and scale_factor must be set.", site=here())
    first = 1 if data_format in _LAST else 2
    axes = tuple(range(first, first + rank))
    own = [x._spec.shape[axis] for axis in axes]
    if align_corners and mode == "nearest":
        raise InvalidValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            "| trilinear",
            site=here(),
        )
    if size is not None:
        given = integers_in(size)
        lengths = [given] * rank if isinstance(given, int) else list(given)
        ratios = [n / m for n, m in zip(own, lengths, strict=True)]
    else:
        factors = np.asarray(scale_factor, np.float64).reshape(-1).tolist()
        factors = factors * rank if len(factors) == 1 else factors
        lengths = [int(n * one) for n, one in zip(own, factors, strict=True)]
        ratios = [1.0 / one for one in factors]
        if recompute_scale_factor:
            ratios = [n / m for n, m in zip(own, lengths, strict=True)]
    if mode == "area":
        return adaptive_mean(x, rank, tuple(lengths), data_format)
    if mode == "nearest":
        for axis, m, step, n in zip(axes, lengths, ratios, own, strict=True):
            places = np.floor(np.arange(m, dtype=np.float32) * np.float32(step)).astype(np.int64)
            x = native.take(x, data(np.minimum(places, n - 1)), axis=axis)
        return x
    if mode == "bicubic":
        if not align_corners and not np.allclose(np.multiply(ratios, lengths), own, 1e-6):
            raise NotThereError(
                f"interpolate() brings {own} by the factor {scale_factor} to {lengths}, which are rounded.",
                why='With mode="bicubic" elements are placed here by the lengths, in Paddle by the factor.',
                remedy=f"Write size={lengths}, or recompute_scale_factor=True: both go by the lengths.",
                site=here(),
            )
        return resize.resize(x, lengths, "bicubic", axes=axes, align_corners=bool(align_corners), cubic=-0.75)
    word = "corners" if align_corners else "points" if align_mode == 1 else "squares"
    return _linear(x, tuple(lengths), axes, tuple(map(str, ratios)), word)


@composite(1, "interpolate", wide=True)
def _linear(x: Any, lengths: Any, axes: Any, ratios: Any, word: str) -> Tensor:
    # The ratios as words: they decide which elements are read.
    for axis, m, ratio in zip(axes, lengths, map(float, ratios), strict=True):
        n = x.shape[axis]
        place = np.arange(m) * ratio
        if word == "corners":
            place = np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0)
        elif word == "squares":
            place = np.maximum((np.arange(m) + 0.5) * ratio - 0.5, 0.0)
        place = np.minimum(place, n - 1)
        low = np.floor(place).astype(np.int64)
        shape = tuple(-1 if i == axis else 1 for i in range(len(x.shape)))
        share = native.asarray((place - low).astype(x.dtype).reshape(shape))
        one = native.take(x, native.asarray(low), axis=axis)
        other = native.take(x, native.asarray(np.minimum(low + 1, n - 1)), axis=axis)
        x = one * (1.0 - share) + other * share
    return x  # type: ignore[no-any-return]


# -- layers ----------------------------------------------------------------------------------------------


_FORMAT = {3: "NCW", 4: "NCHW", 5: "NCDHW"}


@in_nn
class Upsample(Layer):
    """Images of another size: see `functional.interpolate`."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False,
        align_mode: int = 0, data_format: str | None = None, recompute_scale_factor: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode.lower()
        self.recompute_scale_factor, self.name = recompute_scale_factor, name
        self.align_corners, self.align_mode, self.data_format = align_corners, align_mode, data_format

    def forward(self, x: Any) -> Any:
        """Returns the images in another size."""
        return interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.align_mode,
            self.data_format or _FORMAT.get(x._spec.ndim, "NCHW"), self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return (
            f"{self._wanted()}, mode={self.mode}, align_corners={self.align_corners}, "
            f"align_mode={self.align_mode}, data_format={self.data_format}"
        )

    def _wanted(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor}"
        return f"size={self.size}"


@in_nn("UpsamplingNearest2d")
class UpsamplingNearest2D(Upsample):
    """Images of another size, by the nearest pixel."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(size, scale_factor, "nearest", data_format=data_format, name=name)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"{self._wanted()}, data_format={self.data_format}"


@in_nn("UpsamplingBilinear2d")
class UpsamplingBilinear2D(Upsample):
    """Images of another size, by four pixels; corners stay where they are."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", True, data_format=data_format, name=name)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        return f"{self._wanted()}, data_format={self.data_format}"
