"""tf.keras.models: models by subclassing, in a row, and of inputs and outputs."""

from __future__ import annotations

import json as _json
from collections.abc import Callable as _Callable
from collections.abc import Iterator
from typing import Any

from penstock.declared import named as _named
from penstock.layers import model as _native
from penstock.layers.calls import calls as _calls
from penstock.layers.calls import inside as _inside
from penstock.layers.calls import tells_other as _tells_other
from penstock.layers.core import Embedding as _Embedding
from penstock.layers.masks import hand_on as _hand_on
from penstock.tensorflow._convert import tensor_of as _convert_to_tensor
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.distribute import has_strategy as _has_strategy
from penstock.tensorflow.keras import _functional
from penstock.tensorflow.keras._automatic_names import automatic_name as _automatic_name
from penstock.tensorflow.keras._layer import Layer as _Layer
from penstock.tensorflow.keras._saving import Kept as _Kept
from penstock.tensorflow.keras._saving import listed as _listed
from penstock.tensorflow.keras._saving import of_listed as _of_listed
from penstock.tensorflow.keras._symbolic_masks import operations_of as _operations_of
from penstock.tensorflow.keras._training import Trainer as _Trainer
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import warn as _warn


@_named("tf.keras.Model")
class Model(_Trainer, _Kept, _Layer, _native.Model):
    """A layer composed of layers: a subclass with `call`, or `Model(inputs, outputs)` of symbolic tensors.

    >>> from penstock import tensorflow as tf
    >>> x = tf.keras.Input((3,))
    >>> model = tf.keras.Model(inputs=x, outputs=tf.keras.layers.Dense(2)(x))
    >>> len(model.trainable_variables)
    2
    """

    _graph: Any = None
    _is_base = True

    def _tells_shape(self) -> bool:
        return self._graph is not None or super()._tells_shape()

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        """Returns a Functional for inputs and outputs."""
        if cls is Model and (len(arguments) >= 2 or "outputs" in options):
            made: Any = object.__new__(Functional)
        else:
            made = _Layer.__new__(cls, *arguments, **options)
        if _has_strategy():
            object.__setattr__(made, "_looks_ahead", True)
        return made

    def __init__(self, inputs: Any = None, outputs: Any = None, **options: Any) -> None:
        if inputs is not None and outputs is None:
            raise _ArgumentError("A model of inputs needs outputs too.", site=_here())
        _Layer.__init__(self, **options)
        if outputs is not None:
            self._graph = _functional.Graph(inputs, outputs)
            ends = [one.shape for one in _functional.flat(outputs)]
            object.__setattr__(self, "_output_shape", ends[0] if len(ends) == 1 else ends)
            object.__setattr__(self, "_shape_is_told", True)
            self.built = True

    def _parts(self, seen: list[Any]) -> Iterator[tuple[str, Any]]:
        if self._graph is not None:
            for layer in self._graph.layers:
                if not hasattr(layer, "_is_input"):
                    yield layer.name, layer
        yield from super()._parts(seen)

    @property
    def layers(self) -> list[Any]:
        """The layers directly in this model, each once; those of inputs and outputs begin with the inputs."""
        if self._graph is not None:
            return self._graph.layers  # type: ignore[no-any-return]
        return super().layers

    @property
    def operations(self) -> list[Any]:
        """The layers, and the calls of functions of keras.ops, in the order of the calls."""
        return self.layers if self._graph is None else [one for one, _ in self._graph.operations]

    @property
    def inputs(self) -> Any:
        """The symbolic inputs, as a list."""
        return None if self._graph is None else _functional.flat(self._graph.inputs)

    @property
    def outputs(self) -> Any:
        """The symbolic outputs, as a list."""
        return None if self._graph is None else _functional.flat(self._graph.outputs)

    @property
    def output_names(self) -> list[str] | None:
        """The names of the outputs: each that of its layer; None without symbolic outputs."""
        if self._graph is None:
            return None
        ends = _functional.flat(self._graph.outputs)
        return [getattr(getattr(one.call, "function", None), "name", one.name) for one in ends]

    @property
    def input(self) -> Any:
        """The symbolic input, or the structure of them."""
        return self._graph.inputs if self._graph is not None else super().input

    @property
    def output(self) -> Any:
        """The symbolic output, or the structure of them."""
        return self._graph.outputs if self._graph is not None else super().output

    def _rows(self) -> tuple[list[Any], dict[int, str] | None]:
        if self._graph is None:
            return super()._rows()
        return self.operations, self._graph.connections()

    @property
    def input_shape(self) -> Any:
        """The shape of the input."""
        return _alone([one.shape for one in _functional.flat(self.input)])

    @property
    def output_shape(self) -> Any:
        """The shape of the output."""
        return _alone([one.shape for one in _functional.flat(self.output)])

    @property
    def path(self) -> Any:
        """The model's path; None before it is built, as a model of symbolic tensors is from the start."""
        return self._path if self._graph is None else self._scope()

    def build(self, input_shape: Any = None) -> None:
        """Counts as built; `input_shape` does nothing. The layers of a model that defines `call` are built
        when it is called, as in Keras 3, which warns too."""
        self._scope()
        own = type(self).build is Model.build
        if own and self._graph is None and not self.built and not all(one.built for one in self.layers):
            _warn(
                f"`build()` was called on layer '{self.name}', however the layer does not have a `build()` "
                "method implemented and it looks like it has unbuilt state. This will cause the layer to be "
                "marked as built, despite not being actually built, which may cause failures down the line. "
                "Make sure to implement a proper `build()` method."
            )
        self.built = True

    def get_state_tree(self, value_format: str = "backend_tensor") -> dict[str, Any]:
        """Returns the values of all variables, in dictionaries by the parts of their paths.

        They are tensors, or arrays with `value_format="numpy_array"`. Raises ArgumentError, a ValueError, for
        another format, and for two variables with one path.
        """
        if value_format not in ("backend_tensor", "numpy_array"):
            raise _ArgumentError(
                "Invalid `value_format` argument. Expected one of {'numpy_array', 'backend_tensor'}. "
                f"Received: value_format={value_format}",
                site=_here(),
            )
        return {kind: _tree_of(found, value_format) for kind, found in self._by_kind().items()}

    def set_state_tree(self, state_tree: dict[str, Any]) -> None:
        """Gives variables the values in a tree of `get_state_tree`; paths that it lacks keep theirs.

        Raises ArgumentError, a ValueError, for another kind of variables.
        """
        known = self._by_kind()
        for kind, tree in state_tree.items():
            if kind not in known:
                raise _ArgumentError(f"Unknown variable name: {kind}", site=_here())
            values = dict(_leaves_of(tree))
            for variable in known[kind]:
                if variable.path in values:
                    variable.assign(values[variable.path])

    def _by_kind(self) -> dict[str, list[Any]]:
        return {
            "trainable_variables": self.trainable_variables,
            "non_trainable_variables": self.non_trainable_variables,
            "optimizer_variables": [] if self.optimizer is None else self.optimizer.variables,
            "metrics_variables": self.metrics_variables,
        }

    @property
    def _is_listed(self) -> bool:
        """Whether a list of calls is all that this model is."""
        return type(self) in (Model, Functional) and self._graph is not None

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make a model like this one, by name."""
        found = self._listed_config()
        return super().get_config() if found is None else found

    def _listed_config(self) -> dict[str, Any] | None:
        """Returns the configuration of a model that is a list of calls; None for another."""
        return _listed(self) if self._is_listed else None

    @classmethod
    def _of_listed(cls, config: dict[str, Any], make: _Callable[[Any], Any]) -> Any:
        return _of_listed(Model, config, make) if "input_layers" in config else None

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Returns a model with this configuration, and fresh variables.

        `custom_objects` are classes and functions of the program by the names that the configuration has.
        """
        from penstock.tensorflow.keras._serial import deserialize_keras_object, knowing

        with knowing(custom_objects):
            made = cls._of_listed(config, deserialize_keras_object)
            return super().from_config(config) if made is None else made

    def _recreated(self, name: str, **changes: Any) -> Any:
        if not self._is_listed:
            return super()._recreated(name, **changes)
        return self._of_others(lambda layer: layer._recreated(layer.name), name)

    def _of_others(self, other: _Callable[[Any], Any], name: str) -> Any:
        """Returns a model of the same calls, of the layers that a function gives for those of this one."""
        made = {id(layer): other(layer) for layer in self.layers if not hasattr(layer, "_is_input")}
        # Keras names the inputs of a copy as the tensors are named, not their layers.
        values = {id(one): _like(one, one.name) for one in _functional.flat(self._graph.inputs)}

        def value(one: Any) -> Any:
            return values[id(one)] if isinstance(one, _functional.KerasTensor) else one

        for call in self._graph.calls:
            inputs, given = (_functional.mapped(value, part) for part in (call.inputs, call.options))
            layer = made.get(id(call.function))
            result = (
                _functional.note(call.function, inputs, given, call.word, call.name)
                if layer is None
                else layer(*inputs, **given)
            )
            for one, new in zip(_functional.flat(call.outputs), _functional.flat(result), strict=True):
                values[id(one)] = new
        ends = [_functional.mapped(value, part) for part in (self._graph.inputs, self._graph.outputs)]
        return Model(*ends, name=name, trainable=self.trainable)

    def _build(self, signature: Any, inputs: Any, options: Any) -> None:
        if type(self).build is Model.build:
            self._name_parts()
            self._note_shape(inputs)
            self.built = True
        else:
            super()._build(signature, inputs, options)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Computes the model."""
        if self._graph is None:
            raise NotImplementedError(
                f"{type(self).__name__} {self.name!r} has no `call()` method: write one in a subclass, or "
                "make the model of inputs and outputs."
            )
        if _tells_other(training):
            with _inside(self, training):
                return self.call(inputs, training, mask)
        if mask is not None:
            _hand_on(inputs, mask)
        return _alone(self._graph.run(inputs, training))

    def _in_its_list(self, found: Any) -> Any:
        """Returns the symbolic result of a call in the list or tuple of one output that the model has."""
        if self._graph is None or type(self).call is not Model.call:
            return found
        ends: Any = self._graph.outputs
        return type(ends)([found]) if type(ends) in (list, tuple) and len(ends) == 1 else found

    def compute_output_shape(self, input_shape: Any, *more: Any, **options: Any) -> Any:
        """Returns the shape of the output for inputs of a shape, in the structure of the outputs."""
        found = super().compute_output_shape(input_shape, *more, **options)
        if self._graph is None or type(self).call is not Model.call:
            return found
        shapes = iter(_each_shape(found))
        return _functional.mapped(lambda _: next(shapes), self._graph.outputs)


def _like(tensor: Any, name: str) -> Any:
    """Returns a symbolic input like another one."""
    shape, sparse = tensor.shape, tensor.sparse
    return _functional.Input(batch_shape=shape, dtype=tensor.dtype, name=name, sparse=sparse)


class Functional(Model):
    """A model of symbolic inputs and outputs; `Model(inputs, outputs)` makes one."""


@_named("tf.keras.Sequential")
class Sequential(Model, _native.Sequential):
    """Layers in a row.

    >>> from penstock import tensorflow as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    >>> model.output_shape
    (None, 2)
    """

    _builds_its_layers = True

    def __init__(
        self, layers: Any = None, trainable: bool = True, name: str | None = None, **more: Any
    ) -> None:
        self._first: Any = None
        self._given_shape: Any = None
        self._listing = True
        _native.Sequential.__init__(self, layers, trainable, name, **more)
        self._listing = False
        if self.built and self._row:
            _automatic_name("functional")

    def _add(self, layer: Any) -> None:
        if isinstance(layer, _functional.InputLayer):
            layer = layer.output
        if isinstance(layer, _functional.KerasTensor):
            if self._row or self._first is not None:
                raise _ArgumentError(
                    f"Sequential model '{self.name}' has already been configured to use an input.",
                    site=_here(),
                )
            self._first, self._last = layer, layer
            self.built = True
            return
        if not self._row and self._first is None:
            shape = getattr(layer, "_input_shape_arg", None)
            if shape is not None:
                self._add(_functional.Input(shape))
        super()._add(layer)
        if self._first is not None:
            # Built at once, inside this model: that is where the paths of its variables begin.
            _calls.layers.append(self)
            _calls.training.append(None)
            try:
                self._last = self._row[-1](self._last)
            finally:
                _calls.layers.pop()
                _calls.training.pop()
        if not self._listing and self.built:
            self._name_again(len(self._row) - (self._first is not None))

    @staticmethod
    def _name_again(count: int) -> None:
        """Takes the names for the model and symbolic tensors that Keras makes again from layers."""
        _automatic_name("functional")
        for _ in range(count):
            _automatic_name("keras_tensor")

    _is_listed = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Calls the layers one after another."""
        known = self._first_shape if self._first is None else self._first.shape
        if known is not None:
            inputs = _functional.of_rank(known, inputs)
        if self._first is not None:
            inputs = self._first.given(inputs)
        elif self._row and not isinstance(self._row[0], _Embedding):
            # Keras makes the input in the dtype that the first layer computes in.
            inputs = _functional.in_dtype(inputs, self._row[0]._compute)
        return _native.Sequential.call(self, inputs, training, mask)

    def _listed_config(self) -> dict[str, Any] | None:
        return self.get_config() if type(self) is Sequential else None

    @classmethod
    def _of_listed(cls, config: dict[str, Any], make: _Callable[[Any], Any]) -> Any:
        if not isinstance(config.get("layers"), list) or not all(
            isinstance(one, dict) for one in config["layers"]
        ):
            return None
        model = cls([make(one) for one in config["layers"]], name=config.get("name"))
        if not model.built and config.get("build_input_shape"):
            model.build(tuple(config["build_input_shape"]))
        return model

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make a model like this one: its layers as dictionaries, and its name."""
        from penstock.tensorflow.keras._layer_configs import dtype_config
        from penstock.tensorflow.keras._serial import serialize_keras_object

        inputs = [] if self._first is None else [serialize_keras_object(self._first.source)]
        shape = self._built_shape() if self._first is None else list(self._first.shape)
        layers = [*inputs, *map(serialize_keras_object, self.layers)]
        found = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": dtype_config(self),
            "layers": layers,
        }
        return found if shape is None else {**found, "build_input_shape": shape}

    def _recreated(self, name: str, **changes: Any) -> Any:
        return self._of_others(lambda layer: layer._recreated(layer.name), name)

    def _of_others(self, other: _Callable[[Any], Any], name: str) -> Any:
        """Returns a model of the layers that a function gives for those of this one."""
        first = [] if self._first is None else [_like(self._first, self._first.source.name)]
        made = Sequential([*first, *map(other, self.layers)], name=name)
        if not self.trainable:
            made.trainable = False
        return made

    def pop(self, rebuild: bool = True) -> Any:
        """Takes the last layer away and returns it."""
        layer = super().pop(rebuild)
        if self._first is not None:
            self._last = self._row[-1].output if self._row else self._first
        if rebuild and self.built and self._row:
            self._name_again(len(self._row))
        return layer

    def _as_layer(self, function: Any) -> Any:
        from penstock.tensorflow.keras import layers

        return vars(layers)["Lambda"](function)

    def build(self, input_shape: Any = None) -> None:
        """Builds the layers for inputs of a shape."""
        self._scope()
        if not self.built and input_shape is not None:
            from penstock.layers.shapes import dry_run

            dry_run(self, self, tuple(input_shape))
        self.built = True

    def _build(self, signature: Any, inputs: Any, options: Any) -> None:
        self._name_parts()
        self._note_shape(inputs)
        self._name_once()
        self.built = True

    def _name_once(self) -> None:
        # Keras makes a functional model with an input for each row of layers: they take their names.
        for layer in self._row:
            object.__setattr__(layer, "_in_a_graph", True)
            for kind in _operations_of(layer):
                _automatic_name(kind)
        _automatic_name("input_layer")
        self._name_again(len(self._row) + 1)

    @property
    def input(self) -> Any:
        """The symbolic input."""
        if self._first is None:
            raise AttributeError(f"Sequential model '{self.name}' has no defined inputs yet.")
        return self._first

    @property
    def output(self) -> Any:
        """The symbolic output."""
        if self._first is None:
            raise AttributeError(f"Sequential model '{self.name}' has no defined outputs yet.")
        return self._last

    @property
    def inputs(self) -> Any:
        """The symbolic input, in a list."""
        return [self.input]

    @property
    def outputs(self) -> Any:
        """The symbolic output, in a list."""
        return [self.output]

    @property
    def input_shape(self) -> Any:
        """The shape of the input."""
        return self.input.shape


def _alone(found: Any) -> Any:
    """Returns what is in a list or tuple of one, and anything else as it is."""
    return found[0] if type(found) in (list, tuple) and len(found) == 1 else found


def _tree_of(variables: list[Any], value_format: str) -> dict[str, Any]:
    """Returns the values of variables in dictionaries by the parts of their paths."""
    paths = [one.path for one in variables]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise _ArgumentError(
            f"The following variable path is found twice in the model: '{twice}'. `get_state_tree()` can "
            "only be called when all variable paths are unique. Make sure to give unique names to your "
            "layers (and other objects).",
            site=_here(),
        )
    made: dict[str, Any] = {}
    for one in variables:
        *above, last = one.path.split("/")
        place = made
        for part in above:
            place = place.setdefault(part, {})
        place[last] = one.numpy() if value_format == "numpy_array" else _convert_to_tensor(one)
    return made


def _leaves_of(tree: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, one in tree.items():
        if isinstance(one, dict):
            yield from _leaves_of(one, f"{path}{key}/")
        else:
            yield f"{path}{key}", one


def _each_shape(found: Any) -> Iterator[Any]:
    """Yields the shapes in a structure of shapes, which are tuples themselves."""
    if isinstance(found, tuple) and all(one is None or isinstance(one, int) for one in found):
        yield found
        return
    for one in [found[key] for key in sorted(found)] if isinstance(found, dict) else found:
        yield from _each_shape(one)


@_named("tf.keras.saving.save_model")
def save_model(model: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **options: Any) -> None:
    """Writes a model as a .keras or .h5 file, which Keras reads: see `model.save`."""
    model.save(filepath, overwrite, zipped, **options)


@_named("tf.keras.saving.load_model")
def load_model(
    filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Returns the model in a .keras or .h5 file, as Keras or Penstock wrote it, with weights and optimizer.

    `custom_objects` are the program's own classes and functions by name; others are found if they are
    registered. The code of a lambda is only taken with `safe_mode=False`, as it could do anything. Raises
    FileNotFoundError, CheckpointError for a damaged file, and ArgumentError for an unknown name, for code, or
    for an unsupported argument of a layer.
    """
    from penstock.tensorflow.keras import _archives, _older_files
    from penstock.tensorflow.keras._serial import deserialize_keras_object

    if _older_files.is_older(filepath):
        return _older_files.read_model(filepath, custom_objects, compile, safe_mode)
    if not str(filepath).endswith(".keras"):
        raise _ArgumentError(
            f"File format not supported: filepath={filepath}. penstock.tensorflow reads `.keras` and `.h5` "
            "files, and no SavedModels.",
            remedy="Make the model as the program that saved it did, and call model.load_weights(path).",
            site=_here(),
        )
    config = _archives.read_config(filepath)
    if not compile:
        config["compile_config"] = None
    model = deserialize_keras_object(config, custom_objects, safe_mode)
    _archives.read_weights(model, filepath)
    _archives.read_assets(model, filepath)
    return model


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """Returns a model with the configuration that `to_json` has written, and fresh variables."""
    from penstock.tensorflow.keras._serial import deserialize_keras_object

    return deserialize_keras_object(_json.loads(json_string), custom_objects)


