"""Layers, losses and other objects of Keras in the file of a graph: by their configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.capture.calls import filled
from penstock.capture.plain_data import UnwritableError, words_for
from penstock.errors import PenstockError
from penstock.functions import keys
from penstock.tensorflow._graphs.infer import infer
from penstock.tensorflow._graphs.plain_values import Reader, Writer
from penstock.tensorflow.keras._in_graphs import CalledFunction, LayerCall, building
from penstock.tensorflow.keras._serial import deserialize_keras_object, module_of, serialize_keras_object


def written(writer: Writer, one: Any) -> Any:
    """Returns an object of Keras as plain data; raises UnwritableError for one of the program's own."""
    if isinstance(one, LayerCall):
        return {"keras": "call", "layer": _number(writer, one.layer), "seed": one.seed}
    if isinstance(one, CalledFunction):
        return {"keras": "function", "of": writer.value(one.function)}
    return {"keras": "object", "number": _number(writer, one)}


def _number(writer: Writer, one: Any) -> int:
    def put(number: int) -> None:
        try:
            config = serialize_keras_object(one)
        except (PenstockError, NotImplementedError) as error:
            raise UnwritableError(words_for(one)) from error
        _require_known(config, one)
        writer.objects[number] = {"config": config}

    if module_of(type(one)) is None:
        raise UnwritableError(words_for(one))
    return writer.number(one, put)


def _require_known(config: Any, one: Any) -> None:
    """Raises UnwritableError for a configuration with code, or with a class of the program's own."""
    if isinstance(config, Mapping):
        own = config.get("registered_name") is not None or config.get("class_name") == "__lambda__"
        if own and "class_name" in config:
            raise UnwritableError(words_for(one))
        for part in config.values():
            _require_known(part, one)
    elif isinstance(config, list):
        for part in config:
            _require_known(part, one)


def read(reader: Reader, form: Mapping[str, Any]) -> Any:
    """Returns what `written` has written; a layer is built for the operation that calls it."""
    kind = form["keras"]
    if kind == "function":
        return CalledFunction(reader.value(form["of"]))
    if kind == "object":
        return reader.made(form["number"])
    return _called(reader, reader.made(form["layer"]), form["seed"])


def made(reader: Reader, number: int, form: Mapping[str, Any], known: dict[int, Any]) -> Any:
    """Returns an object by its configuration."""
    graph = _graph(reader)
    with graph.as_default(), keys.aside(), building(graph):
        known[number] = one = deserialize_keras_object(form["config"])
    return one


def _graph(reader: Reader) -> Any:
    return next(iter(reader.operations.values())).graph


def _called(reader: Reader, layer: Any, seed: int) -> LayerCall:
    assert reader.present is not None
    operation, details = reader.present
    arguments = reader.value(details["arguments"])
    every = [layer, *layer._found().layers]
    if not all(one.built for one in every):
        call, template = LayerCall(layer), [*arguments[:3], []]
        with operation.graph.as_default(), keys.aside(), building(operation.graph):
            infer(lambda values: call(*filled(template, values)), operation.inputs, True)
    found = LayerCall(layer, seed)
    if len(found.variables) != len(arguments[3]):
        raise ValueError(
            f"{operation.name} has {len(arguments[3])} variables, and its layer {len(found.variables)}"
        )
    return found


__all__ = ["made", "read", "written"]
