"""Functional models: symbolic tensors, and the calls that lead from inputs to outputs."""

from __future__ import annotations

import contextlib
import operator
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from penstock.declared import named
from penstock.functions.array import reshape
from penstock.functions.scratch import inferred, open_shape, shown_shape
from penstock.layers.calls import calls, without_losses
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._filled import filled
from penstock.tensorflow._itself import on_tensorflow
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._defaults import floatx
from penstock.tensorflow.keras._trials import as_one
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace import structure as structures
from penstock.trace.source_site import here
from penstock.trace.spec import spec


@named("tf.keras.KerasTensor")
class KerasTensor:
    """A tensor with only a shape and a dtype; layers and operators take it.

    >>> from penstock import tensorflow as tf
    >>> x = tf.keras.Input((3,))
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x) * 2.0)
    >>> model(tf.zeros((4, 3))).shape
    TensorShape([4, 2])
    """

    __array_priority__ = 100
    sparse = False
    """Whether the input is a sparse tensor."""
    _keras_mask: Any

    def __init__(
        self, shape: Any, dtype: Any = "float32", name: str | None = None, source: str | None = None
    ) -> None:
        words = dtype == "string"
        # The dtype that replaces words in the computation of shapes.
        own = np.dtype(np.int64) if words else numpy_dtype(dtype)
        self.dtype = "string" if words else own.name
        self.name = automatic_name("keras_tensor") if name is None else name
        self.spec = spec(open_shape(tuple(shape), source or self.name, "batch"), own)
        self.shape: tuple[int | None, ...] = shown_shape(self.spec.shape)
        self.call: Call | None = None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return (
            f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse={self.sparse}, ragged=False, "
            f"name={self.name}>"
        )

    def get_shape(self) -> Any:
        """Returns the shape."""
        return self.shape

    def given(self, value: Any) -> Any:
        """Returns a value for this tensor as layers expect it: sparse if it is, and in its dtype."""
        if self.sparse:
            return filled(value)
        return value if self.dtype == "string" else in_dtype(value, self.spec.dtype)

    def _refuse(self, *arguments: Any, **options: Any) -> NoReturn:
        raise ArgumentError(
            "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic "
            "placeholder for a shape and dtype, used when constructing Keras Functional models.",
            remedy="Wrap the computation: tf.keras.layers.Lambda(lambda x: ...)(x).",
            site=here(),
        )

    __array__ = __float__ = __int__ = numpy = _refuse

    def __bool__(self) -> bool:
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("Iterating over a symbolic KerasTensor is not supported.")

    def __getitem__(self, key: Any) -> Any:
        return note(operator.getitem, (self, key), {}, "get_item")


