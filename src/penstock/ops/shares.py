"""Primitives for shares, exp(x) / sum(exp(x)), as Paddle's kernels for processors cut and round them."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.pointwise import between, divide
from penstock.ops.table import Kink, Primitive, broadcasting, same


def _log_share(xp: Any, x: Any, total: Any) -> Any:
    return xp.log(xp.exp(x) / total)


floored = Primitive(
    "floored",
    shape=same,
    numpy=lambda x, floor: np.maximum(x, np.asarray(floor, x.dtype)),
    xla=lambda jax, x, floor: jax.numpy.maximum(x, jax.numpy.asarray(floor, x.dtype)),
    vjp=(lambda ct, y, x, floor: ct,),
    dtypes="real floating-point",
    samples=lambda rng: [(*one, {"floor": -3.0}) for one in between((-2, 2))(rng)],
    kinks=(
        Kink(at=(-2.0,), gradients=(1.0,), because="what is cut learns all the same", params={"floor": -1.0}),
    ),
)
"""max(x, floor), whose gradient passes below the floor, too."""
log_share = Primitive(
    "log_share",
    shape=broadcasting("log_share"),
    numpy=lambda x, total: _log_share(np, x, total),
    xla=lambda jax, x, total: _log_share(jax.numpy, x, total),
    vjp=(lambda ct, y, x, total: ct, lambda ct, y, x, total: -divide(ct, total)),
    dtypes="real floating-point",
    samples=between((-2, 2), (0.5, 2)),
)
"""log(exp(x) / total), for x of at most 0: the logarithm of a share that is rounded first."""
