"""Functions of keras.ops on matrices."""

from __future__ import annotations

from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _elementwise,
    _shape_functions,
)
from penstock.tensorflow import (
    linalg as _linalg,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _given, _made, _pair, _public, _real
from penstock.tensorflow.keras._ops.shapes import _joined
from penstock.trace.source_site import here as _here


@_public
def matmul(x1: Any, x2: Any) -> Any:
    """Returns the matrix product."""
    return _ps.matmul(*_pair(x1, x2))


@_public
def dot(x1: Any, x2: Any) -> Any:
    """Returns the product of the last axis of x1 and the last but one of x2."""
    return _ps.dot(*_pair(x1, x2))


@_public
def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Returns the product over several axes."""
    return _linalg.tensordot(*_pair(x1, x2), axes)


@_public
def einsum(subscripts: str, *operands: Any, **options: Any) -> Any:
    """Returns the product that subscripts describe."""
    if options:
        raise _ArgumentError(f"einsum: {', '.join(options)} is not taken.", site=_here())
    return _shape_functions.einsum(subscripts, *_joined(operands))


@_public
def inner(x1: Any, x2: Any) -> Any:
    """Returns the product over the last axes."""
    x, y = _pair(x1, x2)
    return x * y if not x._spec.shape or not y._spec.shape else _linalg.tensordot(x, y, [[-1], [-1]])


@_public
def outer(x1: Any, x2: Any) -> Any:
    """Returns the products of all pairs of elements."""
    x, y = _pair(x1, x2)
    return _arrays.reshape(x, [-1, 1]) * _arrays.reshape(y, [1, -1])


@_public
def vdot(x1: Any, x2: Any) -> Any:
    """Returns the sum of the products of elements."""
    x, y = _pair(x1, x2)
    return _ps.sum(_arrays.reshape(_ps.conj(x), [-1]) * _arrays.reshape(y, [-1]))


@_public
def cross(x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """Returns the cross product of vectors of three numbers."""
    a, b, c = (axis,) * 3 if axis is not None else (axisa, axisb, axisc)
    x, y = _pair(x1, x2)
    made = _linalg.cross(_ps.moveaxis(x, a, -1), _ps.moveaxis(y, b, -1))
    return _ps.moveaxis(made, -1, c)


for _name, _native in {
    "cholesky": "cholesky", "det": "det", "inv": "inv", "eigh": "eigh",
}.items():  # fmt: skip

    def _matrix(*x: Any, _native: str = _native, **options: Any) -> Any:
        return getattr(_linalg, _native)(*[_real(one) for one in x], **options)

    _matrix.__doc__ = f"Returns {_native} of matrices: see tf.linalg.{_native}."
    _public(_matrix, _name)


@_public
def solve(a: Any, b: Any) -> Any:
    """Returns x with a @ x = b: a vector, or the columns of a matrix."""
    x, y = _real(a), _real(b)
    if len(y._spec.shape) == len(x._spec.shape) - 1:
        return _linalg.solve(x, y[..., None])[..., 0]
    return _linalg.solve(x, y)


@_public
def qr(x: Any, mode: str = "reduced") -> Any:
    """Returns the factors of matrices: an orthogonal one and an upper triangle."""
    return tuple(_linalg.qr(_real(x), full_matrices=mode == "complete"))


@_public
def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Returns the factors u, s and v of matrices, v transposed."""
    found = _linalg.svd(_real(x), full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return found
    s, u, v = found
    return u, s, _ps.conj(_ps.matrix_transpose(v))


@_public
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Returns x with a @ x = b, for a triangular matrix."""
    x, y = _real(a), _real(b)
    if len(y._spec.shape) == len(x._spec.shape) - 1:
        return _linalg.triangular_solve(x, y[..., None], lower=lower)[..., 0]
    return _linalg.triangular_solve(x, y, lower=lower)


@_public
def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    """Returns the inverse of matrices whose Cholesky factors are given."""
    x = _real(x)
    ones = _linalg.eye(x._spec.shape[-1], dtype=x.dtype)
    half = _linalg.triangular_solve(x, ones, lower=not upper)
    return _linalg.matmul(half, half, transpose_a=not upper, transpose_b=upper)


@_public
def eig(x: Any) -> Any:
    """Returns the eigenvalues and eigenvectors of matrices."""
    return tuple(_linalg.eig(_real(x)))


@_public
def lu_factor(x: Any) -> Any:
    """Returns both triangular factors of matrices in one, and the order of the rows."""
    packed, order = _linalg.lu(_real(x))
    return packed, _elementwise.cast(_ps.argsort(order), "int32")


@_public
def matrix_rank(x: Any, tol: Any = None) -> Any:
    """Returns how many singular values of matrices are above `tol`."""
    return _linalg.matrix_rank(_real(x), tol)


@_public
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Returns x for which the squares of a @ x - b add up to the least.

    Singular values below `rcond` times the largest count as 0.
    """
    x, y = _real(a), _real(b)
    if x._spec.shape[0] != y._spec.shape[0]:
        raise _ArgumentError("Leading dimensions of input arrays must match", site=_here())
    for one, allowed, words in ((x, (2,), "two-dimensional"), (y, (1, 2), "one or two-dimensional")):
        if len(one._spec.shape) not in allowed:
            raise TypeError(f"{len(one._spec.shape)}-dimensional array given. Array must be {words}")
    columns = y if len(y._spec.shape) == 2 else y[:, None]
    least = float(_np.finfo(x._spec.dtype).eps)
    least = least * max(x._spec.shape) if rcond is None else least if rcond < 0 else float(rcond)
    u, s, v = svd(x, False)
    kept = _ps.greater_equal(s, least * s[0])
    inverse = _ps.where(kept, 1.0 / _ps.where(kept, s, 1.0), 0.0)
    found = _linalg.matmul(
        _ps.conj(v),
        inverse[:, None] * _linalg.matmul(_ps.conj(u), columns, transpose_a=True),
        transpose_a=True,
    )
    return found if len(y._spec.shape) == 2 else found[:, 0]


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Returns a function's results, and how they change where its arguments change by `tangents`.

    With `has_aux` the function returns a pair, whose second part is returned as it is.
    """
    from penstock.tensorflow import autodiff, nest

    given = [_real(one) for one in nest.flatten(primals)]
    changes = [
        _elementwise.cast(_given(one), x.dtype) for one, x in zip(nest.flatten(tangents), given, strict=True)
    ]
    with autodiff.ForwardAccumulator(given, changes) as forward:
        found = fun(*nest.pack_sequence_as(primals, given))
        found, *rest = found if has_aux else (found,)
        moved = [forward.jvp(one) for one in nest.flatten(found)]
    return (found, nest.pack_sequence_as(found, moved), *rest)


_made["jvp"] = jvp
