"""Matrix functions beyond the standard, and helpers that the standard's functions share with them."""

from __future__ import annotations

import sys
from typing import Any

from penstock.errors import ShapeError
from penstock.functions.arguments import tensor
from penstock.ops import complex_parts, exponential, matrices
from penstock.ops import shape as _shape
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


def matrices_in(name: str, x: Any) -> Any:
    """Returns matrices as a tensor; raises ShapeError for an operand with fewer than two axes."""
    x = tensor(x)
    if len(x.shape) < 2:
        raise ShapeError(
            f"{name} needs two axes; the shape is {x.shape}.",
            remedy="Add one with expand_dims.",
            site=here(),
        )
    return x


def turned(x: Any, frame: Any) -> Tensor:
    """Returns x with its last two axes exchanged."""
    rank = len(x.shape)
    return _shape.transpose.record((x,), {"axes": (*range(rank - 2), rank - 1, rank - 2)}, frame)


def conjugate(x: Any, frame: Any) -> Tensor:
    """Returns the conjugate of x, which is x itself if it is real."""
    return complex_parts.conj.record((x,), {}, frame) if x._spec.dtype.kind == "c" else x


def adjoint(x: Any, frame: Any) -> Tensor:
    """Returns the conjugate of x with its last two axes exchanged."""
    return conjugate(turned(x, frame), frame)


def solved(primitive: Any, a: Any, b: Any, params: dict[str, Any], frame: Any) -> Tensor:
    """Returns the solutions of systems; a vector b is one right-hand side."""
    if len(b.shape) != 1:
        return primitive.record((a, b), params, frame)  # type: ignore[no-any-return]
    column = _shape.reshape.record((b,), {"shape": (*b.shape, 1)}, frame)
    found = primitive.record((a, column), params, frame)
    return _shape.reshape.record((found,), {"shape": found.shape[:-1]}, frame)


def solve_triangular(
    x1: Any,
    x2: Any,
    /,
    *,
    lower: bool = False,
    transposed: bool = False,
    adjoint: bool = False,
    unit_diagonal: bool = False,
) -> Tensor:
    """Returns the solutions of x1 @ y = x2 where x1 is an upper triangle, or with `lower` a lower one.

    What x1 has in its other triangle is not read, and with `unit_diagonal` its diagonal is taken for ones.
    `transposed` solves x1^T @ y = x2, and `adjoint` the same with the conjugate of x1^T; `lower` says what x1
    is. A vector x2 is one right-hand side, as in `solve`. A zero in the diagonal gives NaN; so do values that
    are not finite.

    Args:
        x1: matrices [..., n, m] of floating-point or complex dtype.
        x2: vectors [m] or matrices [..., m, k], of the same dtype.
        lower: whether `x1` is a lower triangle.
        transposed: whether to solve with the transpose of `x1`.
        adjoint: whether to solve with the adjoint of `x1`.
        unit_diagonal: whether the diagonal of `x1` counts as ones.

    Returns:
        A tensor of the shape of `x2`, its leading axes broadcast.

    Raises:
        ShapeError: if `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.solve_triangular(ps.asarray([[2.0, 0.0], [1.0, 4.0]]), ps.asarray([2.0, 9.0]), lower=True)
    Tensor([1., 2.], dtype=float32)
    """
    frame = _frame(1)
    a, b = matrices_in("solve_triangular", x1), tensor(x2)
    if transposed or adjoint:
        a = conjugate(turned(a, frame), frame) if adjoint else turned(a, frame)
    params = {"lower": bool(lower) is not bool(transposed or adjoint), "unit": bool(unit_diagonal)}
    return solved(matrices.solve_triangular, a, b, params, frame)


def expm(x: Any, /) -> Tensor:
    """Returns the exponentials of square matrices: the sums of x @ ... @ x (k factors) / k! over all k.

    By Padé's approximant of order 13 with scaling and squaring (Higham 2005), float32 to complex128. The
    rounding error grows with the 1-norm of x. What is too large for the dtype is infinite or NaN, and a
    matrix that is not finite gives NaN. Raises ShapeError for matrices that are not square.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        Matrices [..., n, n] of the same dtype.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.expm(ps.asarray([[0.0, 2.0], [0.0, 0.0]]))
    Tensor([[1., 2.],
     [0., 1.]], dtype=float32)
    """
    return exponential.expm.record((matrices_in("expm", x),), {}, _frame(1))
