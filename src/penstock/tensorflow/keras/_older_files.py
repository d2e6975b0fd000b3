"""Models and weights in the older .h5 files of Keras: one group of weights for each layer, in order."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.errors import CheckpointError
from penstock.state import files
from penstock.tensorflow.keras import _archives
from penstock.tensorflow.keras._functional import Call
from penstock.tensorflow.keras._serial import deserialize_keras_object, serialize_keras_object
from penstock.tensorflow.keras._settings import safely
from penstock.trace.source_site import here, warn

_logger = logging.getLogger("absl")
"""The files that Keras writes to."""
_ENDINGS = (".h5", ".hdf5")
_HEADER = 64512
"""How many bytes of names one attribute of an HDF5 file holds."""
_TRAINED_WITH = ("loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly", "steps_per_execution",
                 "jit_compile")  # fmt: skip


def is_older(path: Any) -> bool:
    """Returns whether a path is that of an older file; .weights.h5 is the format of today."""
    name = os.fspath(path)
    return name.endswith(_ENDINGS) and not name.endswith(".weights.h5")


def _weights(layer: Any) -> list[Any]:
    """Returns the variables of a layer and of those inside, trained ones first, as files number them."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


# -- writing ----------------------------------------------------------------------------------------------


def write_model(model: Any, path: Any, overwrite: bool, include_optimizer: bool) -> None:
    """Writes a model with its configuration, its weights and the state of its optimizer, whole or not at
    all."""
    where = files.path_of(path, "save")
    library = _archives._library("save")
    _archives._ask(where, overwrite)
    _logger.warning(
        "You are saving your model as an HDF5 file via `model.save()` or `keras.saving.save_model(model)`. "
        "This file format is considered legacy. We recommend using instead the native Keras format, e.g. "
        "`model.save('my_model.keras')` or `keras.saving.save_model(model, 'my_model.keras')`. "
    )
    config = _bare(serialize_keras_object(model))
    called = next((one for one in getattr(model, "operations", ()) if isinstance(one, Call)), None)
    if called is not None:
        warn(
            f"{where} cannot be read back, by Keras either: the model calls functions such as "
            f"{called.word!r} on symbolic tensors, whose module an .h5 file does not name.\nSave it as "
            "model.keras, or its weights with save_weights."
        )
    compiled = model._compile_config() if include_optimizer else None

    def write(partial: str) -> None:
        with library.File(partial, "w") as file:
            file.attrs["keras_version"], file.attrs["backend"] = "3.15.0", "tensorflow"
            file.attrs["model_config"] = json.dumps(config)
            _write_layers(file.create_group("model_weights"), model)
            if compiled is not None:
                file.attrs["training_config"] = json.dumps(_training_config(compiled, model.optimizer))
                if model.optimizer is not None and model.optimizer.built:
                    group = file.create_group("optimizer_weights")
                    _write_named(group, [_named(one) for one in model.optimizer.variables])

    files.replace(where, write)


def _bare(entry: Any) -> dict[str, Any]:
    """Returns the entry of a model or layer as class and configuration, layers inside likewise."""
    config = entry["config"]
    if isinstance(config, dict) and isinstance(config.get("layers"), list):
        config = {**config, "layers": [_bare(one) for one in config["layers"]]}
    kept = {key: entry[key] for key in ("name", "inbound_nodes") if key in entry}
    return {"class_name": entry["class_name"], "config": config, **kept}


def _training_config(compiled: dict[str, Any], optimizer: Any) -> dict[str, Any]:
    made = {key: serialize_keras_object(compiled.get(key)) for key in _TRAINED_WITH}
    if optimizer is not None:
        entry = serialize_keras_object(optimizer)
        made["optimizer_config"] = {key: entry[key] for key in ("class_name", "config")}
    return made


def _named(variable: Any) -> tuple[str, Any]:
    return variable.path, np.asarray(variable.numpy())


def _write_layers(group: Any, model: Any) -> None:
    group.attrs["keras_version"], group.attrs["backend"] = "3.15.0", "tensorflow"
    _put_names(group, "layer_names", [layer.name for layer in model.layers])
    inside: set[int] = set()
    for layer in sorted(model.layers, key=lambda one: one.name):
        weights = _weights(layer)
        inside.update(map(id, weights))
        _write_named(group.create_group(layer.name), [_named(one) for one in weights])
    own = [_named(one) for one in model.weights if id(one) not in inside]
    _write_named(group.create_group("top_level_model_weights"), own)


def _write_named(group: Any, pairs: list[tuple[str, Any]]) -> None:
    _put_names(group, "weight_names", [name for name, _ in pairs])
    for name, value in pairs:
        group[name] = value


def _put_names(group: Any, key: str, names: list[str]) -> None:
    """Writes names as an attribute, or as several that are numbered if one cannot hold them."""
    most = _HEADER // max([32, *(len(name.encode()) for name in names)])
    if len(names) <= most:
        group.attrs[key] = names
        return
    for number, begin in enumerate(range(0, len(names), most)):
        group.attrs[f"{key}{number}"] = names[begin : begin + most]


# -- reading ----------------------------------------------------------------------------------------------


