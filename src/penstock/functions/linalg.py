"""Linear algebra: the `linalg` extension of the array API standard 2024.12, for stacks of matrices."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np

from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.functions import creation, statistics
from penstock.functions.arguments import dtype_of, tensor, whole_axis
from penstock.functions.composite import composite
from penstock.functions.factors import eig, eigvals, lu
from penstock.functions.manipulation import matrix_transpose
from penstock.functions.matrices import adjoint, expm, matrices_in, solve_triangular, solved, turned
from penstock.functions.products import matmul, tensordot, vecdot
from penstock.functions.slips import answers, refuse
from penstock.lazy import listed, missing
from penstock.ops import complex_parts, determinants, index, matrices, pointwise, reduce, spectral
from penstock.ops import linear as _linear
from penstock.ops import shape as _shape
from penstock.ops.complex_parts import real_dtype
from penstock.ops.promotion import is_narrow, kind_of
from penstock.ops.table import cast
from penstock.ops.validation import plain, shown, whole
from penstock.trace.lengths import maximum, minimum
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor, concrete

_frame = sys._getframe
_SINGLE = np.dtype(np.float32)


# -- systems ------------------------------------------------------------------------------------------------


def solve(x1: Any, x2: Any, /) -> Tensor:
    """Returns the solutions of x1 @ y = x2. A vector x2 is one right-hand side, and is used for every matrix.

    A singular system gives NaN.

    Args:
        x1: matrices [..., n, m] of floating-point or complex dtype.
        x2: vectors [m] or matrices [..., m, k], of the same dtype.

    Returns:
        A tensor of the shape of `x2`, its leading axes broadcast.

    Raises:
        ShapeError: if `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.solve(ps.asarray([[2.0, 0.0], [0.0, 4.0]]), ps.asarray([2.0, 2.0]))
    Tensor([1. , 0.5], dtype=float32)
    """
    return solved(matrices.solve, matrices_in("solve", x1), tensor(x2), {}, _frame(1))


def inv(x: Any, /) -> Tensor:
    """Returns inverse matrices. That of a singular matrix is NaN.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        Matrices [..., n, n] of the same dtype.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.inv(ps.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Tensor([[0.5 , 0.  ],
     [0.  , 0.25]], dtype=float32)
    """
    frame = _frame(1)
    x = matrices_in("inv", x)
    matrices.square("inv")(x._spec)
    unit = creation.eye(x.shape[-1], dtype=x._spec.dtype)
    if len(x.shape) > 2:
        unit = _shape.broadcast_to.record((unit,), {"shape": x.shape}, frame)
    return matrices.solve.record((x, unit), {}, frame)


def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Returns Moore and Penrose's pseudo-inverses.

    Singular values up to `rtol` times the largest count as 0; by default that is the longer side times the
    spacing of numbers at 1.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        rtol: the share of the largest singular value below which others count as 0; None for the longer
            side times the spacing of numbers at 1.

    Returns:
        Matrices [..., m, n].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.pinv(ps.asarray([[2.0], [0.0]]))
    Tensor([[0.5, 0. ]], dtype=float32)
    """
    frame = _frame(1)
    x = matrices_in("pinv", x)
    return matrices.pinv.record((x, _tolerance(x, rtol, frame)), {}, frame)


def _tolerance(x: Any, rtol: Any, frame: Any) -> Any:
    dtype = real_dtype(x._spec.dtype)
    if rtol is None:
        rtol = max(1, *x.shape[-2:]) * (float(np.finfo(dtype).eps) if dtype.kind == "f" else 1.0)
    rtol = plain(rtol)
    if isinstance(rtol, int | float):
        return concrete(np.asarray(rtol, dtype))
    return cast.record((tensor(rtol),), {"dtype": dtype}, frame)


@composite(1)
def matrix_power(x: Any, n: int, /) -> Tensor:
    """Returns square matrices multiplied with themselves, n factors; for n < 0, their inverses.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        n: how many factors, an int.

    Returns:
        Matrices [..., n, n] of the same dtype.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `n` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.matrix_power(ps.asarray([[1.0, 1.0], [0.0, 1.0]]), 3)
    Tensor([[1., 3.],
     [0., 1.]], dtype=float32)
    """
    matrices.square("matrix_power")(x._spec)
    left = abs(whole("matrix_power: n", n))
    factor = matrices.inverse(x) if n < 0 else x
    result = None
    while left:
        if left & 1:
            result = factor if result is None else _linear.matmul(result, factor)
        left >>= 1
        factor = _linear.matmul(factor, factor) if left else factor
    return matrices.identity_like(x) if result is None else pointwise.identity(result)


def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """Returns Cholesky's factors: lower triangular y with y @ y^H = x, or upper ones with y^H @ y = x.

    x is symmetric (if complex, equal to its adjoint) and positive definite; otherwise the result is NaN.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        upper: whether to return upper triangles.

    Returns:
        Matrices [..., n, n] of the same dtype.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.cholesky(ps.asarray([[4.0, 2.0], [2.0, 5.0]]))
    Tensor([[2., 0.],
     [1., 2.]], dtype=float32)
    """
    frame = _frame(1)
    x = matrices_in("cholesky", x)
    found = matrices.cholesky.record((x,), {}, frame)
    return adjoint(found, frame) if upper else found


# -- numbers of a matrix ------------------------------------------------------------------------------------


def det(x: Any, /) -> Tensor:
    """Returns determinants.

    Derivatives up to the third are those of the polynomial, even of a singular matrix; from the fourth on,
    those of a singular matrix of four rows or more are NaN.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        Numbers [...], without the last two axes.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.det(ps.asarray([[2.0, 1.0], [0.0, 4.0]]))
    Tensor(8., dtype=float32)
    """
    return determinants.det.record((matrices_in("det", x),), {}, _frame(1))


class SlogdetResult(NamedTuple):
    """What `slogdet` returns: determinants are sign * exp(logabsdet)."""

    sign: Tensor
    logabsdet: Tensor


def slogdet(x: Any, /) -> SlogdetResult:
    """Returns the signs (or complex phases) of determinants and the logarithms of their absolute values.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        A named tuple of `sign` and `logabsdet`, both [...].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.slogdet(ps.asarray([[0.0, 1.0], [1.0, 0.0]]))
    SlogdetResult(sign=Tensor(-1., dtype=float32), logabsdet=Tensor(0., dtype=float32))
    """
    frame = _frame(1)
    pair = determinants.signed_logarithm.record((matrices_in("slogdet", x),), {}, frame)
    sign, log = (_picked(pair, i, frame) for i in (0, 1))
    return SlogdetResult(sign, _real(log, frame))


def _picked(x: Any, i: int, frame: Any) -> Tensor:
    """Returns one number of the last axis."""
    window = (*((0, n, 1) for n in x.shape[:-1]), (i, i + 1, 1))
    found = _shape.slice_.record((x,), {"window": window}, frame)
    return _shape.reshape.record((found,), {"shape": x.shape[:-1]}, frame)


def _real(x: Any, frame: Any) -> Tensor:
    return complex_parts.real.record((x,), {}, frame) if x._spec.dtype.kind == "c" else x


def _diagonal(x: Any, offset: int, frame: Any) -> Tensor:
    *batch, m, n = x.shape
    offset = minimum(maximum(offset, -m), n)  # beyond the corners there is nothing, however far
    count = maximum(0, minimum(m, n - offset) if offset >= 0 else minimum(m + offset, n))
    first = offset if offset >= 0 else -offset * n
    places = creation.arange(first, first + count * (n + 1), n + 1)
    flat = _shape.reshape.record((x,), {"shape": (*batch, m * n)}, frame)
    return index.take.record((flat, places), {"axis": len(batch)}, frame)


def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """Returns the diagonals of matrices: the main one, or the `offset`-th above it.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        offset: the number of the diagonal, an int: 0 is the main one, positive ones are above it.

    Returns:
        Vectors [..., k].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `offset` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.diagonal(ps.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Tensor([1., 4.], dtype=float32)
    """
    return _diagonal(matrices_in("diagonal", x), whole("diagonal: offset", offset), _frame(1))


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Returns the sums of diagonals. Dtypes are as those of `sum`.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        offset: the number of the diagonal, an int: 0 is the main one, positive ones are above it.
        dtype: the dtype of the result; None for that of `sum`.

    Returns:
        Numbers [...], without the last two axes.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `offset` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.trace(ps.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Tensor(5., dtype=float32)
    """
    found = _diagonal(matrices_in("trace", x), whole("trace: offset", offset), _frame(1))
    return statistics.sum(found, axis=-1, dtype=None if dtype is None else dtype_of(dtype))


# -- decompositions -----------------------------------------------------------------------------------------


class EighResult(NamedTuple):
    """What `eigh` returns: eigenvalues in ascending order, and their vectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eigh(x: Any, /) -> EighResult:
    """Returns the eigenvalues and eigenvectors of matrices that are symmetric, or equal to their adjoint.

    The largest component of each vector is made positive. Where eigenvalues are equal, their vectors have no
    derivative: it is NaN if a loss depends on them.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        A named tuple of `eigenvalues` [..., n], ascending, and `eigenvectors` [..., n, n].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.eigh(ps.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    Tensor([1., 2.], dtype=float32)
    """
    frame = _frame(1)
    x = matrices_in("eigh", x)
    both = spectral.eigh.record((x,), {}, frame)
    return EighResult(_eigenvalues(both, frame), _rows(both, 1, both.shape[-2], frame))


def _rows(x: Any, start: int, stop: int, frame: Any) -> Tensor:
    window = (*((0, n, 1) for n in x.shape[:-2]), (start, stop, 1), (0, x.shape[-1], 1))
    return _shape.slice_.record((x,), {"window": window}, frame)


def _eigenvalues(both: Any, frame: Any) -> Tensor:
    row = _real(_rows(both, 0, 1, frame), frame)
    return _shape.reshape.record((row,), {"shape": (*row.shape[:-2], row.shape[-1])}, frame)


def eigvalsh(x: Any, /) -> Tensor:
    """Returns the eigenvalues that `eigh` returns.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        Real numbers [..., n], ascending.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.eigvalsh(ps.asarray([[0.0, 1.0], [1.0, 0.0]]))
    Tensor([-1.,  1.], dtype=float32)
    """
    frame = _frame(1)
    return _eigenvalues(spectral.eigh.record((matrices_in("eigvalsh", x),), {}, frame), frame)


class QRResult(NamedTuple):
    """What `qr` returns: orthonormal columns, and an upper triangular matrix; Q @ R is the matrix."""

    Q: Tensor
    R: Tensor


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Returns matrices as orthonormal columns times an upper triangle, whose diagonal is not negative.

    With mode="complete" Q is square; then a matrix with more rows than columns has no derivative.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        mode: "reduced" or "complete".

    Returns:
        A named tuple of `Q` [..., n, k] and `R` [..., k, m].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.
        ArgumentError: if `mode` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.linalg.qr(ps.asarray([[-2.0, 1.0], [0.0, 3.0]])).R
    Tensor([[ 2., -1.],
     [ 0.,  3.]], dtype=float32)
    """
    frame = _frame(1)
    x = matrices_in("qr", x)
    if mode not in ("reduced", "complete"):
        raise ArgumentError(f"qr: mode is {mode!r}.", remedy="Use 'reduced' or 'complete'.", site=here())
    both = spectral.qr.record((x,), {"complete": mode == "complete"}, frame)
    m = x.shape[-2]
    r = turned(_rows(both, m, both.shape[-2], frame), frame)
    r = _shape.triangle.record((r,), {"k": 0, "lower": False}, frame)
    return QRResult(_rows(both, 0, m, frame), r)


class SVDResult(NamedTuple):
    """What `svd` returns: U and Vh have orthonormal columns and rows; U * S @ Vh is the matrix."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """Returns the singular values of matrices, in descending order, with their left and right vectors.

    The largest component of each left vector is made positive. With `full_matrices` U and Vh are square; then
    only square matrices have a derivative. Where singular values are equal it is NaN if a loss depends on
    their vectors.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        full_matrices: whether both sets of vectors are complete.

    Returns:
        A named tuple of `U`, `S` [..., k] and `Vh`.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.svd(ps.asarray([[0.0, 2.0], [1.0, 0.0]])).S
    Tensor([2., 1.], dtype=float32)
    """
    frame = _frame(1)
    x = matrices_in("svd", x)
    packed = spectral.svd.record((x,), {"full": bool(full_matrices)}, frame)
    u, s, vh = _unpacked(packed, x.shape[-2], x.shape[-1], bool(full_matrices), frame)
    return SVDResult(u, s, vh)


def _unpacked(packed: Any, m: int, n: int, full: bool, frame: Any) -> tuple[Tensor, Tensor, Tensor]:
    batch, k = packed.shape[:-1], min(m, n)
    left, right = (m, n) if full else (k, k)
    ends = (0, m * left, m * left + k, m * left + k + right * n)
    found = []
    for start, stop, lengths in zip(ends, ends[1:], ((m, left), (k,), (right, n))):
        window = (*((0, one, 1) for one in batch), (start, stop, 1))
        one = _shape.slice_.record((packed,), {"window": window}, frame)
        found.append(_shape.reshape.record((one,), {"shape": (*batch, *lengths)}, frame))
    return found[0], _real(found[1], frame), found[2]


def svdvals(x: Any, /) -> Tensor:
    """Returns the singular values of matrices, in descending order.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.

    Returns:
        Real numbers [..., min(n, m)], descending.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.svdvals(ps.asarray([[0.0, 2.0], [1.0, 0.0]]))
    Tensor([2., 1.], dtype=float32)
    """
    return _singular_values(matrices_in("svdvals", x), _frame(1))


def _singular_values(x: Any, frame: Any) -> Tensor:
    packed = spectral.svd.record((x,), {"full": False}, frame)
    return _unpacked(packed, x.shape[-2], x.shape[-1], False, frame)[1]


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Returns how many singular values are larger than `rtol` times the largest: see `pinv`.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        rtol: the share of the largest singular value below which others count as 0; None for the longer
            side times the spacing of numbers at 1.

    Returns:
        Integers [...].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> int(ps.linalg.matrix_rank(ps.asarray([[1.0, 2.0], [2.0, 4.0]])))
    1
    """
    frame = _frame(1)
    x = matrices_in("matrix_rank", x)
    if not x._spec.size:
        return tensor(np.zeros(x.shape[:-2], np.int64))  # type: ignore[no-any-return]
    values = _singular_values(x, frame)
    params = {"axes": (len(values.shape) - 1,), "keepdims": True}
    largest = reduce.max.record((values,), params, frame)
    tolerance = _tolerance(x, rtol, frame)
    if tolerance._spec.shape:
        tolerance = _shape.reshape.record((tolerance,), {"shape": (*tolerance._spec.shape, 1)}, frame)
    limit = pointwise.multiply.record((largest, tolerance), {}, frame)
    kept = pointwise.greater.record((values, limit), {}, frame)
    return statistics.count_nonzero(kept, axis=-1)


# -- norms ---------------------------------------------------------------------------------------------------


def _root(x: Any) -> Any:
    """The square root, with the slope 0 at 0: the middle of all slopes of a norm there."""
    none = pointwise.equal(x, 0.0)
    return pointwise.where(none, 0.0, pointwise.sqrt(pointwise.where(none, 1.0, x)))


def _square(x: Any) -> Any:
    return complex_parts.real(x * complex_parts.conj(x)) if x.dtype.kind == "c" else pointwise.square(x)


def _vector_norm(x: Any, axes: tuple[int, ...], keepdims: bool, order: float) -> Any:
    params: dict[str, Any] = {"axes": axes, "keepdims": keepdims}
    if order == 2:
        return _root(reduce.sum(_square(x), **params))
    size = pointwise.absolute(x)
    if order in (math.inf, -math.inf):
        return (reduce.max if order > 0 else reduce.min)(size, **params)
    if order == 0:
        return reduce.sum(cast(pointwise.not_equal(size, 0.0), dtype=size.dtype), **params)
    return reduce.sum(size, **params)


def _root_of_powers(x: Any, axes: tuple[int, ...], keepdims: bool, order: Any, negative: bool) -> Any:
    """The norm of any other order. At 0 its slope is taken as 0, as for order 2."""
    size = pointwise.absolute(x)
    if math.prod(x.shape[axis] for axis in axes) == 0:
        return reduce.sum(size, axes=axes, keepdims=keepdims) + (math.inf if negative else 0.0)
    # Of sizes divided by the one that counts most, no power overflows. A norm grows with its vector, so that
    # this size has no part in the derivatives.
    most = (reduce.min if negative else reduce.max)(size, axes=axes, keepdims=True)
    nothing = pointwise.equal(most, 0.0)
    usual = pointwise.logical_and(pointwise.isfinite(most), pointwise.logical_not(nothing))
    scale = pointwise.stop_gradient(pointwise.where(usual, most, 1.0))
    # A power is taken only of positive numbers: its slope at 0 may be infinite.
    none = pointwise.logical_or(pointwise.equal(size, 0.0), nothing)
    powers = pointwise.power(pointwise.where(none, 1.0, size / scale), order)
    total = reduce.sum(pointwise.where(none, 0.0, powers), axes=axes, keepdims=True)
    root = pointwise.power(pointwise.where(nothing, 1.0, total), 1.0 / order) * scale
    norm = pointwise.where(nothing, 0.0, root)
    return norm if keepdims else _shape.reshape(norm, shape=reduce.reduced(x.shape, axes, False))


@answers
def vector_norm(
    x: Any,
    /,
    *_more: Never,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: Any = 2,
    **_slips: Never,
) -> Tensor:
    """Returns the lengths of vectors along axes, all by default: (sum of |x| ** ord) ** (1 / ord).

    ord = inf gives the largest |x|, -inf the smallest, 0 the number of elements that are not 0. The slope
    at 0 is taken as 0.

    Args:
        x: numbers of any shape.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes stay, with length 1.
        ord: the power, a number, inf or -inf.

    Returns:
        A real tensor without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.
        ArgumentError: if `ord` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.linalg.vector_norm(ps.asarray([3.0, 4.0]))
    Tensor(5., dtype=float32)
    """
    if _more or _slips:
        refuse(vector_norm, _more, _slips)
    x = _floating("vector_norm", x)
    axes = reduce.normalize_axes("vector_norm", axis, x.shape)
    order = plain(ord)
    if isinstance(order, bool) or not isinstance(order, int | float):
        raise ArgumentError(
            f"vector_norm: ord is {shown(ord)}.", remedy="Use a number; 2 is the default.", site=here()
        )
    if order in _WORDS or order != order:
        return _recorded_norm(x, axes, bool(keepdims), str(float(order)))
    return _norm_of_order(x, axes, bool(keepdims), order < 0, float(order))


_WORDS = (0, 1, 2, math.inf, -math.inf)
"""The orders that select the computation: words, because a number that varies becomes an operand."""


def _floating(name: str, x: Any) -> Any:
    x = tensor(x)
    if kind_of(x._spec.dtype) in "bi":
        raise DTypeError(
            f"{name} takes floating-point operands; this one is {x._spec!r}.",
            remedy="Convert it first, for example with astype(x, 'float32').",
            site=here(),
        )
    return x


@composite(1, "vector_norm", wide=True)
def _recorded_norm(x: Any, axes: tuple[int, ...], keepdims: bool, order: str) -> Tensor:
    return _vector_norm(x, axes, keepdims, float(order))  # type: ignore[no-any-return]


@composite(1, "vector_norm", wide=True)
def _norm_of_order(x: Any, axes: tuple[int, ...], keepdims: bool, negative: bool, order: float) -> Tensor:
    return _root_of_powers(x, axes, keepdims, order, negative)  # type: ignore[no-any-return]


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Returns norms of matrices.

    "fro": the root of the sum of squares; "nuc": the sum of the singular values; 2 and -2: the largest and
    smallest of them; 1 and -1: the largest and smallest sum of a column's |x|; inf and -inf: of a row's.

    Args:
        x: matrices [..., n, m] of floating-point or complex dtype.
        keepdims: whether the axes that were summed over stay, with length 1.
        ord: the kind: "fro", "nuc", 1, -1, 2, -2, inf or -inf.

    Returns:
        Real numbers [...].

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` has the wrong dtype or type.
        ArgumentError: if `ord` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.linalg.matrix_norm(ps.asarray([[3.0, 0.0], [0.0, 4.0]]))
    Tensor(5., dtype=float32)
    """
    frame = _frame(1)
    x = _floating("matrix_norm", matrices_in("matrix_norm", x))
    rank, ord = len(x.shape), plain(ord)
    if ord == "fro" or ord is None:
        return _recorded_norm(x, (rank - 2, rank - 1), bool(keepdims), "2.0")
    if ord not in ("nuc", 2, -2, 1, -1, math.inf, -math.inf):
        raise ArgumentError(
            f"matrix_norm: ord is {ord!r}.",
            remedy="Use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.",
            site=here(),
        )
    if ord in ("nuc", 2, -2):
        values = _singular_values(x, frame)
        combine = {"nuc": reduce.sum, 2: reduce.max, -2: reduce.min}[ord]
        found = combine.record((values,), {"axes": (rank - 2,), "keepdims": False}, frame)
    else:
        size = pointwise.absolute.record((x,), {}, frame)
        axis = rank - 2 if abs(ord) == 1 else rank - 1
        sums = reduce.sum.record((size,), {"axes": (axis,), "keepdims": False}, frame)
        combine = reduce.max if ord > 0 else reduce.min
        found = combine.record((sums,), {"axes": (rank - 2,), "keepdims": False}, frame)
    if not keepdims:
        return found
    return _shape.reshape.record((found,), {"shape": (*found.shape, 1, 1)}, frame)


@answers
def norm(
    x: Any,
    /,
    ord: Any = None,
    *_more: Never,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    **_slips: Never,
) -> Tensor:
    """Returns norms, with the arguments of `numpy.linalg.norm`.

    Along one axis it is `vector_norm`, over a pair of axes `matrix_norm`. Without an axis and without `ord`
    it is the root of the sum of all squares; with `ord`, x is a vector or a matrix. Raises ArgumentError for
    an unknown `ord`, and ShapeError if x is neither.

    Args:
        x: numbers of any shape.
        ord: as for `vector_norm` or `matrix_norm`; None for 2 or "fro".
        axis: an axis, a pair of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A real tensor without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.
        ArgumentError: if `ord` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.linalg.norm(ps.asarray([[3.0, 0.0], [0.0, 4.0]])), ps.linalg.norm(ps.asarray([3.0, -4.0]), 1)
    (Tensor(5., dtype=float32), Tensor(7., dtype=float32))
    """
    if _more or _slips:
        refuse(norm, _more, _slips)
    x = tensor(x)
    rank = len(x.shape)
    if axis is None:
        if ord is None:
            return vector_norm(x, keepdims=keepdims)
        if rank not in (1, 2):
            raise ShapeError(
                f"norm: ord is {ord!r}, and x has shape {x.shape}.",
                why="A norm of that order is defined for vectors and for matrices.",
                remedy="Name the axis of vectors, or the two axes of matrices: axis=-1, axis=(-2, -1).",
                site=here(),
            )
        return vector_norm(x, keepdims=keepdims, ord=ord) if rank == 1 else _over(x, (0, 1), keepdims, ord)
    axes = (axis,) if not isinstance(axis, tuple | list) else tuple(axis)
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ShapeError(f"norm: axis is {axis!r}.", why="Vectors have one axis, matrices two.", site=here())
    return _over(x, axes, keepdims, ord)


def _over(x: Any, axes: Any, keepdims: bool, ord: Any) -> Tensor:
    """Returns norms of matrices along two axes."""
    rows, columns = reduce.normalize_axes("norm", tuple(axes), x.shape)
    if whole_axis("norm", axes[0], len(x.shape)) != rows:
        rows, columns = columns, rows
    rest = tuple(one for one in range(len(x.shape)) if one not in (rows, columns))
    turned_x = _shape.transpose.record((x,), {"axes": (*rest, rows, columns)}, _frame(2))
    found = matrix_norm(turned_x, ord="fro" if ord is None else ord)
    if not keepdims:
        return found
    shape = reduce.reduced(x.shape, (rows, columns), True)
    return _shape.reshape.record((found,), {"shape": shape}, _frame(2))


class LeastSquares(NamedTuple):
    """What `lstsq` returns: the solution, the sums of squares left over, the ranks, the singular values."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def lstsq(x1: Any, x2: Any, /, *, rtol: Any = None) -> LeastSquares:
    """Returns the y for which the sum of squares of x1 @ y - x2 is smallest; of several, the shortest.

    A vector x2 is one right-hand side, a matrix has one in each column. `rtol` is that of `pinv`, by which
    the solution is found, and which gives its gradient. `residuals` holds the sum of squares left for each
    right-hand side, also where the rank is not full, where NumPy returns none.

    Args:
        x1: matrices [..., n, m] of floating-point or complex dtype.
        x2: vectors [m] or matrices [..., m, k], of the same dtype.
        rtol: the share of the largest singular value below which others count as 0; None for the longer
            side times the spacing of numbers at 1.

    Returns:
        A named tuple of `solution` [..., m] or [..., m, k], `residuals`, `rank` and `singular_values`.

    Raises:
        ShapeError: if `x1`, `x2` or `rtol` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1`, `x2` or `rtol` has the wrong dtype or type.

    >>> import penstock as ps
    >>> line = ps.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> found = ps.linalg.lstsq(line, ps.asarray([1.0, 3.0, 5.0]))
    >>> found.solution.numpy().round(4), int(found.rank)
    (array([1., 2.], dtype=float32), 2)
    """
    a, b = matrices_in("lstsq", x1), tensor(x2)
    if rtol is not None and tensor(rtol).shape:
        raise ShapeError(
            f"lstsq: rtol has shape {tensor(rtol).shape}.", why="It takes one number for all.", site=here()
        )
    vector = len(b.shape) == 1
    if not b.shape or b.shape[-1 if vector else -2] != a.shape[-2]:
        raise ShapeError(
            f"lstsq: x1 has shape {a.shape} and x2 {b.shape}.",
            why="x1 has a row for each element of a right-hand side.",
            site=here(),
        )
    solution = matmul(pinv(a, rtol=rtol), b)
    left = matmul(a, solution) - b
    sizes = pointwise.absolute.record((left,), {}, _frame(1))
    residuals = statistics.sum(sizes * sizes, axis=-1 if vector else -2)
    return LeastSquares(solution, residuals, matrix_rank(a, rtol=rtol), svdvals(a))


