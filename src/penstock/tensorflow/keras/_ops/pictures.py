"""Functions of keras.ops on images [..., height, width, channels]: at another size, moved, cut, blurred."""

from __future__ import annotations

import functools as _functools
import itertools as _itertools
import operator as _operator
from typing import Any

import numpy as _np

from penstock.tensorflow import (
    _arrays,
    _colours,
    _convert,
    _dtype,
    _elementwise,
    _image_parts,
    _matrices,
    _products,
    _projected_images,
    _reductions,
    _resizing,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _given, _public, _real
from penstock.tensorflow.keras._ops.networks import conv, depthwise_conv
from penstock.tensorflow.keras._ops.shapes import moveaxis, pad, slice
from penstock.trace.source_site import here as _here

_SIZES = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area")
_SAMPLED = ("nearest", "bilinear")
_FILLS = ("constant", "nearest", "wrap", "reflect")
_COORDINATE_FILLS = ("constant", "nearest", "wrap", "mirror", "reflect")
_METHODS = {
    "linear": "linear", "bilinear": "linear", "trilinear": "linear", "cubic": "cubic", "bicubic": "cubic",
    "tricubic": "cubic", "lanczos3": "lanczos3", "lanczos5": "lanczos5",
}  # fmt: skip


def _refuse(text: str) -> None:
    raise _ArgumentError(text, site=_here())


def _checked(word: str, given: Any, allowed: Any) -> None:
    if given not in allowed:
        _refuse(
            f"Invalid value for argument `{word}`. Expected of one {tuple(allowed)}. Received: {word}={given}"
        )


def _layout(data_format: Any) -> str:
    if data_format not in (None, "channels_last", "channels_first"):
        _refuse(
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: "
            f"data_format={data_format}"
        )
    return data_format or "channels_last"


def _batch(images: Any, data_format: Any) -> tuple[Any, bool, bool]:
    """Returns images with a batch axis and channels last, and whether there were neither."""
    rank = len(images._spec.shape)
    if rank not in (3, 4):
        _refuse(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input "
            f"with shape: images.shape={tuple(images.shape)}"
        )
    first = _layout(data_format) == "channels_first"
    images = images[None] if rank == 3 else images
    return (moveaxis(images, 1, -1) if first else images), rank == 3, first


def _again(images: Any, single: bool, first: bool) -> Any:
    images = moveaxis(images, 3, 1) if first else images
    return images[0] if single else images


# -- colours ------------------------------------------------------------------------------------------------


@_public
def rgb_to_grayscale(images: Any, data_format: Any = None) -> Any:
    """Returns images of one channel: how bright each pixel is."""
    images = _given(images)
    kind = images.dtype
    x, single, first = _batch(images, data_format)
    if x._spec.shape[-1] not in (1, 3):
        _refuse(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: "
            f"images.shape={tuple(images.shape)}"
        )
    if x._spec.shape[-1] == 1:
        return _arrays.identity(images)
    x = _real(x)
    weights = _convert.constant([0.2989, 0.5870, 0.1140], x.dtype)
    gray = _products.tensordot(x, weights, axes=(-1, -1))[..., None]
    return _elementwise.cast(_again(gray, single, first), kind)


def _coloured(name: str, what: str) -> None:
    def convert(images: Any, data_format: Any = None) -> Any:
        images = _given(images)
        if images._spec.dtype.kind not in "fV":
            _refuse(
                "Invalid images dtype: expected float dtype. Received: images.dtype="
                f"{_dtype.as_dtype(images.dtype).name}"
            )
        x, single, first = _batch(images, data_format)
        return _again(getattr(_colours, name)(x), single, first)

    convert.__doc__ = f"Returns images as {what}."
    _public(convert, name)


_coloured("rgb_to_hsv", "hue, saturation and value of their pixels")
_coloured("hsv_to_rgb", "red, green and blue, given hue, saturation and value")


# -- at another size ----------------------------------------------------------------------------------------


@_public
def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: Any = None,
) -> Any:
    """Returns images at another size (height, width); cut or filled to its proportions on request."""
    _checked("interpolation", interpolation, _SIZES)
    if fill_mode != "constant":
        _refuse(
            "Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: "
            f"fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        _refuse("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        _refuse(f"Expected `size` to be a tuple of 2 integers. Received: size={size}")
    x, single, first = _batch(_given(images), data_format)
    height, width = x._spec.shape[1:3]
    down, right = (int(one) for one in size)
    if crop_to_aspect_ratio:
        h = max(min(height, int(width * down / right)), 1)
        w = max(min(width, int(height * right / down)), 1)
        top, left = int((height - h) / 2), int((width - w) / 2)
        x = x[:, top : top + h, left : left + w]
    elif pad_to_aspect_ratio:
        top = int((max(height, int(width * down / right)) - height) / 2)
        left = int((max(width, int(height * right / down)) - width) / 2)
        x = pad(x, ((0, 0), (top, top), (left, left), (0, 0)), constant_values=fill_value)
    made = _resizing.resize(x, [down, right], method=interpolation, antialias=antialias)
    return _again(made, single, first)


def _triangle(x: Any) -> Any:
    return _elementwise.maximum(1.0 - _elementwise.abs(x), 0.0)


def _cubic(x: Any) -> Any:
    near = ((1.5 * x - 2.5) * x) * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return _arrays.where(x >= 2.0, 0.0 * x, _arrays.where(x >= 1.0, far, near))


def _lanczos(radius: float, x: Any) -> Any:
    waves = radius * _elementwise.sin(_np.pi * x) * _elementwise.sin(_np.pi * x / radius)
    squares = _arrays.where(x != 0.0, _np.pi**2 * x**2, _arrays.ones_like(x))
    return _arrays.where(x > radius, 0.0 * x, _arrays.where(x > 1e-3, waves / squares, _arrays.ones_like(x)))


_KERNELS = {
    "linear": _triangle,
    "cubic": _cubic,
    "lanczos3": _functools.partial(_lanczos, 3.0),
    "lanczos5": _functools.partial(_lanczos, 5.0),
}


def _resampling(length: int, wanted: int, scale: Any, translation: Any, kernel: Any, antialias: bool) -> Any:
    """Returns the matrix [length, wanted] that resamples an axis."""
    inverse = 1.0 / scale
    spread = _elementwise.maximum(inverse, 1.0) if antialias else _arrays.ones_like(inverse)
    places = (_arrays.range(wanted, dtype=inverse.dtype) + 0.5) * inverse - translation * inverse - 0.5
    x = _elementwise.abs(places[None, :] - _arrays.range(length, dtype=places.dtype)[:, None]) / spread
    weights = kernel(x)
    total = _reductions.reduce_sum(weights, 0, keepdims=True)
    known = _elementwise.abs(total) > 1000.0 * float(_np.finfo(_np.float32).eps)
    weights = _arrays.where(
        known, weights / _arrays.where(total != 0.0, total, _arrays.ones_like(total)), 0.0 * weights
    )
    inside = _elementwise.logical_and(places >= -0.5, places <= length - 0.5)[None, :]
    return _arrays.where(inside, weights, 0.0 * weights)


@_public
def scale_and_translate(
    images: Any,
    output_shape: Any,
    scale: Any,
    translation: Any,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
) -> Any:
    """Returns images stretched and moved along axes, into a shape."""
    _checked("method", method, _METHODS)
    x, scale, translation = _given(images), _real(scale), _real(translation)
    whole = x._spec.dtype.kind in "iu"
    made = _elementwise.cast(x, "float32") if whole else x
    for place, axis in enumerate(spatial_dims):
        axis %= len(x._spec.shape)
        weights = _resampling(
            x._spec.shape[axis], int(output_shape[axis]), scale[place], translation[place],
            _KERNELS[_METHODS[method]], antialias,
        )  # fmt: skip
        made = moveaxis(
            _products.tensordot(made, _elementwise.cast(weights, made.dtype), axes=(axis, 0)), -1, axis
        )
    if not whole:
        return made
    low, high = (
        _elementwise.cast(one, made.dtype) for one in (_reductions.reduce_min(x), _reductions.reduce_max(x))
    )
    return _elementwise.cast(_arrays.clip_by_value(_elementwise.round(made), low, high), x.dtype)


# -- moved --------------------------------------------------------------------------------------------------


def _projected(
    images: Any, maps: Any, interpolation: str, fill: str, fill_value: float, data_format: Any
) -> Any:
    x, single, first = _batch(images, data_format)
    maps = _arrays.broadcast_to(maps, [x._spec.shape[0], 8])
    made = _projected_images.projected(
        _elementwise.cast(x, "float32"), maps, interpolation, fill, float(fill_value)
    )
    return _again(_elementwise.cast(made, images.dtype), single, first)


@_public
def affine_transform(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0,
    data_format: Any = None,
) -> Any:
    """Returns images of which pixel (x, y) is at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k).

    `transform` is a vector (a0, a1, a2, b0, b1, b2, c0, c1), or a row of it for each image, and k is
    c0 x + c1 y + 1. The gradient is that of this function; TensorFlow's is the image of the cotangent under
    the inverse map, which is near it.
    """
    _checked("interpolation", interpolation, _SAMPLED)
    _checked("fill_mode", fill_mode, _FILLS)
    images, maps = _given(images), _given(transform, "float32")
    if len(maps._spec.shape) not in (1, 2):
        _refuse(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). "
            f"Received input with shape: transform.shape={tuple(maps.shape)}"
        )
    return _projected(images, maps, interpolation, fill_mode, fill_value, data_format)


