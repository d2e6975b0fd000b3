"""A distribution over matrices of correlations, by their triangular factors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation, _math, _matrices, _special_functions
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle.distribution._base import Distribution, dtype_of, floating, in_shape
from penstock.paddle.distribution._continuous import Beta
from penstock.trace.source_site import here


@named("paddle.distribution.LKJCholesky")
class LKJCholesky(Distribution):
    """The lower triangular factors of random matrices of correlations.

    The density of a matrix is proportional to its determinant to the power `concentration` - 1: 1 makes all
    equally likely, larger ones favour small correlations (D. Lewandowski, D. Kurowicka and H. Joe 2009,
    "Generating random correlation matrices based on vines and extended onion method").

    Args:
        dim: how many variables are correlated, at least 2.
        concentration: positive numbers, of any shape.
        sample_method: how draws are made, "onion" or "cvine"; their distribution is the same.

    Raises:
        InvalidValueError: if an argument is out of range.
        InvalidTypeError: if `dim` is not a whole number.

    >>> from penstock import paddle
    >>> paddle.distribution.LKJCholesky(3).sample([2]).shape
    paddle.Size([2, 3, 3])
    """

    dtype = dtype_of("concentration")

    def __init__(self, dim: int = 2, concentration: Any = 1.0, sample_method: str = "onion") -> None:
        self.concentration = floating(concentration)
        if not isinstance(dim, int):
            raise InvalidTypeError(f"Expected dim to be an integer. Found dim={dim}.", site=here())
        if dim < 2:
            raise InvalidValueError(f"Expected dim greater than or equal to 2. Found dim={dim}.", site=here())
        if not (np.asarray(self.concentration.detach()) > 0).all():
            raise InvalidValueError("The arg of `concentration` must be positive.", site=here())
        if sample_method not in ("onion", "cvine"):
            raise InvalidValueError("`method` should be one of 'cvine' or 'onion'.", site=here())
        self.dim, self.sample_method = dim, sample_method
        super().__init__(self.concentration._spec.shape, (dim, dim))

    def sample(self, sample_shape: Any = ()) -> Any:
        """Returns draws, without gradients."""
        with no_grad():
            draw = self._onion if self.sample_method == "onion" else self._vine
            return data(draw(in_shape(sample_shape)).astype(self.concentration._spec.dtype))

    def _beta(self, shape: tuple[int, ...], first: Any, second: Any) -> np.ndarray[Any, Any]:
        kind = self.concentration._spec.dtype
        drawn = Beta(data(np.asarray(first, kind)), data(np.asarray(second, kind))).sample(list(shape))
        return np.asarray(drawn, np.float64)

    def _onion(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Draws row after row: its squared length beside the diagonal, and its direction."""
        size = self.dim
        base = np.asarray(self.concentration)[..., None] + 0.5 * (size - 2)
        before = np.arange(size - 1.0)
        squares = self._beta(
            shape, np.broadcast_to(before + 0.5, (*base.shape[:-1], size - 1)), base - before / 2
        )
        found = np.zeros((*squares.shape[:-1], size, size))
        found[..., 0, 0] = 1.0
        noise = np.asarray(_creation.randn(list(found.shape)), np.float64)
        for row in range(1, size):
            way = noise[..., row, :row]
            length = np.sqrt(squares[..., row - 1])
            way = way / np.sqrt((way**2).sum(-1, keepdims=True))
            found[..., row, :row] = way * length[..., None]
            found[..., row, row] = np.sqrt(1.0 - squares[..., row - 1])
        return found

    def _vine(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Draws correlations that are left when those with the columns before are taken off."""
        size = self.dim
        base = np.asarray(self.concentration)[..., None] + 0.5 * (size - 2)
        weights = np.broadcast_to(
            (base - np.arange(size - 1.0) / 2)[..., None, :], (*base.shape[:-1], size - 1, size - 1)
        )
        partial = 2.0 * self._beta(shape, weights, weights) - 1.0
        found = np.zeros((*partial.shape[:-2], size, size))
        found[..., 0, 0] = 1.0
        for row in range(1, size):
            some = partial[..., row - 1, :row]
            left = np.cumprod(np.sqrt(1.0 - some**2), -1)
            found[..., row, 0] = some[..., 0]
            found[..., row, 1:row] = some[..., 1:] * left[..., :-1]
            found[..., row, row] = left[..., -1]
        return found

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density of triangular factors [..., dim, dim]."""
        size, a = self.dim, self.concentration
        kind = a._spec.dtype
        diagonal = _matrices.diagonal(operand(value), 0, -2, -1)[..., 1:]
        order = 2.0 * (a - 1.0).unsqueeze(-1) + data(np.arange(size - 2, -1, -1).astype(kind))
        own = _math.sum(order * _math.log(diagonal), -1)
        rest = size - 1
        top = a + 0.5 * rest
        terms = top.unsqueeze(-1) - 0.5 + data((-np.arange(rest) / 2).astype(kind))
        total = _math.sum(_special_functions.lgamma(terms), -1) - _special_functions.lgamma(top) * rest
        return own - (total + (rest * (rest - 1) / 4 + rest / 2) * math.log(math.pi))