def read_model(path: Any, custom_objects: Any, compile: bool, safe_mode: bool = True) -> Any:
    """Returns the model in an older file, with its weights and its optimizer."""

    def read(file: Any) -> Any:
        if "model_config" not in file.attrs:
            raise CheckpointError(
                f"load_model: {os.fspath(path)!r} has weights, and no configuration of a model.",
                remedy="Make the model as the program that saved it did, and call model.load_weights(path).",
                site=here(),
            )
        config = json.loads(_text(file.attrs["model_config"]))
        with safely(safe_mode):
            model = deserialize_keras_object(config, custom_objects, safe_mode)
        _read_layers(model, file["model_weights"], path, by_name=False, skip=False)
        training = file.attrs.get("training_config")
        if compile and training is not None:
            _compile(model, json.loads(_text(training)), custom_objects, file.get("optimizer_weights"))
        elif compile:
            _logger.warning(
                "No training configuration found in the save file, so the model was *not* compiled. Compile "
                "it manually."
            )
        return model

    return _archives.open_weights(path, read)


def _compile(model: Any, training: dict[str, Any], custom_objects: Any, group: Any) -> None:
    given = {key: deserialize_keras_object(training.get(key), custom_objects) for key in _TRAINED_WITH}
    optimizer = deserialize_keras_object(training.get("optimizer_config"), custom_objects)
    given = {key: one for key, one in given.items() if one is not None}
    model._compile_from({"optimizer": optimizer, **given})
    if group is not None and model.optimizer is not None and model.optimizer.built:
        values = [value for _, value in _read_named(group)]
        variables = list(model.optimizer.variables)
        if [tuple(one.shape) for one in variables] != [value.shape for value in values]:
            _logger.warning(
                "Error in loading the saved optimizer state: the optimizer starts from fresh state."
            )
            return
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)


def read_weights(model: Any, path: Any, by_name: bool, skip_mismatch: bool) -> None:
    """Loads the weights of an older file: layer by layer in order, or those of layers with the same names.

    Raises CheckpointError, which names every layer that differs; nothing is changed then.
    """

    def read(file: Any) -> None:
        _read_layers(model, file.get("model_weights", file), path, by_name, skip_mismatch)

    _archives.open_weights(path, read)


def _read_layers(model: Any, group: Any, path: Any, by_name: bool, skip: bool) -> None:
    kept = [(name, [value for _, value in _read_named(group[name])]) for name in _names(group, "layer_names")]
    kept = [(name, values) for name, values in kept if values]
    layers = [layer for layer in model.layers if layer.weights]
    wrong: list[str] = []
    pairs: list[tuple[Any, str, list[Any]]] = []
    if by_name:
        known = dict(kept)
        pairs = [(layer, layer.name, known[layer.name]) for layer in layers if layer.name in known]
    elif len(kept) != len(layers):
        wrong.append(f"{len(kept)} layers with weights in the file, {len(layers)} here")
    else:
        pairs = [(layer, name, values) for layer, (name, values) in zip(layers, kept, strict=True)]
    if not by_name and "top_level_model_weights" in group:
        inside = {id(one) for layer in layers for one in layer.weights}
        own = [one for one in model.weights if id(one) not in inside]
        values = [value for _, value in _read_named(group["top_level_model_weights"])]
        if own or values:
            pairs.append((own, model.name, values))
    plan: list[tuple[Any, Any]] = []
    for target, name, values in pairs:
        weights = target if isinstance(target, list) else _weights(target)
        plan += _planned(weights, getattr(target, "name", model.name), name, values, wrong)
    if wrong and not skip:
        raise CheckpointError(
            f"load_weights: {os.fspath(path)!r} does not fit {model.name!r}.",
            origin="\n".join(wrong),
            why="Nothing was changed.",
            remedy="Make the model as the program that saved it did; by_name=True loads the layers that have "
            "the same names, and skip_mismatch=True what fits.",
            site=here(),
        )
    if wrong:
        warn(f"load_weights: skipped what differs in {os.fspath(path)!r}: {'; '.join(wrong)}")
    for variable, value in plan:
        variable.assign(value)


def _planned(
    weights: list[Any], own: str, name: str, values: list[Any], wrong: list[str]
) -> Iterator[tuple[Any, Any]]:
    if len(values) != len(weights):
        wrong.append(f"{name} in the file, {own!r} here: {len(values)} variables, {len(weights)} here")
        return
    for variable, value in zip(weights, values, strict=True):
        if tuple(variable.shape) == value.shape:
            yield variable, value
        else:
            wrong.append(f"{variable.path}: {value.shape} in the file ({name}), {tuple(variable.shape)} here")


def _names(group: Any, key: str) -> list[str]:
    """Returns a list of names, which one attribute holds, or several that are numbered."""
    if key in group.attrs:
        return [_text(one) for one in group.attrs[key]]
    found: list[str] = []
    for number in range(len(group.attrs)):
        found += [_text(one) for one in group.attrs.get(f"{key}{number}", ())]
    return found


def _read_named(group: Any) -> list[tuple[str, Any]]:
    return [(name, np.asarray(group[name])) for name in _names(group, "weight_names")]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
