"""Scales of pitch and loudness, filters for them, and windows, under Paddle's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.paddle import _creation, _elementwise, _math
from penstock.paddle._convert import HANDLES, data
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle.audio._windows import NEED_ARGUMENTS, WINDOWS
from penstock.trace.source_site import here

_WIDTH = 200.0 / 3
_BREAK, _MELS = 1000.0, 1000.0 / _WIDTH
_STEP = math.log(6.4) / 27.0
"""Slaney's scale: mels of this many hertz up to 1000 Hz, and equal ratios above."""


def hz_to_mel(freq: Any, htk: bool = False) -> Any:
    """Returns frequencies in mels: Slaney's, or those of the Hidden Markov Toolkit with `htk`.

    >>> from penstock import paddle
    >>> round(paddle.audio.functional.hz_to_mel(440.0), 3)
    6.6
    """
    if isinstance(freq, HANDLES):
        return _tensor_to_mel(freq, htk)
    if htk:
        return 2595.0 * math.log10(1.0 + freq / 700.0)
    return freq / _WIDTH if freq < _BREAK else _MELS + math.log(freq / _BREAK + 1e-10) / _STEP


def _tensor_to_mel(freq: Any, htk: bool) -> Any:
    if htk:
        return 2595.0 * _elementwise.log10(1.0 + freq / 700.0)
    above = (freq > _BREAK).astype(freq.dtype)
    return (_MELS + _math.log(freq / _BREAK + 1e-10) / _STEP) * above + freq / _WIDTH * (1 - above)


def mel_to_hz(mel: Any, htk: bool = False) -> Any:
    """Returns mels in hertz: the inverse of `hz_to_mel`."""
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    if isinstance(mel, int | float):
        return _WIDTH * mel if mel < _MELS else _BREAK * math.exp(_STEP * (mel - _MELS))
    above = (mel > _MELS).astype(mel.dtype)
    return _BREAK * _math.exp(_STEP * (mel - _MELS)) * above + _WIDTH * mel * (1 - above)


def mel_frequencies(
    n_mels: int = 64, f_min: float = 0.0, f_max: float = 11025.0, htk: bool = False, dtype: Any = "float32"
) -> Any:
    """Returns frequencies in hertz at equal distances in mels."""
    ends = [hz_to_mel(one, htk) for one in (f_min, f_max)]
    return mel_to_hz(_creation.linspace(ends[0], ends[1], n_mels, dtype), htk)


def fft_frequencies(sr: int, n_fft: int, dtype: Any = "float32") -> Any:
    """Returns the frequencies that a transform of `n_fft` places tells apart, at the sampling rate `sr`."""
    return _creation.linspace(0, float(sr) / 2, 1 + n_fft // 2, dtype)


def compute_fbank_matrix(
    sr: int, n_fft: int, n_mels: int = 64, f_min: float = 0.0, f_max: float | None = None, htk: bool = False,
    norm: Any = "slaney", dtype: Any = "float32",
) -> Any:  # fmt: skip
    """Returns triangular filters, [n_mels, 1 + n_fft // 2], that turn a spectrum into one in mels.

    With the norm "slaney" each has the area 1; a number is the order of the norm that is brought to 1.
    """
    from penstock.paddle.nn import functional as F

    ends = mel_frequencies(n_mels + 2, f_min, float(sr) / 2 if f_max is None else f_max, htk, dtype)
    gaps = (ends[1:] - ends[:-1]).unsqueeze(1)
    ramps = ends.unsqueeze(1) - fft_frequencies(sr, n_fft, dtype).unsqueeze(0)
    sides = _math.minimum(-ramps[:-2] / gaps[:-1], ramps[2:] / gaps[1:])
    weights = _math.maximum(_creation.zeros_like(sides), sides)
    if norm == "slaney":
        return weights * (2.0 / (ends[2:] - ends[:-2])).unsqueeze(1)
    return F.normalize(weights, p=norm, axis=-1) if isinstance(norm, int | float) else weights


def power_to_db(spect: Any, ref_value: float = 1.0, amin: float = 1e-10, top_db: float | None = 80.0) -> Any:
    """Returns a power in decibels above `ref_value`, at most `top_db` below the largest of all.

    A power below `amin` counts as `amin`.
    """
    for name, value in (("amin", amin), ("ref_value", ref_value)):
        if value <= 0:
            raise InvalidValueError(f"{name} must be strictly positive", site=here())
    least = _creation.full_like(spect, amin)
    found = 10.0 * _elementwise.log10(_math.maximum(least, spect)) - 10.0 * math.log10(max(ref_value, amin))
    if top_db is None:
        return found
    if top_db < 0:
        raise InvalidValueError("top_db must be non-negative", site=here())
    return _math.maximum(found, _creation.ones_like(found) * (found.max() - top_db))


def create_dct(n_mfcc: int, n_mels: int, norm: str | None = "ortho", dtype: Any = "float32") -> Any:
    """Returns the matrix [n_mels, n_mfcc] of the cosine transform (DCT-II)."""
    if norm not in (None, "ortho"):
        raise AssertionError(f"norm must be 'ortho' or None, but got {norm!r}.")
    places = (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc)[None, :]
    found = np.cos(math.pi / n_mels * places)
    if norm is None:
        return data((found * 2.0).astype(numpy_dtype(dtype)))
    found[:, 0] *= math.sqrt(0.5)
    return data((found * math.sqrt(2.0 / n_mels)).astype(numpy_dtype(dtype)))


def get_window(window: Any, win_length: int, fftbins: bool = True, dtype: Any = "float64") -> Any:
    """Returns a window, named or as a tuple of its name and its arguments.

    With `fftbins` it is one period of a periodic window, else it is symmetric.

    >>> from penstock import paddle
    >>> paddle.audio.functional.get_window("hann", 4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    if not isinstance(window, str | tuple) or not window:
        raise InvalidValueError(f"{type(window)} as window type is not supported.", site=here())
    name, *given = (window,) if isinstance(window, str) else window
    if isinstance(window, str) and name in NEED_ARGUMENTS:
        raise InvalidValueError(
            f"The '{name}' window needs one or more parameters -- pass a tuple.", site=here()
        )
    if name not in WINDOWS:
        raise InvalidValueError(
            "Unknown window type.", remedy=f"Use one of {', '.join(WINDOWS)}.", site=here()
        )
    length = int(win_length)
    if length <= 1:
        return data(np.ones(length, numpy_dtype(dtype)))
    try:
        found = WINDOWS[name](length + bool(fftbins), *given)
    except TypeError as error:
        raise InvalidTypeError(f"The {name!r} window does not take {given}.", site=here()) from error
    return data(found[:length].astype(numpy_dtype(dtype)))


__getattr__, __dir__, __all__ = _namespace("paddle.audio.functional", globals())
