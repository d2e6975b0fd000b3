"""tf.linalg: matrix products, factors and norms."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.linalg",
    globals(),
    "_products",
    listed={"penstock.tensorflow._linalg_experimental": "experimental"},
    rest="_arrays _clipping _factors _linear_operators _matrices _matrix_functions _reductions "
    "_shape_functions _structured_operators",
)
