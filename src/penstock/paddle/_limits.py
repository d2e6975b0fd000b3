"""The limits of dtypes, as Paddle tells them."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle._declaring import in_paddle
from penstock.paddle._dtype import numpy_dtype


class _Limits:
    """Numbers about a dtype, which are attributes too."""

    def __init__(self, name: str, **values: Any) -> None:
        self.__dict__.update(values)
        self._name = name

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in vars(self).items()
            if name != "_name"
        )
        return f"paddle.{self._name}({shown})"


@in_paddle
def finfo(dtype: Any) -> Any:
    """Returns the limits of a dtype of floating point.

    >>> from penstock import paddle
    >>> paddle.finfo("float16").max
    65504.0
    """
    kind = numpy_dtype(dtype)
    if kind.kind == "V":
        import ml_dtypes

        told: Any = ml_dtypes.finfo
        found: Any = told(kind)
    else:
        found = np.finfo(kind)
    return _Limits(
        "finfo", min=float(found.min), max=float(found.max), eps=float(found.eps),
        resolution=10.0**-found.precision, smallest_normal=float(found.smallest_normal),
        tiny=float(found.tiny), bits=kind.itemsize * 8, dtype=kind.name,
    )  # fmt: skip


@in_paddle
def iinfo(dtype: Any) -> Any:
    """Returns the limits of a dtype of whole numbers.

    >>> from penstock import paddle
    >>> paddle.iinfo("int8")
    paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)
    """
    found = np.iinfo(numpy_dtype(dtype))
    return _Limits("iinfo", min=int(found.min), max=int(found.max), bits=found.bits, dtype=found.dtype.name)
