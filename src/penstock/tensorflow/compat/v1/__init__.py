"""tf.compat.v1: TensorFlow 1's names. Operations build a graph, which sessions run.

Use it as `import penstock.tensorflow.compat.v1 as tf`, followed by `tf.disable_eager_execution()`, or run a
program with `penstock run --as tensorflow`: a program that uses names of TensorFlow 1 only gets this module
under `import tensorflow`, and builds its graph from the first line.
"""

# Every name of this module is public, and most come from elsewhere.
# ruff: noqa: F401

from __future__ import annotations

from importlib import import_module as _import_module
from types import FunctionType as _FunctionType
from types import ModuleType as _ModuleType
from typing import Any

import penstock.tensorflow as _tensorflow
from penstock.declared import names_of as _names_of
from penstock.tensorflow import image as _image
from penstock.tensorflow import linalg as _linalg
from penstock.tensorflow import math as _math
from penstock.tensorflow import nn as _nn
from penstock.tensorflow import random as _random
from penstock.tensorflow._dtype import as_dtype as _as_dtype
from penstock.tensorflow._graphs.build import lift as _lift
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._graphs.graph import on_change as _on_change
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted
from penstock.tensorflow.version import (
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)

VERSION = __version__ = "2.21.0"
_FILES = (
    "compat.v1._array_forms compat.v1._checks compat.v1._image_forms compat.v1._label_forms "
    "compat.v1._network_forms compat.v1._print compat.v1._python_functions compat.v1._rnn "
    "compat.v1._sampled_losses compat.v1._variable_methods"
)
_REST = (
    "_asked_tensors _blocks _clipping _custom _graphs.graph_files _graphs.importing _graphs.printing "
    "_graphs.queues _matrix_functions _modes _ordering _parsing _rarer_networks _quantized "
    "_registered_gradients _scatter _shape_functions _signal _sparse_functions _tensor_array "
    "_tensor_protos debugging io sparse strings compat.v1._input_pipelines compat.v1._parsing_forms "
    "compat.v1._settings compat.v1._sparse_forms compat.v1._templates compat.v1._variables_asked"
)
_missing = _namespace("tf.compat.v1", globals(), f"{_lifted.FILES} {_FILES}", rest=_REST)[0]
for _name, _value in vars(_lifted).items():
    if not _name.startswith("_") and _name not in ("annotations", "Any", "FILES"):
        globals()[_name] = _value
_homes = [f"penstock.tensorflow.{one}" for one in _FILES.split()]
# What TensorFlow 1 has otherwise than TensorFlow 2.
globals().update(_names_of("tf.compat.v1", _homes))
for _place in (_lifted.nn, _lifted.image, _lifted.random):
    vars(_place).update(_names_of(f"tf.{_place.__name__.removeprefix('penstock.tensorflow.')}", _homes))

from penstock.tensorflow.compat.v1 import (  # noqa: E402
    app,
    data,
    distributions,
    flags,
    initializers,
    layers,
    logging,
    losses,
    metrics,
    rnn_cell,
    summary,
    train,
)

_lifted.nn.rnn_cell = rnn_cell

__all__ = [name for name in globals() if not name.startswith("_") and name not in ("annotations", "Any")]
_LATER = (
    "audio", "autograph", "bitwise", "debugging", "distribute", "experimental", "feature_column", "gfile",
    "graph_util", "io", "lookup", "manip", "nest", "python_io", "quantization", "queue", "ragged",
    "saved_model", "sets", "signal", "sparse", "spectral", "strings", "sysconfig", "test", "version",
)  # fmt: skip
"""Modules that are imported on first use."""
_BUILDING = ("audio", "bitwise", "io", "quantization", "sets", "signal", "sparse", "strings")
"""Those of them whose functions build while a graph is being built."""
_FORMS = {
    "io": "_graphs.importing _graphs.queues compat.v1._input_pipelines compat.v1._parsing_forms",
    "python_io": "compat.v1._input_pipelines",
    "sets": "_sparse_functions",
    "sparse": "_graphs.sparse_placeholders compat.v1._sparse_forms",
}
"""Files with names that these modules have in TensorFlow 1 only."""
_OWN_FILES = (
    "debugging", "feature_column", "gfile", "graph_util", "manip", "queue", "saved_model", "strings",
)  # fmt: skip
"""Those of them that TensorFlow 1 has otherwise than TensorFlow 2."""
_CALLED = {"python_io": "io", "spectral": "signal"}
"""Those of them that TensorFlow 2 calls by another name."""
__all__ += [*_LATER]

