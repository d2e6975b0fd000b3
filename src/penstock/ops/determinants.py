"""Primitives of determinants: the determinant, its logarithm, and how both change with the matrix.

A determinant is a polynomial, which has every derivative, even if the matrix has no inverse: cofactors and
their changes are computed from singular values. From the fourth derivative on, the inverse is needed.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from penstock.ops import reduce
from penstock.ops.complex_parts import conj, real
from penstock.ops.linear import matmul, matrix_transpose
from penstock.ops.matrices import identity_like, inverse, part, square, square_shape, tiers
from penstock.ops.shape import reshape
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor


def _determinant_shape(x: Spec) -> Spec:
    square("det")(x)
    return spec(x.shape[:-2], x.dtype)


def _alone(x: Tensor) -> Tensor:
    """Adds two axes of length 1 to one number for each matrix, so that it scales the matrices."""
    return reshape(x, shape=(*x.shape, 1, 1))


def _det_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Any:
    return _alone(ct) * cofactor(x)


def _matrices(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.standard_normal((2, 3, 3)) + np.eye(3), 2)
    return [(x[0],), (x,), (np.asarray([[2.5]]),)]


def _det(xp: Any, x: Any) -> Any:
    return xp.asarray(xp.linalg.det(x)) if x.size else xp.ones(x.shape[:-2], x.dtype)


det: Primitive = Primitive(
    "det",
    shape=_determinant_shape,
    **tiers(_det),
    vjp=(_det_vjp,),
    dtypes="wide floating-point",
    samples=lambda rng: [*_matrices(rng), (np.zeros((2, 0, 0)),)],
    cost=lambda x, **_: x.size * max(1, x.shape[-1]),
)


def _taken_apart(xp: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """Returns singular vectors and values, and the determinant of both vectors' product."""
    u, s, vh = xp.linalg.svd(x)
    return u, s, vh, (xp.linalg.det(u) * xp.linalg.det(vh))[..., None, None]


def _cofactor(xp: Any, x: Any) -> Any:
    """det(x) times the inverse's transpose, by singular values: it exists for a singular matrix too."""
    if not x.size:
        return x
    u, s, vh, turn = _taken_apart(xp, x)
    n = x.shape[-1]
    rest = xp.where(np.eye(n, dtype=bool), xp.ones((), s.dtype), s[..., None, :]).prod(-1)
    return (turn * (xp.conj(u) * rest[..., None, :] @ xp.conj(vh))).astype(x.dtype)


def _cofactor_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Any:
    return second_cofactor(x, ct)


cofactor: Primitive = Primitive(
    "cofactor",
    shape=square_shape("cofactor"),
    **tiers(_cofactor),
    vjp=(_cofactor_vjp,),
    dtypes="wide floating-point",
    samples=lambda rng: [*_matrices(rng)[:2], (np.zeros((2, 0, 0)),)],
    cost=lambda x, **_: 10 * x.size * max(1, x.shape[-1]),
)


def _second_shape(x: Spec, direction: Spec) -> Spec:
    square("det")(x)
    assert direction.shape == x.shape, (x, direction)
    return x


def _second(xp: Any, x: Any, direction: Any) -> Any:
    """The change of the cofactors along a direction: sums of minors, by singular values."""
    if not x.size:
        return x
    u, s, vh, turn = _taken_apart(xp, x)
    n = x.shape[-1]
    unit = np.eye(n, dtype=bool)
    # For each pair of places, the product of all other singular values; nothing for a place with itself.
    left_out = unit[:, None, :] | unit[None, :, :]
    rest = xp.where(left_out, xp.ones((), s.dtype), s[..., None, None, :]).prod(-1)
    rest = xp.where(unit, xp.zeros((), s.dtype), rest)
    inner = xp.conj(xp.swapaxes(u, -1, -2)) @ direction @ xp.conj(xp.swapaxes(vh, -1, -2))
    diagonal = (rest * xp.diagonal(inner, axis1=-2, axis2=-1)[..., None, :]).sum(-1)
    moved = xp.where(unit, diagonal[..., None, :], -xp.swapaxes(rest * inner, -1, -2))
    return (turn * (xp.conj(u) @ moved @ xp.conj(vh))).astype(x.dtype)


def _second_vjp(ct: Tensor, y: Tensor, x: Tensor, direction: Tensor) -> Any:
    return third_cofactor(x, direction, ct)


second_cofactor: Primitive = Primitive(
    "second_cofactor",
    shape=_second_shape,
    **tiers(_second),
    vjp=(_second_vjp, lambda ct, y, x, direction: second_cofactor(x, ct)),
    dtypes="wide floating-point",
    # From four rows on: for three it is linear in each row, and its further derivatives vanish.
    samples=lambda rng: [
        (
            np.round(rng.standard_normal(shape) + np.eye(4), 2),
            np.round(rng.standard_normal(shape), 2),
        )
        for shape in ((4, 4), (2, 4, 4), (0, 4, 4))
    ],
    cost=lambda x, direction, **_: 20 * x.size * max(1, x.shape[-1]),
)


def _third_shape(x: Spec, first: Spec, second: Spec) -> Spec:
    square("det")(x)
    assert first.shape == second.shape == x.shape, (x, first, second)
    return x


