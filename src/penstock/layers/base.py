"""The layer: it creates variables at the first call, finds them in its attributes, and names them by path."""

from __future__ import annotations

import inspect
import re
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Self

import numpy as np

from penstock.errors import ArgumentError, PenstockError, ShapeError
from penstock.functions.scratch import aside, shown_shape
from penstock.layers import (
    cloning,
    constraints,
    copies,
    initializers,
    masks,
    policies,
    regularizers,
    tracking,
)
from penstock.layers.arguments import refuse_input
from penstock.layers.masks import Masks
from penstock.layers.tracking import Contents, Structure
from penstock.ops.table import cast
from penstock.state.members import note_replaced, note_user
from penstock.state.misplaced import tell_misplaced
from penstock.state.pickled import Copied
from penstock.state.variable import Variable
from penstock.trace.captured import Baked
from penstock.trace.convert import convert, is_array, is_jax_array, refuse_masked
from penstock.trace.engine import engine
from penstock.trace.kinds import kind_of
from penstock.trace.lengths import real
from penstock.trace.local import local
from penstock.trace.source_site import here, warn
from penstock.trace.spec import Shape
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_HIDDEN = frozenset(
    ("_contents", "_held", "_parent", "_losses", "_lossy", "_made_of", "_penalties", "_trained", "_weights")
)
_FOREIGN = {"requires_grad": False, "stop_gradient": True}
"""Flags of variables in other frameworks, with the value that freezes: nothing reads them here."""
_counts: dict[str, int] = {}

STEP = """with ps.GradientTape() as tape:
    loss = ps.mean(ps.losses.squared_error(model(x, training=True), y))
variables = model.trainable_variables
optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))"""
"""What to write instead of `fit`."""
_FITTING = frozenset(
    ("compile", "evaluate", "fit", "predict", "predict_on_batch", "test_on_batch", "train_on_batch")
)


class _Calls(threading.local):
    """The layers that are being called in this thread, outermost first, with what each says of training."""

    def __init__(self) -> None:
        self.layers: list[Layer] = []
        self.training: list[Any] = []


calls = _Calls()


class _Unlisted:
    """Says what to type if a layer was built while another was called that does not hold it."""

    def __init__(self, variable: Any, layer: Layer, outer: Layer) -> None:
        self._variable, self._layer, self._outer = map(weakref.ref, (variable, layer, outer))

    def __call__(self) -> str:
        variable, layer, outer = self._variable(), self._layer(), self._outer()
        if variable is None or layer is None or outer is None:
            return ""
        if any(one is variable for one in outer.variables):
            return ""
        return (
            f"Assign the layer {layer.name!r} to an attribute of {outer.name!r}, or a list of such layers: "
            f"{outer.name!r} calls it, and its trainable_variables do not list what the layer has."
        )


def snake_case(name: str) -> str:
    """Returns a class's name as a word of a path: Conv2D is conv2d, MyLayer is my_layer."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


class Layer(Copied):
    """A function with variables of its own. Write one as a subclass with `build` and `call`.

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
    `trainable`, a bool, is what the attribute begins with; `dtype` is as above; `autocast`, a bool, says
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

    _is_layer = True
    _input_words = "Input 0 of layer"
    _takes_one = False
    """Whether the first input has to be a tensor, rather than a list, a dictionary or None."""
    _layer_word = "Layer"
    _made_of: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
    supports_masking = False

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
                site=here(),
            )
        if name is not None and (not isinstance(name, str) or "/" in name):
            raise ArgumentError(
                "Argument `name` must be a string and cannot contain character `/`. "
                f"Received: name={name} (of type {type(name)})",
                site=here(),
            )
        self.name = self._automatic_name() if name is None else name
        # A configuration holds the automatic name, which says no more than the class does.
        automatic = rf"{re.escape(snake_case(type(self).__name__))}(_\d+)?"
        self._named = name is not None and re.fullmatch(automatic, name) is None
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.autocast = autocast
        self.built = False
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
            # What holds variables is not found in `__dict__`, so that `__getattr__` is asked for it.
            self._held: dict[str, Any] = {}
        if type(self).compute_mask is not Layer.compute_mask and type(self)._makes_masks:
            Masks.active = True

    def _check_options(self, more: dict[str, Any]) -> None:
        if "weights" in more:
            raise ArgumentError(
                f"Unrecognized keyword arguments passed to {type(self).__name__}: {{'weights': ...}}",
                why="`weights` would only give initial values; the layer decides what is trained.",
                remedy="Leave `weights` out, call the layer once, then write layer.set_weights([...]), and "
                "layer.trainable = False to keep them as they are.",
                site=here(),
            )
        if more:
            raise ArgumentError(
                f"Unrecognized keyword arguments passed to {type(self).__name__}: {more}", site=here()
            )

    # -- what a dialect says in its own way ------------------------------------------------------------------

    def _automatic_name(self) -> str:
        """Returns a name for a layer that was given none: dense, dense_1, dense_2."""
        word = snake_case(type(self).__name__)
        count = _counts.get(word, 0)
        _counts[word] = count + 1
        return f"{word}_{count}" if count else word

    def _make_variable(self, value: Any, name: str, trainable: bool, constraint: Any) -> Any:
        """Returns a new variable of this layer."""
        variable = Variable(value, name=f"{self.path}/{name}", trainable=trainable)
        variable.constraint = constraint
        return variable

    def _name_parts(self, built: bool = False) -> None:
        """Gives variables and layers below the outermost layer that is being called their paths."""
        root = calls.layers[0] if calls.layers else self
        (tracking.name_after if built else tracking.name_before)(root, self)

    def _refuse_array(self, value: Any) -> NoReturn:
        raise ArgumentError(
            f"{self.name!r} was called with {value!r} (of type {type(value).__name__}), which is not a "
            "tensor.",
            remedy="Pass it by name, as in layer(x, training=True).",
            site=here(),
        )

    def _tensor(self, value: Any, dtype: Any) -> Tensor:
        """Returns an array as a tensor."""
        return convert(value, dtype)

    # -- names and dtypes ------------------------------------------------------------------------------------

    def _read_policy(self, dtype: Any) -> policies.Policy:
        """Returns the policy that a `dtype` stands for."""
        if dtype is None:
            return policies.get_policy()
        return dtype if isinstance(dtype, policies.Policy) else policies.Policy(dtype)

    @property
    def path(self) -> str:
        """The layer's name, after those of the layers that hold it."""
        return self._path or self.name

    @property
    def dtype(self) -> Any:
        """The name of the dtype of the variables."""
        return self._dtype.name

    @property
    def compute_dtype(self) -> Any:
        """The name of the dtype of what is computed."""
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
        if isinstance(shape, str):
            raise ArgumentError(
                f"`name` must be passed as a keyword argument. Received: add_weight('{shape}', ...). "
                f"Use: add_weight(shape=..., name='{shape}').",
                site=here(),
            )
        lengths = () if shape is None else _shape(shape)
        if any(n is None for n in lengths):
            raise ArgumentError(
                f"Shapes used to initialize variables must be fully-defined (no `None` dimensions). "
                f"Received: shape={lengths} for variable path='{self.path}/{name}'",
                site=here(),
            )
        chosen = self._dtype if dtype is None else _numpy_dtype(dtype)
        if initializer is None:
            initializer = "glorot_uniform" if chosen.kind in "fV" else "zeros"
        constraint = constraints.get(constraint)
        value = initializers.get(initializer)(lengths, dtype=chosen)
        value = np.asarray(value.numpy() if isinstance(value, Tensor | Cell) else value).astype(chosen)
        if value.shape != lengths:
            raise ShapeError(
                f"The initializer of {self.path}/{name} gave an array of shape {value.shape}, not {lengths}.",
                site=here(),
            )
        local_name = "variable" if name is None else name
        variable = self._make_variable(value, local_name, trainable, constraint)
        self._weights.append((local_name, variable))
        if not autocast:
            self._plain.add(variable._uid)
        if trainable:
            self._trained.add(variable._uid)
        if regularizer is not None:
            self._penalties.append((regularizers.get(regularizer), variable))
        tracking.owned(variable, self)
        if calls.layers and calls.layers[0] is not self:
            note_user(variable, _Unlisted(variable, self, calls.layers[0]))
        Structure.changes += 1
        return variable

    def _parts(self, seen: list[Any]) -> Iterator[tuple[str, Any]]:
        """Yields what this layer holds: its variables and layers, each with its name here."""
        weights = self.__dict__.get("_weights", ())
        yield from weights
        known = {id(variable) for _, variable in weights}
        for key, value in [*self.__dict__.items(), *self.__dict__.get("_held", {}).items()]:
            if key in _HIDDEN or not isinstance(value, Cell | list | tuple | dict | Layer):
                continue
            for name, one in tracking.parts(key.lstrip("_"), value, seen):
                if id(one) not in known:
                    yield name, one

    def __setattr__(self, key: str, value: Any) -> None:
        if isinstance(value, Layer | Cell | list | tuple | dict):
            Structure.changes += 1
            if isinstance(value, Cell):
                self._note_replaced(key, value)
                if engine.placements.functions:
                    engine.placements.tell(self, key, value)
            held = self.__dict__.get("_held")
            plain = key in _HIDDEN or isinstance(value, Layer) or hasattr(type(self), key)
            if held is not None and not plain:
                self.__dict__.pop(key, None)
                held[key] = value
                return
        if "_held" in self.__dict__:
            self._held.pop(key, None)
        if key in _FOREIGN:
            tell_misplaced(self, key, value, _FOREIGN, lambda: self.variables)
        object.__setattr__(self, key, value)

    def _note_replaced(self, key: str, value: Any) -> None:
        """Notes that an attribute which held one variable is given another."""
        before = self.__dict__.get(key)
        before = self.__dict__.get("_held", {}).get(key) if before is None else before
        if isinstance(before, Cell) and before is not value:
            note_replaced(before, here())

    def __delattr__(self, key: str) -> None:
        if key in self.__dict__.get("_held", ()):
            del self._held[key]
        else:
            object.__delattr__(self, key)
        Structure.changes += 1

    def _in_call(self, value: Any) -> Any:
        """Returns what a layer of mixed precision has in an attribute, as the layer being called sees it."""
        layers = calls.layers
        if not layers:
            return value
        top = layers[-1]
        if not top.autocast and any(one._compute is not one._dtype for one in layers[:-1]):
            return value
        return self._cast_to(value, top._compute)

    def _cast_to(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Returns a variable in a dtype, or a list or dictionary of such; anything else as it is."""
        if isinstance(value, Cell):
            own = value._spec.dtype
            if own == dtype or own.kind not in "fV" or dtype.kind not in "fV" or value._uid in self._plain:
                return value
            return policies.view(value, lambda cell: cast.record((cell,), {"dtype": dtype}, _frame(1)))
        if type(value) in (list, tuple):
            found = [self._cast_to(one, dtype) for one in value]
            if all(a is b for a, b in zip(found, value, strict=True)):
                return value
            return found if isinstance(value, list) else tuple(found)
        if type(value) is dict:
            table = {key: self._cast_to(one, dtype) for key, one in value.items()}
            return table if any(table[key] is not value[key] for key in value) else value
        return value

    # -- copies ----------------------------------------------------------------------------------------------

    def _kept(self) -> dict[str, Any]:
        return copies.state_of(self)

    def _take(self, state: dict[str, Any]) -> None:
        copies.set_state(self, state)

    def _called(self) -> str:
        return f"Layer {self.path!r}"

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
        """The variables that training leaves alone."""
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
                # One that was never trained is a statistic or a counter, and stays as it is.
                self._trained.add(one._uid)
                one.trainable = wanted

    def _sublayers(self) -> list[Layer]:
        """Returns the layers directly in this one."""
        return [one for _, one in self._parts([]) if isinstance(one, Layer)]

    def _streams(self) -> dict[str, Any]:
        """Returns the random numbers of layers with a seed of their own, by path, for checkpoints."""
        found = {one.path: one.__dict__.get("_stream") for one in (self, *self._found().layers)}
        return {path: stream for path, stream in found.items() if stream is not None}

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
        own = self.weights
        if len(own) != len(weights):
            raise ArgumentError(
                f"You called `set_weights(weights)` on layer '{self.name}' with a weight list of length "
                f"{len(weights)}, but the layer was expecting {len(own)} weights.",
                remedy="" if self.built else "Call the layer once first: that creates its variables.",
                site=here(),
            )
        for one in weights:
            refuse_masked(one)
        arrays = [np.asarray(one.numpy() if isinstance(one, Tensor | Cell) else one) for one in weights]
        for variable, array in zip(own, arrays, strict=True):
            if tuple(variable.shape) != array.shape:
                raise ArgumentError(
                    f"Layer {self.name} weight shape {tuple(variable.shape)} is not compatible with provided "
                    f"weight shape {array.shape}.",
                    origin=f"the variable is {variable.path!r}",
                    site=here(),
                )
        for variable, array in zip(own, arrays, strict=True):
            variable.assign(array.astype(variable._spec.dtype))

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
        """What `call` takes: its signature, whether `training` is in it, and the default."""
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

        `training` is the argument of the caller, else that of the layer around this one, else the default.
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
            # The common case, without a look at anything else.
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
            object.__setattr__(self, "_output_shape", getattr(getattr(result, "_spec", None), "shape", None))
            if self.activity_regularizer is not None:
                self._penalise(result)
            return result
        finally:
            layers.pop()
            calls.training.pop()

    # -- masks -----------------------------------------------------------------------------------------------

    _makes_masks = True
    """Whether a `compute_mask` of its own makes masks, or only says what becomes of those that there are."""

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        """Returns the mask of the layer's result, given the mask of its first input.

        A layer that overrides this, or sets `supports_masking = True`, passes masks on. Otherwise masks end
        here, and a warning says so.
        """
        return mask

    def _take_masks(self, signature: inspect.Signature, inputs: Any, options: dict[str, Any]) -> Any:
        """Gives `call` masks, of x as `x_mask` and of the first input as `mask`; returns the latter."""
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
        """Returns whether `call` is given the mask of its first argument, among these."""
        return True

    def _hand_masks_on(self, inputs: Any, mask: Any, result: Any) -> None:
        """Gives the result its mask; warns where a mask ends."""
        if self.supports_masking or type(self).compute_mask is not Layer.compute_mask:
            masks.hand_on(result, self.compute_mask(inputs[0] if inputs else None, mask))
        elif mask is not None and masks.mask_of(result) is None:
            warn(
                f"Layer '{self.name}' (of type {type(self).__name__}) was passed an input with a mask "
                "attached to it. However, this layer does not support masking and will therefore destroy the "
                "mask information. Downstream layers will not see the mask.",
            )

    def _check_super(self) -> bool:
        if "_weights" not in self.__dict__:
            raise PenstockError(
                f"In layer {type(self).__name__!r}, super().__init__() was not called.",
                remedy="Make it the first line of __init__: super().__init__().",
                site=here(),
            )
        return True

    def _given(self, value: Any) -> Any:
        """Returns an argument as a tensor, fractions in the layer's dtype, or a structure of these."""
        if isinstance(value, Tensor | Cell):
            dtype, wanted = value._spec.dtype, self._compute
            if dtype is not wanted and self.autocast and dtype.kind in "fV" and dtype != wanted:
                brought = cast.record((value,), {"dtype": wanted}, _frame(1))
                if Masks.active:
                    masks.hand_on(brought, masks.mask_of(value))
                return brought
            return value
        if is_array(value):
            if not isinstance(value, np.ndarray | np.generic) and not is_jax_array(value):
                value = self._tensor(value, None)._value
            fitting = self.autocast and value.dtype.kind in "fV" and self._compute.kind in "fV"
            return self._tensor(value, self._compute if fitting else None)
        if isinstance(value, Sequence) and not isinstance(value, list | tuple | str | bytes):
            # A column of a data set is a list to whoever reads it.
            value = list(value)
        kind = kind_of(value)
        if isinstance(value, list | tuple) and _is_plain(value):
            return self._given_list(value)
        if kind is not None:
            rest, parts = kind.apart(value)
            return kind.together(type(value), rest, [self._given(one) for one in parts])
        if value is None or isinstance(value, bool):
            return value
        return self._given_other(value)

    def _given_list(self, value: Any) -> Any:
        try:
            made = np.asarray(value, None if _whole(value) else self._compute)
        except ValueError:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} was called with {value!r}: its rows have "
                "different lengths.",
                why="All rows of a tensor have the same length.",
                remedy="Pad the shorter rows, or call the layer on one row at a time.",
                site=here(),
            ) from None
        return self._given(made)

    def _refuse_other(self, value: Any) -> None:
        """Refuses what is no tensor, unless a subclass that takes it has written `call`."""
        if type(self).call.__module__.startswith("penstock.layers."):
            refuse_input(self, value)

    def _given_other(self, value: Any) -> Any:
        if isinstance(value, int | float):
            return value
        self._refuse_array(value)

    def _given_option(self, value: Any) -> Any:
        return self._given(value) if isinstance(value, Tensor | Cell) or is_array(value) else value

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
        """Builds the layer, for good even where it is only called to see what it gives."""
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
        """Adds the penalty on what the layer gives, for each example of the batch."""
        for one in result if isinstance(result, list | tuple) else (result,):
            loss = self.activity_regularizer(one)  # type: ignore[misc]
            if one._spec.shape:
                loss = loss / real(one._spec.shape[0])
            self.add_loss(loss)

    # -- words -----------------------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer.

        A class that overrides this adds its own: `{**super().get_config(), "units": self.units}`.
        """
        config = {"name": self.name, "trainable": self._trainable, "dtype": self._policy.name}
        own = type(self).get_config is Layer.get_config
        return {**cloning.arguments_of(self), **config} if own else config

    def _recreated(self, name: str, **changes: Any) -> Any:
        """Returns a layer that is made as this one was, with a name of its own and fresh variables."""
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
        """What a notebook shows: the layers inside with their shapes and sizes."""
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
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {key!r}")


def shape_of(value: Any) -> Any:
    """Returns the shape of a tensor, or a list of them for a structure."""
    if isinstance(value, Tensor | Cell):
        return shown_shape(value._spec.shape)
    if isinstance(value, list | tuple):
        return [shape_of(one) for one in value]
    kind = kind_of(value)
    if kind is None:
        return None
    rest, parts = kind.apart(value)
    return kind.together(type(value), rest, [shape_of(one) for one in parts])


def honoured(owner: Any, *attributes: str) -> None:
    """Notes that a captured step depends on these attributes: a change captures the step again."""
    trace = local.trace
    if trace.capturing:
        trace.bindings += [Baked(owner, attribute) for attribute in attributes]


def _is_plain(value: Any) -> bool:
    """Returns whether a list or tuple is one of numbers, or of lists of these."""
    return bool(value) and all(
        isinstance(one, int | float | list) and not _holds_tensor(one) for one in value
    )


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, list):
        return any(_holds_tensor(one) for one in value)
    return not isinstance(value, int | float)


def _whole(value: Any) -> bool:
    return all(_whole(one) if isinstance(one, list) else isinstance(one, int) for one in value)


def _numpy_dtype(dtype: Any) -> np.dtype[Any]:
    dtype = getattr(dtype, "as_numpy_dtype", dtype)
    try:
        if dtype == "bfloat16":
            import ml_dtypes

            dtype = ml_dtypes.bfloat16
        made: np.dtype[Any] = np.dtype(dtype)
        return made
    except TypeError:
        raise ArgumentError(f"{dtype!r} is not a dtype.", site=here()) from None


def _shape(shape: Any) -> Shape:
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)


__all__ = ["Layer", "calls", "honoured", "shape_of"]
