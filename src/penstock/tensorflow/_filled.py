"""Dense tensors where sparse ones are expected, as in a batch for a model whose input is sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow.sparse import SparseTensor


class Filled(SparseTensor):
    """A dense tensor where a sparse one is expected; its positions are computed on first use."""

    def __init__(self, dense: Any) -> None:
        self._filled = dense

    def __getattr__(self, key: str) -> Any:
        if key not in ("indices", "values", "dense_shape"):
            raise AttributeError(f"'SparseTensor' object has no attribute {key!r}")
        array = np.asarray(self._filled.numpy())
        places = np.argwhere(array)
        super().__init__(places, array[tuple(places.T)], array.shape)
        return self.__dict__[key]

    @property
    def shape(self) -> TensorShape:
        """The length of each axis."""
        return self._filled.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._filled.dtype


def filled(value: Any) -> Any:
    """Returns a dense tensor as a sparse one; a sparse tensor unchanged."""
    return value if getattr(value, "_is_sparse", False) else Filled(value)
