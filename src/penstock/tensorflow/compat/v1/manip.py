"""tf.manip: functions that arrange the elements of tensors."""

from __future__ import annotations

from penstock.tensorflow.compat.v1 import _lifted
from penstock.tensorflow.compat.v1._array_forms import batch_to_space_nd, space_to_batch_nd

gather_nd, reshape, reverse, roll = _lifted.gather_nd, _lifted.reshape, _lifted.reverse, _lifted.roll
scatter_nd, tile = _lifted.scatter_nd, _lifted.tile
__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile",
]  # fmt: skip
