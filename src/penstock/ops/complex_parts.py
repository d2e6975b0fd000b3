"""Primitives of complex numbers: real part, imaginary part, conjugate.

Rules of derivatives are written without conjugates: for a step dx of the operand, Re(ct * dy) is
Re(rule(ct) * dx). The users' gradients are conjugated at the end of the backward walk (decision 0018).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.table import Primitive, cast, same
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor

_REAL: dict[Any, np.dtype[Any]] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype of the parts of a complex dtype; any other dtype unchanged."""
    return _REAL.get(dtype, dtype)


def _part(x: Spec) -> Spec:
    return spec(x.shape, real_dtype(x.dtype))


def _samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    return [(np.round(rng.uniform(-2, 2, shape), 2),) for shape in ((2, 3), (), (0, 2))]


def _imag_vjp(ct: Tensor, y: Tensor, x: Tensor) -> Any:
    return cast(ct, dtype=x.dtype) * (-1j if x.dtype.kind == "c" else 0.0)


real: Primitive = Primitive(
    "real",
    shape=_part,
    numpy=np.real,
    xla="numpy.real",
    vjp=(lambda ct, y, x: cast(ct, dtype=x.dtype),),
    dtypes="numeric",
    samples=_samples,
)
imag: Primitive = Primitive(
    "imag",
    shape=_part,
    numpy=lambda x: x.imag if x.dtype.kind == "c" else np.zeros_like(x),
    xla="numpy.imag",
    vjp=(_imag_vjp,),
    dtypes="numeric",
    samples=_samples,
)
conj: Primitive = Primitive(
    "conj",
    shape=same,
    numpy=lambda x: np.conj(x) if x.dtype.kind == "c" else x,
    xla="numpy.conj",
    vjp=(lambda ct, y, x: conj(ct),),
    dtypes="numeric",
    samples=_samples,
)


def conjugate(x: Tensor) -> Tensor:
    """Returns the conjugate of a complex value; a real one unchanged, without recording anything."""
    return conj(x) if x.dtype.kind == "c" else x
