"""Fourier transforms under Paddle's names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.functions import fft as native
from penstock.functions.composite import composite
from penstock.paddle._convert import called, converted, data, operand
from penstock.paddle._dtype import default_dtype, numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._words import spoken
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe
_OTHER = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _checked(norm: str) -> str:
    if norm not in _OTHER:
        raise InvalidValueError(
            f"Unexpected norm: {norm}. Norm should be forward, backward or ortho", site=here()
        )
    return norm


def _numbers(x: Any, whole: bool) -> Any:
    """Returns numbers as the transform takes them: `whole` ones are complex, the others real."""
    x = operand(x)
    kind = x._spec.dtype
    if kind.kind in "biu":
        x = converted(x, default_dtype(), _frame(2))
        kind = x._spec.dtype
    if whole and kind.kind == "f":
        return converted(x, np.dtype(np.complex128 if kind.itemsize == 8 else np.complex64), _frame(2))
    return x


def _event(function: Callable[..., Any], name: str) -> Any:
    def body(x: Any, length: Any, axis: int, norm: str) -> Tensor:
        return function(x, n=length, axis=axis, norm=norm)  # type: ignore[no-any-return]

    return composite(1, name)(body)


def _along(name: str, purpose: str, whole: bool) -> Any:
    event = _event(getattr(native, name), name)

    def function(x: Any, n: Any = None, axis: int = -1, norm: str = "backward", name: Any = None) -> Any:
        return called(event, _numbers(x, whole), n, axis, _checked(norm))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns {purpose}, along one axis, brought to `n` places."
    return spoken(function)


fft = _along("fft", "the Fourier transform", True)
ifft = _along("ifft", "the inverse of `fft`", True)
rfft = _along("rfft", "the first half of the transform of real numbers", False)
irfft = _along("irfft", "the inverse of `rfft`, of which `n` says the length", True)
hfft = _along("hfft", "the transform of numbers with a symmetric half, which is real", True)
ihfft = _along("ihfft", "the inverse of `hfft`", False)


def _pairs(x: Any, s: Any, axes: Any) -> list[tuple[int, Any]]:
    """Returns the axes to transform, each with the length to bring it to."""
    rank = x._spec.ndim
    if axes is None:
        axes = range(rank - len(s), rank) if s is not None else range(rank)
    listed = [int(one) for one in axes]
    lengths = [None] * len(listed) if s is None else [int(one) for one in s]
    if len(lengths) != len(listed) or not listed:
        raise InvalidValueError(
            f"Length of axes and lengths should be the same, but they are {listed} and {s}.", site=here()
        )
    return list(zip(listed, lengths, strict=True))


def _several(name: str, purpose: str, last: Any, others: Any, last_first: bool, fixed: bool) -> Any:
    """Returns a function over several axes: another transform for the last one, which is first or not."""
    default: Any = (-2, -1) if fixed else None

    def function(x: Any, s: Any = None, axes: Any = default, norm: str = "backward", name: Any = None) -> Any:
        x = operand(x)
        *rest, (axis, length) = _pairs(x, s, axes)
        if last_first:
            x = last(x, length, axis, norm)
        for other, own in rest:
            x = others(x, own, other, norm)
        return x if last_first else last(x, length, axis, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns {purpose}, along several axes, brought to the lengths `s`."
    return spoken(function)


fftn = _several("fftn", "the Fourier transform", fft, fft, False, False)
fft2 = _several("fft2", "the Fourier transform", fft, fft, False, True)
ifftn = _several("ifftn", "the inverse of `fftn`", ifft, ifft, False, False)
ifft2 = _several("ifft2", "the inverse of `fftn`", ifft, ifft, False, True)
rfftn = _several("rfftn", "the first half of the transform of real numbers", rfft, fft, True, False)
rfft2 = _several("rfft2", "the first half of the transform of real numbers", rfft, fft, True, True)
irfftn = _several("irfftn", "the inverse of `rfftn`", irfft, ifft, False, False)
irfft2 = _several("irfft2", "the inverse of `rfftn`", irfft, ifft, False, True)
hfftn = _several(
    "hfftn", "the transform of numbers with a symmetric half, which is real", hfft, fft, False, False
)
hfft2 = _several(
    "hfft2", "the transform of numbers with a symmetric half, which is real", hfft, fft, False, True
)
ihfftn = _several("ihfftn", "the inverse of `hfftn`", ihfft, ifft, True, False)
ihfft2 = _several("ihfft2", "the inverse of `hfftn`", ihfft, ifft, True, True)


@spoken
def fftfreq(n: int, d: float = 1.0, dtype: Any = None, name: Any = None) -> Any:
    """Returns the frequencies that `fft` tells apart in n places at a distance of d."""
    kind = default_dtype() if dtype is None else numpy_dtype(dtype)
    return data(np.fft.fftfreq(n, d).astype(kind))


@spoken
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None, name: Any = None) -> Any:
    """Returns the frequencies that `rfft` tells apart in n places at a distance of d."""
    kind = default_dtype() if dtype is None else numpy_dtype(dtype)
    return data(np.fft.rfftfreq(n, d).astype(kind))


def _shifted(x: Any, axes: Any, back: bool) -> Any:
    from penstock.paddle._manipulation import roll

    x = operand(x)
    listed = list(range(x._spec.ndim)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    steps = [x._spec.shape[one] // 2 for one in listed]
    if back:
        steps = [-one for one in steps]
    return roll(x, steps, listed)


@spoken
def fftshift(x: Any, axes: Any = None, name: Any = None) -> Any:
    """Returns x with the frequency 0 in the middle."""
    return _shifted(x, axes, False)


@spoken
def ifftshift(x: Any, axes: Any = None, name: Any = None) -> Any:
    """Returns x with the frequency 0 in the first place: the inverse of `fftshift`."""
    return _shifted(x, axes, True)


__getattr__, __dir__, __all__ = _namespace("paddle.fft", globals())
