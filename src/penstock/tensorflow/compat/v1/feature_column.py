"""tf.compat.v1.feature_column: descriptions of features, and the layers that read them."""

from __future__ import annotations

from penstock.tensorflow._feature_columns import FILES as _FILES
from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.feature_column", globals(), _FILES)
