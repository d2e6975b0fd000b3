"""Calls of functions in the configuration of a model, as Keras writes them.

Keras has a class for each function of keras.ops. What a call is given besides tensors, such as an axis, is an
attribute of the object. An entry gives the class, the attributes, and the arguments of the object's call.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._itself import on_tensorflow
from penstock.tensorflow.keras import _functional as functional
from penstock.tensorflow.keras._ops.homes import HOMES
from penstock.tensorflow.keras._serial import deserialize_keras_object, serialize_keras_object
from penstock.trace.source_site import here

_PLACE = "keras.src.ops."
_ATTRIBUTES = {
    "axis keepdims": (
        "all any amax amin argmax argmin median nanmax nanmean nanmin nanprod nanstd nansum nanvar "
        "ptp std mean var sum logsumexp"
    ),
    "axis": (
        "append argsort average concatenate count_nonzero expand_dims flip sort stack take "
        "take_along_axis squeeze glu softmax log_softmax"
    ),
    "dtype": "arange array empty_like full_like ones_like zeros_like cast saturate_cast",
    "k": "diag diagflat tril triu in_top_k",
    "shape": "broadcast_to unravel_index scatter slice",
    "num_segments sorted": "segment_sum segment_max segment_min segment_prod",
    "indices_or_sections": "hsplit vsplit dsplit",
    "axis dtype": "cumprod cumsum",
    "offset axis1 axis2": "diagonal trace",
    "axis keepdims initial": "max min",
    "axis method keepdims": "percentile quantile",
    "axes": "tensordot transpose",
    "threshold": "soft_shrink hard_shrink",
    "alpha": "elu celu",
    "pool_size strides padding data_format": "max_pool average_pool",
    "strides padding data_format dilation_rate": "conv depthwise_conv",
    "num_classes axis dtype sparse": "one_hot multi_hot",
    "from_logits axis": "categorical_crossentropy sparse_categorical_crossentropy",
    "block_size data_format": "depth_to_space space_to_depth",
    "k axes": "rot90",
    "rtol atol equal_nan": "all_close",
    "weights minlength sparse": "bincount",
    "x_min x_max": "clip",
    "axisa axisb axisc axis": "cross",
    "n axis": "diff",
    "subscripts": "einsum",
    "shape dtype": "full",
    "num endpoint dtype axis": "geomspace",
    "equal_nan": "isclose",
    "assume_unique invert": "is_in",
    "num endpoint retstep dtype axis": "linspace",
    "num endpoint base dtype axis": "logspace",
    "indexing": "meshgrid",
    "source destination": "moveaxis",
    "nan posinf neginf": "nan_to_num",
    "pad_width mode": "pad",
    "axis keepdims dtype": "prod",
    "repeats axis": "repeat",
    "newshape": "reshape",
    "shift axis": "roll",
    "decimals": "round",
    "side": "search_sorted",
    "indices_or_sections axis": "split",
    "axis1 axis2": "swapaxes",
    "repeats": "tile",
    "x dx axis": "trapezoid",
    "N increasing": "vander",
    "sorted return_index return_inverse return_counts axis size fill_value": "unique",
    "b": "squareplus",
    "negative_slope": "leaky_relu",
    "approximate": "gelu",
    "threshold default_value": "threshold",
    "from_logits": "binary_crossentropy",
    "axes keepdims synchronized": "moments",
    "axis order epsilon": "normalize",
    "max_val": "psnr",
    "is_causal flash_attention attn_logits_soft_cap": "dot_product_attention",
    "reduction": "scatter_update",
    "num axis": "unstack",
    "dtype sparse ragged": "convert_to_tensor",
    "k sorted": "top_k",
    "upper": "cholesky",
    "ord axis keepdims": "norm",
    "mode": "qr",
    "lower": "solve_triangular",
    "full_matrices compute_uv": "svd",
    "rcond": "pinv",
}
"""Attributes of a class's object, not arguments of its call, by Keras' names of the classes."""
_KEPT = {name: words.split() for words, names in _ATTRIBUTES.items() for name in names.split()}
_OTHER_NAMES = {
    "allclose": "all_close", "isin": "is_in", "searchsorted": "search_sorted", "swish": "silu",
    "hard_swish": "hard_silu",
}  # fmt: skip
"""Functions whose class is named after another word."""
_CAPITALS = {"psnr": "PSNR", "svd": "SVD"}
_FUNCTIONS = {word: name for name, word in _OTHER_NAMES.items() if word in _KEPT}
"""The names of those functions in keras.ops, where no function is called as the class is."""


def _class_of(word: str) -> str:
    return _CAPITALS.get(word) or functional.camel(word)


def written(call: functional.Call, model: str) -> tuple[dict[str, Any], tuple[Any, ...], dict[str, Any]]:
    """Returns the entry of a call without its node, and the positional and named arguments of the node.

    Raises ArgumentError for a function that Keras has no class for.
    """
    word = _OTHER_NAMES.get(call.word, call.word)
    if word != "get_item" and not hasattr(_ops(), call.word):
        raise ArgumentError(
            f"Model {model!r} cannot be written to a file: it calls {call.word or call.function!r} on a "
            f"symbolic tensor ({call.outputs}).",
            why="A file names layers, and functions of keras.ops.",
            remedy="Use a function of tf.keras.ops or a layer instead; save_weights writes the weights "
            "alone.",
            site=here(),
        )
    kept, config = _KEPT.get(word, []), {"name": call.name}
    arguments, options = [], {}
    for name, value in zip(_positions(call), call.inputs, strict=False):
        if name in kept:
            config[name] = _attribute(name, value)
        else:
            arguments.append(value)
    for name, value in call.options.items():
        if name in kept:
            config[name] = _attribute(name, value)
        else:
            options[name] = value
    for name, one in inspect.signature(call.function).parameters.items():
        if name in kept and one.default is not one.empty:
            config.setdefault(name, _attribute(name, one.default))
    kind = _class_of(word)
    entry = {
        "module": _PLACE + HOMES.get(word, "numpy"), "class_name": kind, "config": config,
        "registered_name": kind, "name": call.name,
    }  # fmt: skip
    return entry, tuple(arguments), options


def _positions(call: functional.Call) -> list[str]:
    """Returns the name of each positional argument of a call; those after the tensors are attributes."""
    names: list[str] = []
    for one in inspect.signature(call.function).parameters.values():
        if one.kind is one.VAR_POSITIONAL:
            rest = [] if one.name == "operands" else _KEPT.get(call.word, [])
            names += rest + [one.name] * (len(call.inputs) - len(names) - len(rest))
        elif one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD):
            names.append(one.name)
    return names


def _attribute(name: str, value: Any) -> Any:
    if name == "dtype" and value is not None:
        return as_dtype(value).name
    return serialize_keras_object(value)


def is_operation(entry: dict[str, Any]) -> bool:
    """Returns whether an entry of a configuration is a function of keras.ops."""
    return str(entry.get("module")).startswith(_PLACE)


def read(entry: dict[str, Any]) -> Callable[..., Any]:
    """Returns the function that an entry calls; its calls have the name that the file gives them.

    Raises ArgumentError for an operation of Keras that is not here.
    """
    kind, config = entry["class_name"], dict(entry["config"])
    name = config.pop("name", entry["name"])
    word = next((one for one in (*_CAPITALS, *_KEPT) if _class_of(one) == kind), functional.snake(kind))
    word = _FUNCTIONS.get(word, word)
    function: Any = _get_item if word == "get_item" else getattr(_ops(), word, None)
    if function is None:
        raise ArgumentError(
            f"The file has a call of {entry['module']}.{kind}, which penstock.tensorflow does not have.",
            remedy=on_tensorflow(),
            site=here(),
        )
    function = inspect.unwrap(function)
    attributes = {key: deserialize_keras_object(value) for key, value in config.items()}
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        # The equation of an einsum precedes its operands.
        leading = [attributes.pop(one.name) for one in parameters if one.name in attributes]
    else:
        leading = []

    def called(*arguments: Any, **options: Any) -> Any:
        return functional.note(function, (*leading, *arguments), attributes | options, word, name)

    return called


def _get_item(x: Any, key: Any) -> Any:
    return x[tuple(key) if isinstance(key, list) else key]


def _ops() -> Any:
    return importlib.import_module("penstock.tensorflow.keras.ops")
