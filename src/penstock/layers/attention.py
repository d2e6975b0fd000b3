"""Attention: each query takes a mean of values, weighted by the match between query and keys."""

from __future__ import annotations

import functools
import math
import sys
from typing import Any, Unpack

from penstock.errors import ArgumentError
from penstock.functions import array
from penstock.functions.attention import mean_by
from penstock.functions.composite import composite
from penstock.functions.nn import softmax
from penstock.layers import regularizers
from penstock.layers.arguments import lengths_given
from penstock.layers.base import Layer, honoured
from penstock.layers.core import whole
from penstock.layers.dot_attention import causal
from penstock.layers.masks import low
from penstock.layers.options import Attentive
from penstock.layers.regularization import dropped, fractions, rate_of, stream_of
from penstock.ops import pointwise
from penstock.ops.linear import matmul
from penstock.ops.promotion import is_narrow
from penstock.ops.shape import reshape, transpose
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@composite(3, "projection")
def projected(x: Any, kernel: Any, bias: Any) -> Tensor:
    """Returns x [batch, n, width] as heads: [width, heads, size] gives [batch, n, heads, size]."""
    width, heads, size = kernel.shape
    rows = math.prod(x.shape[:-1])
    flat = matmul(reshape(x, shape=(rows, width)), reshape(kernel, shape=(width, heads * size)))
    return reshape(flat, shape=(*x.shape[:-1], heads, size)) + bias  # type: ignore[no-any-return]


@composite(3, "projection")
def merged(x: Any, kernel: Any, bias: Any) -> Tensor:
    """Returns heads [batch, n, heads, size] joined by a kernel [heads, size, width]."""
    heads, size, width = kernel.shape
    rows = math.prod(x.shape[:-2])
    flat = matmul(reshape(x, shape=(rows, heads * size)), reshape(kernel, shape=(heads * size, width)))
    return reshape(flat, shape=(*x.shape[:-2], width)) + bias  # type: ignore[no-any-return]


def _scores(q: Any, k: Any) -> Any:
    # [batch, n, heads, size] and [batch, m, heads, size] to [batch, heads, n, m]
    scale = 1.0 / math.sqrt(q.shape[-1])
    return matmul(transpose(q * scale, axes=(0, 2, 1, 3)), transpose(k, axes=(0, 2, 3, 1)))


def _seen(scores: Any, mask: Any) -> Any:
    """Returns the scores, with the lowest number in masked places."""
    return pointwise.where(_whole(mask), scores, low(scores.dtype))


def _whole(mask: Any) -> Any:
    """Returns a mask with all four axes."""
    while mask.ndim < 4:
        place = 1 if mask.ndim == 3 else 0
        mask = reshape(mask, shape=(*mask.shape[:place], 1, *mask.shape[place:]))
    return mask


@composite(3, "attention")
def attended(q: Any, k: Any, v: Any) -> Tensor:
    """Returns the mean of values [batch, m, heads, size] for each query."""
    return transpose(mean_by(_scores(q, k), transpose(v, axes=(0, 2, 1, 3))), axes=(0, 2, 1, 3))


@composite(4, "attention")
def masked_attended(q: Any, k: Any, v: Any, mask: Any) -> Tensor:
    """Returns the mean of the values that each query may attend to; of all, if it may attend to none."""
    scores = _seen(_scores(q, k), mask)
    return transpose(mean_by(scores, transpose(v, axes=(0, 2, 1, 3))), axes=(0, 2, 1, 3))


@composite(2, "attention_scores")
def scores_of(q: Any, k: Any) -> Tensor:
    """Returns the weight of each key for each query."""
    return softmax(_scores(q, k))


@composite(3, "attention_scores")
def masked_scores_of(q: Any, k: Any, mask: Any, zeros: bool) -> Tensor:
    """Returns the weight of each key for each query, 0 in masked places.

    For a query that may attend to nothing, all weights are the same, or 0 with `zeros`.
    """
    weights = softmax(_seen(_scores(q, k), mask))
    return pointwise.where(_whole(mask), weights, 0.0) if zeros else weights


@composite(2, "attention")
def weighted(weights: Any, v: Any) -> Tensor:
    """Returns the mean of values [batch, m, heads, size] for each query, by the weights."""
    return transpose(matmul(weights, transpose(v, axes=(0, 2, 1, 3))), axes=(0, 2, 1, 3))


