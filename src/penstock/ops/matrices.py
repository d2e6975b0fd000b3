"""Primitives of square systems: solving, Cholesky's factor, pseudo-inverses.

Both tiers agree on operands without an answer: a singular system, or a matrix without such a factor, gives
NaN. So does a non-finite matrix. A rule under `@conjugated` is the formula of the literature, for gradients
that are conjugated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.ops.complex_parts import conjugate
from penstock.ops.linear import matmul, matrix_transpose
from penstock.ops.shape import broadcast_to, slice_, triangle
from penstock.ops.table import Primitive, broadcast_shapes, cast, common_shape
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor

Rule = Callable[..., Any]


def conjugated(rule: Rule) -> Rule:
    """Converts a rule for conjugated gradients to one for the table, whose rules take no conjugates."""

    @functools.wraps(rule)
    def vjp(ct: Tensor, y: Tensor, *operands: Tensor, **params: Any) -> Tensor:
        return conjugate(rule(conjugate(ct), y, *operands, **params))

    return vjp


def adjoint(x: Tensor) -> Tensor:
    """Returns the conjugate of x with its last two axes exchanged."""
    return conjugate(matrix_transpose(x))


def hermitian(x: Tensor) -> Tensor:
    """Returns the mean of x and its adjoint."""
    return (x + adjoint(x)) * 0.5


def identity_like(x: Tensor) -> Tensor:
    """Returns unit matrices of the shape of x, whose last two axes are equally long."""
    ones = broadcast_to(cast(1.0, dtype=x.dtype), shape=x.shape)
    return triangle(triangle(ones, k=0, lower=True), k=0, lower=False)


def part(x: Tensor, axis: int, start: int, stop: int) -> Tensor:
    """Returns x from one position of an axis, counted from the end, to another."""
    axis %= len(x.shape)
    return slice_(
        x, window=tuple((start, stop, 1) if i == axis else (0, n, 1) for i, n in enumerate(x.shape))
    )


def finite(function: Rule) -> Rule:
    """Makes a rule for a tier, `function(xp, x, *others)`, return NaN for a non-finite matrix.

    LAPACK's results for them differ from one build to another, and may be errors.
    """

    def rule(xp: Any, x: Any, *others: Any, **params: Any) -> Any:
        if not x.size:
            return function(xp, x, *others, **params)
        good = xp.isfinite(x).all((-2, -1))
        y = function(
            xp, xp.where(good[..., None, None], x, np.eye(*x.shape[-2:], dtype=x.dtype)), *others, **params
        )
        good = good.reshape(good.shape + (1,) * (y.ndim - good.ndim))
        return xp.where(good, y, xp.asarray(np.nan, y.dtype))

    return rule


def tiers(function: Rule) -> dict[str, Any]:
    """Returns the rules of both tiers from one function of the array module and the operands."""
    whole = finite(function)
    return {
        "numpy": lambda *operands, **params: whole(np, *operands, **params),
        "xla": lambda jax, *operands, **params: whole(jax.numpy, *operands, **params),
    }


def square(name: str) -> Callable[..., None]:
    """Returns a check that an operand holds square matrices."""

    def check(x: Spec) -> None:
        if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
            raise ShapeError(
                f"{name}: the shape is {x.shape}.",
                why="It takes square matrices: the last two axes must have equal lengths.",
            )

    return check


def square_shape(name: str) -> Any:
    def rule(x: Spec, **params: Any) -> Spec:
        square(name)(x)
        return x

    return rule


def each(function: Rule, *operands: Any, out: Any) -> Any:
    """Applies a function to one matrix after another; NaN where there is no answer."""
    try:
        return function(*operands)
    except np.linalg.LinAlgError:
        pass
    result = np.full(out, np.nan, operands[0].dtype)
    batch = result.shape[:-2]
    spread = [np.broadcast_to(one, batch + one.shape[-2:]) for one in operands]
    for place in np.ndindex(batch):
        try:
            result[place] = function(*(one[place] for one in spread))
        except np.linalg.LinAlgError:
            continue
    return result


# -- systems ----------------------------------------------------------------------------------------------


def _solve_shape(a: Spec, b: Spec) -> Spec:
    square("solve")(a)
    if b.ndim < 2 or b.shape[-2] != a.shape[-1]:
        raise ShapeError(
            f"solve: {a.shape} and {b.shape} do not fit together.", why="Each row needs a right-hand side."
        )
    return spec((*broadcast_shapes("solve", a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), a.dtype)


def _solve_numpy(a: Any, b: Any) -> Any:
    batch = common_shape(a.shape[:-2], b.shape[:-2])
    return each(np.linalg.solve, a, b, out=(*batch, *b.shape[-2:]))


def _solve_xla(jax: Any, a: Any, b: Any) -> Any:
    xp = jax.numpy
    if not a.size or not b.size:
        return xp.zeros((*common_shape(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)
    pivots = xp.diagonal(jax.lax.linalg.lu(a)[0], axis1=-2, axis2=-1)
    singular = (pivots == 0).any(-1)[..., None, None]
    return xp.where(singular, xp.asarray(np.nan, b.dtype), xp.linalg.solve(a, b))


def _solve_right(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return solve(matrix_transpose(a), ct)


def _solve_left(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Any:
    return -matmul(_solve_right(ct, y, a, b), matrix_transpose(y))


def _solve_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    a = np.round(rng.standard_normal((2, 3, 3)) + 3 * np.eye(3), 2)
    return [
        (a[0], np.round(rng.standard_normal((3, 2)), 2)),
        (a, np.round(rng.standard_normal((3, 1)), 2)),
        (np.zeros((0, 0)), np.zeros((0, 2))),
    ]


solve: Primitive = Primitive(
    "solve",
    shape=_solve_shape,
    numpy=_solve_numpy,
    xla=_solve_xla,
    vjp=(_solve_left, _solve_right),
    dtypes="wide floating-point",
    samples=_solve_samples,
    cost=lambda a, b, **_: a.size * (a.shape[-1] + b.shape[-1]),
)


def _triangular_shape(a: Spec, b: Spec, lower: bool, unit: bool) -> Spec:
    square("solve_triangular")(a)
    if b.ndim < 2 or b.shape[-2] != a.shape[-1]:
        raise ShapeError(
            f"solve_triangular: {a.shape} and {b.shape} do not fit together.",
            why="Each row needs a right-hand side.",
        )
    batch = broadcast_shapes("solve_triangular", a.shape[:-2], b.shape[:-2])
    return spec((*batch, *b.shape[-2:]), a.dtype)


def _solvable(xp: Any, a: Any, b: Any, y: Any, lower: bool, unit: bool) -> Any:
    """NaN for a matrix that is singular, or non-finite where it is read, and for a non-finite column."""
    n = a.shape[-1]
    places = np.tri(n, n, -1 if unit else 0, dtype=bool)
    good = (xp.isfinite(a) | ~(places if lower else places.T)).all((-2, -1))
    if not unit:
        good = good & (xp.diagonal(a, axis1=-2, axis2=-1) != 0).all(-1)
    return xp.where(
        good[..., None, None] & xp.isfinite(b).all(-2, keepdims=True), y, xp.asarray(np.nan, y.dtype)
    )


def _triangular_numpy(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    n = a.shape[-1]
    y = np.zeros((*common_shape(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)
    for i in range(n) if lower else reversed(range(n)):
        known = slice(0, i) if lower else slice(i + 1, n)
        rest = b[..., i, :] - (a[..., i : i + 1, known] @ y[..., known, :])[..., 0, :]
        y[..., i, :] = rest if unit else rest / a[..., i, i, None]
    return _solvable(np, a, b, y, lower, unit)


def _triangular_xla(jax: Any, a: Any, b: Any, lower: bool, unit: bool) -> Any:
    batch = common_shape(a.shape[:-2], b.shape[:-2])
    if not a.size or not b.size:
        return jax.numpy.zeros((*batch, *b.shape[-2:]), b.dtype)
    spread = [jax.numpy.broadcast_to(one, (*batch, *one.shape[-2:])) for one in (a, b)]
    y = jax.lax.linalg.triangular_solve(*spread, left_side=True, lower=lower, unit_diagonal=unit)
    return _solvable(jax.numpy, a, b, y, lower, unit)


def _triangular_right(ct: Tensor, y: Tensor, a: Tensor, b: Tensor, lower: bool, unit: bool) -> Tensor:
    return solve_triangular(matrix_transpose(a), ct, lower=not lower, unit=unit)


def _triangular_left(ct: Tensor, y: Tensor, a: Tensor, b: Tensor, lower: bool, unit: bool) -> Any:
    full = matmul(_triangular_right(ct, y, a, b, lower, unit), matrix_transpose(y))
    return -triangle(full, k=(-1 if lower else 1) if unit else 0, lower=lower)


def _triangular_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    words = [{"lower": lower, "unit": unit} for lower in (True, False) for unit in (False, True)]
    return [
        (*pair, words[i]) for pair, i in zip((*_solve_samples(rng), *_solve_samples(rng)[:1]), (0, 3, 1, 2))
    ]


solve_triangular: Primitive = Primitive(
    "solve_triangular",
    shape=_triangular_shape,
    numpy=_triangular_numpy,
    xla=_triangular_xla,
    vjp=(_triangular_left, _triangular_right),
    dtypes="wide floating-point",
    samples=_triangular_samples,
    cost=lambda a, b, **_: a.size * b.shape[-1],
)


def inverse(x: Tensor) -> Tensor:
    """Returns the inverse matrices."""
    return solve(x, identity_like(x))


# -- Cholesky -----------------------------------------------------------------------------------------------


def _half_hermitian(xp: Any, x: Any) -> Any:
    return (x + xp.conj(xp.swapaxes(x, -1, -2))) / 2


def _cholesky(xp: Any, x: Any) -> Any:
    if not x.size:
        return x
    x = _half_hermitian(xp, x)
    if xp is np:
        return each(np.linalg.cholesky, x, out=x.shape)
    y = xp.linalg.cholesky(x)
    return xp.where(xp.isnan(y).any((-2, -1), keepdims=True), xp.asarray(np.nan, y.dtype), y)


@conjugated
def _cholesky_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Tensor:
    inner = triangle(matmul(adjoint(y), ct), k=0, lower=True)
    inner = inner - inner * identity_like(inner) * 0.5
    left = solve_triangular(adjoint(y), inner, lower=False, unit=False)
    return hermitian(adjoint(solve_triangular(adjoint(y), adjoint(left), lower=False, unit=False)))


def _positive(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.standard_normal((2, 3, 3)), 1)
    x = x @ np.swapaxes(x, -1, -2) + 2 * np.eye(3)
    return [(x[0],), (x,), (np.asarray([[2.5]]),), (np.zeros((0, 0)),)]


# For the mean of the matrix and its adjoint, so that every matrix has a derivative, and a symmetric one.
cholesky: Primitive = Primitive(
    "cholesky",
    shape=square_shape("cholesky"),
    **tiers(_cholesky),
    vjp=(_cholesky_vjp,),
    dtypes="wide floating-point",
    samples=_positive,
    cost=lambda x, **_: x.size * x.shape[-1],
)

# -- pseudo-inverse -----------------------------------------------------------------------------------------


def _pinv_shape(x: Spec, rtol: Spec) -> Spec:
    if x.ndim < 2:
        raise ShapeError(f"pinv: the shape is {x.shape}.", why="It takes matrices.")
    broadcast_shapes("pinv", x.shape[:-2], rtol.shape)
    return spec((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)


def _pinv(xp: Any, x: Any, rtol: Any) -> Any:
    if not x.size:
        return xp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    kept = s > rtol[..., None] * s.max(-1, keepdims=True)
    scale = xp.where(kept, 1 / xp.where(kept, s, 1), 0).astype(s.dtype)
    found = xp.conj(xp.swapaxes(vh, -1, -2)) * scale[..., None, :] @ xp.conj(xp.swapaxes(u, -1, -2))
    return found.astype(x.dtype)


@conjugated
def _pinv_vjp(ct: Tensor, y: Tensor, x: Tensor, rtol: Tensor) -> Any:
    # G. H. Golub and V. Pereyra (1973), for a rank that stays as it is.
    p, ph, g = y, adjoint(y), adjoint(ct)
    found = -matmul(matmul(ph, ct), ph)
    left = g - matmul(x, matmul(p, g))
    right = g - matmul(matmul(g, p), x)
    return found + matmul(left, matmul(p, ph)) + matmul(matmul(ph, p), right)


pinv: Primitive = Primitive(
    "pinv",
    shape=_pinv_shape,
    **tiers(_pinv),
    vjp=(_pinv_vjp, lambda ct, y, x, rtol: rtol * 0.0),
    dtypes="wide floating-point",
    common=(0,),
    samples=lambda rng: [
        (np.round(rng.standard_normal(shape), 2), np.asarray(1e-12))
        for shape in ((3, 2), (2, 3), (2, 3, 3), (0, 2))
    ],
    cost=lambda x, rtol, **_: 10 * x.size * max(1, min(x.shape[-2:])),
)
