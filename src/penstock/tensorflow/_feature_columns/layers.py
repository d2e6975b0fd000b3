"""Feature columns at work: one matrix of all columns, or a weighted sum of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, linalg, math
from penstock.tensorflow._feature_columns.columns import Categorical, Dense, both
from penstock.tensorflow._feature_columns.embeddings import EmbeddingColumn, combined
from penstock.tensorflow._feature_columns.entries import wrong
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._graphs.initializers import Zeros
from penstock.tensorflow._graphs.scope import get_variable, variable_scope

_NAMES = (
    "This usually means that these columns refer to same base feature. Either one must be discarded or a "
    "duplicated but renamed item must be inserted in features dict."
)
_PLACE = "tf.compat.v1.feature_column"
_concat, _matmul, _add = lift(_arrays.concat), lift(linalg.matmul), lift(math.add)


@both("make_parse_example_spec")
def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Returns what `tf.io.parse_example` takes for the features of these columns.

    >>> from penstock import tensorflow as tf
    >>> tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("age")])
    {'age': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, Dense | Categorical):
            raise wrong(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, one in column.parse_example_spec.items():  # type: ignore[union-attr]
            if key in found and found[key] != one:
                raise wrong(
                    f"feature_columns contain different parse_spec for key {key}. Given {found[key]} and "
                    f"{one}"
                )
            found[key] = one
    return found


def _ordered(feature_columns: Any) -> list[Any]:
    columns = (
        list(feature_columns)
        if isinstance(feature_columns, Iterable) and not hasattr(feature_columns, "name")
        else [feature_columns]
    )
    if not columns:
        raise wrong("feature_columns must not be empty.")
    names = [getattr(one, "name", None) for one in columns]
    for one, name in zip(columns, names, strict=True):
        if not isinstance(one, Dense | Categorical):
            raise wrong(
                f"Items of feature_columns must be a _FeatureColumn. Given (type {type(one)}): {one}."
            )
        if names.count(name) > 1:
            first, second = [column for column in columns if getattr(column, "name", None) == name][:2]
            raise wrong(f"Duplicate feature column name found for columns: {first} and {second}. {_NAMES}")
    return sorted(columns, key=lambda one: one.name)


def _scope_name(name: str) -> str:
    return "".join(one if one.isalnum() or one in "_.\\-/" else "_" for one in name)


@named(f"{_PLACE}.input_layer")
def input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
    cols_to_output_tensors: Any = None,
) -> Any:
    """Returns the numbers of all columns, ordered by name, as a row for each example.

    >>> from penstock import tensorflow as tf
    >>> columns = [tf.feature_column.numeric_column(one) for one in ("b", "a")]
    >>> given = {"a": [1.0, 2.0], "b": [3.0, 4.0]}
    >>> print(tf.compat.v1.feature_column.input_layer(given, columns).numpy())
    [[1. 3.]
     [2. 4.]]
    """
    columns = _ordered(feature_columns)
    for one in columns:
        if not isinstance(one, Dense):
            raise wrong(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {one}"
            )
    found = []
    with variable_scope(None, "input_layer"):
        for one in columns:
            made: list[Any] = []
            with variable_scope(None, _scope_name(one.name)):
                value = _dense(one, features, trainable, weight_collections, made)
            found.append(value)
            if cols_to_vars is not None:
                cols_to_vars[one] = made
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[one] = value
    return _concat(found, 1)


def _dense(column: Any, features: Any, trainable: bool, collections: Any, made: list[Any]) -> Any:
    if not isinstance(column, EmbeddingColumn):
        return column.dense(features)
    source = column.categorical_column
    table = get_variable(
        "embedding_weights",
        [source.num_buckets, column.dimension],
        "float32",
        column.initializer,
        trainable=column.trainable and trainable,
        collections=collections,
    )
    made.append(table)
    return combined(source.ids(features), table, column.combiner, column.max_norm)


@named(f"{_PLACE}.linear_model")
def linear_model(
    features: Mapping[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
) -> Any:
    """Returns a weighted sum of all columns for each example, and a bias; a category has its own weight."""
    columns = _ordered(feature_columns)
    total: Any = None
    with variable_scope(None, "linear_model"):
        for one in columns:
            with variable_scope(None, _scope_name(one.name)):
                own, weight = _weighted_sum(
                    one, features, units, sparse_combiner, weight_collections, trainable
                )
            total = own if total is None else _add(total, own)
            if cols_to_vars is not None:
                cols_to_vars[one] = [weight]
        bias = _zeros("bias_weights", [units], weight_collections, trainable)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
    return _add(total, bias)


def _zeros(name: str, lengths: list[int], collections: Any, trainable: bool) -> Any:
    return get_variable(name, lengths, "float32", Zeros(), trainable=trainable, collections=collections)


def _weighted_sum(
    column: Any, features: Any, units: int, combiner: str, collections: Any, trainable: bool
) -> tuple[Any, Any]:
    if isinstance(column, Categorical) and not (isinstance(column, Dense) and combiner == "sum"):
        weight = _zeros("weights", [column.num_buckets, units], collections, trainable)  # type: ignore[attr-defined]
        return combined(column.ids(features), weight, combiner), weight  # type: ignore[attr-defined]
    width = int(np.prod(column.variable_shape))
    value = _dense(column, features, trainable, collections, [])
    weight = _zeros("weights", [width, units], collections, trainable)
    return _matmul(value, weight), weight
