"""Sparse tensors: their elements, as a tensor with its own history, and the places of these.

The values are an ordinary tensor, so computations on a sparse tensor are recorded, differentiated and
reported like all others. The positions are read.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _manipulation, _scattering
from penstock.paddle._convert import HANDLES, data, operand, to_tensor
from penstock.paddle._dtype import dtype
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._printing import data_text
from penstock.paddle._shape import PLACE, Size
from penstock.trace.source_site import here

Array = np.ndarray[Any, Any]


functions: dict[str, Any] = {}
"""The functions of `paddle.sparse` that are methods of sparse tensors, too; the package fills it."""


class Sparse:
    """The common part of both kinds of sparse tensors; `_places` are [axes, n], one column for each value."""

    _places: Array
    _values: Any

    def __init__(self, places: Array, values: Any, shape: Any) -> None:
        self._places, self._values = places, values
        self._shape = tuple(int(one) for one in shape)

    @property
    def shape(self) -> Size:
        """The length of each axis."""
        return Size(self._shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def dtype(self) -> dtype:
        """The dtype of the values."""
        return self._values.dtype  # type: ignore[no-any-return]

    place = PLACE

    @property
    def stop_gradient(self) -> bool:
        """Whether gradients end at the values."""
        return self._values.stop_gradient  # type: ignore[no-any-return]

    @stop_gradient.setter
    def stop_gradient(self, wanted: bool) -> None:
        self._values.stop_gradient = wanted

    @property
    def grad(self) -> Any:
        """The gradient that `backward` has accumulated, with the same places, or None."""
        found = self._values.grad
        return None if found is None else self._like(found)

    def _like(self, values: Any) -> Any:
        return type(self)(self._places, values, self._shape)

    def values(self) -> Any:
        """Returns the values that are kept."""
        return self._values

    def nnz(self) -> int:
        """Returns how many values are kept."""
        return int(self._values._spec.shape[0])

    def to_dense(self) -> Any:
        """Returns an ordinary tensor, with zeros elsewhere. Values at the same position are added."""
        return _scattering.scatter_nd(data(self._places.T.copy()), self._values, list(self._shape))

    def numpy(self) -> Array:
        """Returns all elements as a NumPy array."""
        return np.asarray(self.to_dense().numpy())

    def backward(self, grad_tensor: Any = None, retain_graph: bool = False) -> None:
        """Adds the gradient of the values to `grad` of every leaf that they depend on, weighted by
        `grad_tensor`.
        """
        weight = grad_tensor._values if isinstance(grad_tensor, Sparse) else grad_tensor
        if weight is not None and weight is grad_tensor:
            weight = _manipulation.gather_nd(weight, data(self._places.T.copy()))
        self._values.backward(weight, retain_graph)

    def retain_grads(self) -> None:
        """Lets `backward` keep the gradient of the values."""
        self._values.retain_grads()

    def detach(self) -> Any:
        """Returns the same elements, through which no gradient passes."""
        return self._like(self._values.detach())

    def astype(self, dtype: Any) -> Any:
        """Returns the elements in another dtype."""
        return self._like(self._values.astype(dtype))

    cast = astype

    def is_sparse(self) -> bool:
        """Returns True."""
        return True

    def is_dense(self) -> bool:
        """Returns False."""
        return False

    def is_sparse_coo(self) -> bool:
        """Returns whether places are kept as coordinates."""
        return isinstance(self, SparseCooTensor)

    def is_sparse_csr(self) -> bool:
        """Returns whether places are kept by rows."""
        return isinstance(self, SparseCsrTensor)

    def _parts(self) -> dict[str, Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        head = (
            f"Tensor(shape={list(self._shape)}, dtype={self.dtype}, place=Place(cpu), "
            f"stop_gradient={self.stop_gradient}, "
        )
        lines = [
            f"{' ' * 7}{word}={data_text(np.asarray(one.numpy()), 8 + len(word))}"
            for word, one in self._parts().items()
        ]
        return f"{head}\n{(', ' + chr(10)).join(lines)})"

    def __neg__(self) -> Any:
        return self._like(-self._values)

    def __add__(self, other: Any) -> Any:
        return self._with("add", self, other)

    def __sub__(self, other: Any) -> Any:
        return self._with("subtract", self, other)

    def __mul__(self, other: Any) -> Any:
        return self._with("multiply", self, other)

    def __truediv__(self, other: Any) -> Any:
        return self._with("divide", self, other)

    def __matmul__(self, other: Any) -> Any:
        return self._with("matmul", self, other)

    @staticmethod
    def _with(word: str, one: Any, other: Any) -> Any:
        return functions[word](one, other)

    def __getattr__(self, name: str) -> Any:
        if name in functions:
            function = functions[name]
            return lambda *arguments, **options: function(self, *arguments, **options)
        raise AttributeError(
            f"A sparse tensor has no attribute {name!r} here. Write x.to_dense().{name}, or use x.values()."
        )


class SparseCooTensor(Sparse):
    """A sparse tensor that keeps the coordinates of each value. `sparse_coo_tensor` makes one."""

    def indices(self) -> Any:
        """Returns the coordinates, [axes, n]."""
        return data(self._places.copy())

    def _parts(self) -> dict[str, Any]:
        return {"indices": self.indices(), "values": self._values}

    def to_sparse_coo(self, sparse_dim: int | None = None) -> Any:
        """Returns this tensor; `sparse_dim` does nothing."""
        return self

    def to_sparse_csr(self) -> Any:
        """Returns the same elements, kept by rows."""
        if self.ndim not in (2, 3) or len(self._places) != self.ndim:
            raise InvalidValueError(
                f"to_sparse_csr takes a sparse tensor of 2 or 3 axes, not {list(self._shape)}.", site=here()
            )
        one = self.coalesce()
        return SparseCsrTensor(one._places, one._values, self._shape)

    def is_coalesced(self) -> bool:
        """Returns whether places are in order, each once."""
        keys = flat_places(self._places, self._shape)
        return bool((np.diff(keys) > 0).all())

    def coalesce(self) -> Any:
        """Returns the same elements with places in order, each once: values of one place are added up."""
        keys, inverse = np.unique(flat_places(self._places, self._shape), return_inverse=True)
        lengths = [len(keys), *self._values._spec.shape[1:]]
        summed = _scattering.scatter_nd(data(inverse.reshape(-1, 1)), self._values, lengths)
        return SparseCooTensor(
            places_of(keys, self._shape[: len(self._places)], self._places.dtype), summed, self._shape
        )


class SparseCsrTensor(Sparse):
    """A sparse matrix, or several, that keeps its values by rows. `sparse_csr_tensor` makes one."""

    def crows(self) -> Any:
        """Returns where each row begins among the values, and where the last one ends, for each matrix."""
        rows = self._shape[-2]
        counts = np.zeros((math.prod(self._shape[:-2]), rows), np.int64)
        batch = self._places[0] if len(self._places) == 3 else 0
        np.add.at(counts, (batch, self._places[-2]), 1)
        found = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, 1)], 1)
        return data(found.reshape(-1).astype(self._places.dtype))

    def cols(self) -> Any:
        """Returns the column of each value."""
        return data(self._places[-1].copy())

    def _parts(self) -> dict[str, Any]:
        return {"crows": self.crows(), "cols": self.cols(), "values": self._values}

    def to_sparse_csr(self) -> Any:
        """Returns this tensor."""
        return self

    def to_sparse_coo(self, sparse_dim: int | None = None) -> Any:
        """Returns the same elements, kept with coordinates; `sparse_dim`, all axes, does nothing."""
        return SparseCooTensor(self._places, self._values, self._shape)


def flat_places(places: Array, shape: Any) -> Array:
    """Returns the number of each place, counted through the axes that are sparse."""
    lengths = tuple(shape[: len(places)])
    found: Array = np.ravel_multi_index(tuple(places.astype(np.int64)), lengths)
    return found


def places_of(keys: Array, shape: Any, kind: Any) -> Array:
    """Returns the coordinates of numbered places."""
    return np.stack(np.unravel_index(keys, tuple(shape))).astype(kind)


def _integers(given: Any, what: str) -> Array:
    found = np.asarray(operand(given).numpy())
    if found.dtype.kind != "i":
        raise InvalidTypeError(
            f"the dtype of {what} must be 'int8' or 'int16' or 'int32' or 'int64'",
            origin=f"it is {found.dtype.name}",
            site=here(),
        )
    return found


def _values(given: Any, dtype: Any, stop_gradient: bool) -> Any:
    if isinstance(given, HANDLES):
        found: Any = given
        return found if dtype is None else found.astype(dtype)
    return to_tensor(given, dtype, stop_gradient=stop_gradient)


@named("paddle.sparse.sparse_coo_tensor")
def sparse_coo_tensor(
    indices: Any, values: Any, shape: Any = None, dtype: Any = None, place: Any = None,
    stop_gradient: bool = True,
) -> Any:  # fmt: skip
    """Returns a sparse tensor of coordinates [axes, n] and n values. One place: `place` does nothing.

    Without a `shape` it is the smallest that holds all coordinates. The values may have further axes.

    >>> from penstock import paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0])
    >>> x.to_dense().tolist()
    [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    places = _integers(indices, "indices")
    kept = _values(values, dtype, stop_gradient)
    if places.ndim != 2:
        raise InvalidValueError("'indices' must be 2-D.", origin=f"it is {list(places.shape)}", site=here())
    lengths = kept._spec.shape
    if places.shape[1] != lengths[0]:
        raise InvalidValueError(
            "the indices and values must have same number of non-zero, but get "
            f"{places.shape[1]} and {lengths[0]}",
            site=here(),
        )
    least = [*(int(one) + 1 for one in places.max(1)), *lengths[1:]] if places.size else None
    wanted = least if shape is None else [int(one) for one in shape]
    if wanted is None:
        raise InvalidValueError("A sparse tensor without values needs a shape.", site=here())
    if len(wanted) != len(places) + len(lengths) - 1:
        raise InvalidValueError(
            f"the number of dimensions(len(shape) must be sparse_dim({len(places)}) + "
            f"dense_dim({len(lengths) - 1}), but get {len(wanted)}",
            site=here(),
        )
    if least is not None and any(one < other for one, other in zip(wanted, least, strict=True)):
        raise InvalidValueError(f"the minimum shape required is {least}, but get {wanted}", site=here())
    return SparseCooTensor(places, kept, wanted)


@named("paddle.sparse.sparse_csr_tensor")
def sparse_csr_tensor(
    crows: Any, cols: Any, values: Any, shape: Any = None, dtype: Any = None, place: Any = None,
    stop_gradient: bool = True,
) -> Any:  # fmt: skip
    """Returns a sparse matrix of values by rows: `crows` say where each row begins, `cols` each column.

    Three axes are several matrices, with `crows` of all of them in a row. `place` does nothing.

    >>> from penstock import paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 3], [2, 0, 1], [1.0, 2.0, 3.0], [2, 3])
    >>> x.to_dense().tolist()
    [[0.0, 0.0, 1.0], [2.0, 3.0, 0.0]]
    """
    ends, columns = _integers(crows, "crows"), _integers(cols, "cols")
    kept = _values(values, dtype, stop_gradient)
    if ends.ndim != 1 or columns.ndim != 1 or kept._spec.ndim != 1:
        raise InvalidValueError("The 'crows', 'cols' and 'values' must be 1-D.", site=here())
    if len(columns) != kept._spec.shape[0]:
        raise InvalidValueError("the length of cols must be same as length of values", site=here())
    wide = int(columns.max()) + 1 if len(columns) else 0
    lengths = [len(ends) - 1, wide] if shape is None else [int(one) for one in shape]
    if len(lengths) not in (2, 3):
        raise InvalidValueError(
            f"SparseCsrTensor only support 2-D or 3-D matrix. but get shape {lengths}", site=here()
        )
    rows, count = lengths[-2], math.prod(lengths[:-2])
    if len(ends) != count * (rows + 1):
        raise InvalidValueError(
            f"The length({len(ends)}) of crows must be equal to the rows({rows})+1 of matrix.", site=here()
        )
    table = ends.reshape(count, rows + 1)
    if (table[:, 0] != 0).any() or table[:, -1].sum() != len(columns):
        raise InvalidValueError(
            "Each matrix of crows must begin with 0 and end with the number of its values.",
            origin=f"crows are {ends.tolist()}, and there are {len(columns)} values",
            site=here(),
        )
    each = np.diff(table, axis=1)
    row = np.concatenate([np.repeat(np.arange(rows), one) for one in each]).astype(columns.dtype)
    places = [row, columns]
    if len(lengths) == 3:
        places.insert(0, np.repeat(np.arange(count), each.sum(1)).astype(columns.dtype))
    return SparseCsrTensor(np.stack(places), kept, lengths)


__all__ = ["Sparse", "SparseCooTensor", "SparseCsrTensor", "sparse_coo_tensor", "sparse_csr_tensor"]