def _homography(start: Any, end: Any) -> Any:
    """Returns the maps [batch, 8] that lead from four points to four others."""
    one, none = _arrays.ones_like(end[..., 0]), _arrays.zeros_like(end[..., 0])
    x, y = end[..., 0], end[..., 1]
    rows = [
        _arrays.stack([*terms, -target * x, -target * y], -1)
        for target, terms in (
            (start[..., 0], (x, y, one, none, none, none)),
            (start[..., 1], (none, none, none, x, y, one)),
        )
    ]
    system = _arrays.reshape(_arrays.stack(rows, 2), [-1, 8, 8])
    found = _matrices.solve(system, _arrays.reshape(start, [-1, 8, 1]))
    return _arrays.reshape(found, [-1, 8])


@_public
def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: float = 0,
    data_format: Any = None,
) -> Any:
    """Returns images projected so that four points [4, 2] move to four others."""
    _checked("interpolation", interpolation, _SAMPLED)
    images, start, end = _given(images), _given(start_points, "float32"), _given(end_points, "float32")
    for word, one in (("start_points", start), ("end_points", end)):
        if len(one._spec.shape) not in (2, 3) or tuple(one._spec.shape[-2:]) != (4, 2):
            _refuse(
                f"Invalid {word} shape: expected (4,2) for a single image or (N,4,2) for a batch. Received "
                f"shape: {tuple(one.shape)}"
            )
    if tuple(start._spec.shape) != tuple(end._spec.shape):
        _refuse(
            "start_points and end_points must have the same shape. Received start_points.shape="
            f"{tuple(start.shape)}, end_points.shape={tuple(end.shape)}"
        )
    start, end = (one[None] if len(one._spec.shape) == 2 else one for one in (start, end))
    return _projected(images, _homography(start, end), interpolation, "constant", fill_value, data_format)


