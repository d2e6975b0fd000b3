"""Discrete Fourier transforms: the `fft` extension of the array API standard 2024.12.

`norm` says where the factor 1/n goes: to the inverse ("backward"), to the forward transform ("forward"), or
its root to both ("ortho").
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.functions.arguments import check_device, dtype_of, tensor, whole_axis
from penstock.functions.manipulation import roll
from penstock.lazy import listed, missing
from penstock.ops import complex_parts
from penstock.ops import fft as primitives
from penstock.ops import shape as _shape
from penstock.ops.complex_parts import real_dtype
from penstock.ops.promotion import kind_of
from penstock.ops.table import cast
from penstock.ops.validation import number, whole, wholes
from penstock.trace.convert import convert
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor, concrete

_frame = sys._getframe
_NORMS = ("backward", "ortho", "forward")


def _checked(name: str, x: Any, norm: str, real: bool, frame: Any) -> Any:
    """Returns the operand in the dtype of the transform: complex, or real floating-point."""
    x = tensor(x)
    if norm not in _NORMS:
        raise ArgumentError(
            f"{name}: norm is {norm!r}.", remedy=f"Use one of {', '.join(_NORMS)}.", site=here()
        )
    kind = kind_of(x._spec.dtype)
    if real and kind == "c":
        raise DTypeError(
            f"{name} takes real operands; this one is {x._spec!r}.",
            remedy="Take the real part first, or use a transform of complex values.",
            site=here(),
        )
    wanted = x._spec.dtype
    if real and wanted not in (np.float32, np.float64):
        wanted = np.dtype(np.float32)
    if not real:
        wanted = primitives.complex_dtype(wanted)
    return x if wanted == x._spec.dtype else cast.record((x,), {"dtype": wanted}, frame)


def _length(name: str, n: Any) -> int:
    n = whole(f"{name}: the length", n)
    if n < 1:
        raise ShapeError(
            f"{name}: the length is {n}.", why="A transform needs at least one element.", site=here()
        )
    return n  # type: ignore[no-any-return]


def _sized(name: str, x: Any, axis: int, n: int | None, frame: Any) -> Any:
    """Cuts the operand along an axis, or pads it with zeros, to a given length."""
    own = x.shape[axis]
    length = _length(name, own if n is None else n)
    if own == length:
        return x
    if own > length:
        window = tuple((0, length if i == axis else m, 1) for i, m in enumerate(x.shape))
        return _shape.slice_.record((x,), {"window": window}, frame)
    lengths = tuple(length - own if i == axis else m for i, m in enumerate(x.shape))
    zeros = np.zeros(lengths, x._spec.dtype)
    zeros.flags.writeable = False
    return _shape.concat.record((x, concrete(zeros)), {"axis": axis}, frame)


def _axes(
    name: str, x: Any, s: Sequence[int] | None, axes: Sequence[int] | None
) -> list[tuple[int, int | None]]:
    """Returns the axes to transform, each with its length if one is given."""
    rank = len(x.shape)
    if s is not None:
        s = wholes(f"{name}: s", s)
    if axes is None:
        axes = range(rank) if s is None else range(rank - len(s), rank)
    axes = wholes(f"{name}: axes", axes)
    places = [whole_axis(name, axis, rank) for axis in axes]
    if len(set(places)) != len(places) or (s is not None and len(s) != len(places)):
        raise ArgumentError(
            f"{name}: axes {tuple(axes)} and lengths {s} do not fit together.",
            why="Name each axis once, and give one length for each.",
            site=here(),
        )
    lengths: Sequence[int | None] = [None] * len(places) if s is None else s
    # A length of -1 is that of the axis.
    return [(place, None if n == -1 else n) for place, n in zip(places, lengths, strict=True)]


def _transformed(
    name: str, x: Any, pairs: list[tuple[int, int | None]], inverse: bool, norm: str, frame: Any
) -> Tensor:
    for axis, n in pairs:
        x = _sized(name, x, axis, n, frame)
    params = {"axes": tuple(axis for axis, _ in pairs), "inverse": inverse, "norm": norm}
    return primitives.transform.record((x,), params, frame)


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Returns the Fourier transform along an axis, cut or padded with zeros to length n.

    y[k] = sum over j of x[j] exp(-2 pi i j k / n).

    Args:
        x: numbers of any shape with at least one axis.
        n: how many numbers to transform, an int; None for all.
        axis: the axis, an int; a negative one counts from the end.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor of the shape of `x`, except for the given lengths.

    Raises:
        ShapeError: if `x`, `n` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `n` or `axis` has the wrong dtype or type.
        ArgumentError: if `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.fft(ps.asarray([1.0, 0.0, 0.0, 0.0]))
    Tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    frame = _frame(1)
    x = _checked("fft", x, norm, False, frame)
    return _transformed("fft", x, [(whole_axis("fft", axis, len(x.shape)), n)], False, norm, frame)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Returns the tensor that `fft` transforms into x.

    Args:
        x: numbers of any shape with at least one axis.
        n: how many numbers to transform, an int; None for all.
        axis: the axis, an int; a negative one counts from the end.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor of the shape of `x`, except for the given lengths.

    Raises:
        ShapeError: if `x`, `n` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `n` or `axis` has the wrong dtype or type.
        ArgumentError: if `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.real(ps.fft.ifft(ps.fft.fft(ps.asarray([1.0, 2.0]))))
    Tensor([1., 2.], dtype=float32)
    """
    frame = _frame(1)
    x = _checked("ifft", x, norm, False, frame)
    return _transformed("ifft", x, [(whole_axis("ifft", axis, len(x.shape)), n)], True, norm, frame)


