"""Weights in Keras' formats: which group of an HDF5 file holds the variables of which layer."""

from __future__ import annotations

import importlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from penstock.errors import CheckpointError, PenstockError
from penstock.layers.base import Layer as NativeLayer
from penstock.layers.naming import snake_case as snake
from penstock.state import files
from penstock.tensorflow.keras._layer_members import keeps_its_own, own_variables
from penstock.trace.source_site import here, warn
from penstock.trace.tensor import Cell

WEIGHTS, CONFIG, ABOUT = "model.weights.h5", "config.json", "metadata.json"
ASSETS = "assets"
RENAMED = {
    "MultiHeadAttention": {
        "query": "query_dense", "key": "key_dense", "value": "value_dense",
        "attention_output": "output_dense",
    },
}  # fmt: skip
"""Parts of layers that Keras keeps under other names."""


class LibraryMissingError(PenstockError, ImportError):
    """A file in a format whose library is not installed."""


def _library(what: str) -> Any:
    try:
        return importlib.import_module("h5py")
    except ImportError:
        raise LibraryMissingError(
            f"{what}: files in Keras' formats hold HDF5, which h5py reads and writes; it is not installed.",
            remedy="pip install h5py, or write penstock.save('model.safetensors', model), which needs "
            "nothing more.",
            site=here(),
        ) from None


# -- positions in a file ----------------------------------------------------------------------------------


def places(model: Any) -> Iterator[tuple[str, Any]]:
    """Yields every layer and optimizer of a model with the path that Keras keeps its variables under."""
    yield from _below(model, "", set(), {})


