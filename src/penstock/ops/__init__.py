"""The primitives: one entry each, in one table that both tiers, the derivative and the tests read.

Those of linear algebra and Fourier transforms are added when the functions that need them are imported.
"""

from penstock.ops import (
    bits,
    distributions,
    elementary,
    gather,
    incomplete,
    index,
    linear,
    parts,
    pointwise,
    random,
    reduce,
    scan,
    segments,
    shape,
    sort,
    special,
    window,
    window_pool,
)

__all__ = [
    "bits", "distributions", "elementary", "gather", "incomplete", "index", "linear", "parts", "pointwise",
    "random", "reduce", "scan", "segments", "shape", "sort", "special", "window", "window_pool",
]  # fmt: skip
