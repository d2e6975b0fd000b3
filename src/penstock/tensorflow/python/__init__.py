"""tensorflow.python: TensorFlow's own modules, by the names that tutorials import them under.

A module here has the public names of the dialect that TensorFlow defines there, and no others.
"""

from __future__ import annotations

import importlib as _importlib
import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any

from penstock.tensorflow._names import absent as _absent

_TF, _V1 = "", "compat.v1"
_HOMES: dict[str, tuple[str, ...]] = {
    "client.session": (_V1,),
    "compat.v2_compat": (_V1,),
    "data": ("data",),
    "data.ops.dataset_ops": ("data",),
    "distribute": (),
    "eager.backprop": (_TF,),
    "eager.context": ("config", _TF),
    "eager.def_function": (_TF,),
    "eager.function": (_TF,),
    "framework.constant_op": (_TF,),
    "framework.dtypes": ("dtypes", _TF),
    "framework.errors": ("errors",),
    "framework.errors_impl": ("errors",),
    "framework.function": (_TF,),
    "framework.graph_util": ("compat.v1.graph_util",),
    "framework.graph_util_impl": ("compat.v1.graph_util",),
    "framework.importer": (_V1,),
    "framework.indexed_slices": (_TF,),
    "framework.ops": (_V1, _TF),
    "framework.random_seed": ("random", _V1),
    "framework.sparse_tensor": ("sparse",),
    "framework.tensor": (_TF,),
    "framework.tensor_shape": (_TF,),
    "framework.tensor_spec": (_TF,),
    "framework.tensor_util": (_TF,),
    "keras": ("keras",),
    **{
        f"keras.{name}": (f"keras.{name}",)
        for name in (
            "activations",
            "applications",
            "backend",
            "callbacks",
            "constraints",
            "datasets",
            "datasets.mnist",
            "initializers",
            "layers",
            "losses",
            "metrics",
            "models",
            "optimizers",
            "preprocessing",
            "preprocessing.image",
            "preprocessing.sequence",
            "preprocessing.text",
            "regularizers",
            "utils",
        )
    },
    **{
        f"keras.{name}": ("keras.layers",)
        for name in (
            "layers.advanced_activations",
            "layers.convolutional",
            "layers.core",
            "layers.embeddings",
            "layers.merge",
            "layers.normalization",
            "layers.pooling",
            "layers.recurrent",
            "layers.wrappers",
        )
    },
    "keras.layers.legacy_rnn": (),
    "keras.layers.legacy_rnn.rnn_cell_impl": ("compat.v1.nn.rnn_cell",),
    "keras.engine": ("keras.layers", "keras"),
    "keras.engine.base_layer": ("keras.layers", "keras"),
    "keras.engine.input_layer": ("keras.layers", "keras"),
    "keras.engine.training": ("keras.models", "keras"),
    "keras.optimizer_v2": ("keras.optimizers",),
    "keras.optimizer_v2.optimizer_v2": ("keras.optimizers",),
    "keras.utils.generic_utils": ("keras.utils",),
    "keras.utils.np_utils": ("keras.utils",),
    "keras.utils.vis_utils": ("keras.utils",),
    "layers": ("compat.v1.layers",),
    "layers.core": ("compat.v1.layers",),
    "lib.io.file_io": ("io.gfile",),
    "lib.io.tf_record": ("io",),
    "module.module": (_TF,),
    "ops.gen_math_ops": ("_activation_gradients", "math"),
    "ops.gen_nn_ops": ("_activation_gradients", "nn"),
    "ops.array_ops": (_TF, "nn", _V1),
    "ops.array_ops_stack": (_TF,),
    "ops.candidate_sampling_ops": ("random", "nn"),
    "ops.check_ops": ("debugging", _TF),
    "ops.clip_ops": (_TF,),
    "ops.control_flow_ops": (_TF, _V1),
    "ops.cond": (_TF,),
    "ops.custom_gradient": (_TF,),
    "ops.data_flow_ops": (_TF,),
    "ops.embedding_ops": ("nn",),
    "ops.functional_ops": (_TF,),
    "ops.gradients": (_V1, _TF),
    "ops.gradients_impl": (_V1, _TF),
    "ops.image_ops": ("image",),
    "ops.init_ops": (_V1, _TF),
    "ops.init_ops_v2": (_TF,),
    "ops.io_ops": ("io",),
    "ops.linalg_ops": ("linalg",),
    "ops.linalg_ops_impl": ("linalg",),
    "ops.logging_ops": (_TF,),
    "ops.losses": ("compat.v1.losses",),
    "ops.losses.losses": ("compat.v1.losses",),
    "ops.map_fn": (_TF,),
    "ops.math_ops": ("math", _TF, _V1),
    "ops.nn": ("nn",),
    "ops.nn_impl": ("nn",),
    "ops.nn_ops": ("nn",),
    "ops.numpy_ops": (),
    "ops.parsing_ops": ("io",),
    "ops.partitioned_variables": (_V1,),
    "ops.random_ops": ("random", _V1),
    "ops.resource_variable_ops": (_TF,),
    "ops.rnn": ("compat.v1.nn",),
    "ops.rnn_cell": ("compat.v1.nn.rnn_cell",),
    "ops.rnn_cell_impl": ("compat.v1.nn.rnn_cell",),
    "ops.script_ops": (_TF, _V1),
    "ops.sparse_ops": ("sparse",),
    "ops.special_math_ops": ("math", _TF),
    "ops.standard_ops": (_TF, _V1),
    "ops.state_ops": (_V1, _TF),
    "ops.string_ops": ("strings",),
    "ops.summary_ops_v2": ("summary",),
    "ops.tensor_array_ops": (_TF,),
    "ops.variable_scope": (_V1,),
    "ops.variables": (_TF, _V1),
    "ops.while_loop": (_TF,),
    "platform.app": ("compat.v1.app",),
    "platform.flags": ("compat.v1.app",),
    "platform.gfile": ("compat.v1.gfile", "io.gfile"),
    "platform.tf_logging": ("compat.v1.logging",),
    "profiler": (),
    "saved_model": ("saved_model", "compat.v1.saved_model"),
    **{
        f"saved_model.{name}": (f"compat.v1.saved_model.{name}",)
        for name in ("builder", "constants", "loader", "signature_constants", "signature_def_utils", "utils")
    },
    "saved_model.simple_save": ("compat.v1.saved_model",),
    "saved_model.tag_constants": ("compat.v1.saved_model.tag_constants",),
    "summary.summary": ("compat.v1.summary",),
    "training.adam": ("compat.v1.train",),
    "training.checkpoint_management": ("train",),
    "training.checkpoint_utils": ("train",),
    "training.coordinator": ("train",),
    "training.gradient_descent": ("compat.v1.train",),
    "training.learning_rate_decay": ("compat.v1.train",),
    "training.momentum": ("compat.v1.train",),
    "training.moving_averages": ("train", "compat.v1.train"),
    "training.optimizer": ("compat.v1.train",),
    "training.saver": ("compat.v1.train",),
    "training.training_util": ("compat.v1.train",),
    "util.nest": ("nest",),
}
"""By the name of a module: the modules of the dialect where its names are looked for, in this order."""
_OWN = {
    "client.device_lib": "_devices", "client.timeline": "_timeline",
    "ops.control_flow_util": "_control_flow", "util.tf_export": "_exported", "util.deprecation": "_exported",
    "framework.test_util": "_exported", "platform.test": "_exported", "tools.freeze_graph": "_freezing",
}  # fmt: skip
"""Modules whose names are nowhere else in the dialect, by the file they are in."""
_RENAMED = {
    ("framework.dtypes", "string"): "string", ("framework.tensor_util", "MakeNdarray"): "make_ndarray",
    ("framework.tensor_util", "constant_value"): "get_static_value",
    ("keras.optimizer_v2.optimizer_v2", "OptimizerV2"): "Optimizer", ("ops.nn_ops", "conv2d_v2"): "conv2d",
    ("ops.math_ops", "mat_mul"): "matmul", ("ops.math_ops", "mul"): "multiply",
    ("ops.math_ops", "sub"): "subtract", ("ops.array_ops", "concat_v2"): "concat",
    ("framework.sparse_tensor", "SparseTensorValue"): "SparseTensor",
}  # fmt: skip


