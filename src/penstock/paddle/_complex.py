"""Complex numbers: built from two parts, and split into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import own_name
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.ops import pointwise
from penstock.ops.promotion import kind_of
from penstock.paddle import _manipulation, _math
from penstock.paddle import _views as views
from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_paddle, method, row
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@in_paddle
def complex(real: Any, imag: Any, name: Any = None) -> Any:
    """Returns complex numbers from their real and imaginary parts."""
    parts = operand(real), operand(imag)
    if parts[0]._spec.dtype not in (np.float32, np.float64):
        raise InvalidTypeError(
            f"complex: the parts are {parts[0]._spec.dtype.name}; they must be float32 or float64.",
            site=here(),
        )
    return _complex(*parts)


@composite(2, "complex")
def _complex(real: Any, imag: Any) -> Tensor:
    wide = np.dtype(np.complex64 if real.dtype == np.float32 else np.complex128)
    return native.add(real.astype(wide), native.multiply(imag.astype(wide), 1j))


def _part(
    names: str,
    function: Callable[..., Any],
    of_real: Callable[..., Any],
    purpose: str,
    half: bool | None = None,
) -> Any:
    def plain(x: Any) -> Tensor:
        return function(x) if kind_of(x.dtype) == "c" else of_real(x)  # type: ignore[no-any-return]

    event = composite(1, own_name(names))(plain)

    def called(x: Any, name: Any = None) -> Any:
        x = operand(x)
        if half is None or kind_of(x._spec.dtype) != "c":
            return event(x)
        return views.show(event(x), x, lambda layout: layout.half(half))

    return row(called, names, f"Returns {purpose}, elementwise.")


real = _part("real", native.real, lambda x: x + 0.0, "the real part", False)
imag = _part("imag", native.imag, native.zeros_like, "the imaginary part", True)
conj = _part("conj", native.conj, pointwise.identity, "the conjugate")
angle = _part(
    "angle",
    lambda x: native.atan2(native.imag(x), native.real(x)),
    # The gradient of real numbers is zeros.
    lambda x: native.where(x < 0, float(np.pi), native.where(False, x, native.zeros_like(x))),
    "the angle of complex numbers, and pi for real ones below 0",
)


_halves = composite(1, "real")(native.real), composite(1, "imag")(native.imag)


@method
def is_complex(x: Any) -> bool:
    """Returns whether elements are complex."""
    return kind_of(operand(x)._spec.dtype) == "c"


@method
def polar(abs: Any, angle: Any, name: Any = None) -> Any:
    """Returns complex numbers of these sizes and angles."""
    abs, angle = operand(abs), operand(angle)
    return complex(abs * _math.cos(angle), abs * _math.sin(angle))


@method("view_as_complex")
def as_complex(x: Any, name: Any = None) -> Any:
    """Returns pairs in the last axis as complex numbers."""
    x = operand(x)
    if x._spec.shape[-1] != 2:
        raise InvalidValueError(
            f"The last axis of {list(x._spec.shape)} must have length 2: real and imaginary parts.",
            site=here(),
        )
    return views.show(_of_pairs(x[..., 0], x[..., 1]), x, lambda layout: layout.complexes())


_of_pairs = composite(2, "as_complex")(lambda real, imag: _complex(real, imag))


@method("view_as_real")
def as_real(x: Any, name: Any = None) -> Any:
    """Returns complex numbers as pairs in a new last axis."""
    x = operand(x)
    parts = [_halves[0](x), _halves[1](x)]
    return views.show(_manipulation.stack(parts, -1), x, lambda layout: layout.pairs())


@method
def isreal(x: Any, name: Any = None) -> Any:
    """Returns whether numbers have no imaginary part, elementwise."""
    x = operand(x)
    if x._spec.dtype.kind == "c":
        return _math.equal(imag(x), 0.0)
    return data(np.ones(x._spec.shape, bool))
