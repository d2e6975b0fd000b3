"""Attention without projections: scores are computed directly from the queries and keys."""

from __future__ import annotations

import functools
import sys
from typing import Any, Unpack

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions import array
from penstock.functions.nn import softmax
from penstock.layers.arguments import along
from penstock.layers.base import Layer, honoured
from penstock.layers.masks import low
from penstock.layers.options import Options
from penstock.layers.regularization import dropped, fractions, rate_of, stream_of
from penstock.trace.lengths import is_symbolic
from penstock.trace.source_site import here


def causal(layer: Layer, rows: int, columns: int) -> Any:
    """Returns the causal mask [1, rows, columns]: true for columns no later than the row."""
    if is_symbolic((rows, columns)):
        return array.expand_dims(array.tril(array.ones((rows, columns), dtype="bool")), axis=0)
    return layer._constant(_lower(rows, columns))


@functools.lru_cache(maxsize=8)
def _lower(rows: int, columns: int) -> np.ndarray[Any, Any]:
    """Returns the lower triangle, one for all layers and steps: it is sent to a device once."""
    mask = np.tri(rows, columns, dtype=bool)[None]
    mask.flags.writeable = False
    return mask


class Attention(Layer):
    """softmax(query . key) @ value, of a list [query, value] or [query, value, key] (Luong and others, 2015).

    Queries are [batch, n, width], values [batch, m, size]; `key` is `value` unless given. `use_scale` trains
    a factor of the scores. With `score_mode` "concat" a score is the sum of tanh(query + key) instead, times
    a trained number. Masks come as a list, or with the inputs: masked queries give zeros, masked values get
    no weight.

    Args:
        use_scale: whether a scale is trained.
        score_mode: "dot" or "concat".
        dropout: the share of inputs that is dropped while training, from 0 to 1.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `score_mode`, `dropout`, `seed` or an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.
        DTypeError: if an input has the wrong dtype or type.

    >>> import penstock as ps
    >>> query, value = ps.zeros((2, 3, 4)), ps.zeros((2, 5, 4))
    >>> ps.layers.Attention()([query, value]).shape
    (2, 3, 4)
    """

    supports_masking, _makes_masks = True, False

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(**options)
        if score_mode not in ("dot", "concat"):
            raise ArgumentError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. "
                f"Received: score_mode={score_mode}",
                site=here(),
            )
        self.use_scale, self.score_mode = use_scale, score_mode
        self.dropout, self.seed = rate_of(dropout), seed
        self._stream = stream_of(self, seed, self.dropout > 0)
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables, if there are any."""
        if self.use_scale:
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(
                shape=(), initializer="ones", name="concat_score_weight"
            )
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        if self.score_mode == "dot":
            scores = array.matmul(query, array.matrix_transpose(key))
            return scores if self.scale is None else scores * self.scale
        sums = array.expand_dims(query, axis=-2) + array.expand_dims(key, axis=-3)
        sums = sums if self.scale is None else sums * self.scale
        return array.sum(array.tanh(sums), axis=-1) * self.concat_score_weight

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """Computes the layer; `return_attention_scores` adds the weights [batch, n, m]."""
        for what, given, least in (("inputs", inputs, 2), ("mask", mask, 2)):
            if given is not None and not (isinstance(given, list | tuple) and least <= len(given) <= 3):
                raise ArgumentError(
                    f"{type(self).__name__} layer must be called on a list of inputs, namely [query, value] "
                    f"or [query, value, key], with a mask for each or none. Received: {what}={given}.",
                    site=here(),
                )
        query, value, key = inputs if len(inputs) == 3 else (*inputs, inputs[1])
        query_mask, value_mask = (None, None) if mask is None else mask[:2]
        scores = self._scores(query, key)
        allowed = None if value_mask is None else array.expand_dims(value_mask, axis=-2)
        if use_causal_mask:
            early = causal(self, *scores._spec.shape[-2:])
            allowed = early if allowed is None else array.logical_and(allowed, early)
        if allowed is not None:
            scores = array.where(allowed, scores, scores + low(scores._spec.dtype))
        weights = softmax(scores)
        used = weights
        if training and self.dropout:
            honoured(self, "dropout")
            shape, dtype = tuple(weights._spec.shape), weights._spec.dtype
            used = dropped(weights, fractions(self._stream, shape, dtype, sys._getframe(0)), self.dropout)
        output = array.matmul(used, value)
        if query_mask is not None:
            output = array.where(array.expand_dims(query_mask, axis=-1), output, 0.0)
        return (output, weights) if return_attention_scores else output

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns the mask of the queries."""
        return None if mask is None else mask[0]


class AdditiveAttention(Attention):
    """Attention whose scores are the sum of scale * tanh(query + key) (Bahdanau and others, 2015).

    `scale` [width] is trained, unless `use_scale` is false. Inputs and masks are those of `Attention`.

    Args:
        use_scale: whether a scale is trained.
        dropout: the share of inputs that is dropped while training, from 0 to 1.
        options: options of every layer: `name`, `dtype`, `trainable` and others, see `Layer`.

    Raises:
        ArgumentError: if `dropout` or an input has a value that is not allowed.
        ShapeError: if an input has the wrong shape, or names an axis that is not there.

    >>> import penstock as ps
    >>> query, value = ps.zeros((2, 3, 4)), ps.zeros((2, 5, 4))
    >>> ps.layers.AdditiveAttention()([query, value]).shape
    (2, 3, 4)
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **options: Unpack[Options]) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **options)

    def build(self, input_shape: Any) -> None:
        """Makes the scale."""
        if self.use_scale:
            pair = isinstance(input_shape, list) and len(input_shape) in (2, 3)
            if not pair or not isinstance(input_shape[0], tuple):
                raise ArgumentError(
                    f"AdditiveAttention {self.name!r} was called with inputs of the shapes {input_shape}.",
                    remedy="Call it on a list of tensors, [query, value] or [query, value, key].",
                    site=here(),
                )
            (width,) = along(self, input_shape[0], (-1,))
            self.scale = self.add_weight(shape=(width,), initializer="glorot_uniform", name="scale")
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        sums = array.tanh(array.expand_dims(query, axis=-2) + array.expand_dims(key, axis=-3))
        return array.sum(sums if self.scale is None else sums * self.scale, axis=-1)


__all__: list[str] = ["AdditiveAttention", "Attention"]
