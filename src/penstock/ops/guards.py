"""Guards: the identity, with an error for values that are not finite or not within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import NonFiniteError
from penstock.ops.table import Primitive


def _refused(x: Any, what: str) -> str | None:
    wrong = ~np.isfinite(x)
    if not wrong.any():
        return None
    position = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f" at {list(position)}" if position else ""
    count = int(wrong.sum())
    more = f", and {count - 1} more of {wrong.size}" if count > 1 else ""
    return f"The {what} is not finite: {np.asarray(x)[position]!s}{where}{more}."


require_finite: Primitive = Primitive(
    "require_finite",
    shape=lambda x, what: x,
    numpy=lambda x, what: x,
    xla=lambda jax, x, what: x,
    vjp=(lambda ct, y, x, what: ct,),
    dtypes="floating-point",
    guard=_refused,
    refusal=NonFiniteError,
    xla_guard=lambda jax, x, what: jax.numpy.all(jax.numpy.isfinite(x)),
    guarded=(0,),
    samples=lambda rng: [
        (rng.standard_normal((2, 3)), {"what": "value"}),
        (np.zeros((0, 2)), {"what": "value"}),
    ],
)


def _outside(x: Any, what: str, low: int, high: int) -> str | None:
    wrong = (x < low) | (x > high)
    if not wrong.any():
        return None
    position = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f" at {list(position)}" if position else ""
    return f"{what} is {int(np.asarray(x)[position])}{where}; it must lie in {low} .. {high}."


require_range: Primitive = Primitive(
    "require_range",
    shape=lambda x, what, low, high: x,
    numpy=lambda x, what, low, high: x,
    xla=lambda jax, x, what, low, high: x,
    derivative="discrete",
    dtypes="integer",
    guard=_outside,
    xla_guard=lambda jax, x, what, low, high: jax.numpy.all((x >= low) & (x <= high)),
    guarded=(0,),
    samples=lambda rng: [
        (np.asarray(indices, np.int64), {"what": "index", "low": 0, "high": 3})
        for indices in ([[2, 0], [1, 3]], [])
    ],
)
