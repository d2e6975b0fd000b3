"""Tables of rows in a graph, as dense tensors."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import math


def dense(rows: Any, lengths: Any) -> Any:
    """Returns a `tf.IndexedSlices` as a dense tensor of a graph; `lengths` is the shape of the table."""
    found = math.unsorted_segment_sum(rows.values, rows.indices, lengths[0])
    found.set_shape(rows.shape.merge_with([None, *rows.values.shape[1:]]))
    return found


__all__ = ["dense"]
