"""How many samples lie in each cell of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle._convert import HANDLES, data, operand
from penstock.paddle._declaring import method


@method
def histogramdd(
    x: Any, bins: Any = 10, ranges: Any = None, density: bool = False, weights: Any = None, name: Any = None
) -> Any:
    """Returns how many of the samples x [..., D] lie in each cell of a grid, and the borders along each axis.

    `bins` is how many parts an axis has, or several numbers, or the borders themselves; `ranges` the least
    and the greatest border of each axis, one after another. Values are looked at.
    """
    x = operand(x)
    array = np.asarray(x.detach())
    rows = array.reshape(-1, array.shape[-1])
    if not isinstance(bins, int):
        bins = [np.asarray(one) if isinstance(one, HANDLES) else one for one in bins]
    span = None if ranges is None else list(zip(ranges[::2], ranges[1::2], strict=True))
    weighed = None if weights is None else np.asarray(operand(weights)).reshape(-1)
    found, borders = np.histogramdd(rows, bins, span, density, weighed)
    return data(found.astype(array.dtype)), [data(one.astype(array.dtype)) for one in borders]
