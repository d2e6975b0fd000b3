"""Sparse tensors that a program makes of tensors of a graph, or feeds; and arithmetic with them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from penstock.declared import named
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._graphs.build import build
from penstock.tensorflow._graphs.functions import placeholder
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.queues import symbolic
from penstock.tensorflow._graphs.sparse import SymbolicSparse
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._tensor_shape import as_shape
from penstock.tensorflow.sparse import SparseTensor

_frame = sys._getframe


class _EitherSparse(type):
    """Gives one name to a sparse tensor of a graph, and to one with values."""

    def __call__(cls, indices: Any, values: Any, dense_shape: Any) -> Any:
        given = (indices, values, dense_shape)
        if not any(isinstance(one, SymbolicTensor) for one in given):
            return SparseTensor(*given)
        frame = _frame(1)
        known = None
        if not isinstance(dense_shape, SymbolicTensor):
            known = [int(one) for one in dense_shape]
        elif dense_shape.op.constants is not None:
            known = [int(one) for one in dense_shape.op.constants[0].numpy()]
        places, lengths = (symbolic(one, frame, as_dtype("int64")) for one in (indices, dense_shape))
        return SymbolicSparse(places, symbolic(values, frame), lengths, known)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, SparseTensor | SymbolicSparse)


@named("tf.compat.v1.SparseTensor", "tf.compat.v1.sparse.SparseTensor")
class EitherSparse(metaclass=_EitherSparse):
    """A sparse tensor: of a graph if one of its parts is, and otherwise one with values."""

    from_value = SparseTensor.from_value


@named("tf.compat.v1.sparse_placeholder", "tf.compat.v1.sparse.placeholder")
def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicSparse:
    """Returns a sparse tensor whose parts a run is given: feed_dict={x: (indices, values, dense_shape)}."""
    if mode.building() is None:
        raise RuntimeError("Sparse placeholders are not compatible with eager execution.")
    word = name or "Placeholder"
    lengths = None if shape is None else [getattr(one, "value", one) for one in as_shape(shape)]
    rank = None if lengths is None else len(lengths)
    values = placeholder(dtype, [None], f"{word}/values")
    indices = placeholder("int64", [None, rank], f"{word}/indices")
    dense_shape = placeholder("int64", [rank], f"{word}/shape")
    return SymbolicSparse(indices, values, dense_shape, lengths)


def multiplied(x: Any, other: Any) -> Any:
    """Returns the elements times those of a dense tensor."""
    return x * other


def divided(x: Any, other: Any) -> Any:
    """Returns the elements divided by those of a dense tensor."""
    return x / other


def _beside(call: Any, name: str, x: SymbolicSparse, other: Any, frame: FrameType) -> SymbolicSparse:
    if not getattr(other, "shape", None):
        # One number, beside all the elements.
        return x.with_values(x.values * other if call is multiplied else x.values / other)
    return build(call, name, name, (x, other), {}, frame)  # type: ignore[no-any-return]


def _times(self: SymbolicSparse, other: Any) -> SymbolicSparse:
    """Returns the elements times those of a dense tensor, which broadcasts, at their places."""
    return _beside(multiplied, "mul", self, other, _frame(1))


def _over(self: SymbolicSparse, other: Any) -> SymbolicSparse:
    """Returns the elements divided by those of a dense tensor, which broadcasts, at their places."""
    return _beside(divided, "truediv", self, other, _frame(1))


for _name, _operator in (("__mul__", _times), ("__rmul__", _times), ("__truediv__", _over)):
    setattr(SymbolicSparse, _name, _operator)


__all__ = ["EitherSparse", "sparse_placeholder"]
