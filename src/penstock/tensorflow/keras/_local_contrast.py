"""Pictures whose contrast is evened out from place to place."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant
from penstock.tensorflow.keras._pictures import Pictures, rescaled

_LEVELS = 256


@named("tf.keras.layers.ContrastLimitedAdaptiveHistogramEqualization")
class ContrastLimitedAdaptiveHistogramEqualization(Pictures):
    """Pictures in which all values of a colour are about equally frequent in each tile of a grid.

    Args:
        value_range: the smallest and the largest value of pictures, a pair.
        clip_limit: how much more frequent than the mean a value may count; 0 for no limit.
        tile_grid_size: the number of tiles along the height and the width, a pair.
        data_format: "channels_last" or "channels_first".
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    >>> import numpy as np
    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 2))
    >>> layer(np.arange(64.0, dtype="float32").reshape(8, 8, 1)).shape
    TensorShape([8, 8, 1])
    """

    _takes_whole, _moves_masks = True, False

    def __init__(
        self, value_range: Any = (0, 255), clip_limit: float = 4.0, tile_grid_size: Any = (8, 8),
        data_format: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data_format=data_format, **options)
        self.value_range, self.clip_limit, self.tile_grid_size = value_range, clip_limit, tile_grid_size

    def _unchanged(self, images: Any) -> Any:
        return self._changed(images, None)

    def _changed(self, images: Any, drawn: Any) -> Any:
        own = images._spec.dtype
        same = tuple(self.value_range) == (0, 255)
        images = (
            images if same else rescaled(_elementwise.cast(images, "float32"), self.value_range, (0, 255))
        )
        made = rescaled(self._evened(images), (0, 255), self.value_range)
        return _elementwise.cast(made, own)

    def _evened(self, images: Any) -> Any:
        height, width = images._spec.shape[1:3]
        rows, columns = self.tile_grid_size
        tall, wide = -(-height // rows), -(-width // columns)
        more = [(0, 0), (0, tall * rows - height), (0, wide * columns - width), (0, 0)]
        images = _arrays.pad(images, constant(np.array(more, np.int32)), mode="SYMMETRIC")
        levels = _elementwise.cast(_arrays.clip_by_value(images, 0, 255), "int32")
        tables = self._tables(levels, tall, wide)
        # Tables of the tiles at the border serve the pixels outside of their centres too.
        tables = _arrays.concat([tables[:, :1], tables, tables[:, -1:]], 1)
        tables = _arrays.concat([tables[:, :, :1], tables, tables[:, :, -1:]], 2)
        made = self._between(tables, levels, tall, wide)
        return made[:, :height, :width]

    def _tables(self, levels: Any, tall: int, wide: int) -> Any:
        """Returns what each tile makes of each level: [batch, rows, columns, channels, levels]."""
        rows, columns = self.tile_grid_size
        channels, size = levels._spec.shape[3], tall * wide
        tiles = _arrays.reshape(levels, (-1, rows, tall, columns, wide, channels))
        tiles = _arrays.transpose(tiles, (0, 1, 3, 5, 2, 4))
        tiles = _arrays.reshape(tiles, (-1, rows, columns, channels, size))
        counts = ps.sum(_arrays.one_hot(tiles, _LEVELS), axis=-2)
        if self.clip_limit > 0:
            kept = ps.minimum(counts, self.clip_limit * size / _LEVELS)
            counts = kept + ps.sum(counts - kept, axis=-1, keepdims=True) / float(_LEVELS)
        below = ps.cumulative_sum(counts, axis=-1)
        least = ps.min(below, axis=-1, keepdims=True)
        rest = float(size) - least
        rest = _arrays.where(ps.equal(rest, 0.0), ps.ones_like(rest), rest)
        return _arrays.clip_by_value((below - least) * 255.0 / rest, 0.0, 255.0)

    def _between(self, tables: Any, levels: Any, tall: int, wide: int) -> Any:
        """Returns the levels after the tables of the four nearest tiles, as much of each as it is near."""
        _, rows, columns, channels, _ = tables._spec.shape
        above, down = _neighbours(tall, rows - 2)
        before, along = _neighbours(wide, columns - 2)
        pictures = ps.cumulative_sum(ps.ones_like(levels[:, :1, :1, :1]), axis=0)
        pictures = _elementwise.cast(pictures, "int32") - 1
        base = pictures * (rows * columns * channels * _LEVELS) + levels
        base = base + constant(np.arange(channels, dtype=np.int32) * _LEVELS)
        flat = _arrays.reshape(tables, (-1,))

        def of_tiles(row: Any, column: Any) -> Any:
            places = row[:, None, None] * (columns * channels * _LEVELS)
            places = places + column[None, :, None] * (channels * _LEVELS)
            return _arrays.gather(flat, base + constant(places.astype(np.int32)))

        across = constant(along[None, None, :, None])
        upper, lower = (
            of_tiles(row, before[0]) * (1.0 - across) + of_tiles(row, before[1]) * across for row in above
        )
        steep = constant(down[None, :, None, None])
        return upper * (1.0 - steep) + lower * steep


def _neighbours(length: int, count: int) -> tuple[tuple[Any, Any], Any]:
    """Returns the two tiles next to each pixel along an axis, and how near the second one is."""
    place = (np.arange(length * count, dtype=np.float32) - np.float32(length / 2.0)) / np.float32(length)
    place = place + np.float32(1.0)
    first = np.floor(place)
    pair = [np.clip(one, 0, count + 1).astype(np.int32) for one in (first, first + 1.0)]
    return (pair[0], pair[1]), place - first


__all__ = ["ContrastLimitedAdaptiveHistogramEqualization"]
