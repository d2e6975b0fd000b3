"""The files that declare functions of `paddle`: those of each program, and those imported on demand."""

from __future__ import annotations

FIRST = "_creation _manipulation _math"
"""Imported with the dialect."""
REST = (
    "_asked _compatible _complex _cumulative _drawing _elementwise _factoring _filling _histograms _joining "
    "_limits _listing _matrices _randomness _scattering _slicing _solving _special_functions _statistics "
    "sparse._functions"
)
"""Imported for a name that the others do not have."""
ALONE = "_flops _model _summary nn._adaptive_pooling nn._convolution nn._data_parallel nn._norm_functions"
"""Imported like the rest; tensors have no methods of these names."""


def paths(names: str) -> list[str]:
    """Returns the files by the names under which Python imports them."""
    return [f"penstock.paddle.{one}" for one in names.split()]
