"""Layers of sparse tensors: functions of the values, and the softmax of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.paddle import _manipulation, _math, _scattering
from penstock.paddle._convert import data
from penstock.paddle._names import absent
from penstock.paddle.nn import functional as F
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.sparse._functions import _sparse


class functional:
    """Functions of sparse tensors."""

    @staticmethod
    def relu(x: Any, name: Any = None) -> Any:
        """Returns the larger of each value and 0."""
        return _applied(x, "nn.functional.relu", F.relu)

    @staticmethod
    def relu6(x: Any, name: Any = None) -> Any:
        """Returns each value between 0 and 6."""
        return _applied(x, "nn.functional.relu6", F.relu6)

    @staticmethod
    def leaky_relu(x: Any, negative_slope: float = 0.01, name: Any = None) -> Any:
        """Returns each value, times `negative_slope` where it is below 0."""
        return _applied(x, "nn.functional.leaky_relu", lambda one: F.leaky_relu(one, negative_slope))

    @staticmethod
    def softmax(x: Any, axis: int = -1, name: Any = None) -> Any:
        """Returns the softmax of the stored values of each row; the others do not take part."""
        x = _sparse(x, "nn.functional.softmax")
        kept = [i for i in range(x.ndim) if i != axis % x.ndim]
        lengths = [x._shape[i] for i in kept]
        keys = np.ravel_multi_index(tuple(x._places[kept].astype(np.int64)), tuple(lengths))
        _, where = np.unique(keys, return_inverse=True)
        where = where.reshape(-1)
        highest = np.full(int(where.max()) + 1 if len(where) else 0, -np.inf)
        np.maximum.at(highest, where, np.asarray(x._values.detach().numpy(), np.float64))
        shifted = x._values - data(highest[where].astype(x._values._spec.dtype))
        raised = _math.exp(shifted)
        total = _scattering.scatter_nd(data(where.reshape(-1, 1)), raised, [len(highest)])
        return x._like(raised / _manipulation.gather(total, data(where)))


def _applied(x: Any, word: str, function: Callable[[Any], Any]) -> Any:
    return _sparse(x, word)._like(function(x._values))


class ReLU(Layer):
    """The larger of each value and 0."""

    def forward(self, x: Any) -> Any:
        """Returns the values changed, at the same places."""
        return functional.relu(x)


class ReLU6(Layer):
    """Each value between 0 and 6."""

    def forward(self, x: Any) -> Any:
        """Returns the values changed, at the same places."""
        return functional.relu6(x)


class LeakyReLU(Layer):
    """Each value, times `negative_slope` where it is below 0."""

    def __init__(self, negative_slope: float = 0.01, name: Any = None) -> None:
        super().__init__()
        self._slope = negative_slope

    def forward(self, x: Any) -> Any:
        """Returns the values changed, at the same places."""
        return functional.leaky_relu(x, self._slope)


class Softmax(Layer):
    """Shares of 1 of the values that each row keeps."""

    def __init__(self, axis: int = -1, name: Any = None) -> None:
        super().__init__()
        self._axis = axis

    def forward(self, x: Any) -> Any:
        """Returns the shares, at the same places."""
        return functional.softmax(x, self._axis)


__all__ = ["LeakyReLU", "ReLU", "ReLU6", "Softmax", "functional"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.sparse.nn", name, __all__)
