"""Functions of the windows of images: the place of the largest element, dilation and erosion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.tensorflow import _arrays, _convolution
from penstock.tensorflow._convert import lengths_of, operand, same_dtype
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


class MaxPoolWithArgmax(NamedTuple):
    """The largest element of each window, and where it lies."""

    output: Any
    argmax: Any


def window_places(
    lengths: Any, sizes: Any, steps: Any, rates: Any, padding: Any
) -> tuple[list[Any], list[Any]]:
    """Returns the margins that a padding adds, and the rows and columns of each window behind them."""
    margins, places = [], []
    for length, size, step, rate in zip(lengths, sizes, steps, rates, strict=True):
        reach = (size - 1) * rate + 1
        same = str(padding).upper() == "SAME"
        count = -(-length // step) if same else max(0, (length - reach) // step + 1)
        missing = max(0, (count - 1) * step + reach - length) if same else 0
        margins.append((missing // 2, missing - missing // 2))
        places.append(np.arange(count)[:, None] * step + np.arange(size) * rate)
    return margins, places


def _lowest(dtype: Any) -> Any:
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _windows(x: Any, places: Any) -> Any:
    """Returns [batch, rows, columns, height x width, channels]: a window at each place."""
    rows, columns = (np.asarray(one) for one in places)
    found = windows_at(x, rows, columns)
    return native.reshape(found, (-1, len(rows), len(columns), rows.shape[1] * columns.shape[1], x.shape[-1]))


def windows_at(x: Any, rows: Any, columns: Any) -> Any:
    """Returns [batch, rows, columns, height, width, channels]: a window at each place."""
    channels = x.shape[-1]
    x = native.take(x, native.asarray(rows.reshape(-1)), axis=1)
    x = native.take(x, native.asarray(columns.reshape(-1)), axis=2)
    x = native.reshape(x, (-1, *rows.shape, *columns.shape, channels))
    return native.permute_dims(x, (0, 1, 3, 2, 4, 5))


def pooled_places(
    input: Any, ksize: Any, strides: Any, padding: str, data_format: str, dtype: Any, batch: bool,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest element of each window, and where it lies."""
    if data_format != "NHWC":
        raise ArgumentError("max_pool_with_argmax takes images with channels last.", site=here())
    x: Any = operand(input)
    images, height, width, channels = x._spec.shape
    given = [lengths_of(one) if np.ndim(one) else (int(one), int(one)) for one in (ksize, strides)]
    sizes, steps = (one[-3:-1] if len(one) > 2 else one for one in given)
    margins, places = window_places((height, width), sizes, steps, (1, 1), padding)
    x = _windows(_arrays.pad(x, [(0, 0), *margins, (0, 0)], constant_values=_lowest(x._spec.dtype)), places)
    rows, columns = places
    best = native.argmax(x, axis=3)
    high, low = rows - margins[0][0], columns - margins[1][0]
    flat = (high[:, None, :, None] * width + low[None, :, None, :]).reshape(len(rows), len(columns), -1)
    index = native.sum(
        native.astype(native.one_hot(best, flat.shape[-1]), np.float64)
        * native.asarray(flat[None, :, :, None, :].astype(np.float64)),
        axis=-1,
    )
    index = native.astype(index, np.int64) * channels + native.asarray(np.arange(channels))
    if batch:
        index = index + native.asarray(np.arange(images) * height * width * channels)[:, None, None, None]
    return spoken(native.max(x, axis=3)), cast(spoken(index), dtype)


@named("tf.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC",
    output_dtype: Any = "int64",
    include_batch_in_index: bool = False, name: Any = None,
) -> MaxPoolWithArgmax:  # fmt: skip
    """Returns the largest element of each window, and where it lies in its image, counted flat.

    With `include_batch_in_index` it is counted through all images.

    >>> from penstock import tensorflow as tf
    >>> image = tf.reshape([1.0, 5.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> found = tf.nn.max_pool_with_argmax(image, 2, 2, "VALID")
    >>> found.output.numpy().ravel().tolist(), found.argmax.numpy().ravel().tolist()
    ([5.0], [1])
    """
    return MaxPoolWithArgmax(
        *pooled_places(input, ksize, strides, padding, data_format, output_dtype, include_batch_in_index)
    )


@composite(2, "dilation2d")
def _dilated(x: Any, filters: Any, places: Any) -> Tensor:
    sums = _windows(x, places) + native.reshape(filters, (-1, filters.shape[-1]))
    # The whole gradient goes to the first of several largest ones.
    best = native.expand_dims(native.argmax(sums, axis=3), axis=3)
    return native.squeeze(native.take_along_axis(sums, best, axis=3), axis=3)


@named("tf.nn.dilation2d")
def dilation2d(
    input: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: Any = None
) -> EagerTensor:
    """Returns the largest sum of a window and a filter [height, width, channels], at each place of images.

    >>> from penstock import tensorflow as tf
    >>> image = tf.reshape([1.0, 5.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> edges = tf.reshape([0.0, 0.0, 1.0, 4.0], [2, 2, 1])
    >>> tf.nn.dilation2d(image, edges, [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel().tolist()
    [7.0]
    """
    if data_format != "NHWC":
        raise ArgumentError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}",
            site=here(),
        )
    x, kernel = same_dtype((input, filters), "Dilation2D")
    if len(x._spec.shape) != 4 or len(kernel._spec.shape) != 3:
        raise ArgumentError(
            f"dilation2d takes images of 4 axes and filters of 3, not {x._spec.shape} and "
            f"{kernel._spec.shape}.",
            site=here(),
        )
    steps, rates = (_convolution._steps(one, 2, "channels_last", "strides") for one in (strides, dilations))
    margins, places = window_places(x._spec.shape[1:3], kernel._spec.shape[:2], steps, rates, padding)
    lowest = _lowest(x._spec.dtype)
    wide: Any = _arrays.pad(x, [(0, 0), *margins, (0, 0)], constant_values=lowest)
    return _dilated(wide, kernel, tuple(tuple(map(tuple, one.tolist())) for one in places))  # type: ignore[return-value]


@named("tf.nn.erosion2d")
def erosion2d(
    value: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: Any = None
) -> EagerTensor:
    """Returns the smallest difference of a window and a mirrored filter, at each place of images."""
    x, kernel = same_dtype((value, filters), "Erosion2D")
    turned = _arrays.reverse(kernel, [0, 1])
    found: Any = dilation2d(-x, turned, strides, padding, data_format, dilations)
    return -found  # type: ignore[no-any-return]
