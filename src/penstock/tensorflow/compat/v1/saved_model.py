"""tf.saved_model: graphs with the values of their variables in a folder, under TensorFlow 1's names.

The folder is in a format of Penstock's own, which TensorFlow does not read.
"""

from __future__ import annotations

import os as _os
from types import SimpleNamespace as _SimpleNamespace
from typing import Any

from penstock.tensorflow import _words_of_saved_models as _words
from penstock.tensorflow import saved_model as _newer
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._graphs import saved_graphs as _saved_graphs
from penstock.tensorflow._graphs.graph import default_graph as _default_graph
from penstock.tensorflow._graphs.graph_files import SignatureDef as _SignatureDef
from penstock.tensorflow._graphs.graph_files import TensorInfo as _TensorInfo
from penstock.tensorflow._graphs.tensor import UNKNOWN as _UNKNOWN
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor_shape import TensorShape as _TensorShape
from penstock.trace.source_site import here as _here

save, SaveOptions = _newer.save, _newer.SaveOptions
load_v2 = _newer.load


def contains_saved_model(export_dir: Any) -> bool:
    """Returns whether there is a model or graph of Penstock in a folder."""
    return _saved_graphs.is_there(_os.fspath(export_dir)) or _newer.contains_saved_model(export_dir)


maybe_saved_model_directory = contains_saved_model


