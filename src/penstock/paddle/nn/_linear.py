"""Products with weights: linear and bilinear maps, tables of rows, and the layers they make."""

from __future__ import annotations

import math
import sys
from typing import Any

from penstock.errors import PenstockError
from penstock.functions import array as native
from penstock.functions import linalg, segments
from penstock.functions.composite import composite
from penstock.ops import index, pointwise
from penstock.ops import shape as shapes
from penstock.paddle._autocast import looked_up
from penstock.paddle._convert import operand, record, translated
from penstock.paddle._declaring import in_functional, in_nn
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import no_grad, switch
from penstock.paddle._operators import matmul
from penstock.paddle._tensor import Leaf, saving
from penstock.paddle.nn._function_layers import attribute
from penstock.paddle.nn._layer import Standard as Layer
from penstock.trace.source_site import here, user_frame

_frame = sys._getframe


@in_functional
def linear(x: Any, weight: Any, bias: Any = None, name: Any = None) -> Any:
    """Returns x @ weight + bias."""
    found = matmul(x, weight, _frame(1))
    return found if bias is None else found + bias


@in_functional
def embedding(
    x: Any, weight: Any, padding_idx: int | None = None, max_norm: Any = None, norm_type: Any = 2.0,
    sparse: bool = False, scale_grad_by_freq: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the rows of a table at these positions; rows of `padding_idx` are zero and do not learn.

    With `max_norm`, rows that are read and whose norm is larger are scaled down to it in the table itself.
    With `scale_grad_by_freq`, the gradient of a row is divided by how often it was read. `sparse` matters to
    optimizers in their lazy mode: the gradient is rows either way.
    """
    frame = _frame(1)
    x = operand(x)
    if sparse and isinstance(weight, Leaf):
        weight.sparse = True
    if x._spec.dtype.kind not in "iu":
        raise InvalidValueError(
            f"embedding was given {x._spec.dtype.name} positions; they must be int32 or int64.", site=here()
        )
    if max_norm is not None:
        before = switch(False, frame)
        try:
            weight._replace(_bounded(weight, x, float(max_norm), float(norm_type)), "embedding", frame)
        finally:
            switch(before, frame)
    try:
        found = record(index.take, (weight, x), {"axis": 0}, frame)
    except PenstockError as error:
        raise translated(error) from None
    if scale_grad_by_freq:
        found = _by_frequency(found, x, weight._spec.shape[0])
    found = looked_up(weight, found, frame)
    if padding_idx is None:
        return found
    place = padding_idx % weight._spec.shape[0]
    kept = record(pointwise.not_equal, (x, place), {}, frame)
    kept = record(shapes.reshape, (kept,), {"shape": (*x._spec.shape, 1)}, frame)
    return record(pointwise.where, (kept, found, 0.0), {}, frame)


@composite(2, "embedding", wide=True)
def _bounded(weight: Any, x: Any, limit: float, order: float) -> Any:
    """Returns a table in which rows that are read have at most a norm."""
    flat = shapes.reshape(x, shape=(math.prod(x.shape),))
    read = segments.segment_sum(native.ones_like(flat), flat, weight.shape[0])
    size = linalg.vector_norm(weight, axis=1, keepdims=True, ord=order)
    large = pointwise.logical_and(shapes.reshape(read, shape=(weight.shape[0], 1)) > 0, size > limit)
    return pointwise.where(large, weight * (limit / (size + 1e-7)), weight)


@composite(2, "embedding")
def _by_frequency(rows: Any, x: Any, count: int) -> Any:
    """Returns rows as they are, whose gradients are divided by how often each was read."""
    flat = shapes.reshape(x, shape=(math.prod(x.shape),))
    read = segments.segment_sum(native.ones_like(flat), flat, count)
    times = shapes.reshape(native.take(read, flat, axis=0), shape=(*x.shape, 1)).astype(rows.dtype)
    fixed = pointwise.stop_gradient(rows)
    return fixed + (rows - fixed) / times


@in_functional
def bilinear(x1: Any, x2: Any, weight: Any, bias: Any = None, name: Any = None) -> Any:
    """Returns x1 W x2 for each of the matrices W in `weight` [out, in1, in2]."""
    from penstock.paddle._matrices import einsum

    x1, x2, weight = operand(x1), operand(x2), operand(weight)
    found = saving(einsum("bi,oij,bj->bo", x1, weight, x2), user_frame(1), x1, x2, weight)
    return found if bias is None else found + bias


# -- layers ----------------------------------------------------------------------------------------------


@in_nn
class Linear(Layer):
    """x @ weight + bias; the weight has shape [in_features, out_features].

    >>> from penstock import paddle
    >>> paddle.nn.Linear(2, 3)
    Linear(in_features=2, out_features=3, dtype=float32)
    """

    def __init__(
        self, in_features: int, out_features: int, weight_attr: Any = None, bias_attr: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features, self.out_features, self.name = in_features, out_features, name
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns input @ weight + bias."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes and the dtype."""
        name = f", name={self.name}" if self.name else ""
        return f"in_features={self.in_features}, out_features={self.out_features}, dtype={self._dtype}{name}"


@in_nn
class Embedding(Layer):
    """Rows of a table, by their positions.

    `_weight` is a table that is there already: as in Paddle it is no parameter of the layer unless it was one
    before. `_freeze` keeps the table from being trained. `device` does nothing: there is one place. Raises
    ValueError for a table of another shape.
    """

    padding_idx = attribute("_padding_idx")

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: Any = None,
        norm_type: Any = 2.0, sparse: bool = False, scale_grad_by_freq: bool = False,
        weight_attr: Any = None, name: str | None = None, *, _weight: Any = None, _freeze: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._num_embeddings, self._embedding_dim = num_embeddings, embedding_dim
        self._padding_idx, self._sparse, self._name = padding_idx, sparse, name
        self._max_norm, self._norm_type, self._scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        if _weight is None:
            self.weight = self.create_parameter([num_embeddings, embedding_dim], weight_attr, dtype)
        elif tuple(_weight._spec.shape) != (num_embeddings, embedding_dim):
            raise InvalidValueError(
                "Shape of weight does not match num_embeddings and embedding_dim",
                origin=f"the shape is {list(_weight._spec.shape)}, not [{num_embeddings}, {embedding_dim}]",
                site=here(),
            )
        else:
            self.weight = _weight
        if self.weight is not None and (_freeze or _weight is not None):
            self.weight.stop_gradient = bool(_freeze)
        if padding_idx is not None and self.weight is not None:
            start = self.weight.numpy()
            start[padding_idx] = 0.0
            with no_grad():
                self.weight.set_value(start)

    def forward(self, x: Any) -> Any:
        """Returns the rows at these positions."""
        return embedding(
            x, self.weight, self._padding_idx, self._max_norm, self._norm_type, self._sparse,
            self._scale_grad_by_freq,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Returns the sizes."""
        text = f"{self._num_embeddings}, {self._embedding_dim}"
        if self._padding_idx is not None:
            text += f", padding_idx={self._padding_idx}"
        return f"{text}, sparse={self._sparse}, scale_grad_by_freq={self._scale_grad_by_freq}"


@in_nn
class Bilinear(Layer):
    """x1 W x2 for each of several matrices that are learnt."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, weight_attr: Any = None,
        bias_attr: Any = None, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.weight = self.create_parameter([out_features, in1_features, in2_features], weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """Returns the products."""
        return bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the arguments."""
        after, first, second = self.weight.shape
        return f"in1_features={first}, in2_features={second}, out_features={after}, dtype={self._dtype}"