def _class_named(name: str) -> Any:
    """Returns the class of models that a file names."""
    return {"Functional": Functional, "Sequential": Sequential, "Model": Model}[name]


def clone_model(
    model: Any,
    input_tensors: Any = None,
    clone_function: Any = None,
    call_function: Any = None,
    recursive: bool = False,
) -> Any:
    """Returns a model of layers that are made as those of a model were, with fresh variables.

    `clone_function` is called with each layer of a Sequential or functional model, and returns the layer to
    take in its place; with `recursive`, not with models among the layers, but with their layers. A model that
    is a subclass is made with the arguments it was made with.

    >>> from penstock import tensorflow as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="head")])
    >>> copy = tf.keras.models.clone_model(model)
    >>> copy.layers[0].name, copy.layers[0] is model.layers[0], copy.output_shape
    ('head', False, (None, 2))
    """
    if input_tensors is not None or call_function is not None:
        raise _ArgumentError(
            "clone_model: input_tensors and call_function are not taken.",
            remedy="Clone the model, and call the clone on the tensor.",
            site=_here(),
        )
    if not isinstance(model, Model | Sequential):
        raise _ArgumentError(
            f"Argument `model` must be a Keras model. Received: model={model} (of type {type(model)})",
            site=_here(),
        )
    if clone_function is None:
        return model._recreated(model.name)
    if not model._is_listed:
        raise _ArgumentError(
            "Arguments `clone_function` and `input_tensors` are only supported for Sequential models or "
            f"Functional models. Received model of type '{type(model).__name__}', with "
            f"clone_function={clone_function} and input_tensors=None",
            site=_here(),
        )

    def other(layer: Any) -> Any:
        inside = recursive and isinstance(layer, Model | Sequential) and layer._is_listed
        return layer._of_others(other, layer.name) if inside else clone_function(layer)

    return model._of_others(other, model.name)


__getattr__, __dir__, __all__ = _namespace("tf.keras.models", globals())
__all__.remove("Functional")  # Keras makes it, and does not show it.
