"""More elementwise primitives: areas, logarithms, lengths, and the anatomy of floating-point numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.ops.complex_edges import at_edges
from penstock.ops.pointwise import (
    _unary,
    between,
    equal,
    isinf,
    logical_and,
    multiply,
    not_equal,
    sigmoid,
    sqrt,
    where,
)
from penstock.ops.table import Kink, Primitive, broadcasting, widened
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor

asinh = _unary(
    "asinh",
    np.arcsinh,
    at_edges(np.arcsinh, "lax.asinh", True),
    widened("asinh", lambda ct, y, x: ct / sqrt(x * x + 1.0)),
    between((-2, 2)),
)


def _acosh_xla(jax: Any, x: Any) -> Any:
    y = at_edges(np.arccosh, "lax.acosh")(jax, x)
    # The sign of a zero determines the side of the branch cut.
    return jax.lax.complex(y.real, jax.numpy.copysign(y.imag, x.imag)) if x.dtype.kind == "c" else y


# Not the root of x * x - 1: for a complex number that is a different branch.
acosh = _unary(
    "acosh",
    np.arccosh,
    _acosh_xla,
    widened("acosh", lambda ct, y, x: ct / (sqrt(x - 1.0) * sqrt(x + 1.0))),
    between((1.2, 3)),
)
atanh = _unary(
    "atanh",
    np.arctanh,
    at_edges(np.arctanh, "lax.atanh", True),
    widened("atanh", lambda ct, y, x: ct / ((1.0 - x) * (1.0 + x))),
    between((-0.9, 0.9)),
)
log2 = _unary(
    "log2",
    np.log2,
    at_edges(np.log2, "numpy.log2"),
    widened("log2", lambda ct, y, x: ct / (x * math.log(2))),
    between((0.5, 3)),
)
log10 = _unary(
    "log10",
    np.log10,
    at_edges(np.log10, "numpy.log10"),
    widened("log10", lambda ct, y, x: ct / (x * math.log(10))),
    between((0.5, 3)),
)


def _toward(ct: Tensor, y: Tensor, side: Tensor) -> Any:
    # Where everything is 0 the slope is 0, the middle of -1 and 1, as for abs.
    none = equal(y, 0.0)
    return ct * where(none, 0.0, side / where(none, 1.0, y))


hypot = Primitive(
    "hypot",
    shape=broadcasting("hypot"),
    numpy=np.hypot,
    xla="numpy.hypot",
    vjp=(
        widened("hypot", lambda ct, y, a, b: _toward(ct, y, a)),
        widened("hypot", lambda ct, y, a, b: _toward(ct, y, b)),
    ),
    dtypes="real floating-point",
    samples=between((0.5, 2), (0.5, 2)),
    kinks=(Kink(at=(0.0, 0.0), gradients=(0.0, 0.0), because="the middle of all slopes, as of abs at 0"),),
)


def _share(ct: Tensor, a: Tensor, b: Tensor) -> Any:
    # Equal infinities share: their difference would be NaN. Other equal operands keep their difference, which
    # moves with them.
    alike = logical_and(equal(a, b), isinf(a))
    return ct * sigmoid(where(alike, 0.0, a - b))


logaddexp = Primitive(
    "logaddexp",
    shape=broadcasting("logaddexp"),
    numpy=np.logaddexp,
    xla="numpy.logaddexp",
    vjp=(lambda ct, y, a, b: _share(ct, a, b), lambda ct, y, a, b: _share(ct, b, a)),
    dtypes="real floating-point",
    samples=between((-2, 2), (-2, 2)),
)
signbit: Primitive = Primitive(
    "signbit",
    shape=lambda x: spec(x.shape, np.bool_),
    numpy=np.signbit,
    xla="numpy.signbit",
    derivative="discrete",
    dtypes="real numeric",
    samples=between((-2, 2)),
)


def _copysign_vjp(ct: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Any:
    return where(not_equal(signbit(a), signbit(b)), -ct, ct)


copysign = Primitive(
    "copysign",
    shape=broadcasting("copysign"),
    numpy=np.copysign,
    xla="numpy.copysign",
    vjp=(_copysign_vjp, lambda ct, y, a, b: multiply(ct, 0.0)),
    dtypes="real floating-point",
    samples=between((0.5, 2), (0.5, 2)),
    kinks=(
        Kink(at=(0.0, 2.0), gradients=(1.0, 0.0), because="the slope on the side that the sign of 0 selects"),
        Kink(at=(-1.0, 2.0), gradients=(-1.0, 0.0), because="the sign is replaced"),
    ),
)


nextafter = Primitive(
    "nextafter",
    shape=broadcasting("nextafter"),
    numpy=np.nextafter,
    xla=lambda jax, a, b: jax.lax.nextafter(*jax.numpy.broadcast_arrays(a, b)),
    vjp=(lambda ct, y, a, b: ct, lambda ct, y, a, b: multiply(ct, 0.0)),
    dtypes="real floating-point",
    samples=between((0.5, 2), (3, 4)),
)