# -- products ------------------------------------------------------------------------------------------------


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Returns the vector products of vectors of three elements along an axis, counted from the end.

    Args:
        x1: vectors of three elements along the axis.
        x2: vectors of three elements along the axis.
        axis: the axis, an int; a negative one counts from the end.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        ShapeError: if `x1`, `x2` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1`, `x2` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.cross(ps.asarray([1.0, 0.0, 0.0]), ps.asarray([0.0, 1.0, 0.0]))
    Tensor([0., 0., 1.], dtype=float32)
    """
    frame = _frame(1)
    pair = [tensor(x1), tensor(x2)]
    places = [whole_axis("cross", axis, len(one.shape)) for one in pair]
    if any(one.shape[place] != 3 for one, place in zip(pair, places, strict=True)):
        raise ShapeError(
            f"cross: axis {axis} of {pair[0].shape} and {pair[1].shape} is not 3 long in both.",
            why="The cross product is defined for vectors of length 3.",
            site=here(),
        )
    a, b = (
        [
            _shape.slice_.record(
                (one,),
                {
                    "window": tuple(
                        (i, i + 1, 1) if j == place else (0, n, 1) for j, n in enumerate(one.shape)
                    )
                },
                frame,
            )
            for i in range(3)
        ]
        for one, place in zip(pair, places, strict=True)
    )
    found = []
    dtypes = {one._spec.dtype for one in pair}
    narrow = next(iter(dtypes)) if len(dtypes) == 1 and is_narrow(*dtypes) else None
    if narrow:
        # The difference of two products may be finite where the products overflow.
        a, b = ([cast.record((one,), {"dtype": _SINGLE}, frame) for one in three] for three in (a, b))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        forward = pointwise.multiply.record((a[j], b[k]), {}, frame)
        back = pointwise.multiply.record((a[k], b[j]), {}, frame)
        found.append(pointwise.subtract.record((forward, back), {}, frame))
    rank = len(found[0].shape)
    both = _shape.concat.record(found, {"axis": whole("cross: axis", axis) % rank}, frame)
    return cast.record((both,), {"dtype": narrow}, frame) if narrow else both


def outer(x1: Any, x2: Any, /) -> Tensor:
    """Returns the products of every element of a vector with every element of another.

    Args:
        x1: a vector [n] of numbers.
        x2: a vector [m] of numbers.

    Returns:
        A matrix [n, m].

    Raises:
        ShapeError: if `x1` or `x2` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x1` or `x2` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.linalg.outer(ps.asarray([1.0, 2.0]), ps.asarray([3.0, 4.0]))
    Tensor([[3., 4.],
     [6., 8.]], dtype=float32)
    """
    frame = _frame(1)
    a, b = tensor(x1), tensor(x2)
    if len(a.shape) != 1 or len(b.shape) != 1:
        raise ShapeError(
            f"outer: the shapes are {a.shape} and {b.shape}.", why="It takes vectors.", site=here()
        )
    a = _shape.reshape.record((a,), {"shape": (*a.shape, 1)}, frame)
    b = _shape.reshape.record((b,), {"shape": (1, *b.shape)}, frame)
    return pointwise.multiply.record((a, b), {}, frame)


if not TYPE_CHECKING:
    # To type checkers a name that is nowhere stays an error.
    __getattr__ = missing(__name__)

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "expm",
    "inv", "lstsq", "lu", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "norm",
    "outer", "pinv", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals", "tensordot", "trace",
    "vecdot", "vector_norm",
]  # fmt: skip
__dir__ = listed(__name__)
