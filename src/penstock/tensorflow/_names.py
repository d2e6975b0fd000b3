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
}

_FIRST = {
    "AUTO_REUSE", "ConfigProto", "GraphKeys", "InteractiveSession", "Session", "disable_eager_execution",
    "disable_v2_behavior", "get_collection", "get_default_graph", "get_default_session", "get_variable",
    "get_variable_scope", "global_variables", "global_variables_initializer", "layers",
    "local_variables_initializer", "losses", "placeholder", "placeholder_with_default", "reset_default_graph",
    "summary", "train", "trainable_variables", "variable_scope", "variables_initializer",
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
    elif name in _FIRST and module == "tensorflow":
        lines.append(
            "It is a name of TensorFlow 1: import penstock.tensorflow.compat.v1 as tf, or "
            f"tf.compat.v1.{name}."
        )
    elif near:
        lines.append(f"Near it: {', '.join(near)}.")
    return AttributeError("\n".join(lines))
