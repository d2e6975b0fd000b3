"""Draws that follow a tensor: of its shape, or with its values as parameters."""

from __future__ import annotations

import sys
from typing import Any

from penstock.functions import random as draws
from penstock.paddle import _creation, _math
from penstock.paddle._convert import operand
from penstock.paddle._declaring import in_paddle, method

_frame = sys._getframe


@method
def rand_like(x: Any, name: Any = None, *, dtype: Any = None) -> Any:
    """Returns numbers between 0 and 1, as many as x has."""
    x = operand(x)
    return _creation.rand(list(x._spec.shape), x._spec.dtype.name if dtype is None else dtype)


@method
def randn_like(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns draws from the normal distribution, as many as x has."""
    x = operand(x)
    return _creation.randn(list(x._spec.shape), x._spec.dtype.name if dtype is None else dtype)


@method
def randint_like(x: Any, low: int = 0, high: int | None = None, dtype: Any = None, name: Any = None) -> Any:
    """Returns integers from `low`, included, to `high`, as many as x has elements."""
    x = operand(x)
    found = _creation.randint(low, high, list(x._spec.shape), "int64")
    return _math.cast(found, x._spec.dtype.name if dtype is None else dtype)


@in_paddle
def poisson(x: Any, name: Any = None) -> Any:
    """Returns draws from Poisson distributions with these means."""
    x = operand(x)
    return _math.cast(draws.poisson(x._spec.shape, x), x._spec.dtype.name).detach()


@in_paddle
def binomial(count: Any, prob: Any, name: Any = None) -> Any:
    """Returns how many of `count` draws succeed, each with probability `prob`."""
    from penstock.paddle.distribution._discrete import Binomial

    return _math.cast(Binomial(operand(count), operand(prob)).sample(), "int64")


@in_paddle
def standard_gamma(x: Any, name: Any = None) -> Any:
    """Returns draws from gamma distributions with these concentrations."""
    x = operand(x)
    return draws.gamma(x._spec.shape, x, dtype=x._spec.dtype)


@in_paddle
def log_normal(
    mean: Any = 1.0, std: Any = 2.0, shape: Any = None, dtype: Any = None, name: Any = None
) -> Any:
    """Returns e to the power of draws from the normal distribution about `mean`."""
    found = _math.exp(_creation.normal(mean, std, shape))
    return found if dtype is None else _math.cast(found, dtype)


@in_paddle
def uniform_random_batch_size_like(
    input: Any, shape: Any, dtype: Any = "float32", input_dim_idx: int = 0, output_dim_idx: int = 0,
    min: float = -1.0, max: float = 1.0, seed: int = 0,
) -> Any:  # fmt: skip
    """Returns draws between `min` and `max` of a shape one of whose lengths is that of an axis of `input`."""
    lengths = list(shape)
    lengths[output_dim_idx] = operand(input).shape[input_dim_idx]
    return _creation.uniform(lengths, dtype, min, max, seed)
