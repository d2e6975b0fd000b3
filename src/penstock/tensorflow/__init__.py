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
    dense = isinstance(x, _NativeTensor | _Cell | _tape.IndexedSlices | _variable.ResourceVariable)
    return dense or getattr(x, "_is_tensor", False)


_LISTED = {
    __name__: (
        "autodiff compat config data debugging dtypes errors image keras linalg math nest nn random summary"
    ),
    "penstock.tensorflow.keras": "initializers losses metrics optimizers",
    "penstock.tensorflow._initializers": (
        "constant_initializer ones_initializer random_normal_initializer random_uniform_initializer "
        "zeros_initializer"
    ),
    "penstock.tensorflow._data_specs": "OptionalSpec",
    "penstock.tensorflow._ragged.functions": "RaggedTensor",
    "penstock.tensorflow._graphs.importing": "import_graph_def",
    "penstock.tensorflow._ragged.spec": "RaggedTensorSpec",
    "penstock.tensorflow._copies_of_variables": "VariableAggregation VariableSynchronization",
    "penstock.tensorflow._rarer_names": "bitcast histogram_fixed_width_bins",
    "penstock.tensorflow._specs": (
        "IndexedSlicesSpec NoneTensorSpec SparseTensorSpec TensorArraySpec type_spec_from_value"
    ),
    "penstock.tensorflow.compat.v1._settings": "AggregationMethod DeviceSpec",
}
_LATER = {
    __name__: (
        "audio autograph bitwise distribute experimental feature_column graph_util io lookup profiler "
        "quantization queue ragged saved_model sets signal sparse strings sysconfig test train types version"
    ),
    "penstock.tensorflow._modes": "get_logger init_scope inside_function",
    "penstock.tensorflow._tuples": "tuple",
    "penstock.tensorflow.dtypes": "bfloat16 string",
    "penstock.tensorflow.sparse": "SparseTensor",
    "penstock.tensorflow.strings": "as_string",
    f"{__name__}.compat.v1": (
        "Graph Operation control_dependencies device gradients group hessians name_scope no_op"
    ),
}
"""The names that not every program needs, with the modules that provide them on first use."""

__getattr__, __dir__, _public = _namespace(
    "tf",
    globals(),
    "_arrays _convert _dtype _elementwise _function _module _products _reductions _tape _tensor "
    "_tensor_shape _type_spec _variable dtypes",
    later=_LATER,
    listed=_LISTED,
    rest="_asked_tensors _blocks _clipping _control _creator_scopes _critical_section _custom _factors "
    "_matrix_functions _ordering _printing _registered_gradients _scatter _shape_functions "
    "_signal _special _edit_distance _tensor_array _tensor_protos debugging",
)
