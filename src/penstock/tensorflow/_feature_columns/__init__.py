"""Feature columns: how the features of examples become one row of numbers for each example."""

FILES = " ".join(
    f"_feature_columns.{one}" for one in ("categories", "columns", "combined", "embeddings", "layers")
)
"""The files that declare them, under both of their names."""
