"""Methods of a graph's variable that are functions of TensorFlow 1 under their names, such as scatter_add."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow.compat.v1 import _array_forms, _lifted
from penstock.tensorflow.compat.v1._variables_asked import is_variable_initialized


class Methods:
    """A variable of which a session writes single rows, or slices at any places.

    Each method returns a tensor that writes when it is run. `use_locking` does nothing.
    """

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Replaces the rows named by an `tf.IndexedSlices`."""
        return _rows(self, "scatter_update", sparse_delta, name)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Adds the rows of an `tf.IndexedSlices`; rows named twice are added twice."""
        return _rows(self, "scatter_add", sparse_delta, name)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Subtracts the rows of an `tf.IndexedSlices`."""
        return _rows(self, "scatter_sub", sparse_delta, name)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Raises the rows named by an `tf.IndexedSlices` to its values, where they are smaller."""
        return _rows(self, "scatter_max", sparse_delta, name)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Lowers the rows named by an `tf.IndexedSlices` to its values, where they are larger."""
        return _rows(self, "scatter_min", sparse_delta, name)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Multiplies the rows named by an `tf.IndexedSlices` by its values."""
        return _rows(self, "scatter_mul", sparse_delta, name)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Divides the rows named by an `tf.IndexedSlices` by its values; whole numbers toward zero."""
        return _rows(self, "scatter_div", sparse_delta, name)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Replaces, in each element of a batch, the entries named by an `tf.IndexedSlices`."""
        return _rows(self, "batch_scatter_update", sparse_delta, name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Replaces the slices at `indices`, whose last axis names a place in the variable's first axes."""
        return _function("scatter_nd_update")(self, indices, updates, name=name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Adds to the slices at `indices`."""
        return _function("scatter_nd_add")(self, indices, updates, name=name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: Any = None) -> Any:
        """Subtracts from the slices at `indices`."""
        return _function("scatter_nd_sub")(self, indices, updates, name=name)

    def sparse_read(self, indices: Any, name: Any = None) -> Any:
        """Returns the rows at `indices`."""
        return _lifted.gather(self, indices, name=name)

    def gather_nd(self, indices: Any, name: Any = None) -> Any:
        """Returns the slices at `indices`, whose last axis names a place in the first axes."""
        return _lifted.gather_nd(self, indices, name=name)

    def is_initialized(self, name: Any = None) -> Any:
        """Returns a tensor that, when it is run, says whether the variable has a value."""
        return is_variable_initialized(self)


def _function(word: str) -> Any:
    return getattr(_array_forms, word)


def _rows(variable: Any, word: str, rows: Any, name: Any) -> Any:
    return _function(word)(variable, rows.indices, rows.values, name=name)


for _name, _method in vars(Methods).items():
    if not _name.startswith("__"):
        setattr(GraphVariable, _name, _method)