_SWAPPED = [(_tensorflow, globals()), (_nn, vars(_lifted.nn)), (_math, vars(_lifted.math)),
            (_random, vars(_lifted.random)), (_linalg, vars(_lifted.linalg)),
            (_image, vars(_lifted.image))]  # fmt: skip
_kept: dict[Any, Any] = {}
_waits = object()
"""Represents a name that a module imports on first use."""
_newer: dict[Any, Any] = {}


class _Building(_ModuleType):
    """Represents a module of TensorFlow 2 while a graph is being built: its functions build."""

    def __getattr__(self, name: str) -> Any:
        own = _import_module(self.__name__)
        found = getattr(own, name)
        place = self.__name__.rpartition(".")[2]
        if vars(_tensorflow).get(place) is own and (_tensorflow, place) in _kept:
            # The import has put the module in this one's place.
            _kept[_tensorflow, place] = own
            setattr(_tensorflow, place, self)
        if name == "SparseTensor":
            found = _lifted.SparseTensor
        elif isinstance(found, _FunctionType) and not hasattr(found, "_eager"):
            part = _lifted._once if place != "strings" else _import_module(f"{__name__}.strings")._as_part
            found = part(found)
        vars(self)[name] = found
        return found

    def __dir__(self) -> list[str]:
        return dir(_import_module(self.__name__))


_building = {name: _Building(f"penstock.tensorflow.{name}") for name in _BUILDING}


def _swap(building: bool) -> None:
    """Lets the names of TensorFlow 2 build too, as long as there is a graph to be built."""
    if building:
        for name, other in (*_building.items(), ("SparseTensor", _lifted.SparseTensor)):
            _kept[_tensorflow, name] = vars(_tensorflow).get(name, _waits)
            setattr(_tensorflow, name, other)
    for module, ours in _SWAPPED:
        for name in module.__all__:
            value, own = ours.get(name), vars(module).get(name, _waits)
            if isinstance(value, _ModuleType) or name in _building:
                continue
            value = getattr(value, "_second", value)
            if building and value is not None and own is not value:
                if getattr(value, "_eager", own) is not own and isinstance(own, _FunctionType):
                    # TensorFlow 1 has another function under this name.
                    value = _newer[own] = _newer.get(own) or _lift(own)
                _kept[module, name] = own
                setattr(module, name, value)
    if not building:
        for (module, name), value in _kept.items():
            if value is _waits:
                vars(module).pop(name, None)
            else:
                setattr(module, name, value)
        _kept.clear()


_on_change.append(_swap)
if type(_mode).inside:
    _swap(True)


def __getattr__(name: str) -> Any:
    if name == "contrib":
        raise AttributeError(
            "module 'tensorflow.compat.v1' has no attribute 'contrib'\n"
            "tf.contrib ended with TensorFlow 1. Instead of tf.contrib.layers.xavier_initializer() write "
            "tf.glorot_uniform_initializer(), of tf.contrib.layers.fully_connected tf.layers.dense."
        )
    if name == "Summary":
        return summary.Summary
    if name in ("string", "bfloat16"):
        return _as_dtype(name)
    if name in _OWN_FILES:
        return _import_module(f"{__name__}.{name}")
    if name in _LATER:
        made = _import_module(f"penstock.tensorflow.{_CALLED.get(name, name)}")
        building = _CALLED.get(name, name) in _BUILDING
        globals()[name] = made = _lifted._lifted_module(made) if building else made
        if name in _FORMS:
            files = [f"penstock.tensorflow.{one}" for one in _FORMS[name].split()]
            for file in files:
                _import_module(file)
            vars(made).update(_names_of(f"tf.compat.v1.{name}", files))
        return made
    try:
        _missing(name)
    finally:
        _lift_new()
    return globals()[name]


def _lift_new() -> None:
    """Lists the names that a file has brought beside the one asked for, and lets their functions build."""
    for name, found in list(globals().items()):
        if name not in _first and not name.startswith("_") and name not in __all__:
            __all__.append(name)
        if name not in _first and isinstance(found, _FunctionType) and name not in _lifted._EAGER_ONLY:
            home = found.__module__
            if not hasattr(found, "_eager") and ".compat." not in home and "._graphs." not in home:
                globals()[name] = _lifted._once(found)


_first = {*globals(), "_first"}
"""Names that are there from the beginning."""
