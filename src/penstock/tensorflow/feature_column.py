"""tf.feature_column: descriptions of features."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_FILES = " ".join(
    f"_feature_columns.{one}" for one in ("categories", "columns", "combined", "embeddings", "layers")
)
__getattr__, __dir__, __all__ = _namespace("tf.feature_column", globals(), _FILES)
