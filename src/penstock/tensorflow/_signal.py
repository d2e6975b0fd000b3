"""tf.signal: Fourier transforms, windows, frames and functions based on them.

The definitions of the transforms are those of Oppenheim and Schafer, Discrete-Time Signal Processing; that of
the scale of mel is O'Shaughnessy's, 1127 ln(1 + f / 700).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.functions import array as native
from penstock.functions import fft as transforms
from penstock.ops.validation import plain
from penstock.tensorflow._arrays import identity, pad
from penstock.tensorflow._convert import operand
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here


def _axes(count: int) -> list[int]:
    return list(range(-count, 0))


def _lengths(fft_length: Any, count: int) -> list[int] | None:
    if fft_length is None:
        return None
    found = np.asarray(plain(fft_length) if not isinstance(fft_length, Sequence) else fft_length)
    return [int(one) for one in np.broadcast_to(found.reshape(-1), (count,))]


def _complex(x: Any, name: str) -> Any:
    tensor = operand(x)
    if tensor._spec.dtype.kind != "c":
        raise ArgumentError(
            f"tf.signal.{name} needs complex numbers, not {tensor._spec.dtype}.",
            remedy=f"Cast them: tf.cast(x, tf.complex64); or use tf.signal.r{name.removeprefix('i')}.",
            site=here(),
        )
    return tensor


def _real(x: Any) -> Any:
    tensor = operand(x)
    return tensor if tensor._spec.dtype.kind == "f" else native.astype(tensor, np.float32)


def _of_complex(name: str, function: Any, count: int, purpose: str) -> Callable[..., EagerTensor]:
    def called(input: Any, name: Any = None) -> EagerTensor:
        return spoken(function(_complex(input, own), axes=_axes(count)))

    own = name
    text = f"Returns the {purpose} of complex numbers over the last {count} axes."
    return row(called, f"tf.signal.{name} tf.compat.v1.{name}", text)


fft = _of_complex("fft", transforms.fftn, 1, "discrete Fourier transform")
fft2d = _of_complex("fft2d", transforms.fftn, 2, "discrete Fourier transform")
fft3d = _of_complex("fft3d", transforms.fftn, 3, "discrete Fourier transform")
ifft = _of_complex("ifft", transforms.ifftn, 1, "inverse discrete Fourier transform")
ifft2d = _of_complex("ifft2d", transforms.ifftn, 2, "inverse discrete Fourier transform")
ifft3d = _of_complex("ifft3d", transforms.ifftn, 3, "inverse discrete Fourier transform")


def _of_real(name: str, count: int) -> Callable[..., EagerTensor]:
    def called(input_tensor: Any, fft_length: Any = None, name: Any = None) -> EagerTensor:
        lengths = _lengths(fft_length, count)
        return spoken(transforms.rfftn(_real(input_tensor), s=lengths, axes=_axes(count)))

    text = (
        f"Returns the transform of real numbers over the last {count} axes, the half of the last that is "
        "not told by the other. They are cut or filled up with zeros to `fft_length`."
    )
    return row(called, f"tf.signal.{name} tf.compat.v1.{name}", text)


def _to_real(name: str, count: int) -> Callable[..., EagerTensor]:
    def called(input_tensor: Any, fft_length: Any = None, name: Any = None) -> EagerTensor:
        lengths = _lengths(fft_length, count)
        return spoken(transforms.irfftn(_complex(input_tensor, own), s=lengths, axes=_axes(count)))

    own = name
    text = (
        f"Returns the real numbers whose transform over the last {count} axes this is the half of; "
        "`fft_length` of them, or twice as many less two."
    )
    return row(called, f"tf.signal.{name} tf.compat.v1.{name}", text)


rfft, rfft2d, rfft3d = (_of_real(name, count) for count, name in enumerate(("rfft", "rfft2d", "rfft3d"), 1))
irfft, irfft2d, irfft3d = (
    _to_real(name, count) for count, name in enumerate(("irfft", "irfft2d", "irfft3d"), 1)
)


# -- over any axes ------------------------------------------------------------------------------------------


def _over(name: str, function: Any, real: bool, back: bool, purpose: str) -> Callable[..., EagerTensor]:
    def called(
        input: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: Any = None
    ) -> EagerTensor:
        if norm is not None:
            raise ArgumentError(
                f"norm of fftnd must be None, got: {norm}",
                remedy="TensorFlow takes no norm here: divide the result.",
                site=here(),
            )
        x = operand(input)
        if real:
            x = _real(x)
        elif x._spec.dtype.kind != "c":
            x = native.astype(x, np.complex128 if x._spec.dtype == np.float64 else np.complex64)
        count = len(x._spec.shape)
        along = list(range(count)) if axes is None else np.asarray(plain(axes)).reshape(-1).tolist()
        along = [one % count for one in along]
        if fft_length is None:
            lengths = [x._spec.shape[one] for one in along]
            if back:
                lengths[-1] = 2 * (lengths[-1] - 1)
        else:
            lengths = np.asarray(plain(fft_length)).reshape(-1).tolist()
        return spoken(function(x, s=lengths, axes=along))

    text = (
        f"Returns the {purpose} over the given axes (all), which are cut or filled up with zeros to "
        "`fft_length`. `norm` must be None."
    )
    return row(called, f"tf.signal.{name} tf.{name} tf.compat.v1.{name}", text)


fftnd = _over("fftnd", transforms.fftn, False, False, "discrete Fourier transform of complex numbers")
ifftnd = _over("ifftnd", transforms.ifftn, False, False, "inverse discrete Fourier transform")
rfftnd = _over("rfftnd", transforms.rfftn, True, False, "half of the transform of real numbers")
irfftnd = _over(
    "irfftnd", transforms.irfftn, False, True, "real numbers whose transform this is the half of,"
)


def _moved(x: Any, axes: Any, sign: int) -> EagerTensor:
    tensor = operand(x)
    shape = tensor._spec.shape
    chosen = range(len(shape)) if axes is None else np.asarray(plain(axes)).reshape(-1).tolist()
    halves = [sign * (shape[axis] // 2) for axis in chosen]
    return spoken(native.roll(tensor, tuple(halves), axis=tuple(chosen)))


@named("tf.signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: Any = None) -> EagerTensor:
    """Returns x with the frequency zero moved to the middle of the axes (all)."""
    return _moved(x, axes, 1)


@named("tf.signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: Any = None) -> EagerTensor:
    """Undoes `fftshift`."""
    return _moved(x, axes, -1)


# -- windows ------------------------------------------------------------------------------------------------


def _raised_cosine(name: str, first: float, second: float) -> Callable[..., EagerTensor]:
    def called(
        window_length: Any, periodic: Any = True, dtype: Any = "float32", name: Any = None
    ) -> EagerTensor:
        length = int(plain(window_length))
        whole = length + int(bool(plain(periodic)) and length % 2 == 0) - 1
        angles = 2 * math.pi / max(whole, 1) * np.arange(length)
        values = first - second * np.cos(angles) if length > 1 else np.ones(length)
        return operand(values.astype(numpy_dtype(dtype)))  # type: ignore[no-any-return]

    text = f"Returns {first:g} - {second:g} cos(2πn / N), N being the length, or one less."
    return row(called, f"tf.signal.{name} tf.compat.v1.{name}", text)


hann_window = _raised_cosine("hann_window", 0.5, 0.5)
hamming_window = _raised_cosine("hamming_window", 0.54, 0.46)


@named("tf.signal.kaiser_window")
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = "float32", name: Any = None
) -> EagerTensor:
    """Returns the window of Kaiser: a modified Bessel function, the narrower the larger `beta` is."""
    return operand(np.kaiser(int(plain(window_length)), float(plain(beta))).astype(numpy_dtype(dtype)))  # type: ignore[no-any-return]


@named("tf.signal.vorbis_window")
def vorbis_window(window_length: Any, dtype: Any = "float32", name: Any = None) -> EagerTensor:
    """Returns the window of the format Vorbis, the squares of whose overlapping halves add up to one."""
    length = int(plain(window_length))
    inner = np.sin(np.pi / length * (np.arange(length) + 0.5)) ** 2
    return operand(np.sin(np.pi / 2 * inner).astype(numpy_dtype(dtype)))  # type: ignore[no-any-return]


@named("tf.signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = "float32", name: Any = None
) -> EagerTensor:
    """Returns the window whose halves are roots of sums of that of Kaiser: overlapping squares are one."""
    half = int(plain(window_length)) // 2
    sums = np.cumsum(np.kaiser(half + 1, float(plain(beta))))
    rising = np.sqrt(sums[:-1] / sums[-1])
    return operand(np.concatenate((rising, rising[::-1])).astype(numpy_dtype(dtype)))  # type: ignore[no-any-return]


# -- frames -------------------------------------------------------------------------------------------------


@named("tf.signal.frame")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: Any = None,
) -> EagerTensor:
    """Returns pieces of an axis, `frame_length` long, one beginning `frame_step` behind the other.

    What is left at the end is dropped, or with `pad_end` filled up with `pad_value`.

    >>> from penstock import tensorflow as tf
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    # What is taken of a variable itself would have a gradient of rows.
    x: Any = identity(signal)
    length, step, along = int(plain(frame_length)), int(plain(frame_step)), int(plain(axis))
    along %= len(x._spec.shape)
    whole = x._spec.shape[along]
    count = -(-whole // step) if pad_end else max(0, 1 + (whole - length) // step)
    missing = (count - 1) * step + length - whole if count else 0
    if pad_end and missing > 0:
        widths = [(0, missing if i == along else 0) for i in range(len(x._spec.shape))]
        x = pad(x, widths, constant_values=plain(pad_value))
    places = np.arange(count)[:, None] * step + np.arange(length)[None, :]
    shape = x._spec.shape
    taken = native.take(x, native.asarray(places.reshape(-1)), axis=along)
    return spoken(native.reshape(taken, (*shape[:along], count, length, *shape[along + 1 :])))


@named("tf.signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: Any = None) -> EagerTensor:
    """Returns frames [..., frames, length] put back behind one another, added where they overlap."""
    x, step = operand(signal), int(plain(frame_step))
    *outer, count, length = x._spec.shape
    whole = (count - 1) * step + length if count else 0
    places = np.arange(count)[:, None] * step + np.arange(length)[None, :]
    # Each number of the result is a sum of those frames that reach it.
    share = np.zeros((count * length, whole), x._spec.dtype)
    share[np.arange(count * length), places.reshape(-1)] = 1
    flat = native.reshape(x, (*outer, count * length))
    return spoken(native.matmul(flat, native.asarray(share)))


@named("tf.signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Any = hann_window,
    pad_end: bool = False,
    name: Any = None,
) -> EagerTensor:
    """Returns the transforms of frames of a signal [..., samples]: [..., frames, fft_length // 2 + 1].

    Each frame is multiplied by `window_fn(frame_length)`, and filled up to `fft_length` (a power of 2).
    """
    length = int(plain(frame_length))
    pieces: Any = frame(_real(signals), length, frame_step, pad_end)
    if window_fn is not None:
        pieces = spoken(native.multiply(pieces, window_fn(length, dtype=pieces.dtype)))
    return rfft(pieces, [_enclosing(length) if fft_length is None else int(plain(fft_length))])


def _enclosing(length: int) -> int:
    return 1 << max(0, length - 1).bit_length()


@named("tf.signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Any = hann_window, name: Any = None
) -> Callable[..., EagerTensor]:
    """Returns the window with which `inverse_stft` gives back what `stft` was given with the other."""
    step = int(plain(frame_step))

    def inverse_window(frame_length: Any, dtype: Any = "float32") -> EagerTensor:
        length = int(plain(frame_length))
        forward = np.asarray(forward_window_fn(length, dtype=dtype).numpy())
        overlaps = -(-length // step)
        squares = np.pad(forward**2, (0, overlaps * step - length)).reshape(overlaps, step)
        total = np.tile(squares.sum(0), overlaps)[:length]
        return operand((forward / total).astype(numpy_dtype(dtype)))  # type: ignore[no-any-return]

    return inverse_window


@named("tf.signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Any = hann_window,
    name: Any = None,
) -> EagerTensor:
    """Returns the signal of transforms of frames; for `window_fn`, see `inverse_stft_window_fn`."""
    length = int(plain(frame_length))
    size = _enclosing(length) if fft_length is None else int(plain(fft_length))
    pieces: Any = irfft(stfts, [size])
    pieces = pieces[..., :length]
    if size < length:
        widths = [(0, 0)] * (len(pieces.shape) - 1) + [(0, length - size)]
        pieces = pad(pieces, widths)
    if window_fn is not None:
        pieces = spoken(native.multiply(pieces, window_fn(length, dtype=pieces.dtype)))
    return overlap_and_add(pieces, frame_step)


# -- cosines and mel ----------------------------------------------------------------------------------------


def _cosines(type: int, length: int, norm: str | None) -> Any:
    """Returns the matrix whose columns the transform takes sums with."""
    n: Any = np.arange(length)[:, None]
    k: Any = np.arange(length)[None, :]
    if type == 1:
        if norm is not None:
            raise ArgumentError("DCT-I has no norm.", site=here())
        weights = np.where((n == 0) | (n == length - 1), 1.0, 2.0)
        return weights * np.cos(np.pi * n * k / (length - 1))
    if type == 2:
        matrix = 2 * np.cos(np.pi * (2 * n + 1) * k / (2 * length))
        scale: Any = np.where(k == 0, np.sqrt(1 / length), np.sqrt(2 / length))
        scale = scale / 2
        return matrix * scale if norm == "ortho" else matrix
    if type == 3:
        if norm == "ortho":
            return _cosines(2, length, "ortho").T
        return np.where(n == 0, 1.0, 2.0) * np.cos(np.pi * n * (2 * k + 1) / (2 * length))
    if type == 4:
        matrix = 2 * np.cos(np.pi * (2 * n + 1) * (2 * k + 1) / (4 * length))
        return matrix * np.sqrt(1 / (2 * length)) if norm == "ortho" else matrix
    raise ArgumentError(f"Types I, II, III and IV (I)DCT are supported, not {type!r}.", site=here())


def _last(axis: Any, norm: Any) -> None:
    if axis != -1:
        raise ArgumentError(f"axis must be -1. Got: {axis}", site=here())
    if norm not in (None, "ortho"):
        raise ArgumentError(f"Unknown normalization. Expected None or 'ortho', got: {norm}", site=here())


@named("tf.signal.dct")
def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, name: Any = None
) -> EagerTensor:
    """Returns the discrete cosine transform of the last axis, cut or filled up with zeros to n."""
    _last(axis, norm)
    x = _real(input)
    length = x._spec.shape[-1] if n is None else int(plain(n))
    matrix = _cosines(type, length, norm)[: x._spec.shape[-1]].astype(x._spec.dtype)
    return spoken(native.matmul(x[..., :length], native.asarray(matrix)))


@named("tf.signal.idct")
def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, name: Any = None
) -> EagerTensor:
    """Returns the inverse of `dct` with the same type and norm, except for a factor 2n without a norm."""
    if n is not None:
        raise ArgumentError("idct takes the length of its input: n is not supported.", site=here())
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm)