def _below(thing: Any, path: str, seen: set[int], containers: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield path, thing
    for name, part in parts(thing):
        inner = f"{path}/{name}" if path else name
        if _is_kept(part):
            yield from _below(part, inner, seen, containers)
        else:
            yield from _in_container(part, inner, seen, containers)


def _in_container(
    part: Any, path: str, seen: set[int], containers: dict[int, Any]
) -> Iterator[tuple[str, Any]]:
    if id(part) in containers:
        return
    # Held, since a list that is made for this walk alone would leave its number to another.
    containers[id(part)] = part
    used: dict[str, int] = {}
    for one in part.values() if isinstance(part, dict) else part:
        nested = isinstance(one, list | tuple | dict)
        if not nested and not _is_kept(one):
            continue
        kind = type(one).__name__
        name = "container" if nested else snake(getattr(one, "_class_in_keras", kind) or kind)
        used[name] = used.get(name, -1) + 1
        inner = f"{path}/{name}_{used[name]}" if used[name] else f"{path}/{name}"
        yield from (
            _in_container(one, inner, seen, containers) if nested else _below(one, inner, seen, containers)
        )


def _is_kept(thing: Any) -> bool:
    return isinstance(thing, NativeLayer) or hasattr(thing, "_is_input") or _is_optimizer(thing)


def _is_optimizer(thing: Any) -> bool:
    return hasattr(thing, "apply_gradients") and hasattr(thing, "save_own_variables")


def parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yields the parts of a layer or model, in the order in which Keras looks."""
    if not isinstance(thing, NativeLayer):
        return
    listed = (
        type(thing).__name__ in ("Sequential", "Functional") or getattr(thing, "_is_listed", False) is True
    )
    listed = listed or getattr(thing, "_graph", None) is not None
    if listed:
        yield "layers", thing.layers
    renamed = RENAMED.get(_native_name(thing), {})
    own = {
        renamed.get(name, name): value
        for name, value in {**vars(thing), **vars(thing).get("_held", {})}.items()
        if name not in _INTERNAL
        and not (name in _OF_ROWS and listed)
        and (_is_kept(value) or isinstance(value, list | tuple | dict))
    }
    if hasattr(thing, "_compiled_with") and not listed:
        own["layers"] = thing.layers
    yield from sorted(own.items(), key=lambda pair: f"~{pair[0]}" if pair[0].startswith("_") else pair[0])


def _native_name(layer: Any) -> str:
    return next((one.__name__ for one in type(layer).__mro__ if one.__module__.startswith("penstock.")), "")


_INTERNAL = {
    "_compiled_with", "_contents", "_graph", "_held", "_loss_of", "_loss_tracker", "_losses", "_lossy",
    "_made_of", "_made_with", "_metrics_of", "_parent", "_penalties", "_settled", "_weights", "history",
}  # fmt: skip
_OF_ROWS = {"_first", "_last", "_row"}
"""Attributes that all layers here, and rows of them, keep for themselves."""


def named_variables(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yields the variables of a layer itself, under the names of its attributes."""
    yield from ((name, one) for name, one in layer._parts([]) if isinstance(one, Cell))


# -- writing ----------------------------------------------------------------------------------------------


def _write_weights(model: Any, target: Any) -> None:
    with _library("save").File(target, "w") as file:
        for path, thing in places(model):
            group = file.create_group(f"{path}/vars" if path else "vars")
            if isinstance(getattr(thing, "name", None), str):
                group.attrs["name"] = thing.name
            if isinstance(thing, NativeLayer) and keeps_its_own(thing, "save_own_variables"):
                thing.save_own_variables(group)
            elif _is_optimizer(thing):
                kept: dict[str, Any] = {}
                thing.save_own_variables(kept)
                for key, value in kept.items():
                    _put(group, key, np.asarray(value))
            else:
                for number, value in enumerate(_values(thing)):
                    _put(group, number, value)


def _values(thing: Any) -> list[Any]:
    """Returns the values of the variables of a layer itself; adapted kernels are merged."""
    if getattr(thing, "lora_enabled", False):
        return thing._values_in_files()  # type: ignore[no-any-return]
    return [np.asarray(one.numpy()) for one in own_variables(thing)]


def _put(group: Any, number: Any, value: Any) -> None:
    if value.dtype.name == "bfloat16":
        group.create_dataset(str(number), data=value.view(np.uint16).view("V2")).attrs["dtype"] = "bfloat16"
    else:
        group[str(number)] = value


def write_weights(model: Any, path: Any, overwrite: bool) -> None:
    """Writes the weights of a model, whole or not at all."""
    where = files.path_of(path, "save_weights")
    _library("save_weights")
    _ask(where, overwrite)
    files.replace(where, lambda partial: _write_weights(model, partial))


def write_model(model: Any, path: Any, overwrite: bool, config: Any) -> None:
    """Writes a model with its configuration and its weights as one .keras file, whole or not at all."""
    where = files.path_of(path, "save")
    _library("save")
    _ask(where, overwrite)
    about = {"keras_version": "3.15.0", "date_saved": datetime.now().strftime("%Y-%m-%d@%H:%M:%S")}
    content = io.BytesIO()
    _write_weights(model, content)

    def write(partial: str) -> None:
        with zipfile.ZipFile(partial, "w") as archive:
            archive.writestr(ABOUT, json.dumps(about))
            archive.writestr(CONFIG, json.dumps(config))
            archive.writestr(WEIGHTS, content.getvalue())
            for name, kept in _assets(model):
                archive.writestr(name, kept)

    files.replace(where, write)


def _assets(model: Any) -> Iterator[tuple[str, bytes]]:
    """Yields the files that layers keep beside their variables, such as vocabularies."""
    for place, thing in places(model):
        if hasattr(thing, "save_assets"):
            with tempfile.TemporaryDirectory() as folder:
                thing.save_assets(folder)
                for path in sorted(one for one in Path(folder).rglob("*") if one.is_file()):
                    yield f"{_folder(place)}/{path.relative_to(folder).as_posix()}", path.read_bytes()


def _folder(place: str) -> str:
    return f"{ASSETS}/{place}" if place else ASSETS


def read_assets(model: Any, path: Any) -> None:
    """Gives layers the files that they have kept in a .keras file."""
    with (
        zipfile.ZipFile(files.path_of(path, "load_model")) as archive,
        tempfile.TemporaryDirectory() as folder,
    ):
        kept = [one for one in archive.namelist() if one.startswith(f"{ASSETS}/")]
        archive.extractall(folder, kept)
        for place, thing in places(model) if kept else ():
            own = Path(folder, _folder(place))
            if hasattr(thing, "load_assets") and own.is_dir():
                thing.load_assets(str(own))


def _ask(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise CheckpointError(
            f"save: {path!r} exists, and overwrite=False was given.", remedy="Save elsewhere.", site=here()
        )


# -- reading ----------------------------------------------------------------------------------------------


def open_weights(path: Any, read: Callable[[Any], Any]) -> Any:
    """Returns a function's result for an HDF5 file, also one in a .keras file; refuses a damaged file."""
    where = files.path_of(path, "load_weights")
    library = _library("load_weights")
    if not os.path.isfile(where):
        raise FileNotFoundError(f"load_weights: there is no file {where!r} in {os.getcwd()}.")
    try:
        if where.endswith(".keras"):
            with zipfile.ZipFile(where) as archive:
                content: Any = io.BytesIO(archive.read(WEIGHTS))
        else:
            content = where
        file = library.File(content, "r")
    except (OSError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise CheckpointError(
            f"load: {where!r} is not a complete file in Keras' format: {error}.",
            why="Nothing was changed.",
            remedy="Load another copy.",
            site=here(),
        ) from error
    with file:
        return read(file)


def read_weights(model: Any, path: Any, skip_mismatch: bool = False) -> None:
    """Loads weights into a model; raises CheckpointError, which names all that differ, before anything
    changes."""
    plan: list[tuple[Any, Any]] = []
    wrong: list[str] = []
    read_groups: set[str] = set()

    def read(file: Any) -> None:
        for place, thing in places(model):
            group = _group(file, place)
            if isinstance(thing, NativeLayer) and keeps_its_own(thing, "load_own_variables"):
                thing.load_own_variables(group)
            elif _is_optimizer(thing):
                if group is not None and len(group):
                    plan.append((thing, {key: _array(group[key]) for key in group}))
            else:
                _planned(place, thing, group, plan, wrong)
            read_groups.add(f"{place}/vars".lstrip("/"))
        wrong.extend(_extra(file, read_groups))

    open_weights(path, read)
    if wrong and not skip_mismatch:
        raise CheckpointError(
            f"load_weights: {os.fspath(path)!r} does not fit {model.name!r}: {len(wrong)} layers differ.",
            origin="\n".join(wrong),
            why="Nothing was changed.",
            remedy="Make the model as the program that saved it did, or pass skip_mismatch=True.",
            site=here(),
        )
    if wrong:
        warn(
            f"load_weights: skipped {len(wrong)} layers of {os.fspath(path)!r} that differ: "
            f"{'; '.join(wrong)}"
        )
    for target, value in plan:
        if isinstance(value, dict):
            target.load_own_variables(value)
        else:
            target.assign(value)


def _planned(place: str, thing: Any, group: Any, plan: list[tuple[Any, Any]], wrong: list[str]) -> None:
    """Notes the values that a layer takes from a group, or the mismatch."""
    adapted = getattr(thing, "lora_enabled", False)
    variables = thing._variables_in_files() if adapted else own_variables(thing)
    kept = [] if group is None else [_array(group[key]) for key in sorted(group, key=int)]
    name = getattr(thing, "name", place)
    if len(kept) != len(variables):
        unbuilt = isinstance(thing, NativeLayer) and not thing.built
        wrong.append(
            f"{place} ({name!r}): {len(kept)} variables in the file, {len(variables)} here"
            + (", where it has not been built" if unbuilt else "")
        )
        return
    for variable, value in zip(variables, kept, strict=True):
        if tuple(variable.shape) != value.shape:
            wrong.append(
                f"{variable.path}: {value.shape} in the file ({place}), {tuple(variable.shape)} here"
            )
        else:
            plan.append((variable, value))
    if adapted:
        # A file holds the merged kernel: nothing is to be added to it.
        plan += [(one, np.zeros(one._spec.shape, one._spec.dtype)) for one in thing._added()]


def _extra(file: Any, read_groups: set[str]) -> list[str]:
    """Returns the unread contents of the file, except those of optimizers, which a model need not have."""
    found: dict[str, int] = {}

    def visit(name: str, thing: Any) -> None:
        place = name.rpartition("/")[0]
        if hasattr(thing, "dtype") and place not in read_groups and not place.startswith("optimizer"):
            found[place] = found.get(place, 0) + 1

    file.visititems(visit)
    return [f"{place.removesuffix('/vars')}: {count} variables in the file, no such layer here"
            for place, count in found.items()]  # fmt: skip


def _group(file: Any, place: str) -> Any:
    path = f"{place}/vars" if place else "vars"
    return file.get(path)


def _array(dataset: Any) -> Any:
    value = np.asarray(dataset)
    if dataset.attrs.get("dtype") == "bfloat16":
        import ml_dtypes

        return value.view(np.uint16).view(ml_dtypes.bfloat16)
    return value


def read_config(path: Any) -> Any:
    """Returns the configuration in a .keras file."""
    where = files.path_of(path, "load_model")
    if not os.path.isfile(where):
        raise FileNotFoundError(f"File not found: filepath={where}. There is no such file in {os.getcwd()}.")
    try:
        with zipfile.ZipFile(where) as archive:
            return json.loads(archive.read(CONFIG))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise CheckpointError(
            f"load_model: {where!r} is not a complete .keras file: {error}.",
            why="It is damaged, or in another format.",
            remedy="Load another copy.",
            site=here(),
        ) from error
