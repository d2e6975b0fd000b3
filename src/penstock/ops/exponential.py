"""The exponential of matrices, and its change along a direction: the Fréchet derivative.

Both use Padé's approximant of order 13 of a matrix that is halved s times, and square the result s times: N.
J. Higham (2005), The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal.
Appl. 26(4). The derivative goes through the same steps by the rule of products: A. H. Al-Mohy and N. J.
Higham (2009), Computing the Fréchet derivative of the matrix exponential, SIAM J. Matrix Anal. Appl. 30(4).
It is linear in the direction, however long that is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.ops import pointwise, reduce
from penstock.ops.linear import matrix_transpose
from penstock.ops.matrices import Rule, finite, part, square
from penstock.ops.shape import concat
from penstock.ops.table import Primitive
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

Pair = tuple[Any, ...]
"""A matrix, followed by its tangent if that is requested."""

# The coefficients of Higham's table, each divided by the first, so that results fit float32.
NUMERATOR = [
    one / 64764752532480000
    for one in (
        64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
        10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
    )
]  # fmt: skip
NORM = 5.371920351148152
"""Up to this 1-norm the approximant is exact for a nearby matrix, within 2**-53 of its norm."""


def _product(a: Pair, b: Pair) -> Pair:
    if len(a) == 1:
        return (a[0] @ b[0],)
    return a[0] @ b[0], a[0] @ b[1] + a[1] @ b[0]


def _combined(unit: Any, *terms: tuple[float, Pair]) -> Pair:
    """Returns the sum of multiples of matrices and of the unit matrix, whose tangent is zero."""
    value, *moved = (sum(number * pair[i] for number, pair in terms) for i in range(len(terms[0][1])))
    return (value + unit, *moved)


def _approximant(xp: Any, x: Pair) -> Pair:
    b, unit = NUMERATOR, np.eye(x[0].shape[-1], dtype=x[0].dtype)
    x2 = _product(x, x)
    x4 = _product(x2, x2)
    x6 = _product(x4, x2)
    high = _product(x6, _combined(0.0, (b[13], x6), (b[11], x4), (b[9], x2)))
    odd = _product(x, _combined(b[1] * unit, (1.0, high), (b[7], x6), (b[5], x4), (b[3], x2)))
    high = _product(x6, _combined(0.0, (b[12], x6), (b[10], x4), (b[8], x2)))
    even = _combined(b[0] * unit, (1.0, high), (b[6], x6), (b[4], x4), (b[2], x2))
    # (even + odd) / (even - odd), computed as its difference from 1.
    below = even[0] - odd[0]
    rest = xp.linalg.solve(below, 2 * odd[0])
    moved = (
        xp.linalg.solve(below, 2 * dodd - (deven - dodd) @ rest) for deven, dodd in zip(even[1:], odd[1:])
    )
    return (rest + unit, *moved)


def _halvings(xp: Any, x: Any) -> Any:
    """Returns how often each matrix is halved until its 1-norm is at most `NORM`."""
    # The norm of a small multiple, which does not overflow however large the matrix is.
    less = (2 * x.shape[-1]).bit_length()
    norm = xp.abs(x * 0.5**less).sum(-2).max(-1)
    return xp.maximum(xp.frexp(norm / NORM)[1] + less, 0)


def _halved(xp: Any, x: Any, times: Any) -> Any:
    # In two steps: a single power of two may be too small for a normal number.
    one = xp.ones((), x.real.dtype)
    return x * xp.ldexp(one, -(times // 2)) * xp.ldexp(one, -(times - times // 2))


Repeat = Callable[[Any, Callable[[Any, Pair], Pair], Pair], Pair]


def _exponential(repeat: Repeat, xp: Any, x: Pair) -> Pair:
    times = _halvings(xp, x[0])[..., None, None]

    def squared(i: Any, y: Pair) -> Pair:
        # As often as the matrix that needs the most squarings; the others stay unchanged.
        return tuple(xp.where(i < times, more, one) for more, one in zip(_product(y, y), y, strict=True))

    return repeat(times.max(), squared, _approximant(xp, tuple(_halved(xp, one, times) for one in x)))


def _tiers(function: Rule) -> dict[str, Any]:
    """Returns the rules of both tiers from a function of a loop, the array module and operands."""

    def numpy(times: Any, step: Any, value: Any) -> Any:
        for i in range(int(times)):
            value = step(i, value)
        return value

    def xla(jax: Any, *operands: Any) -> Any:
        repeat = functools.partial(jax.lax.fori_loop, 0)
        return finite(functools.partial(function, repeat))(jax.numpy, *operands)

    return {"numpy": functools.partial(finite(functools.partial(function, numpy)), np), "xla": xla}


def _expm(repeat: Repeat, xp: Any, x: Any) -> Any:
    return _exponential(repeat, xp, (x,))[0] if x.size else x


def _expm_shape(x: Spec) -> Spec:
    square("expm")(x)
    return x


def _expm_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.standard_normal((3, 3)), 2)
    # The second is a rotation, large enough to be halved, with a small exponential.
    return [(x,), (np.stack([x, 4 * (x - x.T)]),), (np.asarray([[0.5]]),), (np.zeros((0, 0)),)]


expm: Primitive = Primitive(
    "expm",
    shape=_expm_shape,
    **_tiers(_expm),
    vjp=(lambda ct, y, x: expm_along(matrix_transpose(x), ct),),
    dtypes="wide floating-point",
    samples=_expm_samples,
    cost=lambda x, **_: 20 * x.size * x.shape[-1],
)


def _along_shape(x: Spec, direction: Spec) -> Spec:
    square("expm")(x)
    assert direction.shape == x.shape, (x, direction)
    return x


def _along(repeat: Repeat, xp: Any, x: Any, direction: Any) -> Any:
    if not x.size:
        return x
    good = xp.isfinite(direction).all((-2, -1), keepdims=True)
    found = _exponential(repeat, xp, (x, xp.where(good, direction, xp.zeros((), direction.dtype))))[1]
    return xp.where(good, found, xp.asarray(np.nan, found.dtype))


def _along_vjp(ct: Tensor, y: Tensor, x: Tensor, direction: Tensor) -> Any:
    # The second derivative is in the corner of the first one of [[x, direction], [0, x]] along
    # [[ct, 0], [0, ct]], all transposed. It is linear in the direction, which is scaled to size 1: with a
    # long one the block would be halved too often.
    n = x.shape[-1]
    size: Any = 1.0
    if x.size:
        size = pointwise.absolute(pointwise.stop_gradient(direction))
        size = reduce.max(size, axes=(len(x.shape) - 2, len(x.shape) - 1), keepdims=True)
        size = pointwise.where(pointwise.greater(size, 0.0), size, 1.0)
    one, other = matrix_transpose(x), matrix_transpose(direction / size)
    found = expm_along(_blocks(one, other), _blocks(ct, ct * 0.0))
    return part(part(found, -2, 0, n), -1, n, 2 * n) * size


def _blocks(x: Tensor, corner: Tensor) -> Tensor:
    """Returns [[x, corner], [0, x]]."""
    rows, columns = len(x.shape) - 2, len(x.shape) - 1
    below = concat(x * 0.0, x, axis=columns)
    return concat(concat(x, corner, axis=columns), below, axis=rows)


expm_along: Primitive = Primitive(
    "expm_along",
    shape=_along_shape,
    **_tiers(_along),
    vjp=(_along_vjp, lambda ct, y, x, direction: expm_along(matrix_transpose(x), ct)),
    dtypes="wide floating-point",
    samples=lambda rng: [(x, np.round(rng.standard_normal(x.shape), 2)) for (x,) in _expm_samples(rng)],
    cost=lambda x, direction, **_: 60 * x.size * x.shape[-1],
)
