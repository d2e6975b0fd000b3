"""Functions that give a tensor new values in place, as `paddle.nn.initializer` does for a new parameter.

>>> from penstock import paddle
>>> layer = paddle.nn.Linear(2, 2)
>>> paddle.nn.init.constant_(layer.weight, 0.5)
>>> layer.weight.sum().item()
2.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle._errors import RefusedError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle.nn.initializer import (
    Constant,
    Dirac,
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierNormal,
    XavierUniform,
    calculate_gain,
)
from penstock.trace.source_site import here


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0) -> None:
    """Draws from between two values."""
    Uniform(a, b)(tensor)


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0) -> None:
    """Draws from the normal distribution."""
    Normal(mean, std)(tensor)


def trunc_normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0) -> None:
    """Draws from the normal distribution between `a` and `b`."""
    TruncatedNormal(mean, std, a, b)(tensor)


def constant_(tensor: Any, val: float) -> None:
    """Fills with one value."""
    Constant(val)(tensor)


def ones_(tensor: Any) -> None:
    """Fills with ones."""
    Constant(1.0)(tensor)


def zeros_(tensor: Any) -> None:
    """Fills with zeros."""
    Constant(0.0)(tensor)


def eye_(tensor: Any) -> None:
    """Fills a matrix with ones on the diagonal, zeros elsewhere; raises AssertionError for other shapes."""
    shape = tensor._spec.shape
    if len(shape) != 2:
        raise RefusedError(f"Only support 2 dimensional tensor, but got {len(shape)}.", site=here())
    tensor.set_value(np.eye(*shape, dtype=tensor._spec.dtype))


def dirac_(tensor: Any, groups: int = 1) -> None:
    """Gives a convolution's weights the values with which it passes its input on."""
    Dirac(groups)(tensor)


def orthogonal_(tensor: Any, gain: float = 1.0) -> None:
    """Draws rows or columns that are orthogonal, of length `gain`."""
    Orthogonal(gain)(tensor)


def xavier_uniform_(
    tensor: Any, gain: float = 1.0, fan_in: float | None = None, fan_out: float | None = None
) -> None:
    """Draws from within gain * sqrt(6 / (fan_in + fan_out))."""
    XavierUniform(fan_in, fan_out, gain)(tensor)


def xavier_normal_(
    tensor: Any, gain: float = 1.0, fan_in: float | None = None, fan_out: float | None = None
) -> None:
    """Draws from the normal distribution of deviation gain * sqrt(2 / (fan_in + fan_out))."""
    XavierNormal(fan_in, fan_out, gain)(tensor)


def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> None:
    """Draws from within gain * sqrt(3 / fan), where the gain is that of the nonlinearity with slope `a`."""
    KaimingUniform(None, a, nonlinearity, mode)(tensor)


def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> None:
    """Draws from the normal distribution of deviation gain / sqrt(fan)."""
    KaimingNormal(None, a, nonlinearity, mode)(tensor)


__getattr__, __dir__, __all__ = _namespace("paddle.nn.init", globals())
__all__ += ["calculate_gain"]
