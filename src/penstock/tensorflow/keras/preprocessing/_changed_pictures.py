"""Functions of tf.keras.preprocessing.image that turn, move and colour one picture, an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow.keras import _image_files
from penstock.tensorflow.keras.ops.image import resize
from penstock.tensorflow.keras.preprocessing.image import _moved
from penstock.trace.source_site import here

_PLACE = "tf.keras.preprocessing.image"


@named(f"{_PLACE}.apply_affine_transform")
def apply_affine_transform(
    x: Any, theta: float = 0, tx: float = 0, ty: float = 0, shear: float = 0, zx: float = 1, zy: float = 1,
    row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0, fill_mode: str = "nearest",
    cval: float = 0.0, order: int = 1,
) -> Any:  # fmt: skip
    """Returns a picture turned by `theta` degrees, moved, sheared and zoomed around its middle."""
    axes = (row_axis, col_axis, channel_axis)
    if len(set(axes)) != 3:
        raise ArgumentError("'row_axis', 'col_axis', and 'channel_axis' must be distinct", site=here())
    if set(axes) != {0, 1, 2}:
        raise ArgumentError(f"Invalid axis' indices: {set(axes) - {0, 1, 2}}", site=here())
    if x.ndim != 3:
        raise ArgumentError("Input arrays must be multi-channel 2D images.", site=here())
    if channel_axis not in (0, 2):
        raise ArgumentError("Channels are allowed and the first and last dimensions.", site=here())
    numbers = {"theta": theta, "tx": tx, "ty": ty, "shear": shear, "zx": zx, "zy": zy}
    return _moved(np.asarray(x), numbers, axes, fill_mode, cval, order)


@named(f"{_PLACE}.random_rotation")
def random_rotation(
    x: Any, rg: float, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0,
    fill_mode: str = "nearest", cval: float = 0.0, interpolation_order: int = 1,
) -> Any:  # fmt: skip
    """Returns a picture turned by up to `rg` degrees to either side."""
    theta = np.random.uniform(-rg, rg)
    return apply_affine_transform(
        x, theta=theta, row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis,
        fill_mode=fill_mode, cval=cval, order=interpolation_order,
    )  # fmt: skip


@named(f"{_PLACE}.random_shift")
def random_shift(
    x: Any, wrg: float, hrg: float, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0,
    fill_mode: str = "nearest", cval: float = 0.0, interpolation_order: int = 1,
) -> Any:  # fmt: skip
    """Returns a picture moved by up to a part `wrg` of its width and `hrg` of its height."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(
        x, tx=tx, ty=ty, row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis,
        fill_mode=fill_mode, cval=cval, order=interpolation_order,
    )  # fmt: skip


@named(f"{_PLACE}.random_shear")
def random_shear(
    x: Any, intensity: float, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0,
    fill_mode: str = "nearest", cval: float = 0.0, interpolation_order: int = 1,
) -> Any:  # fmt: skip
    """Returns a picture sheared by up to `intensity` degrees to either side."""
    shear = np.random.uniform(-intensity, intensity)
    return apply_affine_transform(
        x, shear=shear, row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis,
        fill_mode=fill_mode, cval=cval, order=interpolation_order,
    )  # fmt: skip


@named(f"{_PLACE}.random_zoom")
def random_zoom(
    x: Any, zoom_range: Any, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0,
    fill_mode: str = "nearest", cval: float = 0.0, interpolation_order: int = 1,
) -> Any:  # fmt: skip
    """Returns a picture with its height and width zoomed by two draws from a range."""
    if len(zoom_range) != 2:
        raise ArgumentError(
            f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}", site=here()
        )
    zx, zy = (1, 1) if tuple(zoom_range) == (1, 1) else np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return apply_affine_transform(
        x, zx=zx, zy=zy, row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis,
        fill_mode=fill_mode, cval=cval, order=interpolation_order,
    )  # fmt: skip


@named(f"{_PLACE}.apply_channel_shift")
def apply_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> Any:
    """Returns a picture with a number added to all channels, within the range that it had.

    `channel_axis` does nothing: all channels are moved alike.
    """
    return np.clip(x + intensity, np.min(x), np.max(x))


@named(f"{_PLACE}.random_channel_shift")
def random_channel_shift(x: Any, intensity_range: float, channel_axis: int = 0) -> Any:
    """Returns a picture with a random number of up to `intensity_range` added to all channels."""
    return apply_channel_shift(x, np.random.uniform(-intensity_range, intensity_range), channel_axis)


@named(f"{_PLACE}.apply_brightness_shift")
def apply_brightness_shift(x: Any, brightness: float, scale: bool = True) -> Any:
    """Returns a picture whose brightness is multiplied; with `scale` it is brought into 0 .. 255 first."""
    return _image_files.brightened(x, brightness, scale)


@named(f"{_PLACE}.random_brightness")
def random_brightness(x: Any, brightness_range: Any, scale: bool = True) -> Any:
    """Returns a picture whose brightness is multiplied by a draw from a range."""
    if len(brightness_range) != 2:
        raise ArgumentError(
            f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}",
            site=here(),
        )
    return apply_brightness_shift(x, np.random.uniform(brightness_range[0], brightness_range[1]), scale)


@named(f"{_PLACE}.smart_resize")
def smart_resize(
    x: Any, size: Any, interpolation: str = "bilinear", data_format: str = "channels_last", **options: Any
) -> Any:
    """Returns images at another size, of which the borders are cut to keep the proportions of the middle.

    `backend_module`, the only option, does nothing.
    """
    options.pop("backend_module", None)
    if options:
        raise TypeError(f"smart_resize() got unexpected keyword arguments: {list(options)}")
    if len(size) != 2:
        raise ArgumentError(f"Expected `size` to be a tuple of 2 integers, but got: {size}.", site=here())
    if len(x.shape) not in (3, 4):
        raise ArgumentError(
            "Expected an image array with shape `(height, width, channels)`, or `(batch_size, height, width, "
            f"channels)`, but got input with incorrect rank, of shape {x.shape}.",
            site=here(),
        )
    made = resize(x, size, interpolation, crop_to_aspect_ratio=True, data_format=data_format)
    return np.asarray(made) if isinstance(x, np.ndarray) and isinstance(made, EagerTensor) else made
