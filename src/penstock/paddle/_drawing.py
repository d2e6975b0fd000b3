"""Draws that follow a tensor: of its shape, or with its values as parameters."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.functions import random as draws
from penstock.paddle import _creation, _manipulation, _math
from penstock.paddle import _seeded as seeded
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_paddle, method
from penstock.paddle._grad_mode import is_grad_enabled
from penstock.paddle._tensor import forgetting
from penstock.trace.local import local

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


def _of_values(name: str, dtype: Any, *parameters: Any) -> Any:
    """Returns draws by rejection, of the values that the parameters have; None where no values are known, a
    parameter wants its gradient, or the numbers are not Paddle's."""
    if not seeded.drawing() or local.trace.capturing:
        return None
    if is_grad_enabled() and not all(one.stop_gradient for one in parameters):
        return None
    return seeded.tensor(name, *(np.asarray(one) for one in parameters), dtype)


@in_paddle
def poisson(x: Any, name: Any = None) -> Any:
    """Returns draws from Poisson distributions with these means, which get a gradient of zeros."""
    x = operand(x)
    found = _of_values("poisson", x._spec.dtype, x.detach())
    if found is None:
        found = _math.cast(draws.poisson(x._spec.shape, x), x._spec.dtype.name).detach()
    return forgetting(x, found, _frame(1))


@in_paddle
def binomial(count: Any, prob: Any, name: Any = None) -> Any:
    """Returns how many of `count` draws succeed, each with probability `prob`."""
    count, prob = operand(count).detach(), operand(prob).detach()
    lengths = list(np.broadcast_shapes(tuple(count._spec.shape), tuple(prob._spec.shape)))
    kind = prob._spec.dtype
    count, prob = (_manipulation.expand(one, lengths) for one in (_math.cast(count, kind.name), prob))
    found = _of_values("binomial", np.int64, count, prob)
    if found is not None:
        return found
    most = int(np.max(np.asarray(count), initial=0.0))
    places = data(np.arange(most, dtype=kind).reshape(-1, *([1] * len(lengths))))
    counted = _math.logical_and(_creation.rand([most, *lengths], kind) < prob, places < count)
    return _math.sum(_math.cast(counted, "int64"), 0)


@in_paddle
def standard_gamma(x: Any, name: Any = None) -> Any:
    """Returns draws from gamma distributions with these concentrations, through which no gradient passes."""
    return gamma(operand(x)).detach()


def gamma(x: Any) -> Any:
    """Returns draws from gamma distributions with these concentrations."""
    found = _of_values("gamma", x._spec.dtype, x)
    return draws.gamma(x._spec.shape, x, dtype=x._spec.dtype) if found is None else found


def dirichlet(concentration: Any, shape: Any) -> Any:
    """Returns draws of shares [*shape, n] from Dirichlet distributions with these concentrations."""
    x = _manipulation.expand(concentration, [*shape, concentration._spec.shape[-1]])
    found = _of_values("dirichlet", x._spec.dtype, x)
    return draws.dirichlet(x, dtype=x._spec.dtype) if found is None else found


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