class _Projection(Layer):
    """A matrix and a bias of a multi-head attention, in the shape of its heads."""

    def __init__(self, shape: Any, bias_shape: Any, owner: Any, name: str) -> None:
        super().__init__(name=name, dtype=owner._policy)
        self._shape, self._bias_shape, self.bias = shape, bias_shape, None
        self._options = owner._options

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables."""
        self.kernel = self.add_weight(shape=self._shape, name="kernel", **self._options["kernel"])
        if self._bias_shape is not None:
            self.bias = self.add_weight(shape=self._bias_shape, name="bias", **self._options["bias"])
        self.built = True


class MultiHeadAttention(Layer):
    """Attention of several heads (Vaswani and others, 2017): query [batch, n, width], value [batch, m, any].

    Each head projects query, key and value to `key_dim` (values to `value_dim`) and weights the values by
    softmax(query . key / sqrt(key_dim)); the results of all heads are projected to the query's width.
    `attention_mask` [batch, n, m] is true where a query may attend. `key` defaults to `value`. Inputs may
    have more axes: queries attend along all of them, or along `attention_axes`; the others count as a batch.

    Args:
        num_heads: how many heads, an int.
        key_dim: the length of queries and keys of a head, an int.
        value_dim: the length of values of a head, an int; None for `key_dim`.
        dropout: the share of inputs that is dropped while training, from 0 to 1.
        use_bias: whether a bias is added.
        output_shape: the last axis of the result; None for that of the query.
        kernel_initializer: the initializer of the kernel, or its name.
        bias_initializer: the initializer of the bias, or its name.
        kernel_regularizer: a penalty on the kernel: a regularizer or its name; None for none.
        bias_regularizer: a penalty on the bias: a regularizer or its name; None for none.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if an argument or an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> layer = ps.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> x = ps.zeros((1, 5, 8))
    >>> layer(x, x, use_causal_mask=True).shape
    (1, 5, 8)
    """

    supports_masking = True

    _projection_class: Any = _Projection

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        seed: int | None = None,
        **options: Unpack[Attentive],
    ) -> None:
        axes = options.pop("attention_axes", None)
        super().__init__(**options)
        if axes is not None and not isinstance(axes, int | list | tuple):
            raise ArgumentError(
                "`attention_axes` must be an int, list, or tuple.",
                origin=f"it is {axes!r}",
                remedy="Name axes of the query between the first and the last: attention_axes=(2,).",
                site=here(),
            )
        self.attention_axes = (axes,) if isinstance(axes, int) else axes
        self.num_heads, self.key_dim = whole(self, "num_heads", num_heads), whole(self, "key_dim", key_dim)
        self.value_dim = self.key_dim if value_dim is None else whole(self, "value_dim", value_dim)
        self.dropout, self.seed, self._stream = rate_of(dropout), seed, None
        self.use_bias = use_bias
        self._width = lengths_given(self, "output_shape", output_shape)[-1] if output_shape != () else None
        self._options = {
            "kernel": {
                "initializer": self._initializer(kernel_initializer),
                "regularizer": regularizers.get(kernel_regularizer),
            },
            "bias": {
                "initializer": self._initializer(bias_initializer),
                "regularizer": regularizers.get(bias_regularizer),
            },
        }

    def build(  # type: ignore[override]
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Makes the projections."""
        heads = self.num_heads
        for what, shape in (
            ("query", query_shape),
            ("value", value_shape),
            ("key", key_shape or value_shape),
        ):
            if not isinstance(shape, tuple) or len(shape) < 3:
                raise ArgumentError(
                    f"{type(self).__name__} {self.name!r}: the {what} has the shape {shape}.",
                    why="Query, value and key must each be [batch, steps, features].",
                    remedy="Give tensors with these axes.",
                    site=here(),
                )
        widths = (query_shape, key_shape or value_shape, value_shape)
        sizes = (self.key_dim, self.key_dim, self.value_dim)
        made = [
            self._projection_class(
                (shape[-1], heads, size), (heads, size) if self.use_bias else None, self, name
            )
            for name, shape, size in zip(("query", "key", "value"), widths, sizes, strict=True)
        ]
        self.query, self.key, self.value = made
        # Here, between the projections, as in Keras, whose seeds come one after another.
        self._stream = stream_of(self, self.seed, self.dropout > 0)
        width = query_shape[-1] if self._width is None else self._width
        bias = (width,) if self.use_bias else None
        self.attention_output = self._projection_class(
            (heads, self.value_dim, width), bias, self, "attention_output"
        )
        for one in (*made, self.attention_output):
            one.build()
        self.built = True

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
    ) -> Any:
        """Computes the layer; `return_attention_scores` adds the weights [batch, heads, n, m].

        A query attends where `attention_mask` and the masks of the inputs allow it: [batch, n] for the query
        and [batch, m] for key and value. Masks that come with the inputs need not be passed.
        """
        key = value if key is None else key
        axes = self._axes(query._spec.ndim)
        if axes != (1,) or query._spec.ndim > 3:
            return self._along(
                axes, (query, value, key), attention_mask, (query_mask, value_mask, key_mask),
                return_attention_scores, training, use_causal_mask,
            )  # fmt: skip
        given = [attention_mask]
        given += self._pairs(query, value, (query_mask, value_mask, key_mask), use_causal_mask)
        given = [one for one in given if one is not None]
        mask = functools.reduce(array.logical_and, given) if given else None
        return self._attended(query, value, key, mask, return_attention_scores, training)

    def _attended(
        self, query: Any, value: Any, key: Any, mask: Any, return_attention_scores: bool, training: Any
    ) -> Any:
        """Computes the layer for inputs of three axes, and a mask of all that a query may attend to."""

        def applied(function: Any, part: Any, x: Any) -> Any:
            return function(x, part.kernel, 0.0 if part.bias is None else part.bias)

        q, k = applied(projected, self.query, query), applied(projected, self.key, key)
        v = applied(projected, self.value, value)
        if not return_attention_scores and not self.dropout and not is_narrow(q.dtype):
            unmasked = mask is None
            mean = attended(q, k, v) if unmasked else masked_attended(q, k, v, mask)
            return applied(merged, self.attention_output, mean)
        if mask is None:
            weights = scores_of(q, k)
        else:
            # Keras has two ways to compute it, which differ for a query that may attend to nothing.
            zeros = return_attention_scores or self.dropout > 0
            weights = masked_scores_of(q, k, mask, zeros)
        used = weights
        if training and self.dropout:
            honoured(self, "dropout")
            shape, dtype = tuple(weights._spec.shape), weights._spec.dtype
            used = dropped(weights, fractions(self._stream, shape, dtype, _frame(1)), self.dropout)
        output = applied(merged, self.attention_output, weighted(used, v))
        return (output, weights) if return_attention_scores else output

    def _axes(self, count: int) -> tuple[int, ...]:
        """Returns the axes along which queries attend: all between the first and the last, unless given."""
        given = self.attention_axes
        if given is None:
            return tuple(range(1, count - 1))
        return tuple([axis % count for axis in given])

    def _along(
        self, axes: tuple[int, ...], parts: tuple[Any, Any, Any], mask: Any, masks: tuple[Any, ...],
        scores: bool, training: Any, use_causal_mask: bool,
    ) -> Any:  # fmt: skip
        """Computes the layer along these axes of the query: the other axes count as parts of the batch."""
        query, value, _ = parts
        count = query._spec.ndim
        others = [axis for axis in range(count - 1) if axis not in axes]
        order = (*others, *axes, count - 1)
        outer = [query._spec.shape[axis] for axis in others]
        inner = [[one._spec.shape[axis] for axis in axes] for one in (query, value)]

        def moved(one: Any) -> Any:
            shape = tuple(one._spec.shape[axis] for axis in order)
            rows = (math.prod(shape[: len(others)]), math.prod(shape[len(others) : -1]), shape[-1])
            return reshape(transpose(one, axes=order), shape=rows)

        given = [mask, *self._pairs(query, value, masks, use_causal_mask)]
        given = [one for one in given if one is not None]
        if given:
            mask = functools.reduce(array.logical_and, given)
            ends = [*inner[0], *inner[1]]
            missing = len(outer) + len(ends) - mask.ndim
            lead = mask.ndim - len(ends)
            shape = (*mask.shape[:lead], *[1] * missing, *mask.shape[lead:])
            mask = array.broadcast_to(array.reshape(mask, shape), (*outer, *ends))
            mask = array.reshape(mask, (math.prod(outer), *map(math.prod, inner)))
        query, value, key = map(moved, parts)
        found = self._attended(query, value, key, mask if given else None, scores, training)
        output, weights = found if scores else (found, None)
        back = [order.index(axis) for axis in range(count)]
        output = transpose(reshape(output, shape=(*outer, *inner[0], output.shape[-1])), axes=tuple(back))
        if weights is None:
            return output
        return output, reshape(weights, shape=(*outer, self.num_heads, *inner[0], *inner[1]))

    def _pairs(self, query: Any, value: Any, masks: tuple[Any, ...], use_causal_mask: bool) -> list[Any]:
        """Returns which queries may attend to which values, by the masks of inputs along the second axis."""
        found = [
            array.expand_dims(mask, axis=axis)
            for mask, axis in zip(masks, (2, 1, 1), strict=True)
            if mask is not None
        ]
        if use_causal_mask:
            found.append(causal(self, query._spec.shape[1], value._spec.shape[1]))
        return found


__all__: list[str] = ["MultiHeadAttention"]
