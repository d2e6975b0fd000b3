"""The primitives: one entry each, in one table that both tiers, the derivative and the tests read.

Those of windows, linear algebra and Fourier transforms join when the functions that need them are imported.
"""

from penstock.ops import (
    bits,
    elementary,
    gather,
    index,
    linear,
    parts,
    pointwise,
    random,
    reduce,
    scan,
    shape,
    sort,
)

__all__ = [
    "bits", "elementary", "gather", "index", "linear", "parts", "pointwise", "random", "reduce", "scan",
    "shape", "sort",
]  # fmt: skip
