"""Functions of tf.experimental.numpy that multiply arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _shape_functions, linalg, math
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._numpy.promotion import PLACE, agreed, given, rank_of, refused
from penstock.tensorflow._numpy.shapes import moveaxis, ravel
from penstock.tensorflow._tensor import EagerTensor


@named(f"{PLACE}.matmul")
def matmul(x1: Any, x2: Any) -> Any:
    """Returns the matrix product; an operand with one axis is a vector."""
    a, b = agreed(x1, x2)
    if not rank_of(a) or not rank_of(b):
        raise refused("matmul: a number is no matrix.", "Multiply by it: x1 * x2.")
    if len(b.shape) == 1:
        return linalg.tensordot(a, b, 1)
    if len(a.shape) == 1:
        return linalg.tensordot(a, b, [[0], [-2 % len(b.shape)]])
    try:
        return linalg.matmul(a, b)
    except InvalidArgumentError as error:
        raise refused(error.fact) from None


@named(f"{PLACE}.dot")
def dot(a: Any, b: Any) -> Any:
    """Returns the product of the last axis of a and the last but one of b.

    >>> from penstock import tensorflow as tf
    >>> print(tf.experimental.numpy.dot([1, 2], [3, 4.5]))
    tf.Tensor(12.0, shape=(), dtype=float64)
    """
    a, b = agreed(a, b)
    if not rank_of(a) or not rank_of(b):
        return a * b
    last = -1 if len(b.shape) == 1 else -2
    return linalg.tensordot(a, b, [[len(a.shape) - 1], [last % len(b.shape)]])


@named(f"{PLACE}.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Returns the product over several axes."""
    return linalg.tensordot(*agreed(a, b), axes)


@named(f"{PLACE}.inner")
def inner(a: Any, b: Any) -> Any:
    """Returns the product over the last axes."""
    a, b = agreed(a, b)
    if not rank_of(a) or not rank_of(b):
        return a * b
    return linalg.tensordot(a, b, [[len(a.shape) - 1], [len(b.shape) - 1]])


@named(f"{PLACE}.outer")
def outer(a: Any, b: Any) -> Any:
    """Returns the products of all pairs of elements."""
    a, b = agreed(a, b)
    return _arrays.reshape(a, [-1, 1]) * ravel(b)


@named(f"{PLACE}.vdot")
def vdot(a: Any, b: Any) -> Any:
    """Returns the sum of the products of elements, those of a conjugated."""
    a, b = agreed(a, b)
    return dot(math.conj(ravel(a)), ravel(b))


@named(f"{PLACE}.kron")
def kron(a: Any, b: Any) -> Any:
    """Returns the Kronecker product."""
    return ps.kron(*agreed(a, b))


@named(f"{PLACE}.cross")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """Returns the cross product of vectors of two or three numbers."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = agreed(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    flat = a.shape[-1] == 2 and b.shape[-1] == 2
    lengths = np.broadcast_shapes(tuple(a.shape)[:-1], tuple(b.shape)[:-1])
    pair = [_arrays.broadcast_to(_deep(one), [*lengths, 3]) for one in (a, b)]
    found = linalg.cross(*pair)
    return found[..., 2] if flat else moveaxis(found, -1, axisc)


def _deep(a: EagerTensor) -> Any:
    if a.shape[-1] == 3:
        return a
    return _arrays.pad(a, [[0, 0]] * (len(a.shape) - 1) + [[0, 1]])


@named(f"{PLACE}.polyval")
def polyval(p: Any, x: Any) -> Any:
    """Returns the value of a polynomial at x; the coefficient of the highest power comes first."""
    p, x = agreed(p, x)
    parts = list(_arrays.unstack(p if rank_of(p) else _arrays.reshape(p, [1])))
    found = math.polyval(parts, x)
    return _arrays.broadcast_to(found, x.shape) if len(parts) == 1 else found


@named(f"{PLACE}.einsum")
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Returns the product that subscripts describe. `casting="no"` leaves the dtypes as they are.

    `optimize` decides the order of the work in TensorFlow, and not its result.
    """
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting not in ("safe", "no"):
        raise refused(
            'Invalid value for argument `casting`. Expected casting="safe" or casting="no". '
            f"Received: casting={casting}"
        )
    if optimize not in (False, True, None, "greedy", "optimal"):
        raise refused(
            'Invalid value for argument `optimize`. Expected one of {True, "greedy", "optimal"}. '
            f"Received: optimize={optimize}"
        )
    return _shape_functions.einsum(
        subscripts, *(agreed(*operands) if casting == "safe" else map(given, operands))
    )


@named(f"{PLACE}.diff")
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Returns the differences of neighbours along an axis, n times."""
    a = given(a)
    rank = len(a.shape)
    if (axis + rank if axis < 0 else axis) >= rank:
        raise refused(
            f"Argument `axis` (received axis={axis}) is out of bounds for input {a} of rank {rank}."
        )
    if n < 0:
        raise refused(f"Argument `order` must be a non-negative integer. Received: axis={n}")
    later, earlier = ([slice(None)] * rank for _ in range(2))
    later[axis], earlier[axis] = slice(1, None), slice(None, -1)
    truths = a._spec.dtype == np.bool_
    for _ in range(n):
        pair = a[tuple(later)], a[tuple(earlier)]
        a = math.not_equal(*pair) if truths else math.subtract(*pair)
    return a
