"""TensorFlow 2's names over Penstock.

Use them as `from penstock import tensorflow as tf`, or run a script by `penstock run --as tensorflow`. Files
whose name begins with an underscore define what the names mean, and declare the names; the others are
TensorFlow's own modules, made of what is declared for them.
"""

from __future__ import annotations

from typing import Any

from penstock.declared import named as _named
from penstock.tensorflow import _tape, _variable
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _NativeTensor

__version__ = "2.21.0"
newaxis = _named("tf.newaxis")(None)


@_named("tf.is_tensor")
def is_tensor(x: Any) -> Any:
    """Returns whether x is a tensor or a variable."""
    return isinstance(x, _NativeTensor | _Cell | _tape.IndexedSlices | _variable.ResourceVariable)


_V1 = "penstock.tensorflow.compat.v1"
_LATER = {
    "penstock.tensorflow": (
        "autodiff autograph bitwise compat config data debugging distribute dtypes errors image io keras "
        "linalg lookup math nest nn random saved_model signal sparse strings summary train version"
    ),
    "penstock.tensorflow.keras": "initializers losses metrics optimizers",
    "penstock.tensorflow._initializers": (
        "constant_initializer ones_initializer random_normal_initializer random_uniform_initializer "
        "zeros_initializer"
    ),
    "penstock.tensorflow._modes": "get_logger init_scope inside_function",
    "penstock.tensorflow.dtypes": "bfloat16 string",
    "penstock.tensorflow.sparse": "SparseTensor",
    "penstock.tensorflow.strings": "as_string",
    _V1: "Graph Operation control_dependencies device gradients group name_scope no_op",
}
"""What not every program needs, by where it is imported from on first use."""

__getattr__, __dir__, _public = _namespace(
    "tf",
    globals(),
    "_arrays _convert _dtype _elementwise _function _module _products _reductions _tape _tensor "
    "_tensor_shape _variable dtypes",
    later=_LATER,
    rest="_clipping _control _custom _factors _ordering _printing _scatter _shape_functions _special "
    "_tensor_array debugging",
)
_public += [
    "autodiff", "compat", "config", "constant_initializer", "data", "debugging", "dtypes", "errors",
    "image", "initializers", "keras", "linalg", "losses", "math", "metrics", "nest", "nn",
    "ones_initializer", "optimizers", "random", "random_normal_initializer",
    "random_uniform_initializer", "summary", "zeros_initializer",
]  # fmt: skip
