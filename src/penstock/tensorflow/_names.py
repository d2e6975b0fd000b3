"""What a name that is not there is answered with: that it is not there, or not yet, and what is near."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

_INSTEAD = {
    "assign": "Write variable.assign(value), or tf.compat.v1.assign(variable, value).",
    "assign_add": "Write variable.assign_add(value).",
    "assign_sub": "Write variable.assign_sub(value).",
    "log": "It is tf.math.log.",
    "mul": "It is tf.multiply.",
    "sub": "It is tf.subtract.",
    "div": "It is tf.divide.",
    "neg": "It is tf.negative.",
    "random_normal": "It is tf.random.normal.",
    "random_uniform": "It is tf.random.uniform.",
    "truncated_normal": "It is tf.random.truncated_normal.",
    "set_random_seed": "It is tf.random.set_seed.",
    "arg_max": "It is tf.argmax.",
    "reduce_std": "It is tf.math.reduce_std.",
    "reduce_variance": "It is tf.math.reduce_variance.",
    "to_float": "It is tf.cast(x, tf.float32).",
    "ceil": "It is tf.math.ceil.",
    "erf": "It is tf.math.erf.",
    "bincount": "It is tf.math.bincount.",
    "top_k": "It is tf.math.top_k.",
    "hessians": "Nest two tapes, or take penstock.hessian of a function.",
    "SparseTensor": "Tensors are dense here; the gradient of an embedding is rows (tf.IndexedSlices).",
    "RaggedTensor": "Tensors are dense here: pad, and mask by tf.sequence_mask.",
    "sparse": "Tensors are dense here; the gradient of an embedding is rows (tf.IndexedSlices).",
    "ragged": "Tensors are dense here: pad, and mask by tf.sequence_mask.",
    "string": "Tensors of words are not there: keep words in Python.",
    "strings": "Tensors of words are not there: keep words in Python.",
    "as_string": "Tensors of words are not there: use Python's f-strings on x.numpy().",
    "lookup": "Tensors of words are not there: look words up in a Python dict.",
    "io": "Read files with Python, NumPy or Pillow, and make tensors with tf.constant.",
    "saved_model": "Variables are saved by penstock.save(path, model), read by penstock.load(path, model).",
    "train": "tf.train.Checkpoint is penstock.save(path, model, optimizer) and penstock.load; optimizers are "
    "in tf.keras.optimizers, and TensorFlow 1's names in tf.compat.v1.train.",
    "distribute": "There is one device here, or JAX's: see penstock's README on machines.",
    "autograph": "There is nothing to convert: Python's if and for run as they stand.",
    "init_scope": "There is one mode: write what stands in it without it.",
    "experimental": "Of it there is tf.config.experimental alone.",
    "test": "Use pytest, and numpy.testing.assert_allclose on x.numpy().",
}
_ELSEWHERE = {
    "tensorflow.linalg": {
        "lstsq": "Use tf.linalg.pinv(a) @ b, or tf.linalg.solve of the normal equations.",
        "sqrtm": "It is not there; of a symmetric matrix, take tf.linalg.eigh.",
        "eig": "It is not there; of a symmetric matrix, take tf.linalg.eigh.",
        "lu": "It is not there; tf.linalg.solve solves, and tf.linalg.qr factorises.",
        "l2_normalize": "It is tf.math.l2_normalize.",
    },
    "tensorflow.math": {
        "lbeta": "Write tf.reduce_sum(tf.math.lgamma(x), -1) - tf.math.lgamma(tf.reduce_sum(x, -1)).",
        "special": "What is there of it stands in tf.math.",
    },
    "tensorflow.nn": {
        "lrn": "It is tf.nn.local_response_normalization.",
        "separable_conv2d": "Write tf.nn.conv2d(tf.nn.depthwise_conv2d(...), ...).",
        "sampled_softmax_loss": "Use tf.nn.sparse_softmax_cross_entropy_with_logits over all classes.",
        "nce_loss": "Use tf.nn.sigmoid_cross_entropy_with_logits on classes that you draw.",
    },
    "tensorflow.summary": {"trace_on": "Use penstock.ledger, or `penstock check --html`."},
}

_FIRST = {
    "AUTO_REUSE", "ConfigProto", "GraphKeys", "InteractiveSession", "Session", "disable_eager_execution",
    "disable_v2_behavior", "get_collection", "get_default_graph", "get_default_session", "get_variable",
    "get_variable_scope", "global_variables", "global_variables_initializer", "layers",
    "local_variables_initializer", "losses", "placeholder", "placeholder_with_default", "reset_default_graph",
    "trainable_variables", "variable_scope", "variables_initializer",
}  # fmt: skip


def absent(
    module: str, name: str, names: Iterable[str], instead: Mapping[str, str] | None = None
) -> AttributeError:
    """Returns the error for a name that a module does not have; `instead` says what to write for some."""
    public = [one for one in names if not one.startswith("_")]
    near = difflib.get_close_matches(name, public, 3)
    fact = f"module {module!r} has no attribute {name!r}"
    lines = [fact, f"penstock.{module} does not have this name, or not yet."]
    if instead and name in instead:
        lines.append(instead[name])
    elif name in _INSTEAD and module == "tensorflow":
        lines.append(_INSTEAD[name])
    elif name in _ELSEWHERE.get(module, ()):
        lines.append(_ELSEWHERE[module][name])
    elif name in _FIRST and module == "tensorflow":
        lines.append(
            "It is a name of TensorFlow 1: import penstock.tensorflow.compat.v1 as tf, or "
            f"tf.compat.v1.{name}."
        )
    elif near:
        lines.append(f"Near it: {', '.join(near)}.")
    return AttributeError("\n".join(lines))
