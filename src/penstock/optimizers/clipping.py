"""Clipping gradients: by value, each by its own norm, or all together by their global norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import DTypeError, PenstockError
from penstock.functions.array import asarray, sum
from penstock.functions.composite import composite
from penstock.grad.rows import Rows
from penstock.ops.pointwise import clip, divide, greater, maximum, minimum, sqrt, square, where
from penstock.ops.validation import plain, shown
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


def bounded(values: Tensor, limit: Tensor) -> Tensor:
    """Returns values clipped to -limit .. limit."""
    return clip(values, -limit, limit)


def scaled_to_norm(values: Tensor, limit: Tensor) -> Tensor:
    """Returns values scaled down so that their Euclidean norm is at most `limit`."""
    squares = sum(square(values))
    positive = greater(squares, 0.0)
    # The root is taken only of positive numbers: its slope at 0 is infinite.
    norm = where(positive, sqrt(where(positive, squares, 1.0)), squares)
    return divide(values * limit, maximum(norm, limit))


def norm_of_all(tensors: Sequence[Tensor]) -> Tensor:
    """Returns the root of the sum of all squares, in single precision at least."""
    dtypes = [one.dtype for one in tensors]
    widest = np.result_type(np.float32, *[one for one in dtypes if one.itemsize >= 4])
    total = None
    for one in tensors:
        part = sum(square(one.astype(widest) if one.dtype != widest else one))
        total = part if total is None else total + part
    assert total is not None
    return sqrt(total)


def global_scale(norm: Tensor, limit: Tensor) -> Tensor:
    """Returns the factor for gradients; NaN where the norm is not finite, so that it is noticed."""
    return minimum(1.0 / norm, 1.0 / limit) * limit + (norm - norm)


@composite(1, wide=True)
def _by_norm(values: Any, limit: float) -> Tensor:
    return scaled_to_norm(values, _number(limit, values))


def _number(limit: Any, values: Tensor) -> Tensor:
    return limit if isinstance(limit, Tensor) else asarray(limit, dtype=values.dtype)


def _positive(limit: Any, what: str) -> float:
    limit = plain(limit)
    if not isinstance(limit, int | float) or not limit > 0:
        raise PenstockError(
            f"{what}: the limit is {shown(limit)}.",
            why="The bound of a norm or value must be positive.",
            remedy="Give a number greater than 0.",
            site=here(),
        )
    return float(limit)


def _values(gradient: Any) -> Any:
    """Returns the numbers of a gradient to measure: rows that share an id are added up first."""
    if isinstance(gradient, Rows):
        return gradient.summed().values
    return gradient if isinstance(gradient, Tensor) else asarray(gradient)


def _listed(what: str, gradients: Any) -> Sequence[Any]:
    try:
        return list(gradients)
    except TypeError:
        raise DTypeError(
            f"{what} was given {shown(gradients)}.", why="It takes a list of gradients.", site=here()
        ) from None


def _like(gradient: Any, values: Tensor) -> Any:
    return gradient.with_values(values) if isinstance(gradient, Rows) else values


def clip_by_value(gradient: Any, limit: float) -> Any:
    """Returns a gradient with every element clipped to -limit .. limit. Rows stay rows, summed once.

    This changes the direction of the gradient; clipping by norm does not.

    Args:
        gradient: a tensor or `Rows`.
        limit: the largest norm or size to allow, a number above 0.

    Returns:
        A gradient of the same shape and dtype.

    Raises:
        DTypeError: if the gradient is complex.
        PenstockError: if `limit` is not a number above 0.

    >>> import penstock as ps
    >>> ps.clip_by_value(ps.asarray([3.0, -0.5]), 1.0)
    Tensor([ 1. , -0.5], dtype=float32)
    """
    limit = _positive(limit, "clip_by_value")
    return _like(gradient, clip(_values(gradient), -limit, limit))


def clip_by_norm(gradient: Any, limit: float) -> Any:
    """Returns a gradient scaled down so that its Euclidean norm is at most `limit`. Rows stay rows.

    Args:
        gradient: a tensor or `Rows`.
        limit: the largest norm or size to allow, a number above 0.

    Returns:
        A gradient of the same shape and dtype.

    Raises:
        DTypeError: if `gradient` has the wrong dtype or type.
        PenstockError: if `limit` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.clip_by_norm(ps.asarray([3.0, 4.0]), 1.0)
    Tensor([0.6, 0.8], dtype=float32)
    """
    return _like(gradient, _by_norm(_values(gradient), _positive(limit, "clip_by_norm")))


def global_norm(gradients: Sequence[Any]) -> Tensor:
    """Returns the root of the sum of squares over all gradients of a list; None is skipped.

    Args:
        gradients: a sequence of gradients: tensors, `Rows` or None.

    Returns:
        A tensor without axes.

    Raises:
        DTypeError: if `gradients` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.global_norm([ps.asarray([3.0]), None, ps.asarray(4.0)])
    Tensor(5., dtype=float32)
    """
    found = [_values(one) for one in _listed("global_norm", gradients) if one is not None]
    if not found:
        return asarray(0.0)
    return norm_of_all(found)


def clip_by_global_norm(gradients: Sequence[Any], limit: float) -> tuple[list[Any], Tensor]:
    """Returns gradients scaled down together so that their global norm is at most `limit`, and that norm.

    None stays None and rows stay rows. Where the norm is infinite or NaN, every result is NaN, as in
    TensorFlow.

    Args:
        gradients: a sequence of gradients: tensors, `Rows` or None.
        limit: the largest norm or size to allow, a number above 0.

    Returns:
        A tuple of the list of gradients, and the norm before, a tensor without axes.

    Raises:
        DTypeError: if `gradients` has the wrong dtype or type.
        PenstockError: if `limit` has a value that is not allowed.

    >>> import penstock as ps
    >>> clipped, norm = ps.clip_by_global_norm([ps.asarray([3.0]), ps.asarray([4.0])], 2.5)
    >>> float(norm), [one.numpy().tolist() for one in clipped]
    (5.0, [[1.5], [2.0]])
    """
    limit = _positive(limit, "clip_by_global_norm")
    if isinstance(gradients, Tensor | Cell | Rows):
        raise PenstockError(
            "clip_by_global_norm was given a single gradient.",
            why="The norm is taken over all the gradients of a step.",
            remedy="Give the whole list, or use clip_by_norm for one gradient.",
            site=here(),
        )
    found = [None if one is None else _values(one) for one in _listed("clip_by_global_norm", gradients)]
    present = [one for one in found if one is not None]
    norm = norm_of_all(present) if present else asarray(0.0)
    if not present:
        return list(found), norm
    scale = global_scale(norm, asarray(limit, dtype=norm.dtype))
    return [
        None if values is None else _like(one, values * scale.astype(values.dtype))
        for one, values in zip(gradients, found, strict=True)
    ], norm


__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"]
