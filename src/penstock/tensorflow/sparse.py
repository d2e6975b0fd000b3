"""tf.sparse: tensors by the places and values of their elements, as far as record files need them."""

from __future__ import annotations

from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.tensorflow._convert import constant as _constant
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._scatter import scatter_nd as _scatter_nd
from penstock.tensorflow._strings import StringTensor as _StringTensor
from penstock.tensorflow._strings import is_text as _is_text
from penstock.tensorflow._strings import strings as _strings
from penstock.tensorflow._tensor_shape import TensorShape as _TensorShape
from penstock.tensorflow._tensor_shape import as_shape as _as_shape
from penstock.tensorflow._tensor_shape import shape_of as _shape_of
from penstock.trace.kinds import register as _register
from penstock.trace.source_site import here as _here


class SparseTensor:
    """A tensor that is zero except for the elements at some positions.

    >>> from penstock import tensorflow as tf
    >>> x = tf.sparse.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> print(tf.sparse.to_dense(x).numpy().tolist())
    [[0.0, 2.0], [3.0, 0.0]]
    """

    _is_tensor = _is_sparse = True
    _filled: Any = None

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices = _constant(_np.asarray(_operand(indices).numpy(), _np.int64))
        words = isinstance(values, _StringTensor) or _is_text(values)
        self.values = _strings(values) if words else _operand(values)
        self.dense_shape = _constant(_np.asarray(_operand(dense_shape).numpy(), _np.int64))

    @property
    def shape(self) -> _TensorShape:
        """The length of each axis."""
        return _shape_of(tuple(int(n) for n in self.dense_shape.numpy()))

    def get_shape(self) -> _TensorShape:
        """Returns the shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks the shape; None stands for any length. Raises ValueError if it is another one."""
        if not self.shape.is_compatible_with(shape):
            wanted = _as_shape(shape)
            raise _ArgumentError(f"Shapes {self.shape} and {wanted} are not compatible", site=_here())

    def with_values(self, new_values: Any) -> SparseTensor:
        """Returns a tensor with other elements at the same places."""
        made = SparseTensor(self.indices, new_values, self.dense_shape)
        if made.values.shape != self.values.shape:
            raise _ArgumentError(
                f"Shapes {made.values.shape} and {self.values.shape} are not compatible",
                why="There is one value for each place.",
                site=_here(),
            )
        return made

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.values.dtype

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Returns a tensor from an object with positions, values and a shape."""
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    def __repr__(self) -> str:
        parts = f"indices={self.indices!s}, values={self.values!s}, dense_shape={self.dense_shape!s}"
        return f"SparseTensor({parts})"

    def __mul__(self, other: Any) -> SparseTensor:
        """Returns the elements times those of a dense tensor, which broadcasts, at their places."""
        return SparseTensor(self.indices, self.values * self._beside(other), self.dense_shape)

    def __truediv__(self, other: Any) -> SparseTensor:
        """Returns the elements divided by those of a dense tensor, which broadcasts, at their places."""
        return SparseTensor(self.indices, self.values / self._beside(other), self.dense_shape)

    def _beside(self, other: Any) -> Any:
        """Returns the elements of a dense tensor at the places of these."""
        from penstock.tensorflow import _arrays

        dense = _operand(other, _np.dtype(self.dtype.as_numpy_dtype))
        if not dense._spec.shape:
            return dense
        return _arrays.gather_nd(_arrays.broadcast_to(dense, tuple(self.shape)), self.indices)


@_named("tf.compat.v1.sparse_tensor_to_dense")
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: Any = None
) -> Any:
    """Returns a sparse tensor with all its elements; gradients reach the values."""
    if sp_input._filled is not None and default_value is None:
        return sp_input._filled
    shape = tuple(int(n) for n in sp_input.dense_shape.numpy())
    if isinstance(sp_input.values, _StringTensor):
        made = _np.empty(shape, object)
        made[...] = b"" if default_value is None else _np.asarray(_StringTensor(default_value)).item()
        made[tuple(sp_input.indices.numpy().T)] = _np.asarray(sp_input.values)
        return _StringTensor(made)
    dense = _scatter_nd(sp_input.indices, sp_input.values, shape)
    if default_value is None:
        return dense
    there = _np.zeros(shape, bool)
    there[tuple(sp_input.indices.numpy().T)] = True
    from penstock.tensorflow._arrays import where

    return where(there, dense, _np.asarray(default_value, sp_input.values.dtype.as_numpy_dtype))


def from_dense(tensor: Any, name: Any = None) -> SparseTensor:
    """Returns the elements of a tensor that are not zero, and of strings those that are not empty."""
    from penstock.tensorflow._arrays import gather_nd

    if _is_text(tensor):
        texts = _np.asarray(_strings(tensor).numpy(), object)
        places = _np.argwhere(texts != b"")
        return SparseTensor(
            _constant(places.reshape(-1, texts.ndim)),
            _StringTensor(texts[texts != b""]),
            _constant(_np.array(texts.shape, _np.int64)),
        )
    tensor = _operand(tensor)
    value = _np.asarray(tensor.numpy())
    places = _np.argwhere(value)
    return SparseTensor(
        _constant(places), gather_nd(tensor, places), _constant(_np.array(value.shape, _np.int64))
    )


@_named("tf.compat.v1.sparse_reorder")
def reorder(sp_input: Any, name: Any = None) -> SparseTensor:
    """Returns a sparse tensor with its places in order."""
    from penstock.tensorflow._arrays import gather, with_dense_gradient
    from penstock.tensorflow._strings import StringTensor

    places = sp_input.indices.numpy()
    order = _np.lexsort(places.T[::-1])
    values = (
        sp_input.values if isinstance(sp_input.values, StringTensor) else with_dense_gradient(sp_input.values)
    )
    return SparseTensor(_constant(places[order]), gather(values, order), sp_input.dense_shape)


@_named("tf.compat.v1.sparse_tensor_dense_matmul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: Any = None
) -> Any:
    """Returns the matrix product of a sparse and a dense matrix."""
    from penstock.tensorflow.linalg import matmul

    return matmul(to_dense(sp_a), b, transpose_a=adjoint_a, transpose_b=adjoint_b)


_register(
    SparseTensor,
    lambda x: ((x.indices, x.values, x.dense_shape), None),
    lambda rest, parts: SparseTensor(*parts),
    composite=True,
)

__getattr__, __dir__, _public = _namespace(
    "tf.sparse", globals(), rest="_counting_rows _crosses _sparse_functions"
)
