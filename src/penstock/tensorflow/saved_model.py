"""tf.saved_model: modules and models in a folder, for Penstock alone."""

from __future__ import annotations

import copy as _copy
import inspect as _inspect
import json as _json
import os as _os
from typing import Any

from penstock.errors import PenstockError as _PenstockError
from penstock.tensorflow import _checkpoints
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._function import ConcreteFunction as _ConcreteFunction
from penstock.tensorflow._function import Function as _Function
from penstock.tensorflow._function import Method as _Method
from penstock.tensorflow._module import Module as _Module
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
    """Writes the variables of a module or model into a folder, and how another program computes with them.

    A Keras model comes back from its configuration. Of another object the functions under `tf.function` are
    written, for the signatures that they have been called with or were given, so that `load` gives an object
    with the same variables and functions, which can be trained on. A function that chooses in Python by the
    value of a tensor, or calls code that no file holds, is left out, and a warning says why. TensorFlow does
    not read the folder.

    `signatures` are functions by name, or one, which is named "serving_default": tf.functions, or what their
    `get_concrete_function` gives. None is the function of a module that alone has an `input_signature`. What
    is loaded has them in `signatures`, as functions that return their tensors by name.

    >>> import tempfile, warnings
    >>> from penstock import tensorflow as tf
    >>> class Scaled(tf.Module):
    ...     def __init__(self):
    ...         self.factor = tf.Variable(2.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> scaled, folder = Scaled(), tempfile.mkdtemp()
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tf.saved_model.save(scaled, folder, signatures=scaled.__call__)
    >>> loaded = tf.saved_model.load(folder)
    >>> loaded.factor.assign(10.0).numpy(), scaled(tf.constant([1.0])).numpy()
    (np.float32(10.0), array([2.], dtype=float32))
    >>> loaded.signatures["serving_default"](tf.constant([1.0]))["output_0"].numpy()
    array([10.], dtype=float32)
    """
    folder = _os.fspath(export_dir)
    _os.makedirs(folder, exist_ok=True)
    _Checkpoint(root=obj).write(_os.path.join(folder, "variables"))
    config = None
    if hasattr(obj, "_listed_config"):
        from penstock.tensorflow.keras._serial import serialize_keras_object

        try:
            config = serialize_keras_object(obj)
        except (_ArgumentError, NotImplementedError):
            config = None
    with open(_os.path.join(folder, _NOTE), "w", encoding="utf-8") as file:
        _json.dump({"class": type(obj).__name__, "config": config}, file)
    chosen = _own_signature(obj) if signatures is None else signatures
    if not isinstance(chosen, dict):
        chosen = {"serving_default": chosen}
    for name, one in chosen.items():
        if not isinstance(one, _Function | _Method | _ConcreteFunction):
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {one} under "
                f"{name!r}. Only `tf.functions` with an input signature or concrete functions can be used as "
                "a signature."
            )
    written = None
    if config is None:
        from penstock.tensorflow._graphs import restored_objects as _objects

        written = _objects.write(folder, obj, chosen)
    place = _os.path.realpath(folder)
    if written is not None and written.functions and not written.reasons:
        _saved.pop(place, None)
    else:
        # In the present state: later changes of the program are not in the folder.
        _saved[place] = _copied((None if config else obj, chosen))
    _warn(_told(folder, type(obj).__name__, written))


def _told(folder: str, kind: str, written: Any) -> str:
    """Returns what a folder holds of an object, and what it lacks."""
    if written is None or not (written.functions or written.signatures):
        what = f"the variables of {kind}, and no graph: penstock.tensorflow reads it, TensorFlow does not"
        what += ". model.save('model.keras') writes a file that Keras reads."
    else:
        what = f"{kind} in Penstock's own format: penstock.tensorflow reads it, TensorFlow does not."
    for name, reason in () if written is None else written.reasons.items():
        what += f"\nWithout {name}, which another program cannot call: {reason}."
    return f"tf.saved_model.save: {folder!r} holds {what}"


