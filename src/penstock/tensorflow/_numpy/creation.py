"""Functions of tf.experimental.numpy that make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, linalg, math
from penstock.tensorflow._convert import lengths_of
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._numpy.elementwise import log10, real, sign
from penstock.tensorflow._numpy.promotion import PLACE, common, given, listed, refused
from penstock.tensorflow._numpy.shapes import moveaxis
from penstock.tensorflow._tensor import EagerTensor


def _dtype(dtype: Any) -> Any:
    return common(dtype) if dtype else np.dtype(np.float32)


def _filled(value: int) -> Any:
    def function(shape: Any, dtype: Any = float) -> Any:
        return given(np.full(lengths_of(shape), value, _dtype(dtype)))

    return function


def _like(value: int) -> Any:
    def function(a: Any, dtype: Any = None) -> Any:
        return given(np.full(given(a)._spec.shape, value, common(dtype) if dtype else common(a)))

    return function


zeros = listed("zeros empty", _filled(0), "an array of zeros; float64 where no dtype is given")
ones = listed("ones", _filled(1), "an array of ones; float64 where no dtype is given")
zeros_like = listed("zeros_like empty_like", _like(0), "an array of zeros in the shape of another")
ones_like = listed("ones_like", _like(1), "an array of ones in the shape of another")


@named(f"{PLACE}.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns an array with this value everywhere."""
    return _arrays.broadcast_to(given(fill_value, dtype), lengths_of(shape))


@named(f"{PLACE}.full_like")
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    """Returns an array with this value everywhere, in the shape of another."""
    if order != "K":
        raise refused("Non-standard orders are not supported.")
    if not subok:
        raise refused("subok being False is not supported.")
    if shape:
        raise refused("Overriding the shape is not supported.")
    a = given(a)
    return _arrays.broadcast_to(given(fill_value, dtype or a._spec.dtype), a._spec.shape)


