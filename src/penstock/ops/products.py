"""Powers as a product in single precision gives them, factor by factor, with the rounding of each product."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from penstock.ops.table import Primitive
from penstock.trace.spec import spec

LONGEST = 1 << 17
"""The most factors that are multiplied. The power of a base nearer to 1 is rounded once."""
_NOTHING = 2.0**-25
"""Half of what single precision can tell from nothing in a difference from 1."""


def has_products(base: float) -> bool:
    """Returns whether the powers of a base become as good as zero soon enough to be listed.

    >>> has_products(0.999), has_products(0.9999999), has_products(1.0)
    (True, False, False)
    """
    single = float(np.float32(base))
    return 0.0 < single < 1.0 and math.log(_NOTHING) / math.log(single) < LONGEST


@functools.lru_cache(maxsize=32)
def products(base: float) -> Any:
    """Returns base, base * base and so on, each rounded to single precision, to the first that is tiny.

    >>> products(0.5)[:3].tolist()
    [0.5, 0.25, 0.125]
    """
    single = np.float32(base)
    count = int(math.log(_NOTHING) / math.log(float(single))) + 2
    return np.multiply.accumulate(np.full(count, single, np.float32))


def _of_count(count: Any, base: float) -> Any:
    listed = products(base)
    return listed[np.clip(count - 1, 0, len(listed) - 1)]


power_by_products = Primitive(
    "power_by_products",
    shape=lambda count, base: spec(count.shape, np.float32),
    numpy=_of_count,
    xla=lambda jax, count, base: jax.numpy.take(jax.numpy.asarray(products(base)), count - 1, mode="clip"),
    derivative="discrete",
    dtypes="own",
    samples=lambda rng: [
        (np.asarray(1), {"base": 0.9}),
        (np.asarray([2, 7, 100000]), {"base": 0.999}),
        (np.zeros((0,), int), {"base": 0.5}),
    ],
)

__all__ = ["has_products", "power_by_products", "products"]