_OPERATORS = {
    "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "pow": "power", "neg": "negative", "abs": "absolute", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip
"""The functions of keras.ops for operators with other names."""


def _operator(name: str, reflected: bool) -> Any:
    function, word = getattr(operator, name), _OPERATORS.get(name, name)

    def method(self: Any, *other: Any) -> Any:
        return note(function, (*other, self) if reflected else (self, *other), {}, word)

    return method


def camel(word: str) -> str:
    """Returns the class of Keras for a function: TrueDivide for true_divide."""
    return "".join(part.capitalize() for part in word.split("_"))


def snake(kind: str) -> str:
    """Returns the function of Keras for a class: true_divide for TrueDivide."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(KerasTensor, f"__{_name}__", _operator(_name, False))
    setattr(KerasTensor, f"__r{_name}__", _operator(_name, True))
for _name in ("neg", "abs", "lt", "le", "gt", "ge"):
    setattr(KerasTensor, f"__{_name}__", _operator(_name, False))


class Call:
    """One call of a layer or a function on symbolic tensors."""

    weights: tuple[Any, ...] = ()
    built = True
    trainable = True

    def __init__(
        self, function: Any, inputs: Any, options: Any, outputs: Any, word: str = "", name: str = ""
    ) -> None:
        self.function, self.inputs, self.options, self.outputs = function, inputs, options, outputs
        self.word = word
        self.name = getattr(function, "name", "")
        if not hasattr(function, "_is_layer"):
            self.kind = camel(word or getattr(function, "__name__", "operation"))
            # Keras counts operations among the layers when it names them.
            self.name = name or automatic_name(self.kind)

    @property
    def node(self) -> Any:
        """The call's entry among the layers of a model: the layer, or a function's call itself."""
        return self.function if hasattr(self.function, "_is_layer") else self

    @property
    def _output_shape(self) -> Any:
        return self.outputs.shape if isinstance(self.outputs, KerasTensor) else None

    @property
    def given(self) -> list[KerasTensor]:
        """The symbolic tensors that the call is given, in order."""
        return [one for one in flat((self.inputs, self.options)) if isinstance(one, KerasTensor)]


def _is_none(one: Any) -> bool:
    return one is None


def flat(structure: Any) -> list[Any]:
    """Returns the leaves of a structure, in order, including None."""
    return structures.flat(structure, _is_none)


def mapped(function: Callable[[Any], Any], structure: Any) -> Any:
    """Returns a structure with each leaf, including None, replaced by a function's result for it."""
    return structures.mapped(structure, function, _is_none)


def symbolic(structure: Any) -> bool:
    """Returns whether a symbolic tensor is in a structure."""
    return any(isinstance(one, KerasTensor) for one in flat(structure))


def note(function: Any, inputs: Any, options: Any, word: str = "", name: str = "") -> Any:
    """Returns the symbolic result of a call, whose shape the rules of its operations give.

    `word` replaces the name of a function, and `name` the name of the call, if it has one
    already.
    """
    given = [one for one in flat((inputs, options)) if isinstance(one, KerasTensor)]
    if hasattr(function, "_looks_up"):
        return _noted(function, inputs, options, function._looks_up(*inputs), word, name)
    words = next((one for one in given if one.dtype == "string"), None)
    if words is not None:
        raise ArgumentError(
            f"{getattr(function, 'name', 'A function')} was given {words}.",
            why="Only layers that turn strings into numbers accept strings: StringLookup, "
            "TextVectorization or Hashing.",
            site=here(),
        )

    def call(operands: list[Any]) -> Any:
        waiting = dict(zip(map(id, given), operands, strict=True))

        def stand_in(one: Any) -> Any:
            return one.given(waiting[id(one)]) if isinstance(one, KerasTensor) else one

        return function(*mapped(stand_in, inputs), **mapped(stand_in, options))

    specs = [one.spec for one in given]
    trials = as_one(call) if hasattr(function, "_is_layer") else contextlib.nullcontext(call)
    with without_losses(function), trials as trial:
        structure, found = inferred(trial, specs, [None] * len(specs), EagerTensor)
    outputs = mapped(lambda place: KerasTensor(*_known(*found[place.number])), structure)
    listed = getattr(function, "_in_its_list", None)
    if listed is not None:
        outputs = listed(outputs)
    return _noted(function, inputs, options, outputs, word, name)


def _noted(function: Any, inputs: Any, options: Any, outputs: Any, word: str, name: str) -> Any:
    """Returns the results of a call, which know it."""
    call_made = Call(function, inputs, options, outputs, word, name)
    for one in flat(outputs):
        one.call = call_made
    if hasattr(function, "_is_layer"):
        object.__setattr__(function, "_latest", (inputs[0] if len(inputs) == 1 else inputs, outputs))
        shape = outputs.shape if isinstance(outputs, KerasTensor) else [one.shape for one in flat(outputs)]
        object.__setattr__(function, "_output_shape", shape)
        object.__setattr__(function, "_shape_is_told", True)
    return outputs


def _known(dtype: Any, own: Any, value: Any) -> tuple[Any, Any]:
    if own is None:
        raise ArgumentError(
            "The number of axes of the result depends on a length that is not known.",
            remedy="Name the axes, for example tf.squeeze(x, axis=1).",
            site=here(),
        )
    return own.shape, dtype


@named("tf.keras.layers.InputLayer")
class InputLayer:
    """Stands among the layers of a model for one of its inputs: the first layer of a Sequential.

    `shape` is the shape of an example, and `input_shape` an older word for it; `batch_shape` (or
    `batch_input_shape`) has the number of examples too. `output` is the symbolic tensor that `tf.keras.Input`
    returns for the same arguments, or `input_tensor`, of which other arguments say the same. A shape
    that is missing, or given twice, raises a ValueError; `sparse`, `ragged` and `optional` are as for Input.

    >>> from penstock import tensorflow as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.InputLayer(shape=(3,)), tf.keras.layers.Dense(2)])
    >>> model.output_shape
    (None, 2)
    """

    _is_input = True
    trainable = True
    built = True

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: bool | None = None,
        ragged: bool | None = None,
        batch_shape: Any = None,
        input_tensor: Any = None,
        optional: bool = False,
        name: str | None = None,
        **more: Any,
    ) -> None:
        if "input_shape" in more:
            warnings.warn("Argument `input_shape` is deprecated. Use `shape` instead.", stacklevel=2)
            shape = more.pop("input_shape")
        batch_shape = more.pop("batch_input_shape", batch_shape)
        if more:
            raise ArgumentError(
                f"InputLayer() has no argument {next(iter(more))!r}.",
                remedy="Give shape= or batch_shape=, and dtype= and name= where they are needed.",
                site=here(),
            )
        for word, one in (("shape", shape), ("batch_size", batch_size)):
            if one is not None and batch_shape is not None:
                raise ArgumentError(
                    f"You cannot pass both `{word}` and `batch_shape` at the same time.", site=here()
                )
        if input_tensor is None:
            made = Input(shape, batch_size, dtype, sparse, batch_shape, name, None, optional, ragged)
        else:
            made = self._agreed(input_tensor, shape, batch_size, dtype, sparse, batch_shape)
        self._stand_for(made, made.name if name is None else name)
        if input_tensor is None:
            made.source = self  # type: ignore[attr-defined]

    @staticmethod
    def _agreed(
        tensor: Any, shape: Any, batch_size: int | None, dtype: Any, sparse: bool | None, batch_shape: Any
    ) -> KerasTensor:
        """Returns the symbolic tensor that was given, of which no other argument says otherwise."""
        if not isinstance(tensor, KerasTensor):
            raise ArgumentError(
                "Argument `input_tensor` must be a KerasTensor. Received invalid type: "
                f"input_tensor={tensor} (of type {type(tensor)})",
                site=here(),
            )
        for word, given, own in (
            ("shape", None if shape is None else tuple(shape), tensor.shape[1:]),
            ("batch_size", batch_size, tensor.shape[0] if tensor.shape else None),
            ("batch_shape", None if batch_shape is None else tuple(batch_shape), tensor.shape),
            ("dtype", None if dtype is None else str(dtype), str(tensor.dtype)),
            ("sparse", sparse, tensor.sparse),
        ):
            if given is not None and given != own:
                raise ArgumentError(
                    "When providing the `input_tensor` argument, you cannot provide an incompatible "
                    f"`{word}` argument.",
                    site=here(),
                )
        return tensor

    @classmethod
    def _of(cls, tensor: KerasTensor, name: str) -> InputLayer:
        """Returns the layer of a symbolic tensor that there is already."""
        made = cls.__new__(cls)
        made._stand_for(tensor, name)
        return made

    def _stand_for(self, tensor: KerasTensor, name: str) -> None:
        self.name = name
        self.output = self.input = tensor
        self.dtype = str(tensor.dtype)
        self.weights: list[Any] = []
        self.variables = self.trainable_variables = self.trainable_weights = self.weights
        self.non_trainable_variables = self.non_trainable_weights = self.weights
        self._output_shape = tensor.shape
        self.batch_shape = tensor.shape

    def __repr__(self) -> str:
        return f"<InputLayer name={self.name}, built=True>"

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an input like this one."""
        shape, dtype = tuple(self.batch_shape), str(self.output.dtype)
        return {"batch_shape": shape, "dtype": dtype, "sparse": self.output.sparse, "ragged": False,
                "name": self.name, "optional": False}  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputLayer:
        """Returns an input of the dictionary that `get_config` gives."""
        return cls(**config)

    @staticmethod
    def _of_listed(config: dict[str, Any], make: Any) -> Any:
        return Input(
            batch_shape=config["batch_shape"], dtype=config.get("dtype"), name=make(config.get("name")),
            sparse=config.get("sparse"),
        )  # fmt: skip

    def count_params(self) -> int:
        """Returns 0."""
        return 0

    def get_weights(self) -> list[Any]:
        """Returns nothing."""
        return []


def of_rank(wanted: Any, tensor: Any) -> Any:
    """Returns an input with its last axis of length 1 added or taken away, where a model has it otherwise."""
    if type(tensor) is StringTensor:
        lengths = tuple(tensor.shape)
        longer = len(lengths) == len(wanted) - 1 and wanted[-1] == 1
        return StringTensor(np.asarray(tensor).reshape(*lengths, 1)) if longer else tensor
    if type(tensor) is not EagerTensor or len(tensor._spec.shape) == len(wanted):
        return tensor
    shape = tensor._spec.shape
    if len(shape) == len(wanted) + 1 and shape[-1] == 1:
        return reshape(tensor, shape[:-1])
    return reshape(tensor, (*shape, 1)) if len(shape) == len(wanted) - 1 and wanted[-1] == 1 else tensor


def in_dtype(value: Any, dtype: Any) -> Any:
    """Returns an input of a model in the dtype that the model takes, as Keras converts it."""
    own = getattr(value, "_spec", None)
    return value if own is None or own.dtype == dtype else cast(value, dtype)


def sources(tensor: KerasTensor) -> list[KerasTensor]:
    """Returns the inputs that a symbolic tensor is computed from, each once."""
    found: dict[int, KerasTensor] = {}
    done: set[int] = set()
    stack = [tensor]
    while stack:
        one = stack.pop()
        if id(one) in done:
            continue
        done.add(id(one))
        if one.call is None:
            found[id(one)] = one
        else:
            needed = flat((one.call.inputs, one.call.options))
            stack += [each for each in reversed(needed) if isinstance(each, KerasTensor)]
    return list(found.values())


@named("tf.keras.Input", "tf.keras.layers.Input")
def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: bool | None = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: Any = None,
    optional: bool = False,
    ragged: bool | None = None,
) -> KerasTensor:
    """Returns a symbolic tensor of a shape, without or with its batch axis.

    With `sparse`, a model is given a `tf.SparseTensor` there, or a dense tensor. `Dense` takes it, and layers
    of one's own; other layers of Keras take `tf.sparse.to_dense(x)`, written in a Lambda.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.Input((3,)).shape
    (None, 3)
    """
    for word, asked in (("ragged", ragged), ("optional", optional)):
        if asked:
            raise ArgumentError(
                f"Input({word}=True) is not supported by penstock.tensorflow.",
                why="Tensors are dense here, and a model gets all of its inputs.",
                remedy=f"Leave out {word}=. {on_tensorflow()}",
                site=here(),
            )
    if tensor is not None:
        raise ArgumentError(
            "Input(tensor=) is not supported by penstock.tensorflow.",
            why="An input is a new symbolic tensor here.",
            remedy="Give its shape and dtype, and call the model on the tensor: model(tensor).",
            site=here(),
        )
    if batch_shape is None:
        if shape is None:
            raise ArgumentError("You must pass a `shape` argument.", site=here())
        lengths = (shape,) if isinstance(shape, int) else tuple(shape)
        batch_shape = (batch_size, *lengths)
    word = automatic_name("input_layer") if name is None else name
    made = KerasTensor(batch_shape, floatx() if dtype is None else dtype, name, word)
    made.sparse = bool(sparse)
    made.source = InputLayer._of(made, word)  # type: ignore[attr-defined]
    return made


class Graph:
    """The calls that lead from inputs to outputs, in order."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self.inputs, self.outputs = inputs, outputs
        for one in flat((inputs, outputs)):
            if not isinstance(one, KerasTensor):
                raise ArgumentError(
                    f"All `inputs` and `outputs` values must be KerasTensors. Received: {one} of type "
                    f"{type(one)}",
                    remedy="Begin with tf.keras.Input(shape).",
                    site=here(),
                )
        self.calls: list[Call] = []
        known = {id(one) for one in flat(inputs)}
        done: set[int] = set()
        stack: list[tuple[Any, bool]] = [(one, False) for one in reversed(list(flat(outputs)))]
        while stack:
            tensor, ready = stack.pop()
            if id(tensor) in known:
                continue
            call = tensor.call
            if call is None:
                raise ArgumentError(
                    f"`inputs` not connected to `outputs`: {tensor} is an input that is not listed.",
                    site=here(),
                )
            if ready:
                if id(call) not in done:
                    done.add(id(call))
                    self.calls.append(call)
                known.update(id(one) for one in flat(call.outputs))
                continue
            stack.append((tensor, True))
            needed = [one for one in flat((call.inputs, call.options)) if isinstance(one, KerasTensor)]
            stack += [(one, False) for one in reversed(needed)]

    @property
    def layers(self) -> list[Any]:
        """The inputs and the layers called, each once, in the order of the calls."""
        return [one for one, _ in self.operations if not isinstance(one, Call)]

    @property
    def operations(self) -> list[tuple[Any, int]]:
        """The inputs, the layers and the calls of functions, and how far each is from the outputs."""
        # The farthest from the outputs come first, as in Keras.
        far: dict[int, int] = {id(one): 0 for one in flat(self.outputs)}
        depths: dict[int, int] = {}
        found: dict[int, Any] = {}
        for call in reversed(self.calls):
            depth = max(far.get(id(one), 0) for one in flat(call.outputs))
            for one in call.given:
                far[id(one)] = max(far.get(id(one), 0), depth + 1)
            depths[id(call.node)] = max(depths.get(id(call.node), 0), depth)
        for one in flat(self.inputs):
            source = getattr(one, "source", None)
            if source is not None:
                found[id(source)] = source
                depths[id(source)] = far.get(id(one), 0)
        for call in self.calls:
            found.setdefault(id(call.node), call.node)
        order = self._order()
        keys = sorted(found, key=lambda key: (-depths[key], order.get(key, len(order))))
        return [(found[key], depths[key]) for key in keys]

    def connections(self) -> dict[int, str] | None:
        """Returns the inputs of each layer or call, as Keras writes them; None if all form one chain."""
        rows = self.operations
        calls_of: dict[int, list[Call]] = {}
        for call in self.calls:
            calls_of.setdefault(id(call.node), []).append(call)
        in_a_row = len({depth for _, depth in rows}) == len(rows)
        if in_a_row and all(len(own) == 1 and len(own[0].given) < 2 for own in calls_of.values()):
            return None
        made: dict[int, str] = {
            id(one): f"{one.source.name}[0][0]" for one in flat(self.inputs) if hasattr(one, "source")
        }
        for own in calls_of.values():
            for number, call in enumerate(own):
                for place, one in enumerate(flat(call.outputs)):
                    made[id(one)] = f"{call.name}[{number}][{place}]"
        told: dict[int, str] = {}
        for row, _ in rows:
            own = calls_of.get(id(row), [])
            told[id(row)] = ", ".join(made.get(id(one), "-") for call in own for one in call.given) or "-"
        return told

    def _order(self) -> dict[int, int]:
        """Returns the order in which a walk from the outputs to the inputs first reaches each layer."""
        order: dict[int, int] = {}
        done: set[int] = set()
        stack = list(flat(self.outputs))[::-1]
        while stack:
            tensor = stack.pop()
            call = tensor.call
            node = getattr(tensor, "source", None) if call is None else call.node
            order.setdefault(id(node), len(order))
            if call is not None and id(call) not in done:
                done.add(id(call))
                needed = [one for one in flat((call.inputs, call.options)) if isinstance(one, KerasTensor)]
                stack += needed[::-1]
        return order

    def run(self, given: Any, training: Any = None) -> Any:
        """Returns the outputs for tensors in place of the inputs.

        `training` replaces the value recorded with calls, as in Keras 3.
        """
        wanted = list(flat(self.inputs))
        if isinstance(given, dict) and not isinstance(self.inputs, dict):
            given = [self._named(given, getattr(one, "source", one).name) for one in wanted]
        tensors = list(flat(given))
        if len(tensors) != len(wanted):
            raise ArgumentError(
                f"The model takes {len(wanted)} inputs; {len(tensors)} were given.",
                remedy="Give them as a list, in the order of the model's inputs.",
                site=here(),
            )
        values: dict[int, Any] = {}
        for one, tensor in zip(wanted, tensors, strict=True):
            tensor = of_rank(one.shape, tensor)
            self._check(one, tensor)
            values[id(one)] = one.given(tensor)

        def value(one: Any) -> Any:
            return values[id(one)] if isinstance(one, KerasTensor) else one

        for call in self.calls:
            options = mapped(value, call.options)
            if training is not None and "training" in options:
                options["training"] = training
            result = call.function(*mapped(value, call.inputs), **options)
            for one, tensor in zip(flat(call.outputs), flat(result), strict=True):
                values[id(one)] = tensor
        return mapped(value, self.outputs)

    def _named(self, given: dict[str, Any], name: str) -> Any:
        if name not in given:
            raise ArgumentError(
                f"The model has an input {name!r}, and was given {', '.join(map(repr, given)) or 'nothing'}.",
                remedy="Name the inputs as the model does: tf.keras.Input(shape, name=...).",
                site=here(),
            )
        return given[name]

    def _check(self, wanted: KerasTensor, tensor: Any) -> None:
        own = tensor if isinstance(tensor, StringTensor | SparseTensor) else tensor._spec
        shape = tuple(own.shape)
        fits = len(shape) == len(wanted.shape) and all(
            a is None or a == b for a, b in zip(wanted.shape, shape, strict=True)
        )
        if not fits:
            name = getattr(wanted, "source", wanted).name
            around = f" of layer {calls.layers[-1].name!r}" if calls.layers else ""
            raise ArgumentError(
                f"Input 0 with name {name!r}{around} is incompatible with the layer: expected "
                f"shape={wanted.shape}, found shape={shape}",
                site=here(),
            )
