"""Penalties on the size of variables, which layers contribute as terms of the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions.composite import composite
from penstock.lazy import listed
from penstock.ops import pointwise, reduce
from penstock.ops.linear import matmul
from penstock.ops.shape import transpose
from penstock.ops.validation import plain
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@composite(1, wide=True)
def penalty(x: Any, l1: float, l2: float) -> Tensor:
    """Returns l1 * sum(|x|) + l2 * sum(x ** 2)."""
    axes = tuple(range(x.ndim))
    terms = []
    if not isinstance(l1, float) or l1:
        terms.append(reduce.sum(pointwise.absolute(x), axes=axes, keepdims=False) * l1)
    if not isinstance(l2, float) or l2:
        terms.append(reduce.sum(pointwise.square(x), axes=axes, keepdims=False) * l2)
    if not terms:
        return reduce.sum(x, axes=axes, keepdims=False) * 0.0
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


class Regularizer:
    """A penalty: called with a tensor or a variable, it returns a scalar to be added to the loss."""

    def __call__(self, x: Any) -> Any:
        """Returns the penalty."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a regularizer with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_config().items())
        return f"{type(self).__name__}({arguments})"


class L1L2(Regularizer):
    """l1 times the sum of absolute values plus l2 times the sum of squares.

    >>> import penstock as ps
    >>> float(ps.layers.regularizers.L1L2(0.5, 0.25)(ps.asarray([1.0, -2.0])))
    2.75
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = _factor(l1), _factor(l2)

    def __call__(self, x: Any) -> Any:
        return penalty(x, self.l1, self.l2)


class L1(Regularizer):
    """l1 times the sum of absolute values.

    >>> import penstock as ps
    >>> float(ps.layers.regularizers.L1(0.5)(ps.asarray([1.0, -2.0])))
    1.5
    """

    def __init__(self, l1: float = 0.01) -> None:
        self.l1 = _factor(l1)

    def __call__(self, x: Any) -> Any:
        return penalty(x, self.l1, 0.0)


class L2(Regularizer):
    """l2 times the sum of squares.

    >>> import penstock as ps
    >>> float(ps.layers.regularizers.L2(0.5)(ps.asarray([1.0, -2.0])))
    2.5
    """

    def __init__(self, l2: float = 0.01) -> None:
        self.l2 = _factor(l2)

    def __call__(self, x: Any) -> Any:
        return penalty(x, 0.0, self.l2)


@composite(1, wide=True)
def likeness(x: Any, factor: float, mode: str) -> Tensor:
    """Returns factor times the mean of |cosine| over the pairs of different rows, or columns."""
    along = 1 if mode == "rows" else 0
    squares = reduce.sum(pointwise.square(x), axes=(along,), keepdims=True)
    x = x * pointwise.rsqrt(pointwise.maximum(squares, 1e-24))
    turned = transpose(x, axes=(1, 0))
    products = matmul(x, turned) if mode == "rows" else matmul(turned, x)
    count = products.shape[0]
    others = 1.0 - np.eye(count, dtype=x.dtype)
    total = reduce.sum(pointwise.absolute(products * others), axes=(0, 1), keepdims=False)
    return total * (factor * 0.5) / (count * (count - 1.0) / 2.0)


class OrthogonalRegularizer(Regularizer):
    """A penalty on rows of a matrix that are not orthogonal, or on columns (`mode`).

    It is `factor` times the mean of the absolute cosines of all pairs: Rodriguez and others (2017).

    >>> import penstock as ps
    >>> rows = ps.asarray([[1.0, 1.0], [2.0, 2.0]])
    >>> round(float(ps.layers.regularizers.OrthogonalRegularizer(0.5)(rows)), 4)
    0.5
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor = _factor(factor)
        if mode not in ("rows", "columns"):
            raise ArgumentError(
                'Invalid value for argument `mode`. Expected one of {"rows", "columns"}. Received: '
                f"mode={mode}",
                site=here(),
            )
        self.mode = mode

    def __call__(self, x: Any) -> Any:
        if len(x.shape) != 2:
            raise ArgumentError(
                f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape={tuple(x.shape)}",
                site=here(),
            )
        return likeness(x, self.factor, self.mode)


def _factor(value: Any) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ArgumentError(
            f"A regularizer was given the factor {value!r}.",
            remedy="Give a finite number of at least 0.",
            site=here(),
        )
    return float(value)


_WORDS: dict[str, type[Regularizer]] = {"l1": L1, "l2": L2, "l1_l2": L1L2, "l1l2": L1L2}
_WORDS |= {"orthogonal_regularizer": OrthogonalRegularizer, "orthogonalregularizer": OrthogonalRegularizer}


def get(identifier: Any) -> Callable[[Any], Any] | None:
    """Returns the regularizer for a word or a function; None stays None.

    >>> import penstock as ps
    >>> ps.layers.regularizers.get("l2")
    L2(l2=0.01)
    """
    if identifier is None or (callable(identifier) and not isinstance(identifier, type)):
        return identifier
    if isinstance(identifier, dict):
        return _WORDS[identifier["class_name"].lower()].from_config(identifier.get("config", {}))  # type: ignore[no-any-return]
    found = _WORDS.get(identifier.lower()) if isinstance(identifier, str) else None
    if found is None:
        raise ArgumentError(
            f"Could not interpret regularizer identifier: {identifier}",
            remedy="Use 'l1', 'l2', 'l1_l2', 'orthogonal_regularizer', or a function of a tensor.",
            site=here(),
        )
    return found()


__all__ = ["L1", "L1L2", "L2", "OrthogonalRegularizer", "Regularizer", "get"]
__dir__ = listed(__name__)
