"""Columns that look the vectors of categories up in a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.tensorflow import _arrays, _clipping, math
from penstock.tensorflow._feature_columns.columns import Categorical, Dense, both
from penstock.tensorflow._feature_columns.entries import Entries, wrong
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._graphs.initializers import TruncatedNormal
from penstock.tensorflow._tensor_shape import TensorShape


def looked_up(
    table: Any, rows: Any, ids: Any, weights: Any, count: int, combiner: str, max_norm: Any = None
) -> Any:
    """Returns for each example the sum, or the mean, of the rows of a table that its categories have."""
    found = _arrays.gather(table, ids)
    if max_norm is not None:
        found = _clipping.clip_by_norm(found, max_norm, axes=[1])
    whole = np.zeros(count, np.float32)
    np.add.at(whole, rows, weights if combiner != "sqrtn" else weights**2)
    if combiner == "sum":
        whole[...] = 1.0
    divisor = np.sqrt(whole) if combiner == "sqrtn" else whole
    shares = weights / np.where(divisor == 0, 1.0, divisor)[rows]
    found = found * shares.astype(np.float32)[:, None]
    return math.unsorted_segment_sum(found, np.asarray(rows), count)


_looked_up = lift(looked_up)


def combined(found: Entries, table: Any, combiner: str, max_norm: Any = None) -> Any:
    """Does what `looked_up` does for the categories of examples; those below 0 are left out.

    So are weights that are not above 0, except in sums.
    """
    weights = np.ones(len(found.values), np.float32) if found.weights is None else found.weights
    valid = found.values >= 0
    if combiner != "sum":
        valid &= weights > 0
    weights = np.asarray(weights, np.float32)[valid]
    return _looked_up(table, found.rows[valid], found.values[valid], weights, found.total, combiner, max_norm)


class _Embedding(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: Any
    max_norm: Any
    trainable: bool
    use_safe_embedding_lookup: bool


class EmbeddingColumn(_Embedding, Dense):
    """A vector for each category, learned."""

    __slots__ = ()
    __repr__ = _Embedding.__repr__

    @property
    def name(self) -> str:
        """The name of the categories, with `_embedding`."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape for one example."""
        return TensorShape((self.dimension,))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return self.categorical_column.parse_example_spec  # type: ignore[no-any-return]


def _embedding(
    column: Any, dimension: Any, combiner: str, initializer: Any, options: tuple[Any, ...]
) -> EmbeddingColumn:
    checkpoint, tensor_name, max_norm, trainable, safe = options
    if dimension is None or dimension < 1:
        raise wrong(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (tensor_name is None):
        raise wrong("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if checkpoint is not None:
        raise wrong(
            "ckpt_to_load_from is not supported.", "Restore the variable with tf.train.Checkpoint instead."
        )
    if initializer is not None and not callable(initializer):
        raise wrong(f"initializer must be callable if specified. Embedding of column_name: {column.name}")
    if combiner not in ("mean", "sqrtn", "sum"):
        raise wrong(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}")
    if not isinstance(column, Categorical):
        raise wrong(f"Unsupported input type. Input must be a CategoricalColumn. Given: {column}")
    if initializer is None:
        initializer = TruncatedNormal(0.0, 1 / np.sqrt(dimension))
    return EmbeddingColumn(
        column, dimension, combiner, initializer, checkpoint, tensor_name, max_norm, trainable, safe
    )


@both("embedding_column")
def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Returns a column of a learned vector for each category, combined where an example has several."""
    options = ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup
    return _embedding(categorical_column, dimension, combiner, initializer, options)