@named(f"{PLACE}.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Any:
    """Returns an array repeated to a shape."""
    return full(shape, array)


@named(f"{PLACE}.eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """Returns a matrix with ones on its k-th diagonal."""
    return given(np.eye(int(N), int(M) if M else None, int(k), _dtype(dtype)))


@named(f"{PLACE}.identity")
def identity(n: Any, dtype: Any = float) -> Any:
    """Returns a square matrix with ones on its diagonal."""
    return eye(n, n, dtype=dtype)


@named(f"{PLACE}.tri")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones on its k-th diagonal and below."""
    return given(np.tri(N, M, k, common(float if dtype is None else dtype)))


@named(f"{PLACE}.array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Returns a tensor of an array, a list or a number, of NumPy's dtype for it. `copy` does nothing: tensors
    do not change.

    >>> from penstock import tensorflow as tf
    >>> tf.experimental.numpy.array([1, 2], ndmin=2)
    <tf.Tensor: shape=(1, 2), dtype=int64, numpy=array([[1, 2]])>
    """
    if ndmin > 32:
        raise refused("ndmin bigger than allowable number of dimensions: 32.")
    made = given(val, common(dtype) if dtype else None)
    missing = ndmin - len(made.shape)
    return _arrays.reshape(made, [1] * missing + list(made.shape)) if missing > 0 else made


@named(f"{PLACE}.asarray", f"{PLACE}.asanyarray")
def asarray(a: Any, dtype: Any = None) -> Any:
    """Returns a tensor of an array, a list or a number, of NumPy's dtype for it."""
    return array(a, dtype)


@named(f"{PLACE}.ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Returns a tensor with one axis or more."""
    return array(a, dtype, ndmin=1)


@named(f"{PLACE}.copy")
def copy(a: Any) -> Any:
    """Returns the argument as a tensor; tensors do not change."""
    return array(a)


@named(f"{PLACE}.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns the numbers from start to before stop, `step` apart."""
    if not step:
        raise refused("step must be non-zero.")
    given_dtype = common(dtype) if dtype else common(start, step, *(() if stop is None else (stop,)))
    low, high = (0, start) if stop is None else (start, stop)
    if (step > 0 and low > high) or (step < 0 and low < high):
        return given([], given_dtype)
    return cast(_arrays.range(start, stop, step), given_dtype)


@named(f"{PLACE}.diag_indices")
def diag_indices(n: int, ndim: int = 2) -> tuple[EagerTensor, ...]:
    """Returns the indices of a diagonal, for each axis."""
    for name, one in (("n", n), ("ndim", ndim)):
        if one < 0:
            raise refused(f"{name} argument to diag_indices must be nonnegative, got {one}")
    return (_arrays.range(n),) * ndim


@named(f"{PLACE}.linspace")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Returns numbers at equal distances, and the distance on request.

    Their dtype is that of `start * 1.0` and `stop * 1.0`: TensorFlow takes another `dtype` for a request to
    convert, and chooses this one.
    """
    wanted = common(_times_one(start), _times_one(stop)) if dtype else None
    first, last = given(start, wanted), given(stop, wanted)
    if num < 0:
        raise refused(
            f"Argument `num` (number of samples) must be a non-negative integer. Received: num={num}"
        )
    parts = num - 1 if endpoint else num
    step = (last - first) / parts if parts > 0 else given(np.float32(np.nan))
    end = last if endpoint or num <= 1 else last - step
    made = _arrays.linspace(first, end, num, axis=axis)
    return (made, step) if retstep else made


def _times_one(value: Any) -> Any:
    return [_times_one(one) for one in value] if isinstance(value, list | tuple) else value * 1.0


@named(f"{PLACE}.logspace")
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns powers of a base whose exponents are at equal distances.

    `dtype` does nothing: TensorFlow chooses that of `start * 1.0` and `stop * 1.0`.
    """
    powers = linspace(start, stop, num, endpoint, axis=axis)
    return math.pow(cast(given(base), powers._spec.dtype), powers)


@named(f"{PLACE}.geomspace")
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Returns numbers each of which is the last one times the same factor."""
    wanted = common(dtype) if dtype else common(start, stop, float(num))
    working = np.promote_types(wanted, np.float32)
    first, last = given(start, working), given(stop, working)
    turned = 1 - (1 - sign(real(first))) * (1 - sign(real(last))) // 2
    found = turned * logspace(log10(turned * first), log10(turned * last), num, endpoint)
    return cast(moveaxis(found, 0, axis) if axis else found, wanted)


@named(f"{PLACE}.diag")
def diag(v: Any, k: int = 0) -> Any:
    """Returns a matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix."""
    v = given(v)
    if len(v.shape) not in (1, 2):
        raise refused(f"diag takes a vector or a matrix, not shape {v.shape}.")
    return _matrix(v, k) if len(v.shape) == 1 else diagonal(v, k)


def _matrix(v: EagerTensor, k: int) -> Any:
    return linalg.diag(v, k=k) if v.shape[0] else given(np.zeros((abs(k), abs(k)), v._spec.dtype))


@named(f"{PLACE}.diagflat")
def diagflat(v: Any, k: int = 0) -> Any:
    """Returns a matrix with all elements on its k-th diagonal."""
    return diag(_arrays.reshape(given(v), [-1]), k)


@named(f"{PLACE}.diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns a diagonal of matrices, which two axes span."""
    a = moveaxis(given(a), (axis1, axis2), (-2, -1))
    rows, columns = a._spec.shape[-2:]
    if offset <= -rows or offset >= columns:
        return given(np.zeros((*a._spec.shape[:-2], 0), a._spec.dtype))
    return linalg.diag_part(a, k=offset)


@named(f"{PLACE}.tril")
def tril(m: Any, k: int = 0) -> Any:
    """Returns a matrix with zeros above the k-th diagonal."""
    return _triangle(m, k, lower=True)


@named(f"{PLACE}.triu")
def triu(m: Any, k: int = 0) -> Any:
    """Returns a matrix with zeros below the k-th diagonal."""
    return _triangle(m, k - 1, lower=False)


def _triangle(m: Any, k: int, lower: bool) -> Any:
    m = given(m)
    if len(m.shape) < 2:
        raise refused(f"Argument to {'tril' if lower else 'triu'} must have rank at least 2")
    mask = _arrays.broadcast_to(given(np.tri(m._spec.shape[-2], m._spec.shape[-1], k, bool)), m._spec.shape)
    zero = given(0, m._spec.dtype)
    return _arrays.where(mask, m, zero) if lower else _arrays.where(mask, zero, m)


@named(f"{PLACE}.vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Returns the powers of each element as a row."""
    x = given(x)
    if N is not None and N < 0:
        raise refused("N must be nonnegative")
    if len(x.shape) != 1:
        raise refused("x must be a one-dimensional array")
    powers = np.arange(x.shape[0] if N is None else int(N))
    exponents = given(powers if increasing else powers[::-1].copy(), x._spec.dtype)
    return math.pow(_arrays.expand_dims(x, -1), exponents)
