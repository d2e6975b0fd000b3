"""Feature columns made of others: weighted and crossed categories, and categories as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penstock.tensorflow import _elementwise
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._feature_columns.categories import HashedCategoricalColumn
from penstock.tensorflow._feature_columns.columns import Categorical, Dense, Features, both
from penstock.tensorflow._feature_columns.entries import (
    Entries,
    crossed,
    entries,
    weighted,
    wrong,
)
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._parsing import VarLenFeature
from penstock.tensorflow._tensor_shape import TensorShape


class _Weighted(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: Any


class WeightedCategoricalColumn(_Weighted, Categorical):
    """Categories, each with a weight that another feature gives."""

    __slots__ = ()
    __repr__ = _Weighted.__repr__

    @property
    def name(self) -> str:
        """The names of both features."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return int(self.categorical_column.num_buckets)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        own = {self.weight_feature_key: VarLenFeature(self.dtype)}
        return {**self.categorical_column.parse_example_spec, **own}

    def ids(self, features: Features) -> Entries:
        """Returns the categories with their weights."""
        found: Entries = self.categorical_column.ids(features)
        weights = weighted(features, self.weight_feature_key)
        if len(weights) != len(found.values):
            raise wrong(
                f"{self.name}: there are {len(found.values)} categories and {len(weights)} weights.",
                "Give one weight for each category.",
            )
        return found._replace(weights=weights)


@both("weighted_categorical_column")
def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = "float32"
) -> WeightedCategoricalColumn:
    """Returns a column of categories with weights, which the feature of this name gives."""
    wanted = as_dtype(dtype)
    if not (wanted.is_integer or wanted.is_floating):
        raise wrong(f"dtype {wanted} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, wanted)


class _Crossed(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: Any


class CrossedColumn(_Crossed, Categorical):
    """Combinations of features, by their hash."""

    __slots__ = ()
    __repr__ = _Crossed.__repr__

    def _leaves(self) -> list[Any]:
        found: list[Any] = []
        for one in self.keys:
            found += one._leaves() if isinstance(one, CrossedColumn) else [one]
        return found

    @property
    def name(self) -> str:
        """The names of the features, joined by `_X_`."""
        return "_X_".join(sorted(one if isinstance(one, str) else one.name for one in self._leaves()))

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        found: dict[str, Any] = {}
        for one in self.keys:
            own = {one: VarLenFeature(as_dtype("string"))} if isinstance(one, str) else one.parse_example_spec
            found.update(own)
        return found

    def ids(self, features: Features) -> Entries:
        """Returns the number of every combination."""
        parts = [
            entries(features, one, keep=True) if isinstance(one, str) else one.ids(features)
            for one in self._leaves()
        ]
        return crossed(parts, self.hash_bucket_size, self.hash_key)


@both("crossed_column")
def crossed_column(keys: Any, hash_bucket_size: int, hash_key: Any = None) -> CrossedColumn:
    """Returns a column of categories for combinations of features, by their hash."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise wrong(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise wrong(f"keys must be a list with length > 1. Given: {keys}")
    for one in keys:
        if not isinstance(one, str | Categorical):
            raise wrong(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {one}"
            )
        if isinstance(one, HashedCategoricalColumn):
            raise wrong(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing "
                f"will increase probability of collision. Instead, use the feature name as a string. Given: "
                f"{one}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


class _Indicator(NamedTuple):
    categorical_column: Any


class IndicatorColumn(_Indicator, Dense):
    """How often an example has each category."""

    __slots__ = ()
    __repr__ = _Indicator.__repr__

    @property
    def name(self) -> str:
        """The name of the categories, with `_indicator`."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape for one example."""
        return TensorShape((1, self.categorical_column.num_buckets))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` takes for this column."""
        return self.categorical_column.parse_example_spec  # type: ignore[no-any-return]

    def dense(self, features: Features) -> Any:
        """Returns how often each example has each category, or the sum of the weights."""
        found: Entries = self.categorical_column.ids(features)
        counts = np.zeros((found.total, self.categorical_column.num_buckets), np.float32)
        valid = (found.values >= 0) & (found.values < counts.shape[1])
        weights = 1.0 if found.weights is None else found.weights[valid]
        np.add.at(counts, (found.rows[valid], found.values[valid]), weights)
        return lift(_elementwise.cast)(counts, "float32")


@both("indicator_column")
def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Returns a column of how often an example has each category."""
    if not isinstance(categorical_column, Categorical):
        raise wrong(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)