def load(sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Adds the graph of a folder with these tags to that of a session, with its variables' values.

    Returns its MetaGraphDef, whose `signature_def` says how the tensors are called that it takes and gives.
    `saver_kwargs` do nothing: there is one way to restore.

    >>> import tempfile
    >>> import penstock.tensorflow.compat.v1 as tf
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [])
    ...     y = x * tf.get_variable("weight", initializer=2.0)
    ...     session.run(tf.global_variables_initializer())
    ...     tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     meta = tf.saved_model.load(session, [tf.saved_model.SERVING], folder)
    ...     signature = meta.signature_def["serving_default"]
    ...     print(session.run(signature.outputs["y"].name, {signature.inputs["x"].name: 3.0}))
    6.0
    """
    return _saved_graphs.load(sess, tags, _os.fspath(export_dir), import_scope)


class Builder:
    """Writes graphs with the values of their variables into a new folder."""

    def __init__(self, export_dir: Any) -> None:
        self._folder = _os.fspath(export_dir)
        if _os.path.isdir(self._folder) and _os.listdir(self._folder):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose a different "
                f"export directory, or delete all the contents of the specified directory: {self._folder}"
            )
        _os.makedirs(_os.path.join(self._folder, "variables"), exist_ok=True)
        self._count = 0

    def add_meta_graph_and_variables(
        self, sess: Any, tags: Any, signature_def_map: Any = None, assets_list: Any = None,
        clear_devices: bool = False, init_op: Any = None, train_op: Any = None,
        strip_default_attrs: bool = False, saver: Any = None, assets_collection: Any = None,
        main_op: Any = None, legacy_init_op: Any = None,
    ) -> None:  # fmt: skip
        """Writes the graph of a session and the values of its variables; `tags` tell it from others.

        `main_op` runs when it is loaded. `clear_devices`, `train_op` and `strip_default_attrs` do nothing:
        there is one device, and every operation is in the file.
        """
        if self._count:
            raise AssertionError("Graph state including variables and assets has already been saved.")
        _refuse_assets(assets_list, assets_collection)
        with sess.graph.as_default():
            saver = _saved_graphs.saver_of(sess.graph) if saver is None else saver
            if saver is not None:
                path = _saved_graphs.values_in(self._folder)
                saver.save(sess, path, write_meta_graph=False, write_state=False)
        first = next((one for one in (main_op, init_op, legacy_init_op) if one is not None), None)
        self._write(sess.graph, tags, signature_def_map, first, saver)

    def add_meta_graph(
        self, tags: Any, signature_def_map: Any = None, assets_list: Any = None, clear_devices: bool = False,
        init_op: Any = None, train_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
        assets_collection: Any = None, main_op: Any = None, legacy_init_op: Any = None,
    ) -> None:  # fmt: skip
        """Writes the default graph under other tags; the values are those that were written before.

        `clear_devices`, `train_op` and `strip_default_attrs` do nothing.
        """
        if not self._count:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        _refuse_assets(assets_list, assets_collection)
        graph = _default_graph()
        first = next((one for one in (main_op, init_op, legacy_init_op) if one is not None), None)
        self._write(graph, tags, signature_def_map, first, saver or _saved_graphs.saver_of(graph))

    def _write(self, graph: Any, tags: Any, signatures: Any, first: Any, saver: Any) -> None:
        given = signatures or {}
        _saved_graphs.write(self._folder, self._count, graph, tags, given, first, saver)
        self._count += 1

    def save(self, as_text: bool = False) -> bytes:
        """Returns the path of the file of the first graph. `as_text` does nothing: the files are there."""
        return _os.path.join(self._folder, _saved_graphs.NAME.format(0)).encode()


def _refuse_assets(*given: Any) -> None:
    if any(one is not None and len(one) for one in given):
        raise _ArgumentError(
            "SavedModelBuilder: assets are not written by penstock.tensorflow.",
            remedy="Keep the files beside the folder, and give the program their path.",
            site=_here(),
        )


def simple_save(session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None) -> None:
    """Writes the graph of a session for serving, with one signature of these inputs and outputs, by name."""
    signature = predict_signature_def(inputs, outputs)
    made = Builder(export_dir)
    made.add_meta_graph_and_variables(
        session, [SERVING], {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature}, main_op=legacy_init_op
    )
    made.save()


# -- signatures ---------------------------------------------------------------------------------------------


def build_tensor_info(tensor: Any) -> _TensorInfo:
    """Returns the name, dtype and shape of a tensor."""
    tensor = getattr(tensor, "_as_graph_element", lambda: tensor)()
    if not hasattr(tensor, "op"):
        raise RuntimeError("`build_tensor_info` is not supported in Eager mode.")
    shape = _TensorShape(None) if tensor.shape is _UNKNOWN else _TensorShape(tensor.shape)
    return _TensorInfo(tensor.name, tensor.dtype, shape)


def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
    """Returns the tensor of this name in a graph, the default one unless it is given."""
    name = f"{import_scope}/{tensor_info.name}" if import_scope else tensor_info.name
    return (graph or _default_graph()).get_tensor_by_name(name)


def build_signature_def(
    inputs: Any = None, outputs: Any = None, method_name: Any = None, defaults: Any = None
) -> _SignatureDef:
    """Returns a signature of what `build_tensor_info` gives, by names. `defaults` are refused."""
    if defaults:
        raise _ArgumentError("build_signature_def: defaults are not taken.", site=_here())
    return _SignatureDef(inputs, outputs, method_name)


def _signature(inputs: Any, outputs: Any, method: str) -> _SignatureDef:
    given, made = ({key: build_tensor_info(one) for key, one in those.items()} for those in (inputs, outputs))
    return _SignatureDef(given, made, method)


def predict_signature_def(inputs: Any, outputs: Any) -> _SignatureDef:
    """Returns the signature of a prediction: tensors by name."""
    for word, those in (("inputs", inputs), ("outputs", outputs)):
        if not those:
            raise ValueError(f"Prediction {word} cannot be None or empty.")
    return _signature(inputs, outputs, PREDICT_METHOD_NAME)


def regression_signature_def(examples: Any, predictions: Any) -> _SignatureDef:
    """Returns the signature of a regression."""
    return _signature({REGRESS_INPUTS: examples}, {REGRESS_OUTPUTS: predictions}, REGRESS_METHOD_NAME)


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> _SignatureDef:
    """Returns the signature of a classification; one of classes and scores may be None."""
    pairs = ((CLASSIFY_OUTPUT_CLASSES, classes), (CLASSIFY_OUTPUT_SCORES, scores))
    outputs = {key: one for key, one in pairs if one is not None}
    if not outputs:
        raise ValueError("Classification classes and scores cannot both be None.")
    return _signature({CLASSIFY_INPUTS: examples}, outputs, CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: Any) -> bool:
    """Returns whether a signature is one that a server of models takes."""
    methods = (PREDICT_METHOD_NAME, CLASSIFY_METHOD_NAME, REGRESS_METHOD_NAME)
    return bool(signature_def.inputs and signature_def.outputs and signature_def.method_name in methods)


# -- words --------------------------------------------------------------------------------------------------

SERVING, TRAINING, EVAL, GPU, TPU = "serve", "train", "eval", "gpu", "tpu"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_INPUTS, PREDICT_OUTPUTS = "inputs", "outputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
CLASSIFY_INPUTS, CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = "inputs", "classes", "scores"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
REGRESS_INPUTS, REGRESS_OUTPUTS = "inputs", "outputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
_SIGNATURES = (
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "PREDICT_INPUTS", "PREDICT_OUTPUTS", "PREDICT_METHOD_NAME",
    "CLASSIFY_INPUTS", "CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES", "CLASSIFY_METHOD_NAME",
    "REGRESS_INPUTS", "REGRESS_OUTPUTS", "REGRESS_METHOD_NAME",
)  # fmt: skip


def _space(*names: str, **more: Any) -> Any:
    """Returns a module in a module: names of this one under another."""
    return _SimpleNamespace(**{name: globals()[name] for name in names}, **more)


signature_constants = _space(*_SIGNATURES)
tag_constants = _space("SERVING", "TRAINING", "EVAL", "GPU", "TPU")
_every = {**_words.NEWER, **_words.OLDER}
constants = _SimpleNamespace(**{one: _every[one] for one in _words.FILES})
utils = _space("build_tensor_info", "get_tensor_from_tensor_info")
signature_def_utils = _space(
    "build_signature_def", "classification_signature_def", "is_valid_signature", "predict_signature_def",
    "regression_signature_def",
)  # fmt: skip
builder = _SimpleNamespace(SavedModelBuilder=Builder)
loader = _space("load", "maybe_saved_model_directory")

__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.saved_model", globals(), "_words_of_saved_models")
