"""Making tensors: from data, of one number, in steps, and the upper and lower parts of matrices."""

from __future__ import annotations

import builtins
import math
import sys
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.functions import interchange
from penstock.functions.arguments import check_device, dtype_of, lengths_of, tensor
from penstock.functions.datatypes import astype, result_type
from penstock.functions.manipulation import broadcast_arrays, expand_dims, reshape, stack
from penstock.ops import index
from penstock.ops import shape as _shape
from penstock.ops.validation import number, whole
from penstock.state.variable import read
from penstock.trace.builder import Builder
from penstock.trace.convert import convert
from penstock.trace.lengths import count, is_symbolic, maximum
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.structure import holds
from penstock.trace.tensor import Cell, Tensor, concrete

_frame = sys._getframe


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """Returns array-like data as a tensor, copied. A tensor is returned unchanged, a variable is read.

    Python floats become float32, complex numbers complex64 and integers int64, unless `dtype` says otherwise;
    arrays keep their dtype, in the byte order of the processor. Anything that can be read through DLPack or
    the buffer protocol is data. A tensor never changes, so `copy` matters only if it is False: then data that
    would have to be copied raises ValueError. Raises DTypeError for data that is not numeric or is masked.

    Args:
        obj: a number, nested sequences of numbers, an array of any library, a tensor or a variable.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".
        copy: False refuses data that would have to be copied.

    Returns:
        A tensor.

    Raises:
        DTypeError: if `obj` or `dtype` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.asarray([1, 2.5])
    Tensor([1. , 2.5], dtype=float32)
    """
    check_device(device)
    if isinstance(obj, Cell):
        obj = read(obj)
    if dtype is not None:
        dtype = dtype_of(dtype)
    if isinstance(obj, Tensor):
        if dtype is None or dtype == obj.dtype:
            return obj
        _refuse_copy(copy, f"{obj._spec!r} is not {dtype.name}")
        return astype(obj, dtype)
    if interchange.exports(obj):
        found = interchange.from_dlpack(obj, copy=copy)
        return found if dtype is None else astype(found, dtype)
    _refuse_copy(copy, f"{type(obj).__name__} data is not in a tensor yet")
    if isinstance(obj, list | tuple) and holds(obj, Tensor | Cell):
        parts = [asarray(one, dtype=dtype) for one in obj]
        common = result_type(*parts)
        return stack([astype(one, common) for one in parts])
    return convert(obj, dtype)


def _refuse_copy(copy: bool | None, why: str) -> None:
    if copy is False:
        raise ArgumentError("asarray(copy=False): the data must be copied.", why=why + ".", site=here())


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Returns the data of another library's array through DLPack, if possible without copying it.

    The tensor shares memory that its owner may still write to: do not change it while the tensor is in use,
    or pass `copy=True`.

    Args:
        x: an array of another library that has `__dlpack__`.
        device: there for the array API standard: None or "cpu".
        copy: True copies, False refuses to, None copies only if necessary.

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        DTypeError: if the dtype has no counterpart here, or `x` does not support DLPack.

    >>> import numpy as np, penstock as ps
    >>> ps.from_dlpack(np.asarray([1.0, 2.0]))
    Tensor([1., 2.], dtype=float64)
    """
    check_device(None if _is_cpu(device) else device)
    return interchange.from_dlpack(x, copy=copy)


def _is_cpu(device: Any) -> bool:
    return isinstance(device, tuple) and device[0] == 1


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns a tensor of a shape in which every element is the same.

    Args:
        shape: the shape of the result: an int, or a sequence of ints.
        fill_value: a number or a tensor without axes.
        dtype: the dtype of the result; None for that of `fill_value`.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of shape `shape`.

    Raises:
        DTypeError: if `shape`, `fill_value` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` or `fill_value` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.full((2,), 7.0)
    Tensor([7., 7.], dtype=float32)
    """
    check_device(device)
    lengths = lengths_of(shape)
    value = asarray(fill_value, dtype=dtype)
    # Inside an event that is expanded an array would be kept with the recording.
    kept = isinstance(local.trace, Builder)
    if value._value is not None and not kept and not is_symbolic(lengths):
        _fits(value.shape, lengths)
        array = np.full(lengths, np.asarray(value._value))
        array.flags.writeable = False
        return concrete(array)
    return _shape.broadcast_to.record((value,), {"shape": lengths}, _frame(1))


