"""Elementwise functions and products that few programs ask for, and draws of the rarer kind."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from penstock.functions import random as draws
from penstock.functions import special
from penstock.paddle import _creation, _manipulation, _math, _special
from penstock.paddle._convert import HANDLES, data, operand
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here

_frame = sys._getframe
gammainc = _special._two("gammainc", special.gammainc, "the lower regularized incomplete gamma function")
gammaincc = _special._two("gammaincc", special.gammaincc, "the upper regularized incomplete gamma function")
sinc = _special._one("sinc", special.sinc, "sin(pi x) / (pi x), 1 at 0")


def _whole(word: str, function: Any, purpose: str) -> Any:
    def called(x: Any, y: Any, name: Any = None) -> Any:
        x, y = operand(x), operand(y)
        for one in (x, y):
            if one._spec.dtype.kind not in "iu":
                raise InvalidValueError(f"{word} is for integers, not {one._spec.dtype.name}.", site=here())
        return data(np.asarray(function(np.asarray(x), np.asarray(y))))

    called.__name__ = called.__qualname__ = word
    called.__doc__ = f"Returns {purpose} of integers, elementwise."
    return called


gcd = _whole("gcd", np.gcd, "the greatest common divisor")
lcm = _whole("lcm", np.lcm, "the least common multiple")


def ldexp(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x times 2 to the power of y."""
    x, y = operand(x), operand(y)
    kind = "float64" if "float64" in (x._spec.dtype.name, y._spec.dtype.name) else "float32"
    x, y = _math.cast(x, kind), _math.cast(y, kind)
    return x * _math.pow(_creation.full_like(y, 2.0), y)


def frexp(x: Any, name: Any = None) -> Any:
    """Returns numbers as a fraction from 0.5 on, times 2 to the power of a whole number; values are read."""
    parts = np.frexp(np.asarray(operand(x)))
    return data(parts[0]), data(parts[1].astype(parts[0].dtype))


def multigammaln(x: Any, p: int, name: Any = None) -> Any:
    """Returns the logarithm of the gamma function of p dimensions."""
    x = _math._floating(x, _frame(1))
    total: Any = p * (p - 1) / 4.0 * math.log(math.pi)
    for i in range(p):
        total = total + _special.lgamma(x - i / 2.0)
    return total


def polar(abs: Any, angle: Any, name: Any = None) -> Any:
    """Returns complex numbers of these sizes and angles."""
    abs, angle = operand(abs), operand(angle)
    return _special.complex(abs * _math.cos(angle), abs * _math.sin(angle))


def as_complex(x: Any, name: Any = None) -> Any:
    """Returns pairs in the last axis as complex numbers."""
    x = operand(x)
    if x._spec.shape[-1] != 2:
        raise InvalidValueError(
            f"The last axis of {list(x._spec.shape)} must have length 2: real and imaginary parts.",
            site=here(),
        )
    return _special.complex(x[..., 0], x[..., 1])


def as_real(x: Any, name: Any = None) -> Any:
    """Returns complex numbers as pairs in a new last axis."""
    x = operand(x)
    return _manipulation.stack([_special.real(x), _special.imag(x)], -1)


def isneginf(x: Any, name: Any = None) -> Any:
    """Returns whether x is minus infinity, elementwise."""
    return _math.equal(operand(x), -math.inf)


def isposinf(x: Any, name: Any = None) -> Any:
    """Returns whether x is plus infinity, elementwise."""
    return _math.equal(operand(x), math.inf)


def isreal(x: Any, name: Any = None) -> Any:
    """Returns whether numbers have no imaginary part, elementwise."""
    x = operand(x)
    if x._spec.dtype.kind == "c":
        return _math.equal(_special.imag(x), 0.0)
    return data(np.ones(x._spec.shape, bool))


def isin(x: Any, test_x: Any, assume_unique: bool = False, invert: bool = False, name: Any = None) -> Any:
    """Returns whether each element of x is among those of `test_x`; `assume_unique` does nothing."""
    return data(np.isin(np.asarray(operand(x)), np.asarray(operand(test_x)), invert=invert))


def positive(x: Any) -> Any:
    """Returns x."""
    return operand(x)


def msort(input: Any) -> Any:
    """Returns x sorted along the first axis."""
    return _manipulation.sort(input, 0)


