"""tf.initializers: the names."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted as _tf

global_variables = _tf.global_variables_initializer
local_variables = _tf.local_variables_initializer
variables = _tf.variables_initializer

__getattr__, __dir__, _public = _namespace(
    "tf.compat.v1.initializers",
    globals(),
    "_graphs.initializers",
    listed={"penstock.tensorflow.compat.v1._variables_asked": "tables_initializer"},
)