def _fits(own: Shape, lengths: Shape) -> None:
    if len(own) > len(lengths) or builtins.any(
        n not in (1, m) for n, m in zip(own[::-1], lengths[::-1], strict=False)
    ):
        raise ShapeError(
            f"full: the value has shape {own}, which does not broadcast to {lengths}.",
            remedy="Give one number, or a value that broadcasts to the shape.",
            site=here(),
        )


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns a tensor of zeros, float32 by default.

    Args:
        shape: the shape of the result: an int, or a sequence of ints.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of shape `shape`.

    Raises:
        DTypeError: if `shape` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.zeros((2,))
    Tensor([0., 0.], dtype=float32)
    """
    return full(shape, 0, dtype=dtype_of(dtype, np.float32), device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns a tensor of ones, float32 by default.

    Args:
        shape: the shape of the result: an int, or a sequence of ints.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of shape `shape`.

    Raises:
        DTypeError: if `shape` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.ones((2,))
    Tensor([1., 1.], dtype=float32)
    """
    return full(shape, 1, dtype=dtype_of(dtype, np.float32), device=device)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns a tensor of a shape whose values do not matter: zeros, as it cannot be written into.

    Args:
        shape: the shape of the result: an int, or a sequence of ints.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of shape `shape`.

    Raises:
        DTypeError: if `shape` or `dtype` has the wrong dtype or type.
        ShapeError: if `shape` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns one value in the shape, and by default the dtype, of x.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        fill_value: a number or a tensor without axes.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of the shape of `x`.

    Raises:
        DTypeError: if `x`, `fill_value` or `dtype` has the wrong dtype or type.
        ShapeError: if `fill_value` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.full_like(ps.zeros((2,)), 7)
    Tensor([7., 7.], dtype=float32)
    """
    x = tensor(x)
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns zeros of the shape, and by default the dtype, of x.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of the shape of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.zeros_like(ps.ones((2,)))
    Tensor([0., 0.], dtype=float32)
    """
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns ones of the shape, and by default the dtype, of x.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of the shape of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.ones_like(ps.zeros((2,)))
    Tensor([1., 1.], dtype=float32)
    """
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns a tensor of the shape and dtype of x whose values do not matter: zeros.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of the shape of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.empty_like(ps.ones((2,))).dtype.name
    'float32'
    """
    return zeros_like(x, dtype=dtype, device=device)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Returns evenly spaced values from `start` up to, not including, `stop`. One number alone is the stop.

    Args:
        start: the first value, a number; the stop if it is the only argument.
        stop: the end, a number.
        step: the distance between values, a number other than 0.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A vector; of whole numbers int64, otherwise float32, unless `dtype` says otherwise.

    Raises:
        DTypeError: if `start`, `stop`, `step` or `dtype` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.arange(3)
    Tensor([0, 1, 2], dtype=int64)
    """
    check_device(device)
    if stop is None:
        start, stop = 0, start
    if is_symbolic((start, stop, step)):
        return _open_arange(start, stop, step, dtype, _frame(1))
    named = {"start": start, "stop": stop, "step": step}
    numbers: tuple[Any, ...] = tuple([number(f"arange: {name}", one) for name, one in named.items()])
    start, stop, step = numbers
    whole = builtins.all(isinstance(one, int) for one in (start, stop, step))
    if step == 0:
        raise ArgumentError("arange was given a step of 0, which never reaches the end.", site=here())
    wanted = dtype_of(dtype, np.int64 if whole else np.float32)
    count = len(range(*numbers)) if whole else builtins.max(0, math.ceil((stop - start) / step))
    if whole:
        # Counted in Python: NumPy would step through numbers that do not fit the dtype.
        array = np.asarray([start + i * step for i in range(count)], wanted)
    else:
        array = (start + step * np.arange(count)).astype(wanted)
    return convert(array)


def _open_arange(start: Any, stop: Any, step: Any, dtype: Any, frame: Any) -> Tensor:
    """Does the same as `arange` for unknown lengths."""
    length = maximum(0, -((start - stop) // step)) if is_symbolic(step) else count(start, stop, step)
    params = {"start": start, "step": step, "length": length, "dtype": dtype_of(dtype, np.int64)}
    return index.arange.record((), params, frame)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Tensor:
    """Returns `num` evenly spaced values from `start` to `stop`, which is left out if not `endpoint`.

    Args:
        start: the first value, a number.
        stop: the end, a number.
        num: how many values, an int from 0.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".
        endpoint: whether `stop` is the last value.

    Returns:
        A vector of `num` elements, float32 unless `dtype` says otherwise.

    Raises:
        DTypeError: if `start`, `stop`, `num` or `dtype` has the wrong dtype or type.
        ArgumentError: if `num` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.linspace(0.0, 1.0, 5)
    Tensor([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    check_device(device)
    first, last = number("linspace: start", start), number("linspace: stop", stop)
    num = whole("linspace: num", num)
    if num < 0:
        raise ArgumentError(f"linspace was given num={num}.", remedy="Ask for 0 or more.", site=here())
    complexes = isinstance(first, complex) or isinstance(last, complex)
    wanted = dtype_of(dtype, np.complex64 if complexes else np.float32)
    with np.errstate(all="ignore"):
        array = np.linspace(first, last, num, endpoint=endpoint)
    if wanted.kind not in "iu":
        array = array.astype(wanted)
        if num:
            array[0] = first
        if endpoint and num > 1:
            array[-1] = last
        return convert(array)
    array = np.linspace(first, last, num, endpoint=endpoint, dtype=wanted)
    return convert(array)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """Returns a matrix of zeros with ones on a diagonal: the main one, or the k-th above it.

    Args:
        n_rows: the number of rows, an int from 0.
        n_cols: the number of columns, an int from 0; None for as many as rows.
        k: the number of the diagonal, an int: 0 is the main one, positive ones are above it.
        dtype: the dtype of the result, or its name; None for the one described.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor [n_rows, n_cols], float32 unless `dtype` says otherwise.

    Raises:
        DTypeError: if `n_rows`, `n_cols`, `k` or `dtype` has the wrong dtype or type.
        ShapeError: if `n_rows` or `n_cols` has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> ps.eye(2)
    Tensor([[1., 0.],
     [0., 1.]], dtype=float32)
    """
    check_device(device)
    (rows, columns) = lengths_of((n_rows, n_rows if n_cols is None else n_cols))
    # Beyond the corners all is 0, however far.
    k = whole("eye: k", k)
    if is_symbolic((rows, columns, k)):
        row = expand_dims(arange(rows), axis=-1) + k
        return astype(row == arange(columns), dtype_of(dtype, np.float32))
    diagonal = min(max(k, -rows), columns)
    ones_at = np.arange(rows)[:, None] + diagonal == np.arange(columns)
    return convert(ones_at.astype(dtype_of(dtype, np.float32)))


def _triangle(name: str, x: Any, k: int, lower: bool, frame: Any) -> Tensor:
    x = tensor(x)
    if len(x.shape) < 2:
        raise ShapeError(
            f"{name} needs two axes; the shape is {x.shape}.",
            remedy="Add an axis with expand_dims.",
            site=here(),
        )
    return _shape.triangle.record((x,), {"k": whole(f"{name}: k", k), "lower": lower}, frame)


def tril(x: Any, /, *, k: int = 0) -> Tensor:
    """Returns the lower triangles of matrices, up to the k-th diagonal above the main one; zeros elsewhere.

    Args:
        x: matrices [..., rows, columns] of any dtype.
        k: the number of the diagonal, an int: 0 is the main one, positive ones are above it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `k` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.tril(ps.ones((2, 2)))
    Tensor([[1., 0.],
     [1., 1.]], dtype=float32)
    """
    return _triangle("tril", x, k, True, _frame(1))


def triu(x: Any, /, *, k: int = 0) -> Tensor:
    """Returns the upper triangles of matrices, from the k-th diagonal above the main one; zeros elsewhere.

    Args:
        x: matrices [..., rows, columns] of any dtype.
        k: the number of the diagonal, an int: 0 is the main one, positive ones are above it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `k` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.triu(ps.ones((2, 2)))
    Tensor([[1., 1.],
     [0., 1.]], dtype=float32)
    """
    return _triangle("triu", x, k, False, _frame(1))


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Tensor]:
    """Returns, for vectors of coordinates, the coordinates of each point of their grid, one tensor for each.

    With indexing "xy" the first two axes are exchanged, as in plots; with "ij" they are in order.

    Args:
        arrays: vectors of coordinates, of one dtype.
        indexing: "xy" or "ij": the axis along which the first vector varies.

    Returns:
        A list of tensors, one for each vector.

    Raises:
        DTypeError: if `arrays` has the wrong dtype or type.
        ShapeError: if `arrays` has the wrong shape, or names an axis that is not there.
        ArgumentError: if `indexing` has a value that is not allowed.

    >>> import penstock as ps
    >>> x, y = ps.meshgrid(ps.arange(3), ps.arange(2))
    >>> x
    Tensor([[0, 1, 2],
     [0, 1, 2]], dtype=int64)
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing is {indexing!r}.", remedy="Use 'xy' or 'ij'.", site=here())
    given = [tensor(one) for one in arrays]
    rank = len(given)
    spread = []
    for nth, one in enumerate(given):
        if len(one.shape) > 1:
            raise ShapeError(f"meshgrid: array {nth + 1} has shape {one.shape}.", why="It takes vectors.")
        place = 1 - nth if indexing == "xy" and rank > 1 and nth < 2 else nth
        spread.append(reshape(one, tuple(one._spec.size if i == place else 1 for i in range(rank))))
    return list(broadcast_arrays(*spread))


def one_hot(indices: Any, num_classes: int, *, dtype: Any = np.float32) -> Tensor:
    """Returns, for each index, a row of zeros with a one at the index; all zeros for an index outside.

    Args:
        indices: integers of any shape.
        num_classes: the length of each row, an int.
        dtype: the dtype of the result, or its name; None for the one described.

    Returns:
        A tensor of shape `(*indices.shape, num_classes)`.

    Raises:
        DTypeError: if `indices`, `num_classes` or `dtype` has the wrong dtype or type.
        ArgumentError: if `num_classes` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.one_hot(ps.asarray([1]), 3)
    Tensor([[0., 1., 0.]], dtype=float32)
    """
    length = whole("one_hot: num_classes", num_classes)
    if length < 0:
        raise ArgumentError(
            f"one_hot was given {num_classes} classes.", remedy="Give their number.", site=here()
        )
    return index.one_hot.record((indices,), {"length": length, "dtype": dtype_of(dtype)}, _frame(1))


__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace",
    "meshgrid", "one_hot", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip
