"""The layer: it creates variables at the first call, finds them in its attributes, and names them by path."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Sequence
from typing import Any, NoReturn, Self

import numpy as np

from penstock.errors import ArgumentError, PenstockError
from penstock.foreign import OF_LAYERS
from penstock.functions.scratch import aside
from penstock.functions.streams import Stream
from penstock.layers import (
    cloning,
    initializers,
    masks,
    naming,
    policies,
    regularizers,
    tracking,
)
from penstock.layers.calls import calls
from penstock.layers.inputs import Inputs, shape_of
from penstock.layers.masks import Masks
from penstock.layers.tracking import Contents, Structure
from penstock.layers.weights import added, set_values
from penstock.state.variable import Variable
from penstock.trace.captured import Baked
from penstock.trace.lengths import real
from penstock.trace.local import local
from penstock.trace.source_site import here, warn
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell, Tensor

STEP = """with ps.GradientTape() as tape:
    loss = ps.mean(ps.losses.squared_error(model(x, training=True), y))
variables = model.trainable_variables
optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))"""
"""The code to write instead of `fit`."""
_FITTING = frozenset(
    ("compile", "evaluate", "fit", "predict", "predict_on_batch", "test_on_batch", "train_on_batch")
)


class Layer(Inputs):
    """A function with its own variables. Write one as a subclass with `build` and `call`.

    `build(input_shape)` creates the variables at the first call, with `add_weight` or as `ps.Variable`
    attributes; `call(inputs)` computes. A layer finds layers and variables in its attributes, and in lists,
    tuples and dictionaries there. A variable's path starts with the name of the outermost layer, followed by
    attributes and positions, `encoder/0/kernel`, or by the `name` of a layer that has one:
    `encoder/features/kernel`.

    `trainable` says whether training updates the variables; setting it also sets it for every layer inside.
    `dtype` is the dtype of the variables, float32 by default, and floating-point inputs are converted to it;
    or it is a policy such as "mixed_float16" (see `ps.policies`), under which `call` sees the variables in
    half precision.

    Every layer takes these keyword options: `name` is the first part of its paths, a string without "/";
    `trainable`, a bool, is the initial value of the attribute; `dtype` is as above; `autocast`, a bool, says
    whether inputs are converted; `activity_regularizer` is a penalty on the result, and is added to `losses`.

    >>> import penstock as ps
    >>> class Scale(ps.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(shape=input_shape[-1:], initializer="ones", name="factor")
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> layer = Scale()
    >>> layer(ps.asarray([[2.0, 3.0]]))
    Tensor([[2., 3.]], dtype=float32)
    >>> [variable.path for variable in layer.variables]
    ['scale/factor']
    """

    _input_words = "Input 0 of layer"
    _takes_one = False
    """Whether the first input has to be a tensor, rather than a list, a dictionary or None."""
    _layer_word = "Layer"
    _made_of: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
    supports_masking = False
    _built_at_once = False
    """Whether the layer counts as built before it is called; it has no variables then."""
    _initializer = staticmethod(initializers.get)
    """What the initializer of a variable stands for: a word, a number, a function."""

    def _source(self, seed: int | None) -> Any:
        """Returns where the random numbers of the layer come from; None for `ps.random`."""
        return None if seed is None else Stream(seed)

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """Returns a layer that remembers its arguments, so that it can be recreated."""
        made = object.__new__(cls)
        object.__setattr__(made, "_made_of", (arguments, options))
        return made

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: Any = None,
        autocast: bool = True,
        name: str | None = None,
        **more: Any,
    ) -> None:
        self._check_options(more)
        if not isinstance(trainable, bool):
            raise ArgumentError(
                f"Expected `trainable` to be a boolean. Received: trainable={trainable} "
                f"(of type {type(trainable)})",
                remedy="Give layers in one list: Sequential([first, second])."
                if isinstance(trainable, Layer)
                else "Write trainable=True or trainable=False.",
                site=here(),
            )
        if name is not None and (not isinstance(name, str) or "/" in name):
            raise ArgumentError(
                "Argument `name` must be a string and cannot contain character `/`. "
                f"Received: name={name} (of type {type(name)})",
                site=here(),
            )
        self.name = self._automatic_name() if name is None else name
        # A configuration contains the automatic name, which says no more than the class.
        automatic = rf"{re.escape(naming.snake_case(type(self).__name__))}(_\d+)?"
        self._named = name is not None and re.fullmatch(automatic, name) is None
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.autocast = autocast
        self.built = self._built_at_once
        self._policy = policy = self._read_policy(dtype)
        self._dtype, self._compute = policy.variable, policy.compute
        self._trainable = trainable
        self._path: str | None = None
        self._parent: Any = None
        self._weights: list[tuple[str, Any]] = []
        self._penalties: list[tuple[Any, Any]] = []
        self._trained: set[int] = set()
        self._losses: list[Any] = []
        self._lossy: list[Layer] = []
        self._contents: Contents | None = None
        self._plain: set[int] = set()
        if self._compute is not self._dtype:
            self._held: dict[str, Any] = {}
        if type(self).compute_mask is not Layer.compute_mask and type(self)._makes_masks:
            Masks.active = True

    def _check_options(self, more: dict[str, Any]) -> None:
        if "weights" in more:
            raise ArgumentError(
                f"Unrecognized keyword arguments passed to {type(self).__name__}: {{'weights': ...}}",
                why="`weights` would only give initial values; the layer decides what is trained.",
                remedy="Leave `weights` out, call the layer once, then write layer.set_weights([...]), and "
                "layer.trainable = False to keep them unchanged.",
                site=here(),
            )
        if more:
            raise ArgumentError(
                f"Unrecognized keyword arguments passed to {type(self).__name__}: {more}", site=here()
            )

    # -- overridden by dialects ------------------------------------------------------------------------------

    def _automatic_name(self) -> str:
        """Returns a name for an unnamed layer: dense, dense_1, dense_2."""
        return naming.automatic_name(type(self))

    def _make_variable(self, value: Any, name: str, trainable: bool, constraint: Any) -> Any:
        """Returns a new variable of this layer."""
        variable = Variable(value, name=f"{self.path}/{name}", trainable=trainable)
        variable.constraint = constraint
        return variable

    def _name_parts(self, built: bool = False) -> None:
        """Gives paths to the variables and layers below the outermost layer that is being called."""
        root = calls.layers[0] if calls.layers else self
        (tracking.name_after if built else tracking.name_before)(root, self)

    # -- names and dtypes ------------------------------------------------------------------------------------

    def _read_policy(self, dtype: Any) -> policies.Policy:
        """Returns the policy for a `dtype`."""
        if dtype is None:
            return policies.get_policy()
        return dtype if isinstance(dtype, policies.Policy) else policies.Policy(dtype)

    @property
    def path(self) -> str:
        """The layer's name, preceded by those of the layers that contain it."""
        return self._path or self.name

    @property
    def dtype(self) -> Any:
        """The name of the dtype of the variables."""
        return self._dtype.name

    @property
    def compute_dtype(self) -> Any:
        """The name of the dtype in which the layer computes."""
        return self._compute.name

    variable_dtype = dtype

    # -- variables -------------------------------------------------------------------------------------------

    def add_weight(
        self,
        shape: Any = None,
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: Any = None,
        name: str | None = None,
    ) -> Any:
        """Returns a new variable of this layer.

        `initializer` is a word such as "glorot_uniform" (the default for floating-point dtypes), a number, or
        a function of shape and dtype. `regularizer` is a penalty on the variable, listed in `losses`;
        `constraint` is a word such as "non_neg", or a function of the variable, which optimizers apply after
        each update. With `autocast=False`, a mixed-precision layer sees the variable in its own dtype.
        (`aggregation` does nothing: a variable has one value, on however many devices.)
        """
        self._check_super()
        return added(self, shape, initializer, dtype, trainable, autocast, regularizer, constraint, name)

    activation: Any

    def _activated(self, x: Any) -> Any:
        """Applies the activation to a value; this is the layer's result."""
        return self.activation(x)

    def _kept_logits(self, result: Any, logits: Any) -> Any:
        """Returns a softmax or sigmoid; a dialect may attach its operand to it."""
        return result

    def _unnamed(self) -> str:
        """Returns the name of an unnamed variable."""
        return "variable"

    # -- copies ----------------------------------------------------------------------------------------------

    def _found(self) -> Contents:
        """Returns the variables and layers below this one."""
        contents = self.__dict__.get("_contents")
        if contents is None or not contents.holds():
            self._check_super()
            self._name_found()
            contents = Contents(self)
            object.__setattr__(self, "_contents", contents)
        return contents

    def _name_found(self) -> None:
        tracking.name(self)

    @property
    def variables(self) -> list[Variable]:
        """All variables of this layer and of the layers inside it, each once."""
        return list(self._found().cells)  # type: ignore[arg-type]

    weights = variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that training updates."""
        return list(self._found().trained) if self._trainable else []  # type: ignore[arg-type]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that training does not update."""
        found = self._found()
        return list(found.untrained if self._trainable else found.cells)  # type: ignore[arg-type]

    non_trainable_weights = non_trainable_variables

    @property
    def trainable(self) -> bool:
        """Whether training updates this layer. Setting it also sets its variables and the layers inside.

        Statistics are never trainable and stay so; a `BatchNormalization` that is not trainable normalises by
        its statistics and does not update them.
        """
        return self._trainable

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        wanted = bool(wanted)
        self._check_super()
        object.__setattr__(self, "_trainable", wanted)
        for _, one in self._parts([]):
            if isinstance(one, Layer):
                one.trainable = wanted
            elif one._trainable or one._uid in self._trained:
                # A variable that was never trainable is a statistic or a counter, and stays unchanged.
                self._trained.add(one._uid)
                one.trainable = wanted

    def _sublayers(self) -> list[Layer]:
        """Returns the layers directly in this one."""
        return [one for _, one in self._parts([]) if isinstance(one, Layer)]

    def _streams(self) -> dict[str, Any]:
        """Returns the random numbers of layers with their own seed, by path, for checkpoints.

        A layer that never gets a path is listed by its name; a second one of that name gets a number.
        """
        found: dict[str, Any] = {}
        for one in (self, *self._found().layers):
            stream = one.__dict__.get("_stream")
            if stream is not None:
                path = one.path or one.name
                repeats = (f"{path}_{number}" for number in itertools.count(1))
                found[path if path not in found else next(key for key in repeats if key not in found)] = (
                    stream
                )
        return found

    def _unbuilt(self) -> list[str]:
        """Returns the outermost layers that have not been called yet, by path."""
        if not self.built:
            return [self.path]
        return [one.path for one in self._found().layers if not one.built]

    def get_weights(self) -> list[Any]:
        """Returns the values of all variables as NumPy arrays."""
        return [np.asarray(one.numpy()) for one in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assigns arrays to all variables, in the order of `weights`.

        Raises ArgumentError if one does not fit; then nothing is changed.
        """
        set_values(self, weights)

    def count_params(self) -> int:
        """Returns the number of elements of all variables."""
        if not self.built and not self.weights and not self._sublayers():
            raise ArgumentError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. You "
                "can build it manually via: `layer.build(input_shape)`.",
                remedy="Or call it once.",
                site=here(),
            )
        return sum(variable._spec.size for variable in self.weights)

    # -- losses ----------------------------------------------------------------------------------------------

    def add_loss(self, loss: Any) -> None:
        """Adds one or more scalars to `losses`; they stay there until the outermost layer is called again."""
        self._losses += loss if isinstance(loss, list | tuple) else (loss,)
        if calls.layers:
            calls.layers[0]._lossy.append(self)

    @property
    def losses(self) -> list[Any]:
        """Terms for the loss: those that the latest call added, and the penalties on variables.

        Penalties are computed when you read this, inside the tape that is open then.
        """
        every = [self, *self._found().layers]
        found: list[Any] = []
        for layer in every:
            found.extend(layer._losses)
        for layer in every:
            for penalty, variable in layer._penalties:
                if getattr(variable, "_wanted", variable._trainable):
                    found.append(penalty(variable))
        return found

    # -- calling ---------------------------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Creates the variables, given the shape of the input; a subclass with variables overrides this."""
        self.built = True

    def call(self, *inputs: Any, **options: Any) -> Any:
        """Computes the layer; a subclass overrides this."""
        raise NotImplementedError(f"Layer {type(self).__name__} does not have a `call()` method implemented.")

    @property
    def _signature(self) -> tuple[inspect.Signature, bool, Any]:
        """The parameters of `call`: its signature, whether it has `training`, and the default."""
        kind = type(self)
        found = kind.__dict__.get("_own_signature")
        if found is None:
            signature = inspect.signature(self.call)
            parameter = signature.parameters.get("training")
            default = None
            if parameter is not None and parameter.default is not inspect.Parameter.empty:
                default = parameter.default
            found = kind._own_signature = (signature, parameter is not None, default)  # type: ignore[attr-defined]
        return found

    def __call__(self, *inputs: Any, **options: Any) -> Tensor | Any:
        """Calls the layer, and builds it first if it is not built yet.

        `training` is the caller's argument, or else that of the surrounding layer, or else the default.
        """
        layers = calls.layers
        if not layers:
            if "_weights" not in self.__dict__:
                self._check_super()
            for one in self._lossy:
                one._losses = []
            self._lossy.clear()
        signature, takes_training, default = self._signature
        if len(inputs) == 1 and not options:
            # The common case: no other test is needed.
            only = inputs[0]
            if not isinstance(only, Tensor) or (only._spec.dtype is not self._compute and self.autocast):
                inputs = (self._given(only),)
                if self._takes_one and not isinstance(inputs[0], Tensor | Cell):
                    self._refuse_other(only)
            training = None
        else:
            training = options.pop("training", None)
            if len(inputs) > 1 and takes_training and training is None:
                names = list(signature.parameters)
                place = names.index("training")
                if place < len(inputs):
                    options.update(zip(names[place + 1 :], inputs[place + 1 :], strict=False))
                    training, inputs = inputs[place], inputs[:place]
            inputs = tuple([self._given(one) for one in inputs])
            if self._takes_one and inputs and not isinstance(inputs[0], Tensor | Cell):
                self._refuse_other(inputs[0])
            options = {key: self._given_option(one) for key, one in options.items()}
        if training is None:
            training = calls.training[-1] if layers else None
        if training is None:
            training = default
        layers.append(self)
        calls.training.append(training)
        try:
            if not self.built:
                self._build_aside(signature, inputs, options)
            if takes_training and training is not None:
                options["training"] = training
            if Masks.active:
                mask = self._take_masks(signature, inputs, options)
                result = self.call(*inputs, **options)
                self._hand_masks_on(inputs, mask, result)
            else:
                result = self.call(*inputs, **options)
            if not self._shape_is_told:
                shape = getattr(getattr(result, "_spec", None), "shape", None)
                object.__setattr__(self, "_output_shape", shape)
                if self._keeps_first_shape:
                    object.__setattr__(self, "_shape_is_told", True)
            if self.activity_regularizer is not None and not (len(layers) > 1 and layers[-2]._only_computes):
                self._penalise(result)
            return result
        finally:
            layers.pop()
            calls.training.pop()

    # -- masks -----------------------------------------------------------------------------------------------

    def _listed_shape(self) -> Any:
        """Returns the shape of the layer's result for the table of a model; None if it is not known there."""
        return getattr(self, "_output_shape", None)

    _only_computes = False
    """Whether a wrapper takes the results of its layers alone, and not the penalties on them, as in Keras."""

    _shape_is_told = False
    """Whether the shape of the result is that of a symbolic call, which calls on tensors do not change."""
    _keeps_first_shape = False
    """Whether that shape is the first result's, which says what the layer was built for."""
    _makes_masks = True
    """Whether the layer's own `compute_mask` creates masks, rather than passing on or changing given ones."""

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns the mask of the layer's result, given the mask of its first input.

        A layer that overrides this, or sets `supports_masking = True`, passes masks on. Otherwise masks end
        here, and a warning says so.
        """
        return mask

    def _take_masks(self, signature: inspect.Signature, inputs: Any, options: dict[str, Any]) -> Any:
        """Passes masks to `call`, of x as `x_mask` and of the first input as `mask`; returns the latter."""
        names = list(signature.parameters)
        given = {**dict(zip(names, inputs, strict=False)), **options}
        free = [name for name in names[len(inputs) :] if options.get(name) is None]
        for name, value in given.items():
            if f"{name}_mask" in free and (found := masks.mask_of(value)) is not None:
                options[f"{name}_mask"] = found
        first = masks.mask_of(inputs[0] if inputs else given.get(names[0]) if names else None)
        if "mask" in free and first is not None and self._masks_first(given):
            options["mask"] = first
        return first if given.get("mask") is None else given["mask"]

    def _masks_first(self, given: dict[str, Any]) -> bool:
        """Returns whether `call` receives the mask of its first argument, given these arguments."""
        return True

    def _hand_masks_on(self, inputs: Any, mask: Any, result: Any) -> None:
        """Attaches the mask to the result; warns where a mask ends."""
        if self.supports_masking or type(self).compute_mask is not Layer.compute_mask:
            masks.hand_on(result, self.compute_mask(inputs[0] if inputs else None, mask))
        elif mask is not None and masks.mask_of(result) is None:
            warn(
                f"Layer '{self.name}' (of type {type(self).__name__}) was passed an input with a mask "
                "attached to it. However, this layer does not support masking and will therefore destroy the "
                "mask information. Downstream layers will not see the mask.",
            )

    def _build(self, signature: inspect.Signature, inputs: Any, options: dict[str, Any]) -> None:
        self._name_parts()
        build = self.build
        if getattr(build, "__func__", None) is Layer.build:
            self.built = True
            return
        names = [
            parameter.name
            for parameter in inspect.signature(build).parameters.values()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        if len(names) <= 1:
            build(*[shape_of(inputs[0] if inputs else next(iter(options.values()), None))] * len(names))
        else:
            bound = signature.bind(*inputs, **options).arguments
            shapes = {f"{key}_shape": shape_of(one) for key, one in bound.items()}
            build(**{key: shapes.get(key) for key in names})
        self.built = True
        Structure.changes += 1
        self._name_parts(built=True)

    def _build_aside(self, signature: inspect.Signature, inputs: Any, options: dict[str, Any]) -> None:
        """Builds the layer, permanently even if it is called only to determine the result's shape."""
        with aside() as without_values:
            try:
                self._build(signature, inputs, options)
            except TypeError:
                shape = shape_of(inputs[0] if inputs else next(iter(options.values()), None))
                if not without_values or None not in (shape or ()):
                    raise
                raise ArgumentError(
                    f"{type(self).__name__} {self.name!r} cannot be built for an input of shape {shape}.",
                    why="The shape of a variable depends on a length that is not known.",
                    remedy="Give that length when you declare the input.",
                    site=here(),
                ) from None

    def _penalise(self, result: Any) -> None:
        """Adds the penalty on the layer's result, averaged over the examples of the batch."""
        for one in flat(result):
            if not isinstance(one, Tensor):
                continue
            loss = self.activity_regularizer(one)  # type: ignore[misc]
            if one._spec.shape:
                loss = loss / real(one._spec.shape[0])
            self.add_loss(loss)

    # -- configuration and text ------------------------------------------------------------------------------

    _spoken_once: tuple[str, ...] = ()
    """Arguments about the model that contains a layer; they are not part of its configuration."""

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer.

        A class that overrides this adds its own: `{**super().get_config(), "units": self.units}`.
        """
        config = {"name": self.name, "trainable": self._trainable, "dtype": self._policy.name}
        own = type(self).get_config is Layer.get_config
        if not own:
            return config
        given = {key: one for key, one in cloning.arguments_of(self).items() if key not in self._spoken_once}
        return {**given, **config}

    def _recreated(self, name: str, **changes: Any) -> Any:
        """Returns a layer with the same arguments, a new name and new variables."""
        return cloning.recreated(self, name, changes)

    def _refuse_fit(self, name: str) -> NoReturn:
        raise PenstockError(
            f"{type(self).__name__} has no {name}().",
            why="In Penstock you write the training step yourself, so you can see what it changes.",
            remedy=f"Write the step:\n\n{STEP}\n",
            site=here(),
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"

    def _repr_html_(self) -> str:
        """The display in a notebook: the layers inside with their shapes and sizes."""
        from penstock.layers.summary import as_html

        return as_html(self)

    def __getattr__(self, key: str) -> Any:
        held = self.__dict__.get("_held")
        if held is not None and key in held:
            return self._in_call(held[key])
        if key in _FITTING:

            def refuse(*_arguments: Any, **_options: Any) -> NoReturn:
                self._refuse_fit(key)

            return refuse
        known = f". {OF_LAYERS[key]}" if key in OF_LAYERS else ""
        if not known and not key.startswith("_") and not self.__dict__.get("built", True):
            known = f". {self.name!r} is not built yet: its variables are made when it is first called"
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {key!r}{known}")


def honoured(owner: Any, *attributes: str) -> None:
    """Notes that a captured step depends on these attributes: a change captures the step again."""
    trace = local.trace
    if trace.capturing:
        trace.bindings += [Baked(owner, attribute) for attribute in attributes]


__all__ = ["Layer", "honoured"]
