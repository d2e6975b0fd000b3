"""tf.compat.v1.feature_column: descriptions of features, and the layers that read them."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_FILES = "_feature_columns.columns _feature_columns.embeddings _feature_columns.layers"
__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.feature_column", globals(), _FILES)