def _third(xp: Any, x: Any, first: Any, second: Any) -> Any:
    """The second change of the cofactors, along two directions, by singular values."""
    if not x.size:
        return x
    u, s, vh, turn = _taken_apart(xp, x)
    n = x.shape[-1]
    unit = np.eye(n, dtype=bool)
    # For three places, the product of all other singular values, none of which may be 0.
    none = s == 0
    known = xp.where(none, xp.ones((), s.dtype), s)
    number = none.astype(s.dtype)
    others = number.sum(-1)[..., None, None, None] - (
        number[..., :, None, None] + number[..., None, :, None] + number[..., None, None, :]
    )
    triple = known[..., :, None, None] * known[..., None, :, None] * known[..., None, None, :]
    apart = ~(unit[:, :, None] | unit[:, None, :] | unit[None, :, :])
    every = known.prod(-1)[..., None, None, None]
    rest = xp.where((others == 0) & apart, every / triple, xp.zeros((), s.dtype))
    a, b = (
        xp.conj(xp.swapaxes(u, -1, -2)) @ one @ xp.conj(xp.swapaxes(vh, -1, -2)) for one in (first, second)
    )
    # The determinant of three rows and columns is a sum over the six permutations of their numbers.
    ours, theirs = (xp.diagonal(one, axis1=-2, axis2=-1) for one in (a, b))
    diagonal = xp.einsum("...ijk,...i,...j->...k", rest, ours, theirs)
    diagonal = diagonal - xp.einsum("...ijk,...ij,...ji->...k", rest, a, b)
    beside = (
        xp.einsum("...ijk,...ij,...jk->...ki", rest, a, b)
        + xp.einsum("...ijk,...ij,...jk->...ki", rest, b, a)
        - xp.einsum("...ijk,...i,...jk->...kj", rest, ours, b)
        - xp.einsum("...ijk,...i,...jk->...kj", rest, theirs, a)
    )
    moved = xp.where(unit, diagonal[..., None, :], beside)
    return (turn * (xp.conj(u) @ moved @ xp.conj(vh))).astype(x.dtype)


def _third_vjp(ct: Tensor, y: Tensor, x: Tensor, first: Tensor, second: Tensor) -> Any:
    if x.shape[-1] < 4:
        # The determinant of three rows is linear in each.
        return x * 0.0
    # The fourth derivative of the determinant, by the inverse: a matrix without one gives NaN. It is a sum
    # over permutations, each of which is a product of traces of the matrices in a cycle.
    a = inverse(x)
    turned = [matmul(a, one) for one in (first, second, ct)]
    total: Any = 0.0
    for length in range(len(turned) + 1):
        for cycle in itertools.permutations(range(len(turned)), length):
            product = functools.reduce(matmul, [turned[i] for i in cycle], identity_like(x))
            others = [one for i, one in enumerate(turned) if i not in cycle]
            total = total + matmul(product, a) * (_alternating(others) * (-1.0) ** length)
    return _alone(det(x)) * matrix_transpose(total)


def _alternating(matrices: list[Tensor]) -> Any:
    """Returns the sum over permutations of products of traces: 1, tr A, tr A tr B - tr AB, and so on."""
    if not matrices:
        return 1.0
    *before, last = matrices
    total: Any = _trace(last) * _alternating(before)
    for i, one in enumerate(before):
        total = total - _alternating([*before[:i], matmul(one, last), *before[i + 1 :]])
    return total


def _trace(x: Tensor) -> Any:
    axes = (len(x.shape) - 2, len(x.shape) - 1)
    return reduce.sum(x * identity_like(x), axes=axes, keepdims=True)


third_cofactor: Primitive = Primitive(
    "third_cofactor",
    shape=_third_shape,
    **tiers(_third),
    vjp=(
        _third_vjp,
        lambda ct, y, x, first, second: third_cofactor(x, ct, second),
        lambda ct, y, x, first, second: third_cofactor(x, first, ct),
    ),
    dtypes="wide floating-point",
    samples=lambda rng: [
        (
            np.round(rng.standard_normal(shape) + np.eye(shape[-1]), 2),
            np.round(rng.standard_normal(shape), 2),
            np.round(rng.standard_normal(shape), 2),
        )
        for shape in ((3, 3), (5, 5), (2, 4, 4), (0, 4, 4))
    ],
    cost=lambda x, first, second, **_: 20 * x.size * max(1, x.shape[-1]) ** 2,
)


def _signs_shape(x: Spec) -> Spec:
    square("slogdet")(x)
    return spec((*x.shape[:-2], 2), x.dtype)


def _signs(xp: Any, x: Any) -> Any:
    if not x.size:
        pair = xp.asarray(np.asarray([1, 0], x.dtype))
        return xp.broadcast_to(pair, (*x.shape[:-2], 2))
    sign, log = xp.linalg.slogdet(x)
    return xp.stack([sign, log.astype(x.dtype)], -1)


def _signs_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Any:
    by_sign, by_log = part(ct, -1, 0, 1), part(ct, -1, 1, 2)
    if x.dtype.kind == "c":
        # The sign turns by the imaginary part of trace(inverse(x) dx), the logarithm grows by the real part.
        turn = by_sign * part(y, -1, 0, 1)
        by_log = cast(real(by_log), dtype=x.dtype) + (turn - conj(turn)) * 0.5
    return reshape(by_log, shape=(*x.shape[:-2], 1, 1)) * matrix_transpose(inverse(x))


# Sign and logarithm of the determinant, side by side.
signed_logarithm: Primitive = Primitive(
    "slogdet",
    shape=_signs_shape,
    **tiers(_signs),
    vjp=(_signs_vjp,),
    dtypes="wide floating-point",
    samples=lambda rng: [*_matrices(rng), (np.zeros((2, 0, 0)),)],
    cost=lambda x, **_: x.size * max(1, x.shape[-1]),
)
