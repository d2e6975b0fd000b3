"""Complex functions at the edges of the plane (signed zeros, infinities and NaN), the same in both tiers.

The array API standard (2024.12) follows annex G of the C standard there, as does NumPy except for `expm1` and
`tanh`. XLA differs: where the value at an edge does not depend on a finite number, it is taken from a table
of NumPy's values.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

_SAMPLES: tuple[tuple[float, ...], ...] = (
    (np.nan,),
    (-np.inf,),
    (-0.3, -0.7, -1.9, -2.5, -40.0),
    (-0.0,),
    (0.0,),
    (0.3, 0.7, 1.9, 2.5, 40.0),
    (np.inf,),
)
"""Examples of the seven classes of real numbers; two make a class of complex numbers."""
_CLASSES = len(_SAMPLES)


def _is_constant(values: Any) -> bool:
    parts = np.stack([values.real, values.imag]).reshape(2, -1)
    alike = (parts == parts[:, :1]) & (np.signbit(parts) == np.signbit(parts[:, :1]))
    return bool((alike | (np.isnan(parts) & np.isnan(parts[:, :1]))).all())


@functools.cache
def _edges(numpy: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Returns for each class whether the function is constant there, and its value."""
    known = np.zeros(_CLASSES**2, bool)
    values = np.zeros(_CLASSES**2, np.complex128)
    with np.errstate(all="ignore"):
        for i, reals in enumerate(_SAMPLES):
            for j, imags in enumerate(_SAMPLES):
                if len(reals) > 1 and len(imags) > 1:
                    continue
                given = np.asarray([complex(a, b) for a in reals for b in imags])
                found = numpy(given).astype(np.complex128)
                known[i * _CLASSES + j] = _is_constant(found)
                values[i * _CLASSES + j] = found.flat[0]
    return known, values


def _class_of(xp: Any, part: Any) -> Any:
    negative = xp.signbit(part)
    size = xp.where(part == 0, 0, xp.where(xp.isinf(part), 2, 1))
    return xp.where(xp.isnan(part), 0, xp.where(negative, 3 - size, 4 + size))


# At an edge with a finite number: the real and the imaginary part by their formulas.
_PRODUCTS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "lax.exp": lambda xp, a, b: (xp.exp(a) * xp.cos(b), xp.exp(a) * xp.sin(b)),
    "lax.sin": lambda xp, a, b: (xp.sin(a) * xp.cosh(b), xp.cos(a) * xp.sinh(b)),
    "lax.cos": lambda xp, a, b: (xp.cos(a) * xp.cosh(b), -(xp.sin(a) * xp.sinh(b))),
    "lax.sinh": lambda xp, a, b: (xp.sinh(a) * xp.cos(b), xp.cosh(a) * xp.sin(b)),
    "lax.cosh": lambda xp, a, b: (xp.cosh(a) * xp.cos(b), xp.sinh(a) * xp.sin(b)),
}


def at_edges(numpy: Callable[[Any], Any], xla: str, signed: bool = False) -> Callable[..., Any]:
    """Returns the XLA value of a function: `xla`, but NumPy's value at edges of the complex plane.

    With `signed`, the parts of the result have the signs of the operand's parts, including those of zeros: on
    a branch cut they determine the side.
    """
    name = operator.attrgetter(xla)
    product = _PRODUCTS.get(xla)

    def lowered(jax: Any, x: Any) -> Any:
        xp = jax.numpy
        y = name(jax)(x)
        if x.dtype.kind != "c":
            return y
        if signed:
            y = jax.lax.complex(xp.copysign(y.real, x.real), xp.copysign(y.imag, x.imag))
        if product is not None:
            edge = ~xp.isfinite(x) | (x.real == 0) | (x.imag == 0)
            y = xp.where(edge, jax.lax.complex(*product(xp, x.real, x.imag)), y)
        known, values = _edges(numpy)
        where = _class_of(xp, x.real) * _CLASSES + _class_of(xp, x.imag)
        values = values.real if y.dtype.kind == "f" else values
        return xp.where(xp.asarray(known)[where], xp.asarray(values.astype(y.dtype))[where], y)

    return lowered


def _from_parts(real: Any, imag: Any, like: Any) -> Any:
    y = np.empty(np.shape(like), like.dtype)
    y.real, y.imag = real, imag
    return y


def expm1(x: Any) -> Any:
    """exp(x) - 1; where x is not finite, by the rules of exp."""
    y = np.expm1(x)
    if x.dtype.kind != "c":
        return y
    e = np.exp(x)
    edge = _from_parts(e.real - 1, e.imag, x)
    zero = _from_parts(0.0, x.imag, x)
    return np.where(x == 0, zero, np.where(np.isfinite(x), y, edge))


def tanh(x: Any) -> Any:
    """The hyperbolic tangent; at infinity 1 or -1, with a zero of the imaginary part's sign."""
    y = np.tanh(x)
    if x.dtype.kind != "c":
        return y
    return np.where(np.isinf(x.real), _from_parts(np.copysign(1, x.real), np.copysign(0, x.imag), x), y)


def tan(x: Any) -> Any:
    """The tangent: -1j * tanh(1j * x)."""
    if x.dtype.kind != "c":
        return np.tan(x)
    y = tanh(_from_parts(-x.imag, x.real, x))
    return _from_parts(y.imag, -y.real, x)


def sign(x: Any) -> Any:
    """x / |x|, or 0 for 0; NaN where a part is NaN."""
    y = np.sign(x)
    return np.where(np.isnan(x), y.dtype.type(complex(np.nan, np.nan)), y) if x.dtype.kind == "c" else y
