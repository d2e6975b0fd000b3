"""Functions of keras.ops with NumPy's names, composed of others."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

import penstock as _ps
from penstock.tensorflow import (
    _arrays,
    _elementwise,
    _matrices,
    _shape_functions,
    _special,
)
from penstock.tensorflow import (
    linalg as _linalg,
)
from penstock.tensorflow import (
    nn as _nn,
)
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _axes, _given, _made, _pair, _public, _real
from penstock.tensorflow.keras._ops.elementwise import where
from penstock.tensorflow.keras._ops.reductions import _plain, quantile
from penstock.tensorflow.keras._ops.shapes import _joined, flip, ravel, split, swapaxes
from penstock.trace.source_site import here as _here


def _numpy_like(name: str, function: _Callable[..., Any], purpose: str) -> None:
    function.__doc__ = f"Returns {purpose}."
    _public(function, name)


def _pieces(axis: int) -> _Callable[..., Any]:
    return lambda x, indices_or_sections: split(x, indices_or_sections, axis)


_numpy_like("hsplit", _pieces(1), "the parts of x along the second axis")
_numpy_like("vsplit", _pieces(0), "the parts of x along the first axis")
_numpy_like("dsplit", _pieces(2), "the parts of x along the third axis")
_numpy_like("fliplr", lambda x: flip(x, 1), "x in the opposite order along the second axis")
_numpy_like("flipud", lambda x: flip(x, 0), "x in the opposite order along the first axis")
_numpy_like("kron", lambda x1, x2: _ps.kron(*_pair(x1, x2)), "the Kronecker product")
_numpy_like("fmod", lambda x1, x2: _fmod(x1, x2), "the remainder with the sign of x1")
_numpy_like("pinv", lambda x, rcond=None: _linalg.pinv(_real(x), rcond), "the pseudo-inverse of matrices")
_numpy_like(
    "slogdet", lambda x: tuple(_linalg.slogdet(_real(x))), "the sign and the logarithm of determinants"
)
_numpy_like("logdet", lambda x: _linalg.logdet(_real(x)), "the logarithm of determinants")
_numpy_like(
    "percentile", lambda x, q, axis=None, method="linear",
    keepdims=False: quantile(x, _np.asarray(_plain(q)) / 100.0, axis, method, keepdims),
    "the q-th percentile of the elements",
)  # fmt: skip
_numpy_like(
    "isin", lambda x1, x2, assume_unique=False, invert=False: _within(x1, x2, invert), "which of x1 are in x2"
)
_numpy_like("vander", lambda x, N=None, increasing=False: _vander(x, N, increasing), "powers of x as columns")
_numpy_like(
    "dstack", lambda xs: _arrays.concat([_deep(one) for one in _joined(xs)], 2), "tensors joined in depth"
)
_numpy_like("rot90", lambda array, k=1, axes=(0, 1): _rot90(array, k, axes), "x turned by a quarter, k times")
_numpy_like("diagflat", lambda x, k=0: _matrices.diag(ravel(x), k=k), "a matrix with x as its diagonal")
_numpy_like(
    "trapezoid", lambda y, x=None, dx=1.0, axis=-1: _trapezoid(y, x, dx, axis), "the integral by trapezia"
)  # fmt: skip
_numpy_like("select", lambda condlist, choicelist, default=0: _select(condlist, choicelist, default),
            "the choice of the first condition that holds")  # fmt: skip
_numpy_like(
    "unravel_index",
    lambda indices, shape: tuple(
        _arrays.unstack(_shape_functions.unravel_index(_given(indices), shape), axis=0)
    ),
    "places in a shape",
)
_numpy_like("depth_to_space", lambda x, block_size, data_format="channels_last": _nn.depth_to_space(
    _given(x), block_size), "channels as pixels")  # fmt: skip
_numpy_like("space_to_depth", lambda x, block_size, data_format="channels_last": _nn.space_to_depth(
    _given(x), block_size), "pixels as channels")  # fmt: skip
_numpy_like(
    "psnr",
    lambda x1, x2, max_val: 10.0 * _ps.log10(_real(max_val) ** 2 / _ps.mean((_real(x1) - _real(x2)) ** 2)),
    "how near two pictures are, in decibels",
)


def _floats(array: Any, dtype: Any) -> Any:
    return _given(_np.asarray(array).astype(_as_dtype(dtype or "float32").as_numpy_dtype))


_numpy_like(
    "logspace",
    lambda start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0: _floats(
        _np.logspace(start, stop, num, endpoint, base, axis=axis), dtype
    ),
    "numbers at equal distances of their logarithms",
)
_numpy_like(
    "geomspace",
    lambda start, stop, num=50, endpoint=True, dtype=None, axis=0: _floats(
        _np.geomspace(start, stop, num, endpoint, axis=axis), dtype
    ),
    "numbers at equal ratios",
)
for _name in ("bartlett", "blackman", "hamming", "hanning"):
    _numpy_like(
        _name, lambda x, _name=_name: _floats(getattr(_np, _name)(int(x)), None), f"the window {_name}"
    )


@_public
def kaiser(x: Any, beta: float) -> Any:
    """Returns the window kaiser of a length."""
    from penstock.tensorflow import signal

    return signal.kaiser_window(int(x), float(beta))


for _name, _fill in {"nansum": 0.0, "nanprod": 1.0}.items():
    _numpy_like(_name, lambda x, axis=None, keepdims=False, _f=_made[_name[3:]], _v=_fill: _f(
        _ps.where(_ps.isnan(_real(x)), _v, _real(x)), axis, keepdims),
        f"the {_name[3:]} without NaNs")  # fmt: skip
for _name, _fill in {"nanmax": -float("inf"), "nanmin": float("inf")}.items():
    _numpy_like(_name, lambda x, axis=None, keepdims=False, _f=_made[_name[3:]], _v=_fill: _f(
        _ps.where(_ps.isnan(_real(x)), _v, _real(x)), axis, keepdims),
        f"the {_name[3:]}imum without NaNs")  # fmt: skip


def _counted(x: Any, axis: Any, keepdims: bool) -> Any:
    return _ps.sum(
        _elementwise.cast(_ps.logical_not(_ps.isnan(x)), x._spec.dtype), axis=_axes(axis), keepdims=keepdims
    )


@_public
def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the mean, without NaNs."""
    x = _real(x)
    return _ps.sum(_ps.where(_ps.isnan(x), 0.0, x), axis=_axes(axis), keepdims=keepdims) / _counted(
        x, axis, keepdims
    )


