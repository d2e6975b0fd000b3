"""Functions of sparse tensors: of the values alone, of two tensors with different positions, and products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.paddle import _manipulation, _math, _scattering
from penstock.paddle._convert import HANDLES, data, operand
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle.sparse._tensor import (
    Array,
    Sparse,
    SparseCooTensor,
    SparseCsrTensor,
    flat_places,
    places_of,
)
from penstock.trace.source_site import here


def _sparse(x: Any, word: str) -> Any:
    if not isinstance(x, Sparse):
        raise InvalidTypeError(
            f"paddle.sparse.{word} takes a sparse tensor, but received {type(x).__name__}.",
            remedy=f"Write paddle.{word}(x) for an ordinary tensor, or x.to_sparse_coo(axes) to make one.",
            site=here(),
        )
    return x


def _of_values(name: str, text: str, function: Callable[[Any], Any] | None = None) -> Any:
    def made(x: Any, name: Any = None) -> Any:
        x = _sparse(x, word)
        return x._like((function or getattr(_paddle(), word))(x._values))

    word = name
    return row(made, f"paddle.sparse.{name}", f"Returns {text} of each value; zeros stay zeros.")


def _paddle() -> Any:
    from penstock import paddle

    return paddle


for _name, _text in {
    "sin": "the sine", "tan": "the tangent", "asin": "the angle whose sine is x",
    "atan": "the angle whose tangent is x", "sinh": "the hyperbolic sine", "tanh": "the hyperbolic tangent",
    "asinh": "the inverse hyperbolic sine", "atanh": "the inverse hyperbolic tangent",
    "sqrt": "the square root", "square": "the square", "log1p": "log(1 + x)", "expm1": "exp(x) - 1",
    "abs": "the absolute value", "neg": "the opposite", "isnan": "whether it is no number,",
    "deg2rad": "the angle in radians", "rad2deg": "the angle in degrees",
}.items():  # fmt: skip
    _of_values(_name, _text)


@named("paddle.sparse.pow")
def pow(x: Any, factor: float, name: Any = None) -> Any:
    """Returns each value to the power `factor`."""
    x = _sparse(x, "pow")
    return x._like(_math.pow(x._values, float(factor)))


@named("paddle.sparse.cast")
def cast(x: Any, index_dtype: Any = None, value_dtype: Any = None, name: Any = None) -> Any:
    """Returns x with places of one dtype and values of another; None leaves either as it is."""
    x = _sparse(x, "cast")
    places = x._places if index_dtype is None else x._places.astype(_name_of(index_dtype))
    values = x._values if value_dtype is None else x._values.astype(value_dtype)
    return type(x)(places, values, x._shape)


def _name_of(kind: Any) -> str:
    return str(kind).rpartition(".")[2]


@named("paddle.sparse.coalesce")
def coalesce(x: Any, name: Any = None) -> Any:
    """Returns x with places in order, each once: values of one place are added up."""
    return _sparse(x, "coalesce").coalesce()


@named("paddle.sparse.is_same_shape")
def is_same_shape(x: Any, y: Any) -> bool:
    """Returns whether two tensors, sparse or not, have the same shape."""
    return list(x.shape) == list(y.shape)


# -- two tensors -------------------------------------------------------------------------------------------


def _joined(x: Any, y: Any, word: str) -> tuple[Any, Any, Any]:
    """Returns values of two tensors of one kind at the same places, and a tensor with those places."""
    x, y = _sparse(x, word), _sparse(y, word)
    if type(x) is not type(y) or x._shape != y._shape:
        raise InvalidValueError(
            f"paddle.sparse.{word} takes two tensors of one kind and shape, but got "
            f"{type(x).__name__} {list(x._shape)} and {type(y).__name__} {list(y._shape)}.",
            site=here(),
        )
    if np.array_equal(x._places, y._places):
        return x._values, y._values, x
    own, other = (flat_places(one._places, x._shape) for one in (x, y))
    keys = np.unique(np.concatenate([own, other]))

    def spread(values: Any, places: Array) -> Any:
        where = data(np.searchsorted(keys, places).reshape(-1, 1))
        return _scattering.scatter_nd(where, values, [len(keys), *values._spec.shape[1:]])

    places = places_of(keys, x._shape[: len(x._places)], x._places.dtype)
    values = spread(x._values, own), spread(y._values, other)
    return *values, type(x)(places, values[0], x._shape)


def _binary(word: str, text: str, function: Callable[[Any, Any], Any], numbers: bool) -> None:
    def made(x: Any, y: Any, name: Any = None) -> Any:
        if numbers and isinstance(y, int | float):
            return _sparse(x, word)._like(function(x._values, float(y)))
        one, other, like = _joined(x, y, word)
        return like._like(function(one, other))

    row(made, f"paddle.sparse.{word}", f"Returns {text} of two sparse tensors of one kind and shape.")


_binary("add", "the sum", lambda x, y: x + y, False)
_binary("subtract", "the difference", lambda x, y: x - y, False)
_binary("multiply", "the product, element by element,", lambda x, y: x * y, True)
_binary("divide", "the quotient, element by element,", lambda x, y: x / y, True)


# -- shapes ------------------------------------------------------------------------------------------------


@named("paddle.sparse.transpose")
def transpose(x: Any, perm: Any, name: Any = None) -> Any:
    """Returns x with its axes in another order."""
    x = _sparse(x, "transpose")
    order = [int(one) % x.ndim for one in perm]
    return _placed(x, x._places[order], [x._shape[one] for one in order])


def _placed(x: Any, places: Array, shape: Any) -> Any:
    """Returns the values of x at other places; a matrix kept by rows has them in that order."""
    made = SparseCooTensor(places, x._values, shape)
    if isinstance(x, SparseCsrTensor):
        order = np.argsort(flat_places(places, shape), kind="stable")
        values = _manipulation.gather(x._values, data(order))
        return SparseCsrTensor(places[:, order], values, shape)
    return made


@named("paddle.sparse.reshape")
def reshape(x: Any, shape: Any, name: Any = None) -> Any:
    """Returns x with other lengths of axes; -1 is worked out, 0 stays as it is."""
    x = _sparse(x, "reshape")
    lengths = [x._shape[i] if one == 0 else int(one) for i, one in enumerate(shape)]
    size, rest = math.prod(x._shape), math.prod(one for one in lengths if one != -1)
    lengths = [size // rest if one == -1 else one for one in lengths]
    if math.prod(lengths) != size:
        raise InvalidValueError(
            f"A sparse tensor of shape {list(x._shape)} cannot be reshaped to {lengths}.", site=here()
        )
    return _placed(x, places_of(flat_places(x._places, x._shape), lengths, x._places.dtype), lengths)


@named("paddle.sparse.slice")
def slice(x: Any, axes: Any, starts: Any, ends: Any, name: Any = None) -> Any:
    """Returns a part of x: from `starts` to `ends` along `axes`."""
    x = _sparse(x, "slice")
    places, lengths = x._places.copy(), list(x._shape)
    kept = np.ones(places.shape[1], bool)
    for axis, start, end in zip(axes, starts, ends, strict=True):
        low, high, _ = _SLICE(int(start), int(end)).indices(lengths[axis])
        kept &= (places[axis] >= low) & (places[axis] < high)
        places[axis] -= low
        lengths[axis] = max(high - low, 0)
    values = _manipulation.gather(x._values, data(np.flatnonzero(kept)))
    return type(x)(places[:, kept], values, lengths)


_SLICE = type(np.s_[:])


@named("paddle.sparse.sum")
def sum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: Any = None) -> Any:
    """Returns the sum of all elements, or along axes, as a sparse tensor of the same kind."""
    x = _sparse(x, "sum")
    values = x._values if dtype is None else x._values.astype(dtype)
    if axis is None:
        total = _math.sum(values)
        lengths = [1] * x.ndim if keepdim else [1]
        return SparseCooTensor(np.zeros((len(lengths), 1), x._places.dtype), total.reshape([1]), lengths)
    gone = {int(one) % x.ndim for one in (axis if isinstance(axis, list | tuple) else [axis])}
    places = x._places.copy()
    lengths = [1 if i in gone else one for i, one in enumerate(x._shape)]
    places[sorted(gone)] = 0
    if not keepdim:
        kept = [i for i in range(x.ndim) if i not in gone]
        places, lengths = places[kept], [x._shape[i] for i in kept]
    found = SparseCooTensor(places, values, lengths).coalesce()
    return found.to_sparse_csr() if isinstance(x, SparseCsrTensor) and len(lengths) > 1 else found


# -- products ----------------------------------------------------------------------------------------------


@named("paddle.sparse.matmul")
def matmul(x: Any, y: Any, name: Any = None) -> Any:
    """Returns the product of a sparse matrix, or several, with an ordinary one, as an ordinary tensor.

    Of two sparse matrices it is sparse, of the same kind.

    >>> from penstock import paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> paddle.sparse.matmul(x, paddle.to_tensor([[1.0], [10.0]])).tolist()
    [[20.0], [3.0]]
    """
    x = _sparse(x, "matmul")
    if isinstance(y, Sparse):
        dense = _product(x, y.to_dense())
        made = _kept(dense, np.asarray(dense.numpy()) != 0, x._places.dtype)
        return made.to_sparse_csr() if isinstance(x, SparseCsrTensor) else made
    return _product(x, operand(y))


def _product(x: Any, y: Any) -> Any:
    *batch, rows, columns = x._shape
    if y._spec.ndim != x.ndim or y._spec.shape[-2] != columns or list(y._spec.shape[:-2]) != batch:
        raise InvalidValueError(
            f"paddle.sparse.matmul: shapes {list(x._shape)} and {list(y._spec.shape)} do not fit.",
            site=here(),
        )
    where = x._places[:-2], x._places[-1:]
    taken = _manipulation.gather_nd(y, data(np.concatenate(where).T.copy()))
    made = taken * x._values.unsqueeze(-1)
    return _scattering.scatter_nd(data(x._places[:-1].T.copy()), made, [*batch, rows, y._spec.shape[-1]])


@named("paddle.sparse.mv")
def mv(x: Any, vec: Any, name: Any = None) -> Any:
    """Returns the product of a sparse matrix with a vector."""
    return _product(_sparse(x, "mv"), operand(vec).unsqueeze(-1)).squeeze(-1)


@named("paddle.sparse.addmm")
def addmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns `beta` * input + `alpha` * x @ y, x being sparse."""
    if isinstance(input, Sparse):
        return add_scaled(input, matmul(x, y), beta, alpha)
    return operand(input) * beta + matmul(x, y) * alpha


