"""Images sampled at other places: along projective maps, or at coordinates of their own for each pixel."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant

FILLS = ("reflect", "constant", "nearest", "wrap")


def _whole(x: Any) -> Any:
    return _elementwise.cast(x, "int32")


def _inside(x: Any, length: int, fill: str) -> Any:
    """Returns coordinates along an axis of a length, with those outside moved as `fill` says."""
    if fill == "constant":
        return x
    if fill == "nearest" or length <= 1:
        return _arrays.clip_by_value(x, 0.0, float(length - 1))
    if fill == "reflect":
        whole = 2.0 * length
        ahead = x - whole * ps.floor(x / whole)
        ahead = _arrays.where(ahead >= float(length), whole - ahead - 1.0, ahead)
        behind = x + whole * ps.floor(-x / whole)
        behind = _arrays.where(behind < -float(length), behind + whole, -behind - 1.0)
        moved = _arrays.where(x < 0.0, behind, _arrays.where(x > float(length - 1), ahead, x))
    else:
        ahead = x - length * ps.floor(x / (length - 1.0))
        behind = x + length * (ps.floor(-x / (length - 1.0)) + 1.0)
        moved = _arrays.where(x < 0.0, behind, _arrays.where(x > float(length - 1), ahead, x))
    return _arrays.clip_by_value(moved, 0.0, float(length - 1))


def _at(images: Any, rows: Any, columns: Any, fill_value: float) -> Any:
    """Returns the pixels [batch, ..., channels] at whole coordinates; `fill_value` outside."""
    count, height, width, channels = images._spec.shape
    there = ps.logical_and(
        ps.logical_and(rows >= 0.0, rows <= height - 1.0),
        ps.logical_and(columns >= 0.0, columns <= width - 1.0),
    )
    places = _whole(_arrays.clip_by_value(rows, 0.0, height - 1.0)) * width
    places = places + _whole(_arrays.clip_by_value(columns, 0.0, width - 1.0))
    first = np.arange(count, dtype=np.int32).reshape(count, *([1] * (len(rows._spec.shape) - 1))) * (
        height * width
    )
    flat = _arrays.reshape(images, (count * height * width, channels))
    found = _arrays.gather(flat, places + constant(first))
    return _arrays.where(there[..., None], found, constant(np.asarray(fill_value, images._spec.dtype)))


def _sampled(images: Any, rows: Any, columns: Any, interpolation: str, fill_value: float) -> Any:
    if interpolation == "nearest":
        # Halves are rounded away from zero.
        near = [
            _arrays.where(one < 0.0, -ps.floor(-one + 0.5), ps.floor(one + 0.5)) for one in (rows, columns)
        ]
        return _at(images, near[0], near[1], fill_value)
    top, left = ps.floor(rows), ps.floor(columns)
    down, right = (rows - top)[..., None], (columns - left)[..., None]
    upper, lower = (
        _at(images, one, left, fill_value) * (1.0 - right) + _at(images, one, left + 1.0, fill_value) * right
        for one in (top, top + 1.0)
    )
    return upper * (1.0 - down) + lower * down


def projected(
    images: Any, maps: Any, interpolation: str = "bilinear", fill: str = "reflect", fill_value: float = 0.0
) -> Any:
    """Returns images [batch, height, width, channels] sampled where maps [batch, 8] lead from their pixels.

    With a map (a, b, c, d, e, f, g, h), pixel (x, y) shows the image at ((a x + b y + c) / k, (d x + e y + f)
    / k), where k = g x + h y + 1. Gradients reach the images.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> row = tf.constant(np.arange(4, dtype="float32").reshape(1, 1, 4, 1))
    >>> shift = tf.constant([[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    >>> projected(row, shift, fill="nearest")[0, 0, :, 0].numpy()
    array([1., 2., 3., 3.], dtype=float32)
    """
    _, height, width, _ = images._spec.shape
    x = constant(np.arange(width, dtype=np.float32)[None, None, :])
    y = constant(np.arange(height, dtype=np.float32)[None, :, None])
    a, b, c, d, e, f, g, h = (maps[:, n, None, None] for n in range(8))
    scale = g * x + h * y + 1.0
    columns, rows = (a * x + b * y + c) / scale, (d * x + e * y + f) / scale
    rows, columns = _inside(rows, height, fill), _inside(columns, width, fill)
    made = _sampled(images, rows, columns, interpolation, fill_value)
    return _arrays.where(
        ps.equal(scale, 0.0)[..., None], constant(np.asarray(fill_value, images._spec.dtype)), made
    )


def _wrapped(x: Any, length: int, fill: str) -> tuple[Any, Any]:
    """Returns whole coordinates inside an axis, and whether they count."""
    valid = ps.logical_and(x >= 0.0, x < float(length))
    if fill in ("constant", "nearest"):
        return _arrays.clip_by_value(x, 0.0, length - 1.0), valid if fill == "constant" else None
    whole = length if fill == "wrap" else 2 * length
    x = x if fill == "wrap" else ps.abs(x)
    rest = x - float(whole) * ps.floor(x / float(whole))
    return rest if fill == "wrap" else _arrays.where(rest < float(length), rest, whole - rest - 1.0), None


def displaced(
    images: Any, rows: Any, columns: Any, interpolation: str, fill: str, fill_value: float = 0.0
) -> Any:
    """Returns images [batch, height, width, channels] at coordinates of their own for each pixel."""
    _, height, width, _ = images._spec.shape
    if interpolation == "nearest":
        near = [ps.round(one) for one in (rows, columns)]
        corners: list[tuple[Any, Any, Any]] = [(near[0], near[1], 1.0)]
    else:
        top, left = ps.floor(rows), ps.floor(columns)
        down, right = rows - top, columns - left
        corners = [
            (top, left, (1.0 - down) * (1.0 - right)), (top, left + 1.0, (1.0 - down) * right),
            (top + 1.0, left, down * (1.0 - right)), (top + 1.0, left + 1.0, down * right),
        ]  # fmt: skip
    total: Any = 0.0
    for row, column, weight in corners:
        (row, there), (column, here) = _wrapped(row, height, fill), _wrapped(column, width, fill)
        found = _at(images, row, column, fill_value)
        if there is not None:
            inside = ps.logical_and(there, here)[..., None]
            found = _arrays.where(inside, found, constant(np.asarray(fill_value, images._spec.dtype)))
        total = total + found * (weight if isinstance(weight, float) else weight[..., None])
    return total


__all__ = ["FILLS", "displaced", "projected"]
