"""Primitives that work bit by bit, on integers and booleans."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.table import Primitive, broadcasting, same


def _bitwise(name: str, numpy: Any, dtypes: str = "integer or boolean") -> Primitive:
    return Primitive(
        name,
        shape=broadcasting(name),
        numpy=numpy,
        xla=f"numpy.{numpy.__name__}",
        derivative="discrete",
        dtypes=dtypes,
        samples=lambda rng: [
            (rng.integers(0, 60, (2, 3)), rng.integers(0, 7, (3,))),
            (np.asarray(-5), np.asarray(3)),
            (np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64)),
        ],
    )


bitwise_and = _bitwise("bitwise_and", np.bitwise_and)
bitwise_or = _bitwise("bitwise_or", np.bitwise_or)
bitwise_xor = _bitwise("bitwise_xor", np.bitwise_xor)
# Shifts by the width of the dtype or more leave only the sign, in NumPy and in XLA.
left_shift = _bitwise("bitwise_left_shift", np.left_shift, "integer")
right_shift = _bitwise("bitwise_right_shift", np.right_shift, "integer")
bitwise_invert = Primitive(
    "bitwise_invert",
    shape=same,
    numpy=np.invert,
    xla="numpy.invert",
    derivative="discrete",
    dtypes="integer or boolean",
    samples=lambda rng: [(rng.integers(-9, 60, (2, 3)),), (np.asarray(-5),), (np.zeros((0, 2), np.int64),)],
)
