"""The layer as Keras 3 has it: its names and paths, its errors, and calls on symbolic tensors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn

import numpy as np

from penstock.declared import named
from penstock.layers.base import Layer as NativeLayer
from penstock.layers.base import honoured
from penstock.layers.calls import calls
from penstock.layers.cloning import renewed
from penstock.tensorflow import _restores as restores
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import as_array
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._itself import on_tensorflow
from penstock.tensorflow._scopes import keras_scope, scopes
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.tensorflow.keras import _functional as functional
from penstock.tensorflow.keras import _in_graphs as in_graphs
from penstock.tensorflow.keras import _layer_configs as layer_configs
from penstock.tensorflow.keras import _scope as scope
from penstock.tensorflow.keras import _symbolic_masks as symbolic_masks
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._input_spec import watch
from penstock.tensorflow.keras._layer_members import LayerMembers
from penstock.tensorflow.keras._logits import activated, kept
from penstock.tensorflow.keras._seed_generator import SeedGenerator
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete


@named("tf.keras.Layer", "tf.keras.layers.Layer")
class Layer(LayerMembers, NativeLayer):
    """A function with its own variables, under Keras' names: see `penstock.layers.Layer`.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.Dense(2, kernel_initializer="ones", name="head")
    >>> print(layer(tf.constant([[1.0, 2.0]])))
    tf.Tensor([[3. 3.]], shape=(1, 2), dtype=float32)
    >>> print(layer.bias)
    <Variable path=head/bias, shape=(2,), dtype=float32, value=[0. 0.]>
    """

    @staticmethod
    def _initializer(identifier: Any) -> Any:
        from penstock.tensorflow.keras import initializers

        return initializers.get(identifier)

    def _source(self, seed: int | None) -> SeedGenerator:
        return SeedGenerator(seed)

    @property
    def seed_generator(self) -> Any:
        """Where the seeds of the layer's draws come from; AttributeError for a layer that draws nothing."""
        found = self.__dict__.get("_stream")
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'seed_generator'")
        return found

    @seed_generator.setter
    def seed_generator(self, value: Any) -> None:
        self._stream = value

    @property
    def trainable(self) -> bool:
        """Whether training updates this layer. Setting it also sets its variables and the layers inside.

        Setting what it is already changes nothing, also where layers inside differ: so it is in TensorFlow.
        """
        return self._trainable

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        if self.__dict__.get("_trainable") is not wanted:
            NativeLayer.trainable.fset(self, wanted)  # type: ignore[attr-defined]

    _input_words = "Input 0 with name 'None' of layer"
    _layer_word = "keras.Layer"
    _least_rank = 0
    _spoken_once = ("input_shape", "input_dim")

    def _check_options(self, more: dict[str, Any]) -> None:
        self._input_shape_arg: Any = None
        if more.get("input_dim") is not None:
            self._input_shape_arg = (more.pop("input_dim"),)
        elif more.get("input_shape") is not None:
            self._input_shape_arg = tuple(more.pop("input_shape"))
        if self._input_shape_arg is not None:
            warnings.warn(
                "Do not pass an `input_shape`/`input_dim` argument to a layer. When using Sequential models, "
                "prefer using an `Input(shape)` object as the first layer in the model instead.",
                stacklevel=4,
            )
        for old in ("lora_rank", "lora_alpha", "quantization_config", "input_dim", "input_shape"):
            if more.get(old, 0) is None:
                del more[old]
        super()._check_options(more)

    def _activated(self, x: Any) -> Any:
        return activated(self.activation, x)

    def _kept_logits(self, result: Any, logits: Any) -> Any:
        return kept(result, logits)

    def _unnamed(self) -> str:
        return automatic_name("variable")

    _class_in_keras = ""
    """The name of the class in Keras, for names and files, where it is not that under which users find it."""

    def _automatic_name(self) -> str:
        return automatic_name(self._class_in_keras or type(self).__name__)

    def _make_variable(self, value: Any, name: str, trainable: bool, constraint: Any) -> Any:
        # A variable of a layer that is not trained at all is not watched by tapes either.
        trained, path = trainable and self._trainable, f"{self._scope()}/{name}"
        graph = in_graphs.present() if mode.inside else None
        if graph is None:
            variable = KerasVariable(value, dtype=value.dtype, trainable=trained, name=path)
        else:
            variable = in_graphs.GraphedVariable(
                graph, value, dtype=value.dtype, trainable=trained, name=path, taught=trainable
            )
        variable.constraint = constraint
        return variable

    def _scope(self) -> str:
        """Returns the layer's path, which its first call decides: the layers around it, and its name."""
        if self._path is None:
            inside = calls.layers[: calls.layers.index(self)] if self in calls.layers else calls.layers
            outer = inside[-1] if inside else None
            around = outer._scope() if isinstance(outer, Layer) else ""
            if scopes.of_keras and (opened := keras_scope(len(inside))):
                around = f"{around}/{opened}" if around else opened
            self._path = f"{around}/{self.name}" if around else self.name
            if hasattr(self._policy, "default_policy"):
                policies: Any = self._policy
                own = policies[self._path]
                object.__setattr__(self, "_dtype", own.variable)
                object.__setattr__(self, "_compute", own.compute)
                if own.compute is not own.variable and "_held" not in self.__dict__:
                    object.__setattr__(self, "_held", {})
        return self._path

    @property
    def path(self) -> Any:
        """The layer's path; None before it is built."""
        return self._path

    def _name_parts(self, built: bool = False) -> None:
        self._scope()

    def _build_aside(self, signature: Any, inputs: Any, options: Any) -> None:
        if type(self).__module__.startswith("penstock.") and not self._builds_its_layers:
            super()._build_aside(signature, inputs, options)
            return
        from penstock.tensorflow.keras import _first_calls as first_calls

        called_first = first_calls.built_by_a_call(self)
        if called_first and first_calls.first(self):
            return
        super()._build_aside(signature, inputs, options)
        if called_first:
            first_calls.on_symbols(self, inputs, options)

    def _build(self, signature: Any, inputs: Any, options: Any) -> None:
        if self._least_rank and inputs and len(inputs[0]._spec.shape) < self._least_rank:
            shape = inputs[0]._spec.shape
            raise ArgumentError(
                f"{self._input_words} {self.name!r} is incompatible with the layer: expected "
                f"min_ndim={self._least_rank}, found ndim={len(shape)}. Full shape received: {shape}",
                remedy="Add the batch axis: tf.expand_dims(x, 0).",
                site=here(),
            )
        super()._build(signature, inputs, options)
        for kind in self._names_taken:
            automatic_name(kind)
        self._note_shape(inputs)

    _builds_its_layers = False
    """Whether Keras calls the layers inside on symbols at the first call, as a Sequential does."""
    _names_taken: ClassVar[tuple[str, ...]] = ()
    """The classes of the parts that Keras' layer makes when it is built, each of which takes a name."""
    _layers_before_seeds = 0
    """How many of the layers inside are listed before the seeds, which one of Keras' own inside has there."""
    _first_shape: Any = None
    """The shape of the input that the layer was built for; None for several inputs."""

    def _note_shape(self, inputs: Any) -> None:
        shapes = [tuple(one._spec.shape) for one in inputs if isinstance(one, Tensor)]
        object.__setattr__(self, "_first_shape", shapes[0] if len(shapes) == len(inputs) == 1 else None)
        if restores.waiting:
            restores.made_variables()

    def _built_shape(self) -> list[Any] | None:
        """Returns the shape of inputs, of which there is any number, as files name it; None if it is not
        known."""
        if self._first_shape is None:
            return None
        return [None, *(n if isinstance(n, int) else None for n in self._first_shape[1:])]

    def _build_from(self, shape: Any) -> None:
        """Builds the layer for inputs of the shape that a file names."""
        from penstock.layers.shapes import dry_run

        dry_run(self, self, tuple(shape))

    @property
    def variables(self) -> list[Any]:
        """The weights, and the states of the generators of seeds; `weights` is without these."""
        return list(_with_seeds(self, set())) if _draw(self) else list(self.weights)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that training does not update, with the states of the generators of seeds."""
        trained = {id(one) for one in self.trainable_weights}
        return [one for one in self.variables if id(one) not in trained]

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that training updates."""
        if local.trace.capturing:
            for variable in self._found().cells:
                honoured(variable, "_wanted")
            honoured(self, "_trainable")
        if engine.consultations.functions:
            for variable in self._found().cells:
                engine.consultations.tell(variable)
        return NativeLayer.trainable_variables.fget(self)  # type: ignore[attr-defined, no-any-return]

    trainable_weights = trainable_variables

    def _name_found(self) -> None:
        """Paths are Keras' own: nothing is called by its attribute."""

    def _parts(self, seen: list[Any]) -> Iterator[tuple[str, Any]]:
        for name, one in super()._parts(seen):
            # A tf.Variable is not tracked by Keras 3: only its own are.
            if isinstance(one, NativeLayer | KerasVariable) and not isinstance(one, scope.Untracked):
                yield name, one

    def _tensor(self, value: Any, dtype: Any) -> Tensor:
        return concrete(as_array(value, dtype), EagerTensor)

    def _constant(self, value: Any) -> Tensor:
        return concrete(value, EagerTensor)

    def _given(self, value: Any) -> Any:
        if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
            value = spoken(value)
        if isinstance(value, UnreadVariable):
            value = value._variable
        if isinstance(value, StringTensor):
            return value
        if mode.inside and hasattr(value, "op"):
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} was called on {value}, a tensor of a graph, while "
                "values are computed.",
                why="A tensor of a graph has no value here.",
                remedy="Make it an input of the layer, or call the layer where the graph is built. "
                f"{on_tensorflow()}",
                site=here(),
            )
        return super()._given(value)

    def _given_list(self, value: Any) -> Any:
        first = value
        while isinstance(first, list | tuple) and first:
            first = first[0]
        self._refuse_array(first)

    def _given_other(self, value: Any) -> Any:
        if isinstance(value, str | int | float):
            self._refuse_array(value)
        if getattr(value, "_is_sparse", False) and not self._takes_sparse:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} was called with a SparseTensor of shape {value.shape}.",
                why="Of the layers of Keras, only Dense and Lambda take a sparse tensor here.",
                remedy="Make it dense first: tf.sparse.to_dense(x), in a Lambda for a symbolic tensor.",
                site=here(),
            )
        return value

    @property
    def _takes_sparse(self) -> bool:
        """Whether `call` is the user's, or that of a layer which hands its inputs on as they are."""
        kind = type(self)
        return not kind.call.__module__.startswith("penstock.layers.") or kind.__name__ == "Lambda"

    def _refuse_array(self, value: Any) -> NoReturn:
        raise ArgumentError(
            "Only input tensors may be passed as positional arguments. The following argument value should "
            f"be passed as a keyword argument: {value} (of type {type(value)})",
            remedy="Make a tensor of data first: tf.constant(data).",
            site=here(),
        )

    def _masks_first(self, given: dict[str, Any]) -> bool:
        # Keras 3 hands `mask` on by itself where `call` has one tensor only: no initial states beside it.
        return sum(_all_tensors(one) for one in given.values()) == 1

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Calls the layer; on symbolic tensors, notes the call for a model of inputs and outputs."""
        if len(inputs) == 1 and type(inputs[0]) is EagerTensor:
            if not options or not functional.symbolic(options):
                return super().__call__(*inputs, **options)
        elif mode.inside and in_graphs.wanted((inputs, options), np.ndarray):
            return in_graphs.call(self, inputs, options)
        elif not functional.symbolic((inputs, options)):
            return super().__call__(*inputs, **options)
        options = symbolic_masks.with_mask(self, inputs, options)
        outputs = functional.note(self, inputs, options)
        symbolic_masks.hand_on(self, inputs, options.get("mask"), outputs)
        return outputs

    @property
    def dtype_policy(self) -> Any:
        """The dtypes in which the layer computes and keeps its variables."""
        return self._policy

    def _read_policy(self, dtype: Any) -> Any:
        from penstock.tensorflow.keras.mixed_precision import _policy

        return _policy(dtype)

    @property
    def input_spec(self) -> Any:
        """What the layer's inputs must be, an `InputSpec` or several; None where nobody has set it."""
        return self.__dict__.get("_input_spec")

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        object.__setattr__(self, "_input_spec", value)
        if value is not None:
            watch(type(self))

    def compute_output_shape(self, input_shape: Any, *more: Any, **options: Any) -> Any:
        """Returns the shape of the layer's output for an input of a shape, or for several in a list."""
        if more or options:
            raise ArgumentError(
                f"{type(self).__name__}.compute_output_shape was given more than one argument: "
                f"{', '.join([*map(repr, more), *options])}.",
                why="Shapes are worked out by calling the layer on inputs without values.",
                remedy="Give the shapes of several inputs as one list.",
                site=here(),
            )
        from penstock.layers.shapes import output_shape

        if not self._tells_shape():
            raise NotImplementedError(
                f"Layer {type(self).__name__} does not have a `compute_output_shape` method implemented. "
                "Should implement `def compute_output_shape(self, input_shape)`."
            )
        return output_shape(self, input_shape)

    _keeps_first_shape = True
    _is_base = True
    """Whether the class says nothing of the shapes of results: Layer and other bases."""
    _in_a_graph = False
    """Whether Keras has called the layer on a symbolic tensor, as it does with the layers of a Sequential."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Leaves the building of a subclass to its own `build`."""
        super().__init_subclass__(**options)
        if "build" in cls.__dict__:
            cls._built_at_once = False
        if "input_spec" in cls.__dict__:
            watch(cls)

    def _tells_shape(self) -> bool:
        """Returns whether the layer's class has `compute_output_shape`, as all of Keras' own layers have."""
        for kind in type(self).__mro__:
            if kind.__dict__.get("_is_base"):
                return False
            if "compute_output_shape" in kind.__dict__ or kind.__module__.startswith("penstock."):
                return True
        return False

    def _listed_shape(self) -> Any:
        # Keras asks the symbolic calls, and otherwise `compute_output_shape` for the first input's shape.
        seen = self._in_a_graph or "_latest" in self.__dict__
        if not seen and (self._built_at_once or not self._tells_shape()):
            return None
        return super()._listed_shape()

    def get_build_config(self) -> dict[str, Any] | None:
        """Returns the shape that the layer was built for; None before that."""
        shape = self._first_shape if self.built else None
        return None if shape is None else {"input_shape": shape}

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that make a layer like this one, as Keras writes them."""
        from penstock.tensorflow.keras._serial import serialize_keras_object

        own = type(self).get_config is not Layer.get_config
        return layer_configs.config_of(self, own, serialize_keras_object)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a layer with these arguments; layers among them are recreated."""
        from penstock.tensorflow.keras._serial import arguments_from

        return cls(**renewed(arguments_from(cls, config)))

    @property
    def input(self) -> Any:
        """The symbolic tensor that the layer was last called on."""
        return self._symbolic()[0]

    @property
    def output(self) -> Any:
        """The symbolic tensor that the layer last gave."""
        return self._symbolic()[1]

    def _symbolic(self) -> tuple[Any, Any]:
        found = self.__dict__.get("_latest")
        if found is None:
            raise AttributeError(
                f"The layer {self.name} has never been called and thus has no defined output."
            )
        return found  # type: ignore[no-any-return]

    @property
    def output_shape(self) -> Any:
        """The shape of the layer's output."""
        return self.output.shape

    @property
    def losses(self) -> list[Any]:
        """Terms for the loss: those that the latest call added, and the penalties on variables."""
        if mode.inside and mode.building() is not None:
            return in_graphs.losses(self)
        return NativeLayer.losses.fget(self)  # type: ignore[attr-defined, no-any-return]

    def add_variable(self, *arguments: Any, **options: Any) -> Any:
        """Returns a new variable of this layer."""
        return self.add_weight(*arguments, **options)

    @property
    def updates(self) -> list[Any]:
        """Nothing: statistics are written when the layer is called."""
        return []

    @property
    def metrics(self) -> list[Any]:
        """The metrics held in attributes."""
        return [one for one in self.__dict__.values() if isinstance(one, scope.Metric)]

    def _refuse_fit(self, name: str) -> NoReturn:
        raise NotAModelError(
            f"{type(self).__name__} has no {name}().",
            why=f"{self.name!r} is a layer, and models are trained.",
            remedy=f"Make a model of it: tf.keras.Sequential([layer]).{name}(...)",
            site=here(),
        )


