"""Short-time Fourier transforms under Paddle's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _creation, _manipulation, _math, _scattering, fft
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._tensor import saving
from penstock.trace.source_site import here, user_frame


def frame(x: Any, frame_length: int, hop_length: int, axis: int = -1, name: Any = None) -> Any:
    """Returns the parts of this length of x, each starting `hop_length` after the one before."""
    x = operand(x)
    length = x._spec.shape[axis]
    if frame_length > length:
        raise InvalidValueError(
            f"Attribute frame_length should be less equal than sequence length, but got ({frame_length}) > "
            f"({length}).",
            site=here(),
        )
    count = 1 + (length - frame_length) // hop_length
    starts = np.arange(count) * hop_length
    if axis in (-1, x._spec.ndim - 1) and axis != 0:
        places = np.arange(frame_length)[:, None] + starts[None, :]
        found = _manipulation.gather(x, data(places.reshape(-1)), -1)
        return saving(found.reshape([*x._spec.shape[:-1], frame_length, count]), user_frame(1), x)
    places = starts[:, None] + np.arange(frame_length)[None, :]
    found = _manipulation.gather(x, data(places.reshape(-1)), 0)
    return saving(found.reshape([count, frame_length, *x._spec.shape[1:]]), user_frame(1), x)


def overlap_add(x: Any, hop_length: int, axis: int = -1, name: Any = None) -> Any:
    """Returns parts, in the last two axes, put together again: where they overlap, their sum."""
    x = operand(x)
    if axis == 0:
        order = [*range(2, x._spec.ndim), 1, 0]
        found = overlap_add(x.transpose(order), hop_length)
        return found.transpose([found._spec.ndim - 1, *range(found._spec.ndim - 1)])
    length, count = x._spec.shape[-2:]
    total = (count - 1) * hop_length + length
    places = (np.arange(length)[:, None] + (np.arange(count) * hop_length)[None, :]).reshape(-1)
    lead = x._spec.shape[:-2]
    flat = x.reshape([int(np.prod(lead, dtype=int)), length * count])
    empty = _creation.zeros([flat._spec.shape[0], total], x._spec.dtype.name)
    added = _scattering.index_add(empty, data(places), 1, flat).reshape([*lead, total])
    return saving(added, user_frame(1), x)


def _window(window: Any, n_fft: int, length: int, kind: Any) -> Any:
    """Returns a window with zeros about it, as long as the transform."""
    found = _creation.ones([length], kind) if window is None else operand(window)
    left = (n_fft - length) // 2
    if n_fft == length:
        return found
    ends = [_creation.zeros([n], found._spec.dtype.name) for n in (left, n_fft - length - left)]
    return _manipulation.concat([ends[0], found, ends[1]])


def _of_real(kind: np.dtype[Any]) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(kind.name, kind.name)


def stft(
    x: Any, n_fft: int, hop_length: Any = None, win_length: Any = None, window: Any = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool = True,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the Fourier transforms of overlapping parts of a signal, frequencies first."""
    from penstock.paddle.nn import functional as F

    x = operand(x)
    alone = x._spec.ndim == 1
    x = x.unsqueeze(0) if alone else x
    hop = n_fft // 4 if hop_length is None else int(hop_length)
    length = n_fft if win_length is None else int(win_length)
    kind = x._spec.dtype
    if center:
        if kind.kind == "c":
            pads = [F.pad(one.unsqueeze(-2), [n_fft // 2] * 2, mode=pad_mode, data_format="NCL").squeeze(-2)
                    for one in (x.real(), x.imag())]  # fmt: skip
            from penstock.paddle._complex import complex as joined

            x = joined(*pads)
        else:
            x = F.pad(x.unsqueeze(-2), [n_fft // 2] * 2, mode=pad_mode, data_format="NCL").squeeze(-2)
    parts = frame(x, n_fft, hop) * _window(window, n_fft, length, _of_real(kind)).unsqueeze(-1)
    norm = "ortho" if normalized else "backward"
    found = (fft.rfft if onesided and kind.kind != "c" else fft.fft)(parts, axis=-2, norm=norm)
    return found.squeeze(0) if alone else found


def istft(
    x: Any, n_fft: int, hop_length: Any = None, win_length: Any = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool = True, length: Any = None,
    return_complex: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the signal whose `stft` this is."""
    x = operand(x)
    alone = x._spec.ndim == 2
    x = x.unsqueeze(0) if alone else x
    hop = n_fft // 4 if hop_length is None else int(hop_length)
    width = n_fft if win_length is None else int(win_length)
    padded = _window(window, n_fft, width, _of_real(x._spec.dtype))
    norm = "ortho" if normalized else "backward"
    if return_complex:
        parts = fft.ifft(x, axis=-2, norm=norm)
    elif onesided:
        parts = fft.irfft(x, n_fft, -2, norm)
    else:
        parts = fft.ifft(x, axis=-2, norm=norm).real()
    found = overlap_add(parts * padded.unsqueeze(-1), hop)
    squares = _math.square(padded).unsqueeze(-1).expand([n_fft, x._spec.shape[-1]])
    weight = overlap_add(squares.unsqueeze(0), hop).squeeze(0)
    start = n_fft // 2 if center else 0
    stop = found._spec.shape[-1] - start if length is None else start + int(length)
    found = found[:, start:stop] / weight[start:stop]
    return found.squeeze(0) if alone else found


__getattr__, __dir__, __all__ = _namespace("paddle.signal", globals())
for _name in ("frame", "overlap_add"):
    __all__.remove(_name)  # Paddle does not show them.
