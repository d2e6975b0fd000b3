"""Attention whose heads share keys and values in groups."""

from __future__ import annotations

import functools
from typing import Any

from penstock.declared import named
from penstock.functions import array
from penstock.layers import attention as native
from penstock.layers.dot_attention import causal
from penstock.tensorflow import _elementwise
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import constraints, initializers, regularizers
from penstock.tensorflow.keras import layers as _layers
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here


@named("tf.keras.layers.GroupQueryAttention")
class GroupQueryAttention(Layer):
    """Attention of several query heads, of which groups share a head of keys and values.

    Query [batch, n, width] and value [batch, m, any] give [batch, n, width]; `key` is `value` unless given.

    Args:
        head_dim: the length of queries, keys and values of a head, an int.
        num_query_heads: how many heads queries have, an int.
        num_key_value_heads: how many heads keys and values have, a divisor of `num_query_heads`.
        dropout: the share of the weights that is dropped in training, from 0 to 1.
        use_bias: whether biases are added.
        sliding_window: how near keys must be to a query, itself counted; None for any distance.
        flash_attention: nothing but None and False: there is one way to compute it.
        kernel_initializer: the initializer of the kernels, or its name.
        bias_initializer: the initializer of the biases, or its name.
        kernel_regularizer: a penalty on the kernels; None for none.
        bias_regularizer: a penalty on the biases; None for none.
        kernel_constraint: a constraint on the kernels; None for none.
        bias_constraint: a constraint on the biases; None for none.
        use_gate: whether the heads are multiplied by a sigmoid of a projection of the query.
        seed: an int, for draws that can be repeated; None for the seed of the process.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    Raises:
        ArgumentError: if an argument has a value that is not allowed.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.GroupQueryAttention(3, 4, 2)
    >>> layer(tf.ones((1, 5, 8)), tf.ones((1, 6, 8))).shape
    TensorShape([1, 5, 8])
    """

    supports_masking = True
    _class_in_keras = "GroupedQueryAttention"
    _names_taken = ("Softmax",)

    def __init__(
        self, head_dim: int, num_query_heads: int, num_key_value_heads: int, dropout: float = 0.0,
        use_bias: bool = True, sliding_window: Any = None, flash_attention: Any = None,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, bias_constraint: Any = None, use_gate: bool = False, seed: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **options)
        if num_query_heads % num_key_value_heads:
            raise ArgumentError("`num_query_heads` must be divisible by `num_key_value_heads`.", site=here())
        if sliding_window is not None and (not isinstance(sliding_window, int) or sliding_window <= 0):
            raise ArgumentError(
                "`sliding_window` must be `None` or a positive integer. Received: "
                f"sliding_window={sliding_window}",
                site=here(),
            )
        if flash_attention:
            raise ArgumentError(
                "GroupQueryAttention: flash_attention=True is not available.",
                remedy="Leave it out: the numbers are the same.",
                site=here(),
            )
        self.head_dim, self.dropout, self.seed = head_dim, dropout, seed
        self.num_query_heads, self.num_key_value_heads = num_query_heads, num_key_value_heads
        self.use_bias, self.use_gate, self.sliding_window = use_bias, use_gate, sliding_window
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def _projection(self, name: str, equation: str, shape: Any, axes: str, activation: Any = None) -> Any:
        def own(initializer: Any) -> Any:
            clone = getattr(initializer, "clone", None)
            return initializer if clone is None else clone()

        return _layers.EinsumDense(
            equation, output_shape=shape, bias_axes=axes if self.use_bias else None, name=name,
            activation=activation, kernel_initializer=own(self.kernel_initializer),
            bias_initializer=own(self.bias_initializer), kernel_regularizer=self.kernel_regularizer,
            bias_regularizer=self.bias_regularizer, kernel_constraint=self.kernel_constraint,
            bias_constraint=self.bias_constraint, activity_regularizer=self.activity_regularizer,
            dtype=self.dtype_policy,
        )  # fmt: skip

    def build(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> None:  # type: ignore[override]
        """Makes the projections."""
        many = (None, self.num_query_heads, self.head_dim)
        few = (None, self.num_key_value_heads, self.head_dim)
        self._query_dense = self._projection("query", "bqm,muh->bquh", many, "uh")
        self._query_dense._build_from(query_shape)
        self._key_dense = self._projection("key", "bkm,mvh->bkvh", few, "vh")
        self._key_dense._build_from(value_shape if key_shape is None else key_shape)
        if self.use_gate:
            self._gate_dense = self._projection("gate", "bqm,muh->bquh", many, "uh", "sigmoid")
            self._gate_dense._build_from(query_shape)
        self._value_dense = self._projection("value", "bkm,mvh->bkvh", few, "vh")
        self._value_dense._build_from(value_shape)
        self._dropout_layer = _layers.Dropout(self.dropout, dtype=self.dtype_policy, seed=self.seed)
        self._output_dense = self._projection(
            "attention_output", "bquh,uhm->bqm", (None, query_shape[-1]), "m"
        )
        self._output_dense._build_from((*query_shape[:2], *many[1:]))

    def call(
        self, query: Any, value: Any, key: Any = None, query_mask: Any = None, value_mask: Any = None,
        key_mask: Any = None, attention_mask: Any = None, return_attention_scores: bool = False,
        training: Any = None, use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        """Computes the layer; `return_attention_scores` adds the weights [batch, heads, n, m]."""
        mask = self._seen(query, value, (query_mask, value_mask, key_mask), attention_mask, use_causal_mask)
        several = self.num_query_heads // self.num_key_value_heads
        q = self._query_dense(query)
        k = array.repeat(self._key_dense(value if key is None else key), several, axis=2)
        v = array.repeat(self._value_dense(value), several, axis=2)
        by_parts = return_attention_scores or self.dropout > 0
        weights = native.scores_of(q, k) if mask is None else native.masked_scores_of(q, k, mask, by_parts)
        used = self._dropout_layer(weights, training=training) if self.dropout > 0 else weights
        made = native.weighted(used, v)
        made = self._output_dense(made * self._gate_dense(query) if self.use_gate else made)
        return (made, weights) if return_attention_scores else made

    def _seen(self, query: Any, value: Any, masks: Any, attention_mask: Any, use_causal_mask: bool) -> Any:
        """Returns which keys each query attends to; None for all."""
        n, m = query._spec.shape[1], value._spec.shape[1]
        found = [None if attention_mask is None else _elementwise.cast(attention_mask, "bool")]
        found += [
            None if one is None else array.expand_dims(one, axis=axis)
            for one, axis in zip(masks, (2, 1, 1), strict=True)
        ]
        if use_causal_mask:
            found.append(causal(self, n, m))
        if self.sliding_window is not None:
            apart = array.expand_dims(array.arange(n), axis=1) - array.arange(m)
            found.append(array.expand_dims(abs(apart) < self.sliding_window, axis=0))
        given = [one for one in found if one is not None]
        return functools.reduce(array.logical_and, given) if given else None
