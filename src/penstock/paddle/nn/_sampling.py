"""Values of an image between its pixels: grids of places, and samples at them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.paddle import _math
from penstock.paddle._convert import data, lengths_of, operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._tensor import as_result, saving
from penstock.trace.source_site import here, user_frame
from penstock.trace.tensor import Tensor


@in_functional
def affine_grid(theta: Any, out_shape: Any, align_corners: bool = True, name: Any = None) -> Any:
    """Returns the places that affine maps [n, 2, 3] or [n, 3, 4] send the pixels of images to.

    Places go from -1 to 1 along each axis: between the centres of the outer pixels with `align_corners`, else
    between their edges.
    """
    theta = as_result(operand(theta), user_frame(1))
    rank = theta._spec.shape[-2]
    lengths = lengths_of(out_shape)
    if theta._spec.ndim != 3 or len(lengths) != rank + 2:
        raise InvalidValueError(
            f"affine_grid: theta of shape {list(theta._spec.shape)} is not for images of shape "
            f"{list(lengths)}.",
            site=here(),
        )
    axes = []
    for n in lengths[2:]:
        place = np.linspace(-1.0, 1.0, n) if n > 1 else np.zeros(1)
        axes.append(place if align_corners else place * (n - 1) / n)
    mesh = np.meshgrid(*axes, indexing="ij")
    base = np.stack([*(one.ravel() for one in reversed(mesh)), np.ones(mesh[0].size)], -1)
    base = data(base.astype(theta._spec.dtype)).unsqueeze(0).expand([theta._spec.shape[0], -1, -1])
    found = _math.matmul(base, theta, transpose_y=True)
    return found.reshape([theta._spec.shape[0], *lengths[2:], rank])


def _reflected(place: Any, low: float, high: float) -> Any:
    """Returns places mirrored at both ends until they lie between."""
    span = high - low
    if span <= 0:
        return native.zeros_like(place)
    apart = native.abs(place - low)
    turns = native.floor(apart / span)
    rest = apart - turns * span
    odd = native.equal(turns - 2.0 * native.floor(turns / 2.0), 1.0)
    return native.where(odd, high - rest, low + rest)


@composite(2, "grid_sample")
def _sampled(x: Any, grid: Any, mode: str, padding: str, align: bool) -> Tensor:
    lengths = x.shape[2:]
    rank = len(lengths)
    places = []
    for axis, n in enumerate(lengths):
        own = native.take(grid, native.asarray(rank - 1 - axis), axis=rank + 1)
        place = (own + 1.0) * ((n - 1) / 2.0) if align else ((own + 1.0) * n - 1.0) / 2.0
        if padding == "reflection":
            place = _reflected(place, 0.0, n - 1.0) if align else _reflected(place, -0.5, n - 0.5)
        if padding != "zeros":
            place = native.clip(place, 0.0, n - 1.0)
        places.append(place)
    if mode == "nearest":
        return _at(x, [native.round(one) for one in places])  # type: ignore[no-any-return]
    return interpolated(x, places)  # type: ignore[no-any-return]


def interpolated(x: Any, places: list[Any]) -> Any:
    """Returns values between the pixels of images [n, c, ...], one for each place; outside lie zeros."""
    lower = [native.floor(one) for one in places]
    total: Any = None
    for corner in itertools.product((0.0, 1.0), repeat=len(places)):
        weight: Any = None
        for place, low, up in zip(places, lower, corner, strict=True):
            part = place - low if up else 1.0 - (place - low)
            weight = part if weight is None else weight * part
        weight = native.expand_dims(weight, axis=1)
        found = _at(x, [low + up for low, up in zip(lower, corner, strict=True)]) * weight
        total = found if total is None else total + found
    return total


def _at(x: Any, places: list[Any]) -> Any:
    """Returns the pixels at whole places, 0 outside."""
    count, channels, *lengths = x.shape
    inside: Any = None
    flat: Any = None
    for place, n in zip(places, lengths, strict=True):
        within = native.logical_and(place >= 0.0, place <= n - 1.0)
        inside = within if inside is None else native.logical_and(inside, within)
        index = native.clip(place, 0.0, n - 1.0).astype(np.int64)
        flat = index if flat is None else flat * n + index
    size = 1
    for n in lengths:
        size = size * n
    asked = 1
    for n in flat.shape[1:]:
        asked = asked * n
    rows = native.reshape(x, (count, channels, size))
    index = native.broadcast_to(native.reshape(flat, (count, 1, asked)), (count, channels, asked))
    found = native.reshape(native.take_along_axis(rows, index, axis=2), (count, channels, *flat.shape[1:]))
    return native.where(native.expand_dims(inside, axis=1), found, 0.0)


@in_functional
def grid_sample(
    x: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = True,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the values of images [n, c, h, w] at places [n, H, W, 2] from -1 to 1, as [n, c, H, W].

    Between pixels they are interpolated, or taken from the nearest one. Outside lie zeros, the border's
    pixels or a reflection. Images of three axes are sampled likewise.
    """
    x, grid = operand(x), operand(grid)
    if mode not in ("bilinear", "nearest"):
        raise InvalidValueError(
            f"The mode of grid sample function should be in ['bilinear', 'nearest'], but got: {mode}",
            site=here(),
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise InvalidValueError(
            "The padding mode of grid sample function should be in ['zeros', 'border', 'reflection'], but "
            f"got: {padding_mode}",
            site=here(),
        )
    if x._spec.ndim not in (4, 5) or grid._spec.ndim != x._spec.ndim:
        raise InvalidValueError(
            f"grid_sample: images of shape {list(x._spec.shape)} and places of shape "
            f"{list(grid._spec.shape)} do not fit.",
            site=here(),
        )
    found = _sampled(x, grid, mode, padding_mode, bool(align_corners))
    return saving(found, user_frame(1), x, grid)
