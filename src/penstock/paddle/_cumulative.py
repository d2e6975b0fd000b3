"""Running sums, products and extremes along an axis, and differences between neighbours."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.ops import index, linear, pointwise, scan, shape
from penstock.ops.table import cast as native_cast
from penstock.paddle import _math, _slicing
from penstock.paddle._convert import axes_in, converted, operand, record
from penstock.paddle._declaring import method
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._writing import written
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@method("cumsum_")
def cumsum(x: Any, axis: Any = None, dtype: Any = None, name: Any = None, *, out: Any = None) -> Any:
    """Returns running sums along an axis, or of all elements in order."""
    frame = _frame(1)
    x = operand(x)
    if axis is None:
        x, axis = record(shape.reshape, (x,), {"shape": (x._spec.size,)}, frame), 0
    if dtype is not None:
        x = converted(x, numpy_dtype(dtype), frame)
    elif x._spec.dtype.kind in "iu":
        x = converted(x, np.dtype(np.int64), frame)
    if axes_in(axis, x) is None:
        return written(record(pointwise.identity, (x,), {}, frame), out, "cumsum", frame)
    return written(_running_sum(x, int(axis) % x._spec.ndim), out, "cumsum", frame)


@composite(1, wide=True)
def _running_sum(x: Any, axis: int) -> Any:

    length = x.shape[axis]
    order = (*(i for i in range(len(x.shape)) if i != axis), axis)
    moved = shape.transpose(x, axes=order)
    flat = shape.reshape(moved, shape=(x._spec.size // max(length, 1), length))
    places = index.arange(start=0, step=1, length=length, dtype=np.dtype(np.int64))
    first = shape.reshape(places, shape=(length, 1))
    mask = pointwise.less_equal(first, shape.reshape(places, shape=(1, length)))

    summed = linear.matmul(flat, native_cast(mask, dtype=x._spec.dtype))
    back = tuple(int(i) for i in np.argsort(order))
    return shape.transpose(shape.reshape(summed, shape=moved.shape), axes=back)


@composite(1, "cumprod")
def _cumprod(x: Any, axis: int) -> Tensor:
    return native.cumulative_prod(x, axis=axis, dtype=x.dtype)


@method("cumprod_")
def cumprod(x: Any, dim: Any = None, dtype: Any = None, name: Any = None) -> Any:
    """Returns the products of the elements up to each one, along an axis or of x flattened."""
    x = operand(x) if dtype is None else operand(x).astype(numpy_dtype(dtype).name)
    if dim is not None and axes_in(dim, x) is None:
        return record(pointwise.identity, (x,), {}, _frame(1))
    return _cumprod(native.reshape(x, (-1,)) if dim is None else x, 0 if dim is None else int(dim))


def _along(x: Any, axis: Any) -> tuple[Any, int]:
    return (native.reshape(x, (-1,)), 0) if axis is None else (x, int(axis))


@composite(1, "cummax")
def _cummax(x: Any, axis: int, dtype: Any) -> tuple[Tensor, Tensor]:
    return native.cumulative_max(x, axis=axis), _places(scan.running_argmax, x, axis, dtype)


@composite(1, "cummin")
def _cummin(x: Any, axis: int, dtype: Any) -> tuple[Tensor, Tensor]:
    return native.cumulative_min(x, axis=axis), _places(scan.running_argmin, x, axis, dtype)


def _places(primitive: Any, x: Any, axis: int, dtype: Any) -> Tensor:
    return native.astype(primitive(x, axis=axis % len(x.shape), reverse=False), dtype)


def _places_dtype(name: str, dtype: Any) -> np.dtype[Any]:
    wanted = numpy_dtype(dtype)
    if wanted.name not in ("int32", "int64"):
        raise InvalidValueError(
            f"{name}: dtype of indices must be int32 or int64, but received {wanted}.", site=here()
        )
    return wanted


@method
def cummax(x: Any, axis: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns the largest of the elements up to each one, along an axis or of x flattened, and their places.

    Of equal ones it is the latest that is counted, and has the gradient.

    >>> from penstock import paddle
    >>> values, places = paddle.cummax(paddle.to_tensor([1.0, 3.0, 2.0, 3.0]))
    >>> values.tolist(), places.tolist()
    ([1.0, 3.0, 3.0, 3.0], [0, 1, 1, 3])
    """
    wanted = _places_dtype("cummax", dtype)
    return _cummax(*_along(operand(x), axis), wanted)


@method
def cummin(x: Any, axis: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns the smallest of the elements up to each one, along an axis or of x flattened, and their places.

    Of equal ones it is the latest that is counted, and has the gradient.
    """
    wanted = _places_dtype("cummin", dtype)
    return _cummin(*_along(operand(x), axis), wanted)


@composite(1, "logcumsumexp", wide=True)
def _logcumsumexp(x: Any, axis: int) -> Tensor:
    return native.cumulative_logsumexp(x, axis=axis)


@method
def logcumsumexp(x: Any, axis: Any = None, dtype: Any = None, name: Any = None) -> Any:
    """Returns log(sum(exp(x))) of the elements up to each one, along an axis or of x flattened.

    Of elements that are all -inf it is -inf; Paddle's is the lowest number of the dtype.
    """
    x = operand(x) if dtype is None else operand(x).astype(numpy_dtype(dtype).name)
    if x._spec.dtype.kind in "iub":
        # The copy in floats has no history, as in Paddle.
        x = x.detach().astype("float32")
    return _logcumsumexp(*_along(x, axis))


@composite(1, "diff")
def _diff(x: Any, n: int, axis: int) -> Tensor:
    return native.diff(x, n=n, axis=axis)


@method
def diff(
    x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None, name: Any = None
) -> Any:
    """Returns the differences between neighbours along an axis."""
    parts = [operand(one) for one in (prepend, x, append) if one is not None]
    whole = parts[0] if len(parts) == 1 else native.concat(parts, axis=axis)
    return _diff(whole, int(n), int(axis))


def _slices(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Returns the areas between neighbours."""
    y = operand(y)
    if x is not None and dx is not None:
        raise InvalidValueError("Not permitted to specify both x and dx input args.", site=here())
    axis = axis % y._spec.ndim
    length = y._spec.shape[axis]
    left = _slicing.slice(y, [axis], [0], [length - 1])
    right = _slicing.slice(y, [axis], [1], [length])
    width: Any = 1.0 if dx is None else dx
    if x is not None:
        x = operand(x)
        width = diff(x, axis=0 if x._spec.ndim == 1 else axis)
        if x._spec.ndim == 1:
            width = width.reshape([-1, *[1] * (y._spec.ndim - axis - 1)])
    return (left + right) * 0.5 * width


@method
def trapezoid(y: Any, x: Any = None, dx: Any = None, axis: int = -1, name: Any = None) -> Any:
    """Returns the area below straight lines through points, at x or at equal distances."""
    return _math.sum(_slices(y, x, dx, axis), axis)


@method
def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = None, axis: int = -1, name: Any = None) -> Any:
    """Returns the areas below straight lines through points, up to each but the first."""
    return cumsum(_slices(y, x, dx, axis), axis)
