"""tf.math: functions of numbers, reductions, segments and sequences."""

from __future__ import annotations

from penstock.tensorflow import _special_functions
from penstock.tensorflow._names import namespace as _namespace

special = _special_functions
__getattr__, __dir__, _public = _namespace(
    "tf.math",
    globals(),
    "_activations _elementwise _layer_functions _ordering _reductions _scatter _special",
    listed={__name__: "special"},
    rest="_rarer_names",
)
