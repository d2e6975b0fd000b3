"""The methods of models for files: `save`, `save_weights`, `load_weights`, `to_json`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _functional as functional
from penstock.tensorflow.keras import _listed_operations as operations
from penstock.tensorflow.keras._serial import deserialize_keras_object, serialize_keras_object
from penstock.trace.source_site import here, warn


class Kept:
    """A model that can be written to files in Keras' formats, and read from them."""

    _compiled_with: Any = None

    def save(self: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **options: Any) -> None:
        """Writes the model with its weights and the state of its optimizer as a .keras file, which Keras
        reads, or as an older .h5 file.

        A name that ends in .weights.h5 is for `save_weights`. With `include_optimizer=False`, an .h5 file is
        without the optimizer. Raises ArgumentError for another ending and for layers and functions that a
        file cannot name; LibraryMissingError without h5py. An interruption leaves the old file.
        """
        from penstock.tensorflow.keras import _archives, _older_files

        path = os.fspath(filepath)
        with_optimizer = options.pop("include_optimizer", True)
        options.pop("save_format", None)
        if _older_files.is_older(path) and zipped is None and not options:
            _older_files.write_model(self, path, overwrite, with_optimizer)
            return
        if zipped is False or options:
            raise ArgumentError(
                f"save: {', '.join(options) or 'zipped=False'} is not taken: files are written as .keras.",
                site=here(),
            )
        if not path.endswith(".keras"):
            raise ArgumentError(
                "Invalid filepath extension for saving. Please add either a `.keras` extension for the "
                "native Keras format (recommended) or a `.h5` extension. penstock.tensorflow does not write "
                "SavedModels for TensorFlow: tf.saved_model.save(model, folder) keeps a model for penstock "
                f"alone. Received: filepath={filepath}.",
                site=here(),
            )
        if not self.built:
            warn(
                "You are saving a model that has not yet been built. It might not contain any weights yet. "
                "Consider "
                "building the model first by calling it on some data."
            )
        _archives.write_model(self, path, overwrite, serialize_keras_object(self))

    def save_weights(self: Any, filepath: Any, overwrite: bool = True, max_shard_size: Any = None) -> None:
        """Writes the weights as a .weights.h5 file, which Keras reads. An interruption leaves the old
        file."""
        from penstock.tensorflow.keras import _archives

        if not os.fspath(filepath).endswith(".weights.h5"):
            raise ArgumentError(
                f"The filename must end in `.weights.h5`. Received: filepath={filepath}", site=here()
            )
        if max_shard_size is not None:
            raise ArgumentError("save_weights: weights are written into one file.", site=here())
        if not self.built:
            raise ArgumentError(
                "You are saving a model that has not yet been built. Try building the model first by "
                "calling it on "
                "some data or by using `build()`.",
                site=here(),
            )
        _archives.write_weights(self, filepath, overwrite)

    def load_weights(
        self: Any, filepath: Any, skip_mismatch: bool = False, objects_to_skip: Any = None, **options: Any
    ) -> None:
        """Loads the weights of a .weights.h5, .keras or older .h5 file, as Keras or Penstock wrote it.

        An older file is read layer by layer, in order, or with `by_name=True` for the layers that have the
        same names. Raises CheckpointError, which names every layer that differs; nothing is changed then.
        """
        from penstock.tensorflow.keras import _archives, _older_files

        older = _older_files.is_older(filepath)
        by_name = options.pop("by_name", False)
        if by_name and not older:
            raise ArgumentError(f"Invalid keyword arguments: {{'by_name': {by_name}}}", site=here())

        if objects_to_skip is not None or options:
            raise ArgumentError(
                f"load_weights: {', '.join(options) or 'objects_to_skip'} is not taken.", site=here()
            )
        if not older and not os.fspath(filepath).endswith((".weights.h5", ".keras")):
            raise ArgumentError(
                "The filename must end in `.weights.h5`, `.keras` or `.h5`. penstock.tensorflow reads the "
                "checkpoints of TensorFlow with tf.train.Checkpoint only. "
                f"Received: filepath={filepath}",
                site=here(),
            )
        if not self.built:
            raise ArgumentError(
                "You are loading weights into a model that has not yet been built. Try building the model "
                "first by "
                "calling it on some data or by using `build()`.",
                site=here(),
            )
        if older:
            _older_files.read_weights(self, filepath, by_name, skip_mismatch)
        else:
            _archives.read_weights(self, filepath, skip_mismatch)

    def to_json(self, **options: Any) -> str:
        """Returns the configuration as JSON, which `model_from_json` reads."""
        return json.dumps(serialize_keras_object(self), **options)

    def export(
        self, filepath: Any, format: str = "tf_saved_model", verbose: Any = None, input_signature: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        """Writes the model for `tf.saved_model.load`, which gives it back with an endpoint `serve`.

        No graph is written, and TensorFlow does not read the folder. Raises ArgumentError for another format
        than "tf_saved_model". It prints the endpoint unless `verbose` is False; `input_signature` and the
        options say how a graph is written, and do nothing.
        """
        if format != "tf_saved_model":
            raise ArgumentError(
                f"export: penstock.tensorflow writes no graphs (format={format!r}).",
                remedy="model.save('model.keras') writes a file that Keras reads, and Keras exports it.",
                site=here(),
            )
        from penstock.tensorflow import saved_model

        saved_model.save(self, filepath)
        if verbose or verbose is None:
            told = f"Saved artifact at '{filepath}'. The following endpoints are available:"
            print(f"{told}\n\n* Endpoint 'serve'")

    def get_compile_config(self) -> dict[str, Any]:
        """Returns the arguments of `compile`, by name; none before it."""
        return {} if self._compiled_with is None else serialize_keras_object(self._compiled_with)

    def compile_from_config(self: Any, config: dict[str, Any]) -> None:
        """Compiles the model as a dictionary of `get_compile_config` says."""
        self._compile_from(deserialize_keras_object(config))

    def _compile_config(self) -> Any:
        return self._compiled_with

    def _compile_from(self: Any, config: dict[str, Any]) -> None:
        if str(type(self).compile.__module__).startswith("penstock."):
            known = {key: value for key, value in config.items() if key not in ("auto_scale_loss",)}
            self.compile(**known)
            if self.built and self.optimizer is not None:
                self.optimizer.build(self.trainable_variables)
        else:
            warn(
                "`compile()` was not called as part of model loading because the model's `compile()` "
                "method is "
                "custom. Call `compile()` after loading."
            )


# -- models of inputs and outputs as lists of calls --------------------------------------------------------


def listed(model: Any) -> dict[str, Any]:
    """Returns the configuration of a model of inputs and outputs, as Keras writes it."""
    graph = model._graph
    nodes: dict[int, list[Any]] = {}
    history: dict[int, list[Any]] = {}
    entries: dict[int, dict[str, Any]] = {}
    for one in functional.flat(graph.inputs):
        history[id(one)] = [one.source.name, 0, 0]
    for call in graph.calls:
        entry, arguments, options = None, call.inputs, call.options
        if call.node is call:
            entry, arguments, options = operations.written(call, model.name)
        own = nodes.setdefault(id(call.node), [])
        for place, one in enumerate(functional.flat(call.outputs)):
            history[id(one)] = [call.node.name, len(own), place]

        def written(one: Any) -> Any:
            if not isinstance(one, functional.KerasTensor):
                return serialize_keras_object(one)
            kept = {"shape": list(one.shape), "dtype": str(one.dtype), "keras_history": history[id(one)]}
            return {"class_name": "__keras_tensor__", "config": kept}

        own.append(
            {
                "args": [functional.mapped(written, one) for one in arguments],
                "kwargs": {key: functional.mapped(written, one) for key, one in options.items()},
            }
        )
        if entry is not None:
            entries[id(call)] = entry
    layers = []
    for node, _ in graph.operations:
        entry = entries.get(id(node)) or {**serialize_keras_object(node), "name": node.name}
        layers.append({**entry, "inbound_nodes": nodes.get(id(node), [])})

    def ends(structure: Any) -> Any:
        if isinstance(structure, dict):
            return {key: ends(one) for key, one in structure.items()}
        if isinstance(structure, list | tuple):
            return [ends(one) for one in structure]
        return history[id(structure)]

    return {
        "name": model.name, "trainable": model.trainable, "layers": layers,
        "input_layers": ends(graph.inputs), "output_layers": ends(graph.outputs),
    }  # fmt: skip


def of_listed(kind: Any, config: dict[str, Any], make: Callable[[Any], Any]) -> Any:
    """Returns the model of a configuration that `listed`, or Keras, has written."""
    layers = {
        entry["name"]: operations.read(entry)
        if operations.is_operation(entry)
        else make({key: one for key, one in entry.items() if key != "build_config"})
        for entry in config["layers"]
    }
    waiting = {entry["name"]: list(entry["inbound_nodes"]) for entry in config["layers"]}
    made: dict[tuple[str, int], list[Any]] = {}
    for name, layer in layers.items():
        if isinstance(layer, functional.KerasTensor):
            made[name, 0] = [layer]
    counts = dict.fromkeys(layers, 0)
    while any(waiting.values()):
        moved = False
        for name, nodes in waiting.items():
            while nodes and all(tuple(need[:2]) in made for need in _needs(nodes[0])):
                node = nodes.pop(0)
                arguments, options = (_filled(node[part], made, make) for part in ("args", "kwargs"))
                result = layers[name](*arguments, **_known(layers[name], options))
                made[name, counts[name]] = functional.flat(result)
                counts[name] += 1
                moved = True
        if not moved:
            raise ArgumentError(
                f"The file of model {config.get('name')!r} names inputs that nothing computes.", site=here()
            )

    def ends(structure: Any) -> Any:
        if isinstance(structure, dict):
            return {key: ends(one) for key, one in structure.items()}
        if structure and isinstance(structure[0], str):
            return made[structure[0], structure[1]][structure[2]]
        return [ends(one) for one in structure]

    return kind(ends(config["input_layers"]), ends(config["output_layers"]), name=config.get("name"))


def _needs(node: Any) -> list[Any]:
    """Returns which results a call needs: name of the layer, number of its call, place in what it gives."""
    if isinstance(node, dict):
        if node.get("class_name") == "__keras_tensor__":
            return [node["config"]["keras_history"]]
        return [need for one in node.values() for need in _needs(one)]
    return [need for one in node for need in _needs(one)] if isinstance(node, list | tuple) else []


def _filled(node: Any, made: Any, make: Callable[[Any], Any]) -> Any:
    if isinstance(node, dict):
        if node.get("class_name") == "__keras_tensor__":
            name, number, place = node["config"]["keras_history"]
            return made[name, number][place]
        return (
            make(node)
            if "class_name" in node
            else {key: _filled(one, made, make) for key, one in node.items()}
        )
    return [_filled(one, made, make) for one in node] if isinstance(node, list | tuple) else make(node)


def _known(layer: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of a call but for those that say nothing, such as mask=None."""
    return {key: one for key, one in options.items() if one is not None and (key, one) != ("training", False)}