def renorm(x: Any, p: float, axis: int, max_norm: float) -> Any:
    """Returns x whose parts along an axis are made smaller where their p-norm is above `max_norm`."""
    x = operand(x)
    others = [one for one in range(x._spec.ndim) if one != axis % x._spec.ndim]
    norms = _math.pow(_math.sum(_math.pow(_math.abs(x), p), others, keepdim=True), 1.0 / p)
    return x * _math.where(norms > max_norm, max_norm / (norms + 1e-7), _creation.ones_like(norms))


def baddbmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns beta * input + alpha * x @ y, matrix by matrix."""
    return operand(input) * beta + _math.bmm(x, y) * alpha


def vecdot(x: Any, y: Any, axis: int = -1, name: Any = None) -> Any:
    """Returns the sums of products along an axis; complex numbers of x are conjugated."""
    x = operand(x)
    x = _special.conj(x) if x._spec.dtype.kind == "c" else x
    return _math.sum(x * operand(y), axis)


def logspace(start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: Any = None) -> Any:
    """Returns powers of `base` whose exponents go from `start` to `stop` in equal steps."""
    ends = [float(np.asarray(one)) if isinstance(one, HANDLES) else float(one) for one in (start, stop, base)]
    kind = default_dtype() if dtype is None else numpy_dtype(dtype)
    return data((ends[2] ** np.linspace(ends[0], ends[1], int(np.asarray(num)))).astype(kind))


def shard_index(input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """Returns places within one of `nshards` equal parts of a table, and `ignore_value` for all others."""
    x = operand(input)
    size = (index_num + nshards - 1) // nshards
    own = _math.equal(_math.floor_divide(x, size), shard_id)
    return _math.where(own, _math.remainder(x, size), _creation.full_like(x, ignore_value))


# -- draws -------------------------------------------------------------------------------------------------


def rand_like(x: Any, name: Any = None, *, dtype: Any = None) -> Any:
    """Returns numbers between 0 and 1, as many as x has."""
    x = operand(x)
    return _creation.rand(list(x._spec.shape), x._spec.dtype.name if dtype is None else dtype)


def randn_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns draws from the normal distribution, as many as x has."""
    x = operand(x)
    return _creation.randn(list(x._spec.shape), x._spec.dtype.name if dtype is None else dtype)


def randint_like(x: Any, low: int = 0, high: int | None = None, dtype: Any = None, name: Any = None) -> Any:
    """Returns integers from `low`, included, to `high`, as many as x has elements."""
    x = operand(x)
    found = _creation.randint(low, high, list(x._spec.shape), "int64")
    return _math.cast(found, x._spec.dtype.name if dtype is None else dtype)


def poisson(x: Any, name: Any = None) -> Any:
    """Returns draws from Poisson distributions with these means."""
    x = operand(x)
    return _math.cast(draws.poisson(x._spec.shape, x), x._spec.dtype.name).detach()


def binomial(count: Any, prob: Any, name: Any = None) -> Any:
    """Returns how many of `count` draws succeed, each with probability `prob`."""
    from penstock.paddle.distribution._discrete import Binomial

    return _math.cast(Binomial(operand(count), operand(prob)).sample(), "int64")


def standard_gamma(x: Any, name: Any = None) -> Any:
    """Returns draws from gamma distributions with these concentrations."""
    x = operand(x)
    return draws.gamma(x._spec.shape, x, dtype=x._spec.dtype)


def log_normal(
    mean: Any = 1.0, std: Any = 2.0, shape: Any = None, dtype: Any = None, name: Any = None
) -> Any:
    """Returns e to the power of draws from the normal distribution about `mean`."""
    found = _math.exp(_creation.normal(mean, std, shape))
    return found if dtype is None else _math.cast(found, dtype)


__all__ = [
    "as_complex", "as_real", "baddbmm", "binomial", "frexp", "gammainc", "gammaincc", "gcd", "isin",
    "isneginf", "isposinf", "isreal", "lcm", "ldexp", "log_normal", "logspace", "msort", "multigammaln",
    "poisson", "polar", "positive", "rand_like", "randint_like", "randn_like", "renorm", "shard_index",
    "sinc", "standard_gamma", "vecdot",
]  # fmt: skip
