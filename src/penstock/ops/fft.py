"""Primitives of the discrete Fourier transform: over several axes, and the half spectrum of real values."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from penstock.ops.complex_parts import conj, real, real_dtype
from penstock.ops.shape import broadcast_to, concat, slice_
from penstock.ops.table import Primitive, cast
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Tensor

_COMPLEX: dict[Any, np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the complex dtype whose parts have a dtype; complex64 for narrow ones."""
    return dtype if dtype.kind == "c" else _COMPLEX.get(dtype, np.dtype(np.complex64))


def _finite(xp: Any, x: Any, y: Any, axes: tuple[int, ...]) -> Any:
    """Makes a transform NaN where its operand is not finite: every input affects all outputs."""
    return xp.where(xp.isfinite(x).all(axes, keepdims=True), y, xp.asarray(np.nan, y.dtype))


def _transform(x: Any, axes: tuple[int, ...], inverse: bool, norm: Any) -> Any:
    if not x.size or not axes:
        return x
    y = (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=axes, norm=norm).astype(x.dtype)
    return _finite(np, x, y, axes)


def _in_rows(jax: Any, function: Any, x: Any, axis: int, **options: Any) -> Any:
    """Applies a transform along an axis, on rows that are contiguous in memory, before and after it.

    XLA's library for CPUs accepts nothing else, but XLA may pass it columns next to calls of LAPACK:
    compiling then fails, as of jax 0.10. Data that go through a flat vector have no columns.
    """

    def laid(x: Any) -> Any:
        return jax.lax.optimization_barrier(x.reshape(-1)).reshape(x.shape)

    y = laid(function(laid(jax.numpy.moveaxis(x, axis, -1)), axis=-1, **options))
    return jax.numpy.moveaxis(y, -1, axis)


def _by_axis(jax: Any, x: Any, axes: tuple[int, ...], inverse: bool, norm: str) -> Any:
    if not x.size or not axes:
        return x
    y = x
    # XLA itself takes three axes at once, and the last ones only.
    for axis in axes:
        y = _in_rows(jax, jax.numpy.fft.ifft if inverse else jax.numpy.fft.fft, y, axis, norm=norm)
    return _finite(jax.numpy, x, y, axes)


# The matrix of the transform is its own transpose, so the rule is the transform itself.
transform: Primitive = Primitive(
    "fft",
    shape=lambda x, axes, inverse, norm: x,
    numpy=_transform,
    xla=_by_axis,
    vjp=(lambda ct, y, x, axes, inverse, norm: transform(ct, axes=axes, inverse=inverse, norm=norm),),
    dtypes="complex",
    samples=lambda rng: [
        (_complex(rng, (3, 4)), {"axes": (1,), "inverse": False, "norm": "backward"}),
        (_complex(rng, (3, 4)), {"axes": (0, 1), "inverse": True, "norm": "backward"}),
        (_complex(rng, (5,)), {"axes": (0,), "inverse": True, "norm": "forward"}),
        (_complex(rng, (2, 1, 3)), {"axes": (2, 1), "inverse": False, "norm": "ortho"}),
        (np.zeros((0, 2), np.complex128), {"axes": (1,), "inverse": False, "norm": "backward"}),
    ],
)


