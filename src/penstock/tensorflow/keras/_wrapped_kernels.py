"""Layers around the matrix of another: its spectral norm held at one, and a table that is read both ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import penstock as ps
from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import initializers
from penstock.tensorflow.keras import layers as _layers
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here


@named("tf.keras.layers.SpectralNormalization")
class SpectralNormalization(Layer):
    """Divides the kernel of a layer, or its embeddings, by the largest singular value in each training step.

    The value is found by `power_iterations` products with a vector, which the layer keeps.

    Args:
        layer: a layer that has a `kernel` or `embeddings`.
        power_iterations: how many products, an int above 0.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    Raises:
        ArgumentError: if `power_iterations` is not above 0, or the layer has neither variable.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.SpectralNormalization(tf.keras.layers.Dense(3))
    >>> layer(tf.ones((2, 4)), training=True).shape
    TensorShape([2, 3])
    """

    def __init__(self, layer: Any, power_iterations: int = 1, **options: Any) -> None:
        super().__init__(**options)
        if power_iterations <= 0:
            raise ArgumentError(
                "`power_iterations` should be greater than zero. Received: "
                f"`power_iterations={power_iterations}`",
                site=here(),
            )
        self.layer, self.power_iterations = layer, power_iterations

    def build(self, input_shape: Any) -> None:
        """Builds the layer inside, and makes the vector."""
        if not self.layer.built:
            self.layer._build_from(input_shape)
        self.kernel = kernel = self._kernel()
        self.vector_u = self.add_weight(
            (1, kernel.shape[-1]), initializers.TruncatedNormal(stddev=0.02), name="vector_u",
            trainable=False, dtype=kernel.dtype,
        )  # fmt: skip

    def _parts(self, seen: list[Any]) -> Iterator[tuple[str, Any]]:
        # Keras lists the kernel, which the layer also holds itself, before the vector.
        yield from sorted(super()._parts(seen), key=lambda one: one[0] != "kernel")

    def _kernel(self) -> Any:
        for name in ("kernel", "embeddings"):
            if hasattr(self.layer, name):
                return getattr(self.layer, name)
        raise ArgumentError(
            f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings'", site=here()
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Computes the layer; in training, its kernel is divided first."""
        if training:
            self._normalize(self.kernel)
        return _elementwise.cast(self.layer(inputs), inputs.dtype)

    def _normalize(self, kernel: Any) -> None:
        columns = kernel.shape[-1]
        rows = _arrays.reshape(ps.stop_gradient(kernel + 0.0), (-1, columns))
        before = ps.stop_gradient(self.vector_u + 0.0)
        u = before
        for _ in range(self.power_iterations):
            v = _unit(ps.matmul(u, _arrays.transpose(rows)))
            u = _unit(ps.matmul(v, rows))
        norm = ps.matmul(ps.matmul(v, rows), _arrays.transpose(u))
        zero = ps.max(ps.abs(rows)) == 0
        self.vector_u.assign(_arrays.where(zero, before, u))
        divided = rows / _arrays.where(zero, _arrays.ones_like(norm), norm)
        kernel.assign(_arrays.reshape(divided, tuple(kernel.shape)))


def _unit(vector: Any) -> Any:
    """Returns a vector with length 1."""
    squared = ps.sum(vector * vector)
    return vector / ps.sqrt(ps.maximum(squared, 1e-12))


@named("tf.keras.layers.ReversibleEmbedding")
class ReversibleEmbedding(_layers.Embedding):  # type: ignore[misc]
    """An embedding whose table also projects back: `layer(x, reverse=True)` gives a number for each row.

    Args:
        input_dim: the number of rows, an int.
        output_dim: the length of a row, an int.
        tie_weights: whether the way back is the table, transposed, and not a matrix of its own.
        embeddings_initializer: the initializer of the table, or its name.
        embeddings_regularizer: a penalty on the table; None for none.
        embeddings_constraint: a constraint on the table; None for none.
        mask_zero: whether id 0 is padding, and masked.
        reverse_dtype: the dtype of the way back; None for that of the layer.
        logit_soft_cap: a bound that the numbers of the way back approach, by tanh; None for none.
        options: options of every layer: `name`, `dtype`, `trainable`; see `Layer`.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.ReversibleEmbedding(5, 3)
    >>> layer(layer(tf.constant([[1, 2]])), reverse=True).shape
    TensorShape([1, 2, 5])
    """

    def __init__(
        self, input_dim: int, output_dim: int, tie_weights: bool = True,
        embeddings_initializer: Any = "uniform", embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None, mask_zero: bool = False, reverse_dtype: Any = None,
        logit_soft_cap: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            input_dim, output_dim, embeddings_initializer, embeddings_regularizer, embeddings_constraint,
            mask_zero, **options,
        )  # fmt: skip
        self.tie_weights, self.reverse_dtype = tie_weights, reverse_dtype
        self.logit_soft_cap = logit_soft_cap

    def build(self, input_shape: Any = None) -> None:
        """Makes the table, and the matrix of the way back if it is another."""
        if self.built:
            return
        super().build(input_shape)
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                shape=(self.output_dim, self.input_dim), initializer=self.embeddings_initializer,
                name="reverse_embeddings",
            )  # fmt: skip

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns which ids are not 0, with `mask_zero`; None for the way back."""
        return None if self._reversed else super().compute_mask(inputs, mask)

    _reversed = False
    """Whether the latest call went back."""

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        """Looks up the rows, or with `reverse` computes the products with all rows."""
        object.__setattr__(self, "_reversed", bool(reverse))
        if not reverse:
            return super().call(inputs)
        kernel = _arrays.transpose(self.embeddings + 0.0) if self.tie_weights else self.reverse_embeddings
        dtype = self.compute_dtype if self.reverse_dtype is None else self.reverse_dtype
        made = ps.matmul(_elementwise.cast(inputs, dtype), _elementwise.cast(kernel, dtype))
        cap = self.logit_soft_cap
        return made if cap is None else ps.tanh(made / cap) * cap