def fftn(
    x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Tensor:
    """Returns the Fourier transform along several axes, all by default, cut or padded to the lengths s.

    Args:
        x: numbers of any shape with at least one axis.
        s: how many numbers to transform along each axis; None for all.
        axes: the axes, a sequence of ints; None for all.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor of the shape of `x`, except for the given lengths.

    Raises:
        ShapeError: if `x`, `s` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `s` or `axes` has the wrong dtype or type.
        ArgumentError: if `s` or `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.fftn(ps.ones((2, 2)))[0, 0]
    Tensor(4.+0.j, dtype=complex64)
    """
    frame = _frame(1)
    x = _checked("fftn", x, norm, False, frame)
    return _transformed("fftn", x, _axes("fftn", x, s, axes), False, norm, frame)


def ifftn(
    x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Tensor:
    """Returns the tensor that `fftn` transforms into x.

    Args:
        x: numbers of any shape with at least one axis.
        s: how many numbers to transform along each axis; None for all.
        axes: the axes, a sequence of ints; None for all.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor of the shape of `x`, except for the given lengths.

    Raises:
        ShapeError: if `x`, `s` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `s` or `axes` has the wrong dtype or type.
        ArgumentError: if `s` or `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.ifftn(ps.ones((2, 2)))[0, 0]
    Tensor(1.+0.j, dtype=complex64)
    """
    frame = _frame(1)
    x = _checked("ifftn", x, norm, False, frame)
    return _transformed("ifftn", x, _axes("ifftn", x, s, axes), True, norm, frame)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Returns the first half, n // 2 + 1 numbers, of the Fourier transform of real values along an axis.

    Args:
        x: numbers of any shape with at least one axis.
        n: how many numbers to transform, an int; None for all.
        axis: the axis, an int; a negative one counts from the end.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor with n // 2 + 1 numbers along the last of the axes.

    Raises:
        ShapeError: if `x`, `n` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `n` or `axis` has the wrong dtype or type.
        ArgumentError: if `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.rfft(ps.asarray([1.0, 0.0, 0.0, 0.0]))
    Tensor([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _half("rfft", x, n, axis, norm, _frame(1))


def _half(name: str, x: Any, n: int | None, axis: int, norm: str, frame: Any) -> Tensor:
    x = _checked(name, x, norm, True, frame)
    axis = whole_axis(name, axis, len(x.shape))
    x = _sized(name, x, axis, n, frame)
    return primitives.half_spectrum.record((x,), {"axis": axis, "norm": norm}, frame)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Returns the n real values that `rfft` transforms into x; 2 (m - 1) of them, for m numbers, by default.

    Args:
        x: numbers of any shape with at least one axis.
        n: how many numbers to transform, an int; None for all.
        axis: the axis, an int; a negative one counts from the end.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A real tensor with n numbers along the last of the axes.

    Raises:
        ShapeError: if `x`, `n` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `n` or `axis` has the wrong dtype or type.
        ArgumentError: if `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.irfft(ps.fft.rfft(ps.asarray([1.0, 2.0, 3.0])), n=3)
    Tensor([1., 2., 3.], dtype=float32)
    """
    return _whole("irfft", x, n, axis, norm, _frame(1))


def _whole(name: str, x: Any, n: int | None, axis: int, norm: str, frame: Any) -> Tensor:
    x = _checked(name, x, norm, False, frame)
    axis = whole_axis(name, axis, len(x.shape))
    length = _length(name, 2 * (x.shape[axis] - 1) if n is None else n)
    return primitives.whole_spectrum.record((x,), {"length": length, "axis": axis, "norm": norm}, frame)


def rfftn(
    x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Tensor:
    """Returns the Fourier transform of real values along several axes, the first half along the last of them.

    Args:
        x: numbers of any shape with at least one axis.
        s: how many numbers to transform along each axis; None for all.
        axes: the axes, a sequence of ints; None for all.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor with n // 2 + 1 numbers along the last of the axes.

    Raises:
        ShapeError: if `x`, `s` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `s` or `axes` has the wrong dtype or type.
        ArgumentError: if `s` or `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.rfftn(ps.ones((4, 4))).shape
    (4, 3)
    """
    frame = _frame(1)
    x = _checked("rfftn", x, norm, True, frame)
    *others, (last, n) = _axes("rfftn", x, s, axes) or _no_axes("rfftn", x)
    half = _half("rfftn", x, n, last, norm, frame)
    return _transformed("rfftn", half, others, False, norm, frame) if others else half


def irfftn(
    x: Any, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Tensor:
    """Returns the real values that `rfftn` transforms into x.

    Args:
        x: numbers of any shape with at least one axis.
        s: how many numbers to transform along each axis; None for all.
        axes: the axes, a sequence of ints; None for all.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A real tensor with n numbers along the last of the axes.

    Raises:
        ShapeError: if `x`, `s` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `s` or `axes` has the wrong dtype or type.
        ArgumentError: if `s` or `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.irfftn(ps.fft.rfftn(ps.ones((2, 4)))).shape
    (2, 4)
    """
    frame = _frame(1)
    x = _checked("irfftn", x, norm, False, frame)
    *others, (last, n) = _axes("irfftn", x, s, axes) or _no_axes("irfftn", x)
    x = _transformed("irfftn", x, others, True, norm, frame) if others else x
    return _whole("irfftn", x, n, last, norm, frame)


def _no_axes(name: str, x: Any) -> list[tuple[int, int | None]]:
    raise ShapeError(f"{name} needs an axis to transform; the shape is {x.shape}.", site=here())


def _turned(norm: str) -> str:
    return {"backward": "forward", "forward": "backward"}.get(norm, norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Returns the n real numbers of the Fourier transform of values whose first half is x.

    The other half is the conjugate of the first.

    Args:
        x: numbers of any shape with at least one axis.
        n: how many numbers to transform, an int; None for all.
        axis: the axis, an int; a negative one counts from the end.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A real tensor with n numbers along the last of the axes.

    Raises:
        ShapeError: if `x`, `n` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `n` or `axis` has the wrong dtype or type.
        ArgumentError: if `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.hfft(ps.asarray([1.0, 0.0, 0.0]))
    Tensor([1., 1., 1., 1.], dtype=float32)
    """
    frame = _frame(1)
    x = _checked("hfft", x, norm, False, frame)
    return _whole("hfft", complex_parts.conj.record((x,), {}, frame), n, axis, _turned(norm), frame)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """Returns the first half of the values that `hfft` transforms into x.

    Args:
        x: numbers of any shape with at least one axis.
        n: how many numbers to transform, an int; None for all.
        axis: the axis, an int; a negative one counts from the end.
        norm: "backward", "ortho" or "forward": where to divide by n.

    Returns:
        A complex tensor with n // 2 + 1 numbers along the last of the axes.

    Raises:
        ShapeError: if `x`, `n` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x`, `n` or `axis` has the wrong dtype or type.
        ArgumentError: if `norm` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.fft.ihfft(ps.asarray([1.0, 1.0, 1.0, 1.0]))
    Tensor([1.-0.j, 0.-0.j, 0.-0.j], dtype=complex64)
    """
    frame = _frame(1)
    half = _half("ihfft", x, n, axis, _turned(norm), frame)
    return complex_parts.conj.record((half,), {}, frame)


def _frequencies(name: str, n: int, d: float, dtype: Any, device: Any, half: bool) -> Tensor:
    check_device(device)
    wanted = dtype_of(dtype, np.float32)
    if wanted.kind not in "fV":
        raise DTypeError(
            f"{name} was asked for {wanted.name}.", remedy="Frequencies are fractions.", site=here()
        )
    found = (np.fft.rfftfreq if half else np.fft.fftfreq)(_length(name, n), number(f"{name}: d", d))
    return convert(found.astype(wanted))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns the frequency of each number of an n-point transform, in cycles per unit of the spacing d.

    Args:
        n: how many numbers are transformed, an int.
        d: the distance between samples, a number.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A vector [n], float32 unless `dtype` says otherwise.

    Raises:
        DTypeError: if `n`, `d` or `dtype` has the wrong dtype or type.
        ShapeError: if `n` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.fft.fftfreq(4)
    Tensor([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    return _frequencies("fftfreq", n, d, dtype, device, False)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns the frequencies of the numbers that `rfft` returns for n values at a spacing d.

    Args:
        n: how many numbers are transformed, an int.
        d: the distance between samples, a number.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A vector [n // 2 + 1], float32 unless `dtype` says otherwise.

    Raises:
        DTypeError: if `n`, `d` or `dtype` has the wrong dtype or type.
        ShapeError: if `n` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.fft.rfftfreq(4)
    Tensor([0.  , 0.25, 0.5 ], dtype=float32)
    """
    return _frequencies("rfftfreq", n, d, dtype, device, True)


def _shifted(name: str, x: Any, axes: Any, sign: int) -> Tensor:
    x = tensor(x)
    if kind_of(real_dtype(x._spec.dtype)) != "f":
        raise DTypeError(
            f"{name} takes floating-point operands; this one is {x._spec!r}.",
            remedy="Convert it first, for example with astype(x, 'float32').",
            site=here(),
        )
    given = range(len(x.shape)) if axes is None else wholes(f"{name}: axes", axes)
    places = tuple(whole_axis(name, axis, len(x.shape)) for axis in given)
    shifts = tuple(math.floor(x.shape[axis] / 2) * sign for axis in places)
    return roll(x, shifts, axis=places)


def fftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Returns x with the number of frequency 0 in the middle of each axis.

    Args:
        x: numbers of any shape with at least one axis.
        axes: the axes, a sequence of ints; None for all.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axes` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.fft.fftshift(ps.fft.fftfreq(4))
    Tensor([-0.5 , -0.25,  0.  ,  0.25], dtype=float32)
    """
    return _shifted("fftshift", x, axes, 1)


def ifftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Returns the tensor that `fftshift` shifts into x.

    Args:
        x: numbers of any shape with at least one axis.
        axes: the axes, a sequence of ints; None for all.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axes` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axes` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.fft.ifftshift(ps.fft.fftshift(ps.fft.fftfreq(5)))
    Tensor([ 0. ,  0.2,  0.4, -0.4, -0.2], dtype=float32)
    """
    return _shifted("ifftshift", x, axes, -1)


if not TYPE_CHECKING:
    # To type checkers a name that is nowhere stays an error.
    __getattr__ = missing(__name__)

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn",
    "rfft", "rfftfreq", "rfftn",
]  # fmt: skip
__dir__ = listed(__name__)
