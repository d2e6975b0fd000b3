"""tf.saved_model: modules and models in a folder, for Penstock alone: there is no graph to be written."""

from __future__ import annotations

import json as _json
import os as _os
from typing import Any

from penstock.tensorflow import _checkpoints
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tracking import Checkpoint as _Checkpoint
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import warn as _warn

_NOTE = "penstock_saved_model.json"
_saved: dict[str, Any] = {}


class SaveOptions:
    """Options about how files are written; none of them changes anything here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


LoadOptions = SaveOptions


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Writes the variables of a module or model into a folder, and its configuration where it has one.

    No graph is written: `load` gives a Keras model back from its configuration, and another object in the
    program that saved it only. TensorFlow does not read the folder, and a warning says so.
    """
    folder = _os.fspath(export_dir)
    _os.makedirs(folder, exist_ok=True)
    _checkpoints.write(_os.path.join(folder, "variables"), _arrays(obj))
    config = None
    if hasattr(obj, "_listed_config"):
        from penstock.tensorflow.keras._serial import serialize_keras_object

        try:
            config = serialize_keras_object(obj)
        except (_ArgumentError, NotImplementedError):
            config = None
    with open(_os.path.join(folder, _NOTE), "w", encoding="utf-8") as file:
        _json.dump({"class": type(obj).__name__, "config": config}, file)
    _saved[_os.path.realpath(folder)] = obj
    _warn(
        f"tf.saved_model.save: {folder!r} holds the variables of {type(obj).__name__}, and no graph"
        + (" (signatures are not read)" if signatures is not None else "")
        + ": penstock.tensorflow reads it, TensorFlow does not. model.save('model.keras') writes a file "
        "that Keras "
        "reads."
    )


def _arrays(obj: Any) -> dict[str, Any]:
    return {path: one.numpy() for path, one in _Checkpoint(root=obj)._variables().items()}


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Returns what `save` has written: a model from its configuration, or the object that this program saved.

    Raises ArgumentError for a folder that TensorFlow wrote, and for an object of another program.
    """
    folder = _os.fspath(export_dir)
    note = _os.path.join(folder, _NOTE)
    if not _os.path.isfile(note):
        of_tensorflow = _os.path.exists(_os.path.join(folder, "saved_model.pb"))
        raise _ArgumentError(
            f"tf.saved_model.load: {folder!r} "
            + (
                "holds a graph of TensorFlow, which is not run here."
                if of_tensorflow
                else "is no saved model."
            ),
            remedy="Save the model as .keras with Keras, and read it with tf.keras.models.load_model.",
            site=_here(),
        )
    with open(note, encoding="utf-8") as file:
        described = _json.load(file)
    arrays = _checkpoints.read(_os.path.join(folder, "variables"))
    if described["config"] is not None:
        from penstock.tensorflow.keras._serial import deserialize_keras_object

        obj = deserialize_keras_object(described["config"])
    else:
        obj = _saved.get(_os.path.realpath(folder))
    if obj is None:
        raise _ArgumentError(
            f"tf.saved_model.load: {folder!r} holds the variables of a {described['class']}, and no graph "
            f"of it.",
            why="The object is made by the program; only variables are in the folder.",
            remedy=f"Make the {described['class']}, and restore it: tf.train.Checkpoint(root=it).read("
            f"{_os.path.join(folder, 'variables')!r}).",
            site=_here(),
        )
    for path, variable in _Checkpoint(root=obj)._variables().items():
        variable.assign(arrays[path])
    return obj


def contains_saved_model(export_dir: Any) -> bool:
    """Returns whether a folder is one that `save` has written."""
    return _os.path.isfile(_os.path.join(_os.fspath(export_dir), _NOTE))


__getattr__, __dir__, __all__ = _namespace("tf.saved_model", globals())
