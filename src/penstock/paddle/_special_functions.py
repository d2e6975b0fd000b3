"""Special functions, elementwise: gamma, Bessel and error functions and their relatives."""

from __future__ import annotations

import math
import sys
from typing import Any

from penstock.functions import array as native
from penstock.functions import special
from penstock.functions.composite import composite
from penstock.paddle import _math
from penstock.paddle._declaring import method
from penstock.paddle._elementwise import of_one, of_two
from penstock.paddle._math import floating
from penstock.trace.tensor import Tensor

_frame = sys._getframe


erfinv = of_one("erfinv erfinv_", special.erfinv, "the number whose erf is x")
digamma = of_one("digamma digamma_", special.digamma, "the slope of lgamma")
lgamma = of_one("lgamma lgamma_", special.lgamma, "the logarithm of the absolute value of the gamma function")
gammaln = of_one(
    "gammaln gammaln_",
    special.lgamma,
    "the logarithm of the absolute value of the gamma function",
)
i0 = of_one("i0 i0_", special.i0, "the modified Bessel function of order 0")
i0e = of_one("i0e", special.i0e, "exp(-|x|) i0(x)")
i1 = of_one("i1", special.i1, "the modified Bessel function of order 1")
i1e = of_one("i1e", special.i1e, "exp(-|x|) i1(x)")
gammainc = of_two("gammainc gammainc_", special.gammainc, "the lower regularized incomplete gamma function")
gammaincc = of_two(
    "gammaincc gammaincc_", special.gammaincc, "the upper regularized incomplete gamma function"
)
sinc = of_one("sinc sinc_", special.sinc, "sin(pi x) / (pi x), 1 at 0")


@method("polygamma_")
def polygamma(x: Any, n: int, name: Any = None) -> Any:
    """Returns derivative number n of digamma at x."""
    return _polygamma(floating(x, _frame(1)), int(n))


@composite(1, "polygamma", wide=True)
def _polygamma(x: Any, n: int) -> Tensor:
    return special.polygamma(n, x)


@method("logit_")
def logit(x: Any, eps: Any = None, name: Any = None) -> Any:
    """Returns log(x / (1 - x)), of x held between eps and 1 - eps; NaN outside of 0 to 1 without eps."""
    held = eps is not None and float(eps) >= 0.0
    return _logit(floating(x, _frame(1), "logit"), held, float(eps) if held else 0.0)


@composite(1, "logit", wide=True)
def _logit(x: Any, held: bool, eps: float) -> Tensor:
    x = native.clip(x, eps, 1.0 - eps) if held else x
    return native.log(x / (1.0 - x))


@method("multigammaln_")
def multigammaln(x: Any, p: int, name: Any = None) -> Any:
    """Returns the logarithm of the gamma function of p dimensions."""
    x = _math.floating(x, _frame(1))
    total: Any = p * (p - 1) / 4.0 * math.log(math.pi)
    for i in range(p):
        total = total + lgamma(x - i / 2.0)
    return total