@_public
def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the variance, without NaNs."""
    x = _real(x)
    return nanmean((x - nanmean(x, axis, True)) ** 2, axis, keepdims)


@_public
def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the standard deviation, without NaNs."""
    return _ps.sqrt(nanvar(x, axis, keepdims))


def _fmod(x1: Any, x2: Any) -> Any:
    x, y = _pair(x1, x2)
    if x._spec.dtype.kind in "fV":
        return _ps.sign(x) * _ps.remainder(_ps.abs(x), _ps.abs(y))
    return _special.truncatemod(x, y)


def _within(x1: Any, x2: Any, invert: bool) -> Any:
    x, y = _pair(x1, x2)
    found = _ps.any(_ps.equal(x[..., None], _arrays.reshape(y, [-1])), axis=-1)
    return _ps.logical_not(found) if invert else found


def _vander(x: Any, count: Any, increasing: bool) -> Any:
    x = _given(x)
    powers = _np.arange(x._spec.shape[0] if count is None else count)
    return _ps.pow(x[:, None], _given((powers if increasing else powers[::-1]).astype(x._spec.dtype)))


def _deep(x: Any) -> Any:
    rank = len(x._spec.shape)
    return _arrays.reshape(x, [1, -1, 1]) if rank < 2 else x[..., None] if rank == 2 else x


def _rot90(x: Any, k: int, axes: Any) -> Any:
    x, (a, b) = _given(x), axes
    if k % 4 == 2:
        return _ps.flip(_ps.flip(x, axis=a), axis=b)
    if k % 4 == 1:
        return swapaxes(_ps.flip(x, axis=b), a, b)
    return _ps.flip(swapaxes(x, a, b), axis=b) if k % 4 == 3 else x


def _trapezoid(y: Any, x: Any, dx: float, axis: int) -> Any:
    y = _ps.moveaxis(_real(y), axis, -1)
    width = (
        dx
        if x is None
        else _ps.diff(_ps.moveaxis(_real(x), axis if len(_given(x)._spec.shape) > 1 else 0, -1))
    )
    return _ps.sum((y[..., 1:] + y[..., :-1]) * width / 2.0, axis=-1)


def _select(conditions: Any, choices: Any, default: Any) -> Any:
    made = _given(default) if not choices else _pair(_given(default), choices[0])[0]
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        made = where(condition, choice, made)
    return made


@_public
def rms_normalization(x: Any, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> Any:
    """Returns x divided by the root of the mean of its squares along an axis, times `scale`."""
    x = _real(x)
    floor = 1e-7 if epsilon is None else epsilon
    made = x * _ps.rsqrt(_ps.mean(x * x, axis=_axes(axis), keepdims=True) + floor)
    return made if scale is None else made * scale


@_public
def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    size: Any = None,
    fill_value: Any = None,
) -> Any:
    """Returns each value once, always in order; the value is read.

    `sorted` does nothing: values are always in order.
    """
    if size is not None or fill_value is not None or return_index:
        raise _ArgumentError("unique: size, fill_value and return_index are not taken.", site=_here())
    found = _np.unique(_np.asarray(_given(x).numpy()), return_inverse=True, return_counts=True, axis=axis)
    kept = [found[0], *([found[1].astype(_np.int32)] if return_inverse else []),
            *([found[2].astype(_np.int32)] if return_counts else [])]  # fmt: skip
    made = tuple(_given(one) for one in kept)
    return made if len(made) > 1 else made[0]