def add_scaled(one: Any, other: Any, beta: float, alpha: float) -> Any:
    """Returns the sum of two sparse tensors, each with a factor."""
    values, others, like = _joined(one, other, "addmm")
    return like._like(values * beta + others * alpha)


@named("paddle.sparse.masked_matmul")
def masked_matmul(x: Any, y: Any, mask: Any, name: Any = None) -> Any:
    """Returns the product of two ordinary matrices at the places of a sparse one, and only there."""
    mask = _sparse(mask, "masked_matmul")
    x, y = operand(x), operand(y)
    batch, row, column = mask._places[:-2], mask._places[-2:-1], mask._places[-1:]
    rows = _manipulation.gather_nd(x, data(np.concatenate([batch, row]).T.copy()))
    order = [*range(y._spec.ndim - 2), y._spec.ndim - 1, y._spec.ndim - 2]
    columns = _manipulation.gather_nd(
        _manipulation.transpose(y, order), data(np.concatenate([batch, column]).T.copy())
    )
    return mask._like(_math.sum(rows * columns, -1))


@named("paddle.sparse.mask_as")
def mask_as(x: Any, mask: Any, name: Any = None) -> Any:
    """Returns the elements of an ordinary tensor at the places of a sparse one."""
    mask = _sparse(mask, "mask_as")
    if not isinstance(x, HANDLES) or list(x._spec.shape) != list(mask._shape):
        raise InvalidValueError(
            f"mask_as: x and mask must have one shape, but got {list(x.shape)} and {list(mask._shape)}.",
            site=here(),
        )
    return mask._like(_manipulation.gather_nd(x, data(mask._places.T.copy())))


def _kept(x: Any, there: Array, kind: Any = np.int64, axes: int | None = None) -> Any:
    """Returns the elements of an ordinary tensor where a mask over its first axes is true."""
    places = np.stack(np.nonzero(there)).astype(kind)
    return SparseCooTensor(places, _manipulation.gather_nd(x, data(places.T.copy())), x._spec.shape)


@named("paddle.Tensor.to_sparse_coo")
def to_sparse_coo(x: Any, sparse_dim: int) -> Any:
    """Returns the elements of a tensor that are not zero, with their coordinates along the first axes.

    A part along the other axes is kept whole where an element of it is not zero. Values are looked at.
    """
    array = np.asarray(x.numpy()) != 0
    return _kept(x, array.reshape(*array.shape[:sparse_dim], -1).any(-1))


@named("paddle.Tensor.to_sparse_csr")
def to_sparse_csr(x: Any) -> Any:
    """Returns the elements of a matrix, or several, that are not zero, by rows. Values are looked at."""
    return to_sparse_coo(x, x._spec.ndim).to_sparse_csr()


__all__ = ["to_sparse_coo", "to_sparse_csr"]