def _into(index: Any, length: int, fill: str) -> tuple[Any, Any]:
    """Returns whole coordinates inside an axis, and where they count; None where all do."""
    if fill in ("constant", "nearest"):
        kept = _arrays.clip_by_value(index, 0, length - 1)
        return kept, _elementwise.logical_and(index >= 0, index < length) if fill == "constant" else None
    if fill == "wrap":
        return _elementwise.floormod(index, length), None
    rest = _elementwise.floormod(_elementwise.abs(index), 2 * length)
    behind = 2 * length - rest - (1 if fill == "reflect" else 0)
    return _arrays.where(rest < length, rest, behind), None


@_public
def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: str = "constant", fill_value: float = 0
) -> Any:
    """Returns x at coordinates [rank of x, ...]: the nearest element (order 0), or between (order 1)."""
    x, places = _given(inputs), _given(coordinates)
    rank = len(x._spec.shape)
    if places._spec.shape[0] != rank:
        _refuse(
            "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with "
            f"shape: {tuple(x.shape)} and coordinate leading dim of {places._spec.shape[0]}"
        )
    if len(places._spec.shape) < 2:
        _refuse(
            "Invalid coordinates rank: expected at least rank 2. Received input with shape: "
            f"{tuple(places.shape)}"
        )
    _checked("fill_mode", fill_mode, _COORDINATE_FILLS)
    if order not in (0, 1):
        raise NotImplementedError("map_coordinates currently requires order<=1")
    kind = "float32" if places._spec.dtype.kind in "iu" else places.dtype
    nodes = []
    for axis in range(rank):
        place = places[axis]
        if order == 0:
            near = place if place._spec.dtype.kind in "iu" else _elementwise.round(place)
            found = [(_elementwise.cast(near, "int32"), None)]
        else:
            place = _elementwise.cast(place, kind)
            lower = _elementwise.floor(place)
            index = _elementwise.cast(lower, "int32")
            found = [(index, 1.0 - (place - lower)), (index + 1, place - lower)]
        length = x._spec.shape[axis]
        nodes.append([(*_into(index, length, fill_mode), weight) for index, weight in found])
    fill = _elementwise.cast(_given(fill_value), kind)
    parts = []
    for items in _itertools.product(*nodes):
        indices, valid, weights = zip(*items, strict=True)
        part = _elementwise.cast(_arrays.gather_nd(x, _arrays.stack(indices, -1)), kind)
        if fill_mode == "constant":
            part = _arrays.where(_functools.reduce(_elementwise.logical_and, valid), part, fill)
        parts.append(part if order == 0 else _functools.reduce(_operator.mul, weights) * part)
    made = _functools.reduce(_operator.add, parts)
    whole = x._spec.dtype.kind in "iu"
    return _elementwise.cast(_elementwise.round(made) if whole else made, x.dtype)


@_public
def elastic_transform(
    images: Any,
    alpha: float = 20.0,
    sigma: float = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: float = 0.0,
    seed: Any = None,
    data_format: Any = None,
) -> Any:
    """Returns images whose pixels are moved by a smooth random field: Simard et al. (2003)."""
    from penstock.tensorflow.keras.random import normal

    _checked("interpolation", interpolation, _SAMPLED)
    _checked("fill_mode", fill_mode, _FILLS)
    given = _given(images)
    x, single, first = _batch(given, data_format)
    count, height, width, channels = x._spec.shape
    size = (6 * int(sigma)) | 1
    drawn = normal((count, height, width, 1), dtype=x.dtype, seed=seed) * float(sigma)
    moved = gaussian_blur(drawn, (size, size), (float(sigma), float(sigma)))[..., 0] * float(alpha)
    # One seed draws both fields, so that rows and columns move alike.
    rows = _arrays.range(height, dtype=x.dtype)[None, :, None] + moved
    columns = _arrays.range(width, dtype=x.dtype)[None, None, :] + moved
    made = [
        _arrays.stack(
            [
                map_coordinates(x[b, ..., c], _arrays.stack([rows[b], columns[b]]),
                                _SAMPLED.index(interpolation), fill_mode, fill_value)
                for c in range(channels)
            ],
            -1,
        )
        for b in range(count)
    ]  # fmt: skip
    return _again(_elementwise.cast(_arrays.stack(made), given.dtype), single, first)


# -- cut and filled -----------------------------------------------------------------------------------------


def _two_of(cut: str, top: Any, left: Any, bottom: Any, right: Any, height: Any, width: Any) -> None:
    """Refuses sides and lengths that do not say the rest, or that are negative."""
    for names, values in (
        ((f"top_{cut}", f"bottom_{cut}", "target_height"), (top, bottom, height)),
        ((f"left_{cut}", f"right_{cut}", "target_width"), (left, right, width)),
    ):
        told = ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
        if values.count(None) != 1:
            _refuse(f"Must specify exactly two of {', '.join(names)}. Received: {told}")
        for name, value in zip(names, values, strict=True):
            if value is not None and value < 0:
                _refuse(f"{name} must be >= 0. Received: {name}={value}")