@named("tf.signal.mdct")
def mdct(
    signals: Any, frame_length: Any, window_fn: Any = vorbis_window, pad_end: bool = False, norm: Any = None,
    name: Any = None,
) -> EagerTensor:  # fmt: skip
    """Returns the modified cosine transforms of frames of a signal that overlap by half.

    A frame, whose length is a multiple of 4, gives half as many numbers.
    """
    length = int(plain(frame_length))
    if length % 4:
        raise ArgumentError("The frame length must be a multiple of 4.", site=here())
    pieces: Any = frame(_real(signals), length, length // 2, pad_end)
    scale = 1 / math.sqrt(2) if window_fn is None else window_fn(length, dtype=pieces.dtype)
    pieces = native.multiply(pieces, scale)
    quarter = length // 4
    a, b, c, d = (pieces[..., n * quarter : (n + 1) * quarter] for n in range(4))
    folded = native.concat((-native.flip(c, axis=-1) - d, a - native.flip(b, axis=-1)), axis=-1)
    return dct(folded, 4, None, -1, norm)


@named("tf.signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any, window_fn: Any = vorbis_window, norm: Any = None, name: Any = None
) -> EagerTensor:
    """Returns the signal of `mdct` with the same window and norm, without the halves at its ends."""
    x = _real(mdcts)
    half = x._spec.shape[-1]
    found: Any = dct(x, 4, None, -1, norm)
    if norm is None:
        found = native.multiply(found, 0.5 / half)
    first, second = found[..., : half // 2], found[..., half // 2 :]
    turned = [native.flip(one, axis=-1) for one in (second, first)]
    pieces = native.concat((second, -turned[0], -turned[1], -first), axis=-1)
    scale = 1 / math.sqrt(2) if window_fn is None else window_fn(2 * half, dtype=x._spec.dtype)
    return overlap_and_add(spoken(native.multiply(pieces, scale)), half)


@named("tf.signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = "float32",
    name: Any = None,
) -> EagerTensor:
    """Returns [num_spectrogram_bins, num_mel_bins]: triangles at equal distances on the scale of mel.

    A spectrogram times this matrix has the axis of mel.
    """

    count, bins = int(plain(num_mel_bins)), int(plain(num_spectrogram_bins))
    # In the dtype asked for, as in TensorFlow: near an edge a difference of two such numbers is left.
    number = numpy_dtype(dtype).type

    def mel(hertz: Any) -> Any:
        # Rounded once: logarithms of one precision differ from one library to the next.
        inner = number(1.0) + np.asarray(hertz, number) / number(700.0)
        return number(1127.0) * np.log(inner.astype(np.float64)).astype(number)

    def between(start: Any, stop: Any, length: int) -> Any:
        found = start + (stop - start) / number(length - 1) * np.arange(length, dtype=number)
        found[-1] = stop
        return found

    lowest, highest = (mel(float(plain(one))) for one in (lower_edge_hertz, upper_edge_hertz))
    frequencies = mel(between(number(0.0), number(float(plain(sample_rate)) / 2.0), bins)[1:])[:, None]
    edges = between(lowest, highest, count + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (frequencies - lower) / (center - lower), (upper - frequencies) / (upper - center)
    # The frequency zero is in no triangle.
    matrix = np.pad(np.maximum(number(0.0), np.minimum(rising, falling)), ((1, 0), (0, 0)))
    return operand(matrix.astype(numpy_dtype(dtype)))  # type: ignore[no-any-return]


@named("tf.signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: Any = None) -> EagerTensor:
    """Returns the cepstral coefficients of spectrograms [..., frames, bins]: a scaled cosine transform."""
    found: Any = dct(log_mel_spectrograms)
    return spoken(native.multiply(found, 1.0 / math.sqrt(2.0 * found.shape[-1])))
