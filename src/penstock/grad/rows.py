"""Row gradients: the gradient of a gather is (ids, rows), whatever the size of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.ops.index import take_transpose
from penstock.trace.kinds import register
from penstock.trace.spec import Shape, Spec
from penstock.trace.tensor import Tensor


class Rows:
    """A gradient that is zero outside some rows of the first axis.

    `indices` (integers, shape [n]) name rows, `values` (shape [n, ...]) are added up where an id occurs more
    than once; `shape` and `dtype` are those of the table. Negated, or multiplied or divided by a number, it
    stays rows; any other arithmetic and indexing use the dense gradient.

    Args:
        indices: integers [n]: the rows.
        values: what the rows hold, [n, ...].
        spec: the shape and the dtype of the whole.

    >>> import penstock as ps
    >>> table = ps.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> with ps.GradientTape() as tape:
    ...     loss = ps.sum(ps.take(table, ps.asarray([2, 2]), axis=0))
    >>> gradient = tape.gradient(loss, table)
    >>> gradient.indices.numpy(), gradient.numpy()
    (array([2, 2]), array([[0., 0.],
           [0., 0.],
           [2., 2.]], dtype=float32))
    """

    __slots__ = ("_spec", "indices", "values")
    dense_rows = True

    def __init__(self, indices: Tensor, values: Tensor, spec: Spec) -> None:
        self.indices, self.values, self._spec = indices, values, spec

    @property
    def shape(self) -> Shape:
        """The shape of the table."""
        return self._spec.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the rows."""
        return self._spec.dtype

    def dense(self) -> Tensor:
        """Returns the same gradient as a tensor of the table's shape."""
        return take_transpose(self.values, self.indices, shape=self.shape, axis=0)

    def with_values(self, values: Tensor) -> Rows:
        """Returns a gradient with the same ids in the same table, and other values."""
        return Rows(self.indices, values, self._spec)

    def summed(self) -> Rows:
        """Returns an equal gradient where the first row of each id holds the sum and the others are zero."""
        from penstock.ops.sparse_rows import summed_once

        return self.with_values(summed_once(self.values, self.indices))

    def numpy(self) -> Any:
        """Returns the dense gradient as a NumPy array."""
        return self.dense().numpy()

    def _times(self, factor: Any, divided: bool = False) -> Any:
        if not isinstance(factor, int | float) and getattr(factor, "shape", None) != ():
            return self.dense() / factor if divided else self.dense() * factor
        return self.with_values(self.values / factor if divided else self.values * factor)

    def __mul__(self, other: Any) -> Any:
        return self._times(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._times(other, divided=True)

    def __neg__(self) -> Any:
        return self.with_values(-self.values)

    def __add__(self, other: Any) -> Any:
        return self.dense() + (other.dense() if isinstance(other, Rows) else other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.dense() - (other.dense() if isinstance(other, Rows) else other)

    def __rsub__(self, other: Any) -> Any:
        return other - self.dense()

    def __pow__(self, power: Any) -> Any:
        return self.dense() ** power

    def __getitem__(self, key: Any) -> Any:
        return self.dense()[key]

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __repr__(self) -> str:
        return f"Rows({self.indices.shape[0]} of {self.shape[0]} rows, {self._spec!r})"


register(
    Rows,
    lambda rows: ((rows.indices, rows.values), rows._spec),
    lambda own, parts: Rows(parts[0], parts[1], own),
    composite=True,
)