def _lengths(images: Any, data_format: Any) -> tuple[int, int, int]:
    """Returns the axis of the heights, and the height and width."""
    shape = images._spec.shape
    if len(shape) not in (3, 4):
        _refuse(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received: "
            f"images.shape={tuple(images.shape)}"
        )
    axis = len(shape) - (3 if _layout(data_format) == "channels_last" else 2)
    return axis, shape[axis], shape[axis + 1]


@_public
def pad_images(
    images: Any,
    top_padding: Any = None,
    left_padding: Any = None,
    bottom_padding: Any = None,
    right_padding: Any = None,
    target_height: Any = None,
    target_width: Any = None,
    data_format: Any = None,
) -> Any:
    """Returns images with zeros around them; two of the sides and the length say the third."""
    images = _given(images)
    axis, height, width = _lengths(images, data_format)
    sides = (top_padding, left_padding, bottom_padding, right_padding)
    _two_of("padding", *sides, target_height, target_width)
    top, left, bottom, right = sides
    top = target_height - bottom - height if top is None else top
    bottom = target_height - top - height if bottom is None else bottom
    left = target_width - right - width if left is None else left
    right = target_width - left - width if right is None else right
    for name, value in (("top", top), ("left", left), ("right", right), ("bottom", bottom)):
        if value < 0:
            _refuse(f"{name}_padding must be >= 0. Received: {name}_padding={value}")
    around = [(0, 0)] * len(images._spec.shape)
    around[axis : axis + 2] = (top, bottom), (left, right)
    return pad(images, around)


@_public
def crop_images(
    images: Any,
    top_cropping: Any = None,
    left_cropping: Any = None,
    bottom_cropping: Any = None,
    right_cropping: Any = None,
    target_height: Any = None,
    target_width: Any = None,
    data_format: Any = None,
) -> Any:
    """Returns images without their borders; two of the sides and the length say the third."""
    images = _given(images)
    axis, height, width = _lengths(images, data_format)
    sides = (top_cropping, left_cropping, bottom_cropping, right_cropping)
    _two_of("cropping", *sides, target_height, target_width)
    top, left, bottom, right = sides
    top = height - target_height - bottom if top is None else top
    down = height - bottom - top if target_height is None else target_height
    left = width - target_width - right if left is None else left
    across = width - right - left if target_width is None else target_width
    for name, value in (
        ("top_cropping", top), ("target_height", down), ("left_cropping", left), ("target_width", across)
    ):  # fmt: skip
        if value < 0:
            _refuse(f"{name} must be >= 0. Received: {name}={value}")
    starts, lengths = [0] * len(images._spec.shape), list(images._spec.shape)
    starts[axis : axis + 2], lengths[axis : axis + 2] = (top, left), (down, across)
    return slice(images, starts, lengths)


def _patches(rank: int, x: Any, size: Any, strides: Any, rate: Any, padding: str, data_format: Any) -> Any:
    sides = (size,) * rank if isinstance(size, int) else tuple(size)
    if len(sides) != rank:
        raise _SizeError(
            f"Invalid `size` argument. Expected an int or a tuple of length {rank}. Received: size={size}",
            site=_here(),
        )
    x = _given(x)
    first = _layout(data_format) == "channels_first"
    single = len(x._spec.shape) == rank + 1
    x = x[None] if single else x
    x = moveaxis(x, 1, -1) if first else x
    channels = x._spec.shape[-1]
    count = int(_np.prod(sides)) * channels
    kernel = _np.eye(count, dtype=_np.float32).reshape(*sides, channels, count)
    steps = strides or sides
    made = conv(x, _elementwise.cast(kernel, x.dtype), steps, padding, None, rate)
    made = moveaxis(made, -1, 1) if first else made
    return made[0] if single else made


