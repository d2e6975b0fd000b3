"""Functions of keras.ops on signals: Fourier transforms, frames, complex numbers as pairs of real ones."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import (
    _arrays,
    _dtype,
    _elementwise,
    _signal,
    _special,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _given, _public
from penstock.trace.source_site import here as _here


def _complex(x: Any) -> Any:
    """Returns the complex tensor of a pair of a real and an imaginary part."""
    if not isinstance(x, tuple | list) or len(x) != 2:
        raise _ArgumentError(
            f"Input `x` should be a tuple of two tensors - real and imaginary.Received: x={x}", site=_here()
        )
    real, imag = (_given(one) for one in x)
    if tuple(real._spec.shape) != tuple(imag._spec.shape):
        raise _ArgumentError(
            "Input `x` should be a tuple of two tensors - real and imaginary.Both the real and imaginary "
            f"parts should have the same shape. Received: x[0].shape = {tuple(real.shape)}, x[1].shape = "
            f"{tuple(imag.shape)}",
            site=_here(),
        )
    if real._spec.dtype.kind not in "fV" or imag._spec.dtype.kind not in "fV":
        raise _ArgumentError(
            f"At least one tensor in input `x` is not of type float.Received: x={x}.", site=_here()
        )
    return _special.complex(real, imag)


def _parts(x: Any) -> tuple[Any, Any]:
    return _special.real(x), _special.imag(x)


def _transform(name: str, native: str, axes: str) -> None:
    def transform(x: Any) -> Any:
        return _parts(getattr(_signal, native)(_complex(x)))

    transform.__doc__ = f"Returns the transform over the last {axes} of a pair of real and imaginary parts."
    _public(transform, name)


for _name, _native, _axes in (
    ("fft", "fft", "axis"),
    ("fft2", "fft2d", "two axes"),
    ("ifft2", "ifft2d", "two axes"),
):
    _transform(_name, _native, _axes)


@_public
def rfft(x: Any, fft_length: int | None = None) -> Any:
    """Returns the transform of real signals, as real and imaginary parts."""
    return _parts(_signal.rfft(_given(x), None if fft_length is None else [fft_length]))


@_public
def irfft(x: Any, fft_length: int | None = None) -> Any:
    """Returns the real signals of transforms, which are a pair of real and imaginary parts."""
    return _signal.irfft(_complex(x), None if fft_length is None else [fft_length])


def _window(window: Any, sequence_length: int, fft_length: int, dtype: Any) -> Any:
    """Returns the window of a frame, with zeros on both sides up to the length of the transform."""
    if isinstance(window, str):
        if window not in ("hann", "hamming"):
            raise _ArgumentError(
                'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. Received: '
                f"window={window}",
                site=_here(),
            )
        made = getattr(_signal, f"{window}_window")(sequence_length, periodic=True, dtype=dtype)
    else:
        made = _given(window, dtype)
    if tuple(made._spec.shape) != (sequence_length,):
        raise _ArgumentError(
            "The shape of `window` must be equal to [sequence_length].Received: window "
            f"shape={tuple(made.shape)}",
            site=_here(),
        )
    before = (fft_length - sequence_length) // 2
    return _arrays.pad(made, [[before, fft_length - sequence_length - before]])


def _check_stride(sequence_stride: Any) -> None:
    if not isinstance(sequence_stride, int) or sequence_stride <= 0:
        raise _ArgumentError(
            f"`sequence_stride` must be a positive integer. Received: sequence_stride={sequence_stride}",
            site=_here(),
        )


@_public
def stft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Returns the transforms of overlapping frames of signals, as real and imaginary parts."""
    _check_stride(sequence_stride)
    x = _given(x)
    if _dtype.as_dtype(x.dtype).name not in ("float32", "float64"):
        raise TypeError(
            "Invalid input type. Expected `float32` or `float64`. Received: input "
            f"type={_dtype.as_dtype(x.dtype).name}"
        )
    if fft_length < sequence_length:
        raise _ArgumentError(
            "`fft_length` must equal or larger than `sequence_length`. Received: "
            f"sequence_length={sequence_length}, fft_length={fft_length}",
            site=_here(),
        )
    if center:
        around = [[0, 0]] * (len(x._spec.shape) - 1) + [[fft_length // 2] * 2]
        x = _arrays.pad(x, around, mode="REFLECT")
    found = None if window is None else _window(window, sequence_length, fft_length, x.dtype)
    function = None if found is None else lambda length, dtype: found
    return _parts(_signal.stft(x, fft_length, sequence_stride, fft_length, function))


@_public
def istft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Returns the signals whose frames have these transforms, a pair of real and imaginary parts."""
    _check_stride(sequence_stride)
    whole = _complex(x)
    function = None
    if window is not None:
        found = _window(window, sequence_length, fft_length, _given(x[0]).dtype)
        function = _signal.inverse_stft_window_fn(sequence_stride, lambda count, dtype: found)
    expected = fft_length + sequence_stride * (whole._spec.shape[-2] - 1)
    made = _signal.inverse_stft(whole, fft_length, sequence_stride, fft_length, function)
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else -(fft_length // 2) if center else expected
    return made[..., start:end]


@_public
def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    """Returns overlapping frames along the last axis."""
    return _signal.frame(_given(x), sequence_length, sequence_stride)


@_public
def view_as_complex(x: Any) -> Any:
    """Returns pairs of real and imaginary parts, the last axis, as complex numbers."""
    x = _given(x)
    if not x._spec.shape or x._spec.shape[-1] != 2:
        raise _ArgumentError(
            f"Last dimension of input must be size 2 (real and imaginary). Received shape: {tuple(x.shape)}",
            site=_here(),
        )
    x = _elementwise.cast(x, "float32")
    return _special.complex(x[..., 0], x[..., 1])


@_public
def view_as_real(x: Any) -> Any:
    """Returns complex numbers as pairs of real and imaginary parts, the last axis."""
    x = _given(x)
    return _arrays.stack(_parts(x), -1)


@_public
def polar(abs_: Any, angle: Any) -> Any:
    """Returns complex numbers with these magnitudes and angles."""
    size, turn = _given(abs_), _given(angle)
    return _complex((size * _elementwise.cos(turn), size * _elementwise.sin(turn)))