def generators(layer: Any) -> Iterator[SeedGenerator]:
    """Yields the generators of seeds in the attributes of a layer, and in lists and dictionaries there."""
    for name, value in vars(layer).items():
        if isinstance(value, SeedGenerator):
            yield value
        elif type(value) in (list, tuple, dict) and not name.startswith("_"):
            inside = value.values() if isinstance(value, dict) else value
            yield from (one for one in inside if isinstance(one, SeedGenerator))


def _draw(layer: Any) -> bool:
    """Returns whether a layer or one inside has a generator of seeds."""
    return any(next(generators(one), None) is not None for one in (layer, *layer._found().layers))


def _with_seeds(layer: Any, seen: set[int]) -> Iterator[Any]:
    """Yields the variables of a layer in Keras' order: its own, its seeds, and those of the layers inside."""
    parts = [one for _, one in layer._parts([])]
    own = [one for one in parts if isinstance(one, Cell)]
    own.sort(key=lambda one: not getattr(one, "_reported", one._trainable))
    seeds: list[Any] = [one.state for one in generators(layer)]
    for one in own:
        if id(one) not in seen:
            seen.add(id(one))
            yield one
    inside: list[Any] = [one for one in parts if isinstance(one, NativeLayer)]
    before = layer._layers_before_seeds
    for part in (*inside[:before], *seeds, *inside[before:]):
        if isinstance(part, NativeLayer):
            yield from _with_seeds(part, seen)
        elif id(part.generator) not in seen:
            seen.add(id(part.generator))
            yield part


def _all_tensors(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        found = functional.flat(value)
        return bool(found) and all(isinstance(one, Tensor | Cell) for one in found)
    return isinstance(value, Tensor | Cell)


class NotAModelError(ArgumentError, AttributeError):
    """`fit` and `compile` of a layer, which only models have."""