def _home(place: str) -> Any:
    """Returns a module of the dialect, or the object of that name in one."""
    found: Any = _importlib.import_module("penstock.tensorflow")
    for part in place.split(".") if place else ():
        following = getattr(found, part, None)
        found = _importlib.import_module(f"{found.__name__}.{part}") if following is None else following
    return found


def _module(name: str) -> _ModuleType:
    made: Any = _ModuleType(
        f"{__name__}.{name}", f"tensorflow.python.{name}: see the public names of the dialect."
    )
    made.__path__ = []
    homes = _HOMES.get(name, ())

    def get(key: str) -> Any:
        inner = f"{name}.{key}"
        if f"{__name__}.{inner}" in _sys.modules:
            return _sys.modules[f"{__name__}.{inner}"]
        if name in _OWN:
            own = _importlib.import_module(f"{__name__}.{_OWN[name]}")
            if not key.startswith("_") and hasattr(own, key):
                return getattr(own, key)
        if name.startswith("ops.gen_") and not key.startswith("__"):
            # TensorFlow 1 had these names with a line in front.
            key = key.removeprefix("_")
        wanted = _RENAMED.get((name, key), key)
        for place in homes if wanted is not None and not key.startswith("__") else ():
            found = getattr(_home(place), str(wanted), None)
            if found is not None:
                return _of_keras_2(found) if name.startswith("keras.") or name == "keras" else found
        raise _absent(f"tensorflow.python.{name}", key, ())

    made.__getattr__ = get
    return made  # type: ignore[no-any-return]


def _of_keras_2(found: Any) -> Any:
    from penstock.tensorflow.python._older_keras import of_keras_2

    return of_keras_2(found)


for _name in [*_HOMES, *_OWN]:
    _parts = _name.split(".")
    for _end in range(1, len(_parts) + 1):
        _whole = ".".join(_parts[:_end])
        if f"{__name__}.{_whole}" not in _sys.modules:
            _sys.modules[f"{__name__}.{_whole}"] = _module(_whole)


def __getattr__(name: str) -> Any:
    found = _sys.modules.get(f"{__name__}.{name}")
    if found is not None:
        return found
    raise _absent("tensorflow.python", name, {one.partition(".")[0] for one in _HOMES})