def _own_signature(obj: Any) -> dict[str, Any]:
    """Returns the function of a module that has an `input_signature` and returns tensors, if it is alone."""
    if not isinstance(obj, _Module):
        return {}
    found = []
    for name in dir(obj):
        kept = _inspect.getattr_static(obj, name, None)
        if isinstance(kept, _Function | _Method | _ConcreteFunction):
            one = getattr(obj, name)
            if isinstance(one, _ConcreteFunction) or one.input_signature is not None:
                found.append(one)
    found = [one for one in found if _returns_tensors(one)]
    return {"serving_default": found[0]} if len(found) == 1 else {}


def _returns_tensors(function: Any) -> bool:
    concrete = function if isinstance(function, _ConcreteFunction) else function.get_concrete_function()
    try:
        return bool(concrete.outputs)
    except _PenstockError:
        # It cannot be tried without values, such as a step that writes variables.
        return True


def _copied(things: Any) -> Any:
    """Returns objects with variables of their own; as they are where Python cannot copy them."""
    try:
        return _copy.deepcopy(things)
    except (TypeError, NotImplementedError):
        return things


class _Signature:
    """A function of a saved model: it takes tensors by name, or in order, and returns them by name."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._concrete = function if isinstance(function, _ConcreteFunction) else None

    def __call__(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        return _by_name(self._function(*arguments, **options))

    @property
    def structured_input_signature(self) -> Any:
        """The specifications of the tensors that it takes, by name."""
        concrete = self._concrete or self._function.get_concrete_function()
        return (), dict(concrete._specs)

    @property
    def structured_outputs(self) -> dict[str, Any]:
        """The specifications of the tensors that it returns, by name."""
        concrete = self._concrete or self._function.get_concrete_function()
        return _by_name(concrete._results())


def _by_name(found: Any) -> dict[str, Any]:
    if isinstance(found, dict):
        return dict(found)
    several = list(found) if isinstance(found, list | tuple) else [] if found is None else [found]
    return {f"output_{number}": one for number, one in enumerate(several)}


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Returns the object that `save` has written, with its own variables.

    It is a model from its configuration, or an object with the variables and traced functions that were
    written. If some of the functions could not be, the program that saved the object gets a copy of it.
    A graph that `tf.compat.v1.saved_model` has written is loaded with its signatures; `tags` chooses it.
    Raises ArgumentError for a folder that TensorFlow wrote.
    """
    folder = _os.fspath(export_dir)
    note = _os.path.join(folder, _NOTE)
    if _os.path.isfile(_os.path.join(folder, "penstock_graph_0.meta")):
        from penstock.tensorflow._graphs.saved_graphs import LoadedGraph

        return LoadedGraph(folder, tags)
    if not _os.path.isfile(note):
        of_tensorflow = _os.path.exists(_os.path.join(folder, "saved_model.pb"))
        if not of_tensorflow:
            raise OSError(f"SavedModel file does not exist at: {folder}/{{saved_model.pbtxt|saved_model.pb}}")
        raise _ArgumentError(
            f"tf.saved_model.load: {folder!r} holds a graph of TensorFlow, which is not run here.",
            remedy="Save the model as .keras with Keras, and read it with tf.keras.models.load_model.",
            site=_here(),
        )
    with open(note, encoding="utf-8") as file:
        described = _json.load(file)
    arrays = _checkpoints.read(_os.path.join(folder, "variables"))
    obj, signatures = _copied(_saved.get(_os.path.realpath(folder), (None, {})))
    if described["config"] is not None:
        from penstock.tensorflow.keras._serial import deserialize_keras_object

        obj = deserialize_keras_object(described["config"])
    if obj is None:
        from penstock.tensorflow._graphs import restored_objects as _objects

        if _objects.is_there(folder):
            return _objects.load(folder, arrays)
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
    if hasattr(obj, "_listed_config") and not signatures:
        signatures = {"serving_default": _serving(obj)}
    object.__setattr__(obj, "signatures", {name: _Signature(one) for name, one in signatures.items()})
    if hasattr(obj, "_listed_config"):
        object.__setattr__(obj, "serve", _serving(obj))
    return obj


def _serving(model: Any) -> Any:
    def serve(*inputs: Any) -> Any:
        return model(*inputs, training=False)

    return serve


def contains_saved_model(export_dir: Any) -> bool:
    """Returns whether a folder is one that `save` has written."""
    return _os.path.isfile(_os.path.join(_os.fspath(export_dir), _NOTE))


__getattr__, __dir__, __all__ = _namespace("tf.saved_model", globals(), "_words_of_saved_models")