def _complex(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.round(rng.standard_normal(shape) + 1j * rng.standard_normal(shape), 2)


def _lengthened(x: Tensor, axis: int, length: int) -> Tensor:
    """Cuts x along an axis, or adds zeros, to a length."""
    own = x.shape[axis]
    if own > length:
        return slice_(x, window=tuple((0, length if i == axis else n, 1) for i, n in enumerate(x.shape)))
    if own == length:
        return x
    lengths = tuple(length - own if i == axis else n for i, n in enumerate(x.shape))
    return concat(x, broadcast_to(cast(0, dtype=x.dtype), shape=lengths), axis=axis)


def _along(lengths: tuple[int, ...], axis: int, length: int) -> tuple[int, ...]:
    return (*lengths[:axis], length, *lengths[axis + 1 :])


def _half_vjp(ct: Tensor, y: Tensor, x: Tensor, axis: int, norm: str) -> Tensor:
    full = _lengthened(ct, axis, x.shape[axis])
    return real(transform(full, axes=(axis,), inverse=False, norm=norm))


def _half_shape(x: Spec, axis: int, norm: str) -> Spec:
    return spec(_along(x.shape, axis, x.shape[axis] // 2 + 1), complex_dtype(x.dtype))


def _half(xp: Any, rfft: Any, x: Any, axis: int, norm: str) -> Any:
    if not x.size:
        return xp.zeros(_along(x.shape, axis, x.shape[axis] // 2 + 1), complex_dtype(x.dtype))
    return _finite(xp, x, rfft(x, axis=axis, norm=norm).astype(complex_dtype(x.dtype)), (axis,))


def _half_xla(jax: Any, x: Any, axis: int, norm: str) -> Any:
    return _half(jax.numpy, functools.partial(_in_rows, jax, jax.numpy.fft.rfft), x, axis, norm)


# The first half of the spectrum of real values; the other half is its conjugate.
half_spectrum: Primitive = Primitive(
    "rfft",
    shape=_half_shape,
    numpy=lambda x, axis, norm: _half(np, np.fft.rfft, x, axis, norm),
    xla=_half_xla,
    vjp=(_half_vjp,),
    dtypes="wide real floating-point",
    samples=lambda rng: [
        (np.round(rng.standard_normal((3, 4)), 2), {"axis": 1, "norm": "backward"}),
        (np.round(rng.standard_normal((3, 2)), 2), {"axis": 0, "norm": "ortho"}),
        (np.round(rng.standard_normal((1,)), 2), {"axis": 0, "norm": "forward"}),
        (np.zeros((0, 3)), {"axis": 1, "norm": "backward"}),
    ],
)


def _times(length: int, dtype: np.dtype[Any]) -> Any:
    """How often each number of a half spectrum occurs in the full one."""
    count = length // 2 + 1
    times = np.full(count, 2.0)
    times[0] = 1
    if length % 2 == 0:
        times[-1] = 1
    return times.astype(dtype)


def _whole_vjp(ct: Tensor, y: Tensor, x: Tensor, length: int, axis: int, norm: str) -> Tensor:
    # The scales of both directions belong together: 1/n here is 1 there.
    other = {"backward": "forward", "forward": "backward"}.get(norm, norm)
    found = conj(half_spectrum(ct, axis=axis, norm=other))
    found = doubled(found, axis=axis, length=length)
    return _lengthened(found, axis, x.shape[axis])


def _whole_shape(x: Spec, length: int, axis: int, norm: str) -> Spec:
    return spec(_along(x.shape, axis, length), real_dtype(x.dtype))


def _doubled(x: Any, axis: int, length: int) -> Any:
    times = _times(length, np.dtype(np.float32)).reshape(tuple(-1 if i == axis else 1 for i in range(x.ndim)))
    return (x * times).astype(x.dtype)


# A half spectrum in which numbers that represent two are doubled; it is in the derivative of `irfft`.
doubled: Primitive = Primitive(
    "doubled_spectrum",
    shape=lambda x, axis, length: x,
    numpy=_doubled,
    xla=lambda jax, x, axis, length: _doubled(x, axis, length),
    vjp=(lambda ct, y, x, axis, length: doubled(ct, axis=axis, length=length),),
    dtypes="complex",
    samples=lambda rng: [
        (_complex(rng, (2, 3)), {"axis": 1, "length": 4}),
        (_complex(rng, (3, 1)), {"axis": 0, "length": 5}),
        (np.zeros((0, 3), np.complex128), {"axis": 1, "length": 4}),
    ],
)


def _whole_numpy(x: Any, length: int, axis: int, norm: Any) -> Any:
    if not x.size:
        return np.zeros(_along(x.shape, axis, length), real_dtype(x.dtype))
    y = np.fft.irfft(x, n=length, axis=axis, norm=norm).astype(real_dtype(x.dtype))
    return _finite(np, x, y, (axis,))


def _whole_xla(jax: Any, x: Any, length: int, axis: int, norm: str) -> Any:
    # Remove the parts that the conjugate half would cancel: their effect in XLA is undefined.
    if not x.size:
        return jax.numpy.zeros(_along(x.shape, axis, length), real_dtype(x.dtype))
    given, count = x, length // 2 + 1
    places = np.arange(count).reshape(tuple(-1 if i == axis else 1 for i in range(x.ndim)))
    own = x.shape[axis]
    x = jax.lax.slice_in_dim(x, 0, min(own, count), axis=axis)
    lone = (places == 0) | ((places == count - 1) & (length % 2 == 0))
    lone = jax.lax.slice_in_dim(jax.numpy.asarray(lone), 0, min(own, count), axis=axis)
    x = jax.numpy.where(lone, x.real.astype(x.dtype), x)
    y = _in_rows(jax, jax.numpy.fft.irfft, x, axis, n=length, norm=norm)
    return _finite(jax.numpy, given, y, (axis,))


whole_spectrum: Primitive = Primitive(
    "irfft",
    shape=_whole_shape,
    numpy=_whole_numpy,
    xla=_whole_xla,
    vjp=(_whole_vjp,),
    dtypes="complex",
    samples=lambda rng: [
        (_complex(rng, (2, 3)), {"length": 4, "axis": 1, "norm": "backward"}),
        (_complex(rng, (2, 3)), {"length": 5, "axis": 1, "norm": "ortho"}),
        (_complex(rng, (3, 1)), {"length": 4, "axis": 0, "norm": "forward"}),
        (_complex(rng, (2,)), {"length": 7, "axis": 0, "norm": "backward"}),
        (np.zeros((0, 3), np.complex128), {"length": 4, "axis": 1, "norm": "backward"}),
    ],
)
