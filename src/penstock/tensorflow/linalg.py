"""tf.linalg: matrix products, factors and norms."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.linalg",
    globals(),
    "_products",
    rest="_arrays _clipping _factors _linear_operators _matrices _reductions _shape_functions",
)