class _SizeError(_ArgumentError, TypeError):
    """A size of patches that is neither a number nor one for each axis."""


@_public
def extract_patches(
    images: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
) -> Any:
    """Returns the patches of images as channels; of volumes, where `size` has three lengths."""
    if not isinstance(size, int):
        if not isinstance(size, tuple | list):
            raise _SizeError(
                f"Invalid `size` argument. Expected an int or a tuple. Received: size={size} of type "
                f"{type(size).__name__}",
                site=_here(),
            )
        if len(size) not in (2, 3):
            _refuse(
                f"Invalid `size` argument. Expected a tuple of length 2 or 3. Received: size={size} with "
                f"length {len(size)}"
            )
    rank = 3 if not isinstance(size, int) and len(size) == 3 else 2
    return _patches(rank, images, size, strides, dilation_rate, padding, data_format)


@_public
def extract_patches_3d(
    volumes: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
) -> Any:
    """Returns the patches of volumes [..., depth, height, width, channels] as channels."""
    return _patches(3, volumes, size, strides, dilation_rate, padding, data_format)


# -- blurred and compared -----------------------------------------------------------------------------------


def _bell(size: int, sigma: Any, dtype: Any) -> Any:
    """Returns a row of a normal distribution around its middle, which adds up to 1."""
    x = (_arrays.range(size, dtype=dtype) - (size - 1) / 2) / _elementwise.cast(sigma, dtype)
    found = _elementwise.exp(-0.5 * x**2)
    return found / _reductions.reduce_sum(found)


@_public
def gaussian_blur(
    images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: Any = None
) -> Any:
    """Returns images smoothed by a normal distribution of `kernel_size` pixels."""
    x, single, first = _batch(_given(images), data_format)
    across, down = (_bell(int(n), sigma[i], x.dtype) for i, n in enumerate(kernel_size))
    kernel = _arrays.reshape(
        _products.tensordot(down, across, axes=0), (int(kernel_size[0]), int(kernel_size[1]), 1, 1)
    )
    kernel = _arrays.tile(kernel, [1, 1, x._spec.shape[-1], 1])
    return _again(depthwise_conv(x, kernel, 1, "same"), single, first)


@_public
def sobel_edges(images: Any, data_format: Any = None) -> Any:
    """Returns how images [batch, height, width, channels] rise downwards and to the right, as a last axis."""
    x = _given(images)
    first = _layout(data_format) == "channels_first"
    edges = _image_parts.sobel_edges(moveaxis(x, 1, -1) if first else x)
    return moveaxis(edges, 3, 1) if first else edges


@_public
def ssim(
    image1: Any,
    image2: Any,
    max_val: float = 1.0,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: Any = None,
) -> Any:
    """Returns the likeness of images: Wang et al. (2004)."""
    one, other = _given(image1), _given(image2)
    for word, each in (("image1", one), ("image2", other)):
        if len(each._spec.shape) not in (3, 4):
            _refuse(
                f"Invalid {word} rank: expected rank 3 (single image) or rank 4 (batch of images). Received "
                f"input with shape: {word}.shape={tuple(each.shape)}"
            )
    (x, single, _), (y, _, _) = (_batch(_real(each), data_format) for each in (one, other))
    bell = _bell(filter_size, filter_sigma, x.dtype)
    kernel = _arrays.tile(
        _arrays.reshape(_products.tensordot(bell, bell, axes=0), (filter_size, filter_size, 1, 1)),
        [1, 1, x._spec.shape[-1], 1],
    )

    def smooth(each: Any) -> Any:
        return depthwise_conv(each, kernel)

    a, b = smooth(x), smooth(y)
    first, second = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    spread, other_spread, both = smooth(x * x) - a * a, smooth(y * y) - b * b, smooth(x * y) - a * b
    found = (2.0 * a * b + first) * (2.0 * both + second)
    found = found / ((a * a + b * b + first) * (spread + other_spread + second))
    made = _reductions.reduce_mean(_reductions.reduce_mean(found, [1, 2]), -1)
    return _elementwise.cast(made[0] if single else made, one.dtype)
