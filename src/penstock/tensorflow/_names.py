"""The modules of the dialect, and the error for a missing name: its replacement, or similar names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from penstock import declared
from penstock.tensorflow._itself import on_tensorflow

_INSTEAD = {
    "assign": "Write variable.assign(value), or tf.compat.v1.assign(variable, value).",
    "assign_add": "Write variable.assign_add(value).",
    "assign_sub": "Write variable.assign_sub(value).",
    "log": "Use tf.math.log.",
    "mul": "Use tf.multiply.",
    "sub": "Use tf.subtract.",
    "div": "Use tf.divide.",
    "neg": "Use tf.negative.",
    "random_normal": "Use tf.random.normal.",
    "random_uniform": "Use tf.random.uniform.",
    "truncated_normal": "Use tf.random.truncated_normal.",
    "set_random_seed": "Use tf.random.set_seed.",
    "arg_max": "Use tf.argmax.",
    "reduce_std": "Use tf.math.reduce_std.",
    "reduce_variance": "Use tf.math.reduce_variance.",
    "to_float": "Use tf.cast(x, tf.float32).",
    "ceil": "Use tf.math.ceil.",
    "erf": "Use tf.math.erf.",
    "bincount": "Use tf.math.bincount.",
    "top_k": "Use tf.math.top_k.",
    "RaggedTensor": "Tensors are dense here: pad, and mask with tf.sequence_mask.",
    "ragged": "Tensors are dense here: pad, and mask with tf.sequence_mask.",
    "experimental": "Only tf.config.experimental exists here.",
}
_ELSEWHERE = {
    "tensorflow.summary": {"trace_on": "Use penstock.ledger, or `penstock check --html`."},
}

_FOREIGN = {
    "sum": "tf.reduce_sum",
    "mean": "tf.reduce_mean",
    "max": "tf.reduce_max",
    "min": "tf.reduce_min",
    "prod": "tf.reduce_prod",
    "all": "tf.reduce_all",
    "any": "tf.reduce_any",
    "std": "tf.math.reduce_std",
    "var": "tf.math.reduce_variance",
    "array": "tf.constant",
    "asarray": "tf.convert_to_tensor",
    "tensor": "tf.constant",
    "from_numpy": "tf.convert_to_tensor",
    "arange": "tf.range",
    "cat": "tf.concat(values, axis)",
    "concatenate": "tf.concat(values, axis)",
    "dot": "tf.tensordot, or tf.matmul",
    "mm": "tf.matmul",
    "bmm": "tf.matmul",
    "view": "tf.reshape",
    "permute": "tf.transpose(x, perm)",
    "unsqueeze": "tf.expand_dims",
    "clip": "tf.clip_by_value",
    "clamp": "tf.clip_by_value",
    "power": "tf.pow",
    "full": "tf.fill",
    "relu": "tf.nn.relu",
    "softmax": "tf.nn.softmax",
    "randn": "tf.random.normal",
    "rand": "tf.random.uniform",
    "manual_seed": "tf.random.set_seed",
    "no_grad": "tf.stop_gradient(x); outside a tape nothing is recorded",
    "optim": "tf.keras.optimizers",
}
"""Names of NumPy and PyTorch that TensorFlow does not have, with what it writes."""

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
    """Returns the error for a name that a module does not have; `instead` gives replacements for some."""
    import difflib

    public = [one for one in names if not one.startswith("_")]
    near = difflib.get_close_matches(name, public, 3)
    fact = f"module {module!r} has no attribute {name!r}"
    if name in _FOREIGN and module in ("tensorflow", "tensorflow.compat.v1"):
        return AttributeError(f"{fact}. TensorFlow writes {_FOREIGN[name]}")
    lines = [fact, f"penstock.{module} does not have this name (yet)."]
    if instead and name in instead:
        lines.append(instead[name])
    elif name in _INSTEAD and module == "tensorflow":
        lines.append(_INSTEAD[name])
    elif name in _ELSEWHERE.get(module, ()):
        lines.append(_ELSEWHERE[module][name])
    elif name in _FIRST and module == "tensorflow":
        lines.append(
            "This is a TensorFlow 1 name: import penstock.tensorflow.compat.v1 as tf, or "
            f"tf.compat.v1.{name}."
        )
    elif near:
        lines.append(f"Similar names: {', '.join(near)}.")
    lines.append(on_tensorflow())
    return AttributeError("\n".join(lines))


def namespace(
    place: str,
    space: dict[str, Any],
    sources: str = "",
    *,
    later: Mapping[str, str] | None = None,
    listed: Mapping[str, str] | None = None,
    rest: str = "",
    instead: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Fills a module with the declarations of files; returns its `__getattr__`, `__dir__` and `__all__`.

    `sources` and `rest` are files of the dialect, with blanks between them; `later` and `rest` are as in
    `declared.namespace`, and `listed` is like `later`, for names in `__all__`. A module with a rest does not
    use the third result, so that a reader of its `__all__` gets all names. `instead` is as in `absent`.
    """
    own = space["__name__"].removeprefix("penstock.")

    def missing(name: str, names: Iterable[str]) -> AttributeError:
        return absent(own, name, names, instead)

    files = [import_module(f"penstock.tensorflow.{one}") for one in sources.split()]
    waiting = [f"penstock.tensorflow.{one}" for one in rest.split()]
    shown, late = listed or {}, dict(later or {})
    for home, names in shown.items():
        late[home] = f"{late.get(home, '')} {names}"
    made = declared.namespace(place, space, files, missing, late, waiting)
    made[2][:] = sorted({*made[2], *(name for names in shown.values() for name in names.split())})
    return made
