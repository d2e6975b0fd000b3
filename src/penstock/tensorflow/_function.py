"""tf.function and other names about graphs, which the recorder does not need."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import DTypeError, PenstockError
from penstock.functions import scratch
from penstock.tensorflow import _named_tensors as named_tensors
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import constant, operand, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._graphs.graph import Mode, mode
from penstock.tensorflow._itself import on_tensorflow
from penstock.tensorflow._modes import (
    again,
    computes_at_once,
    eagerly,
    first_call,
    inside,
    print_once_per_trace,
)
from penstock.tensorflow._seeds import Calls, in_call, of_call
from penstock.tensorflow._strings import is_text
from penstock.tensorflow._symbols import Symbols
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._traces import Signatures
from penstock.tensorflow._type_spec import TensorSpec
from penstock.trace import structure as structures
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Cell, Tensor


@named("tf.function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: Any = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """Returns the function as one of TensorFlow's: its operations are recorded with or without this.

    With an `input_signature`, arguments become tensors of its dtypes, and TypeError is raised where their
    shapes or dtypes do not fit.

    Its Python code runs at every call, so attributes, lists and counters change each time; TensorFlow runs it
    once for each new signature. Of that, Python's `print` is followed, which writes when one is new, the
    learning rate that a schedule gives as a number of Python, which stays, and
    `experimental_get_tracing_count`. `reduce_retracing` takes a length that has differed once for any length.
    `tf.print` writes at every call, and so does `print` after `tf.config.run_functions_eagerly(True)`, which
    also lets random numbers be those outside of functions.

    What it returns is made of tensors: a variable is read, a number, a string or an array becomes a tensor,
    and an array that is given is one inside.

    >>> from penstock import tensorflow as tf
    >>> @tf.function
    ... def double(x):
    ...     print("new:", x.shape)
    ...     return x * 2
    >>> print(double(tf.constant(3.0)))
    new: ()
    tf.Tensor(6.0, shape=(), dtype=float32)
    >>> print(double(tf.constant(4.0)), double.experimental_get_tracing_count())
    tf.Tensor(8.0, shape=(), dtype=float32) 1
    """
    relaxed = bool(reduce_retracing or experimental_relax_shapes)
    if func is None:
        return functools.partial(function, input_signature=input_signature, reduce_retracing=relaxed)
    print_once_per_trace()
    return Function(func, input_signature, relaxed)


def _other_sides() -> Any:
    from penstock.tensorflow import _untaken

    return _untaken


type(inside).other_sides = staticmethod(_other_sides)
LONGEST = 100_000
"""After so many events a function that may ask for gradients is run in pieces, as any long program is."""


class Function:
    """A function or a method under `tf.function`; each object has its own signatures.

    `differentiates` says that `tf.gradients` has been called in it.
    """

    differentiates = False

    def __init__(self, func: Callable[..., Any], signature: Any = None, relaxed: bool = False) -> None:
        functools.update_wrapper(self, func, updated=())
        self.python_function = func
        self.input_signature = None if signature is None else tuple(signature)
        self.name = getattr(func, "__name__", "function")
        self._fitted = func if signature is None else _of_signature(func, signature)
        self._relaxed = relaxed
        self._signatures = self._begin()
        self._of_objects: weakref.WeakKeyDictionary[Any, Signatures] = weakref.WeakKeyDictionary()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Returns the function, or the method of an object."""
        return self if instance is None else Method(self, instance)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._called(self._signatures, (), arguments, options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        function = _copied(self.python_function, memo)
        return Function(function, self.input_signature, self._relaxed)

    def _begin(self, of_object: bool = False) -> Signatures:
        made = Signatures(self.python_function, self._relaxed, of_object)
        made.draws = Calls()
        return made

    def _met_by(self, instance: Any) -> Signatures:
        """Returns the signatures of an object's method; all objects without weak references share theirs."""
        try:
            found = self._of_objects.get(instance)
            if found is None:
                found = self._of_objects[instance] = self._begin(of_object=True)
        except TypeError:
            return self._signatures
        return found

    def _called(
        self,
        signatures: Signatures,
        owner: tuple[Any, ...],
        arguments: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        if Mode.inside and mode.building() is not None:
            # A part of the graph of whatever calls it.
            return self.python_function(*owner, *arguments, **options)
        for one in (*arguments, *options.values()) if options else arguments:
            if isinstance(one, np.ndarray | np.generic):
                arguments = tuple([_inside(one) for one in arguments])
                options = {key: _inside(one) for key, one in options.items()}
                break
        if inside.trying:
            # A branch that is only tried out leaves the trace to the branch that is taken.
            traced = True
        elif self.input_signature is None:
            traced = signatures.met(arguments, options)
        else:
            traced = signatures.met_its_own()
        how: Any = inside
        if not inside.depth:
            trace = local.trace
            inside.began = trace, trace.generation, trace.node.size, self
            inside.postponed = ()
            inside.turns.clear()
            if self.differentiates or not traced:
                # What tf.gradients may ask of has to stay recorded.
                trace.idle = trace.node.depth + LONGEST
        if not eagerly.chosen:
            how = (
                again if traced else first_call(signatures.traced) if len(signatures.traced) == 1 else inside
            )
            if not traced:
                how = self._shown(how, signatures, arguments, options)
        outer = inside.symbols
        if outer is not None:
            outer.calls()
        # One signature for all calls is one trace.
        twice = None
        if not traced and not inside.depth and len(signatures.traced) == 1 and not eagerly.chosen:
            twice = functools.partial(self._fitted, *owner, *arguments, **options)
        draws: Any = contextlib.nullcontext()
        if not eagerly.chosen:
            draws = of_call(
                signatures.draws, *((), {}) if self.input_signature else (arguments, options), again=twice
            )
        unnamed = inside.unnamed
        with how, draws:
            found = self._fitted(*owner, *arguments, **options)
        if outer is not None:
            outer.returned(found)
        if type(found) is not Tensor:
            found = _returned(found)
        if inside.postponed or inside.turns or inside.begun:
            inside.other_sides().ended()
        if inside.unnamed is not unnamed:
            inside.other_sides().returned(found, self.python_function, inside.unnamed[len(unnamed) :])
            inside.unnamed = unnamed
        if isinstance(found, tuple | list | dict) and local.trace.taping and not eagerly.chosen:
            inside.other_sides().joined_results(found)
        return found

    @contextlib.contextmanager
    def _shown(
        self, mode: Any, signatures: Signatures, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Iterator[None]:
        """Lets a call that TensorFlow would trace show its tensors as symbols."""
        symbols = Symbols(inside)
        if self.input_signature is None:
            symbols.give_each(signatures.named(arguments, options))
        with mode, symbols:
            yield

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns what the function takes, for each signature with which it has been called.

        `verbose` does nothing: what a signature returns is not written, as no graph of it is kept.
        """
        return "\n\n".join(map(_written, self._signatures.traced))

    def experimental_get_tracing_count(self) -> int:
        """Returns how many signatures the function has been called with: TensorFlow traces once for each."""
        return len(self._signatures.traced)

    def get_concrete_function(self, *arguments: Any, **options: Any) -> ConcreteFunction:
        """Returns the function for arguments like these, or as a TensorSpec describes them."""
        made: ConcreteFunction = self._signatures.known(ConcreteFunction(self, arguments, options))
        return made


class Method:
    """A `Function` as the method of an object."""

    def __init__(self, function: Function, instance: Any) -> None:
        self.__func__, self.__self__ = function, instance

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        function = self.__func__
        owner = self.__self__
        return function._called(function._met_by(owner), (owner,), arguments, options)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Method) and self.__func__ is other.__func__ and self.__self__ is other.__self__
        )

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Method:
        return Method(self.__func__, copy.deepcopy(self.__self__, memo))

    @property
    def __wrapped__(self) -> Any:
        return types.MethodType(self.__func__.python_function, self.__self__)

    @property
    def python_function(self) -> Any:
        """The method as it was written."""
        return self.__wrapped__

    def experimental_get_tracing_count(self) -> int:
        """Returns with how many signatures the method of this object has been called."""
        return len(self.__func__._met_by(self.__self__).traced)

    def get_concrete_function(self, *arguments: Any, **options: Any) -> ConcreteFunction:
        """Returns the method of this object for arguments like these, or as a TensorSpec describes them."""
        signatures = self.__func__._met_by(self.__self__)
        made: ConcreteFunction = signatures.known(ConcreteFunction(self, arguments, options))
        return made


class ConcreteFunction:
    """A function for arguments of given shapes and dtypes; numbers and objects among them stay as they are.

    >>> from penstock import tensorflow as tf
    >>> power = tf.function(lambda x, n: x**n)
    >>> square = power.get_concrete_function(tf.TensorSpec(None, tf.float32), 2)
    >>> square(tf.constant(3.0)).numpy(), square
    (np.float32(9.0), <ConcreteFunction <lambda>(x, n)>)
    >>> square.structured_input_signature
    ((TensorSpec(shape=<unknown>, dtype=tf.float32, name='x'), 2), {})
    """

    def __init__(self, made: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.python_function = made.python_function
        self.name = made.name
        if made.input_signature is not None:
            # No argument means those of the signature.
            arguments = arguments or made.input_signature
        bound = _bound(made, arguments, options)
        self._specs: dict[str, Any] = {}
        self._fixed: dict[str, Any] = {}
        for name, one in bound.arguments.items():
            described = structures.mapped(one, functools.partial(_described, name))
            of_tensors = any(
                isinstance(part, TensorSpec) or hasattr(part, "_fit") for part in structures.flat(described)
            )
            (self._specs if of_tensors else self._fixed)[name] = described if of_tensors else one
        self._made = made
        self._order = list(bound.arguments)
        every = {**self._fixed, **self._specs}
        kinds = inspect.signature(made).parameters
        apart = [name for name in self._order if kinds[name].kind is inspect.Parameter.KEYWORD_ONLY]
        self.structured_input_signature = (
            tuple([every[name] for name in self._order if name not in apart]),
            {name: every[name] for name in apart},
        )

    @property
    def inputs(self) -> list[Any]:
        """The tensors that it takes, in order: names, shapes and dtypes. Variables are not among them."""
        return named_tensors.given(self._wanted())

    @property
    def outputs(self) -> list[Any]:
        """The tensors that it returns, in TensorFlow's order: names, shapes and dtypes."""
        return [one for one in structures.flat(self.structured_outputs) if hasattr(one, "op")]

    @property
    def structured_outputs(self) -> Any:
        """What it returns, with a name, a shape and a dtype for each tensor."""
        return named_tensors.returned(self._results(), lambda one: isinstance(one, TensorSpec))

    def _wanted(self) -> list[TensorSpec]:
        """Returns the specifications of the tensors that it takes, in order."""
        given = [self._specs[name] for name in self._order if name in self._specs]
        return [one for one in structures.flat(given) if isinstance(one, TensorSpec)]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it reads or writes, in the order of their first use."""
        used: list[Any] = []
        self._results(used)
        return tuple(used)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that training updates."""
        return tuple(one for one in self.variables if one.trainable)

    def _results(self, used: list[Any] | None = None) -> Any:
        """Returns the specifications of its results; the function is tried on operands without values.

        `used` is filled with the variables that it uses.
        """
        names = [name for name in self._order if name in self._specs]
        wanted = self._wanted()
        # What becomes of a tensor of any number of axes is seen on one number.
        known = all(one.shape.rank is not None for one in wanted)

        def call(operands: list[Any]) -> Any:
            remaining = iter(operands)
            given = structures.mapped(
                [self._specs[name] for name in names],
                lambda one: next(remaining) if isinstance(one, TensorSpec) else one,
            )
            result = self(**dict(zip(names, given, strict=True)))
            if used is not None:
                used[:] = local.trace.variables
            return result

        specs = [
            spec(scratch.open_shape(tuple(one.shape) if one.shape else ()), numpy_dtype(one.dtype))
            for one in wanted
        ]
        structure, found = scratch.inferred(call, specs, [None] * len(specs), EagerTensor)

        def described(one: Any) -> Any:
            if not isinstance(one, scratch.Place):
                return one
            dtype, own, _ = found[one.number]
            return TensorSpec(scratch.shown_shape(own.shape) if own is not None and known else None, dtype)

        return structures.mapped(structure, described)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        names = [name for name in self._order if name in self._specs]
        if len(arguments) > len(names) or any(
            name not in names or name in names[: len(arguments)] for name in options
        ):
            raise _unbound(
                f"{self.name}({', '.join(names)})",
                f"{len(arguments)} arguments and {sorted(options)} were given",
            )
        given = {**dict(zip(names, arguments, strict=False)), **options}
        whole = {name: fitting(one, self._specs[name]) for name, one in given.items()}
        return self._made(**{**self._fixed, **whole})

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns what the function takes and gives; with `verbose=False` in one line."""
        if not verbose:
            return f"{self.name}({', '.join(self._order)})"
        lines = ["Input Parameters:"]
        for name in self._order:
            shown = f"Literal[{self._fixed[name]!r}]" if name in self._fixed else _nameless(self._specs[name])
            lines.append(f"  {name} (POSITIONAL_OR_KEYWORD): {shown}")
        return "\n".join([*lines, "Output Type:", f"  {self._results()!r}", "Captures:", "  None"])

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results."""
        return structures.mapped(self._results(), lambda one: getattr(one, "shape", None))

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results."""
        return structures.mapped(self._results(), lambda one: getattr(one, "dtype", None))

    def __getattr__(self, name: str) -> Any:
        if name in ("graph", "captured_inputs", "function_def"):
            raise AttributeError(
                f"ConcreteFunction.{name}: penstock.tensorflow calls the Python function, and makes no graph "
                f"of it.\ninputs, outputs and structured_input_signature describe it. {on_tensorflow()}"
            )
        raise AttributeError(f"'ConcreteFunction' object has no attribute {name!r}")

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}({', '.join(self._order)})>"


def _nameless(specs: Any) -> str:
    """Returns specifications as they are written in a signature, which names the arguments already."""

    def plain(one: Any) -> Any:
        return TensorSpec(one.shape, one.dtype) if isinstance(one, TensorSpec) else one

    return repr(structures.mapped(specs, plain))


def _copied(function: Any, memo: dict[int, Any]) -> Any:
    """Returns a copy of a function that computes with copies of the variables and layers that it names."""
    if type(function) is not types.FunctionType:
        return copy.deepcopy(function, memo)
    from penstock.layers.base import Layer
    from penstock.tensorflow._module import Module

    def copied(one: Any) -> Any:
        return copy.deepcopy(one, memo) if isinstance(one, Cell | Module | Layer) else one

    cells = tuple([_cell_of(one, copied) for one in function.__closure__ or ()])
    known = function.__globals__
    named = {name: copied(known[name]) for name in function.__code__.co_names if name in known}
    named = {name: one for name, one in named.items() if one is not known[name]}
    if not named and cells == (function.__closure__ or ()):
        return function
    made = types.FunctionType(
        function.__code__, {**known, **named}, function.__name__, function.__defaults__, cells or None
    )
    made.__dict__.update(function.__dict__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _cell_of(cell: Any, copied: Any) -> Any:
    """Returns a cell of a closure with a copy of what it holds, or the cell where it is not copied."""
    try:
        held = cell.cell_contents
    except ValueError:
        return cell
    made = copied(held)
    return cell if made is held else types.CellType(made)


def _written(signature: Any) -> str:
    """Returns a signature as TensorFlow writes it: the tensors and the other arguments, by name."""

    def shown(one: Any) -> str:
        if isinstance(one, Spec):
            return repr(TensorSpec(tuple(one.shape), one.dtype))
        return f"Literal[{one!r}]"

    lines = [f"  {name} (POSITIONAL_OR_KEYWORD): {shown(one)}" for name, one in signature]
    return "\n".join(["Input Parameters:", *lines])


def _bound(made: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> inspect.BoundArguments:
    try:
        bound = inspect.signature(made).bind(*arguments, **options)
    except TypeError as error:
        raise _unbound(f"{made.name}: {error}", "") from None
    bound.apply_defaults()
    return bound


def _described(name: str, value: Any) -> Any:
    """Returns the TensorSpec of a tensor or an array, named for its argument, and anything else as it is."""
    if hasattr(value, "_type_spec"):
        return value._type_spec
    if isinstance(value, Tensor | np.ndarray) or getattr(value, "_is_tensor", False):
        return TensorSpec(value.shape, value.dtype, name)
    if isinstance(value, TensorSpec) and value.name is None:
        return TensorSpec(value.shape, value.dtype, name)
    return value


def _inside(value: Any) -> Any:
    """Returns an argument as the function sees it."""
    return operand(value) if isinstance(value, np.ndarray | np.generic) and _is_numeric(value) else value


def _is_numeric(value: Any) -> bool:
    return bool(value.dtype.kind in "biufc")


def _returned(value: Any) -> Any:
    """Returns a function's result, with a tensor for each variable, number, string and array."""
    if value is None:
        return value
    if isinstance(value, Tensor):
        if hasattr(value, "_logits"):
            # What a function of TensorFlow returns is a tensor of its own.
            del value._logits
        return value
    if isinstance(value, Cell | UnreadVariable):
        return tensor_of(value)
    if isinstance(value, bool | int | float | complex | str | bytes):
        return constant(value)
    if isinstance(value, np.ndarray | np.generic):
        return _inside(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_returned, value))
    if type(value) in (list, tuple):
        return type(value)(map(_returned, value))
    if type(value) is dict:
        return {key: _returned(one) for key, one in value.items()}
    return value


def _of_signature(func: Callable[..., Any], signature: Any) -> Callable[..., Any]:
    """Returns a function that is called with tensors of the signature's dtypes, whose shapes fit."""
    names = list(inspect.signature(func).parameters)
    # What comes before is the object of a method.
    first = 1 if len(names) > len(signature) and names[0] == "self" else 0
    wanted = dict(zip(names[first:], signature, strict=False))

    @functools.wraps(func)
    def called(*arguments: Any, **options: Any) -> Any:
        given = [fitting(one, wanted.get(key)) for key, one in zip(names, arguments, strict=False)]
        chosen = {key: fitting(one, wanted.get(key)) for key, one in options.items()}
        if inside.symbols is not None:
            for key, one in (*zip(names[first:], given[first:], strict=False), *chosen.items()):
                inside.symbols.give(key, one, wanted.get(key))
        return func(*given, *arguments[len(given) :], **chosen)

    return called


TensorSpec.value_type = EagerTensor


def fitting(value: Any, wanted: Any) -> Any:
    """Returns an argument as a tensor of the dtype of a TensorSpec; structures part by part."""
    if isinstance(wanted, list | tuple) and isinstance(value, list | tuple):
        return type(value)([fitting(one, own) for one, own in zip(value, wanted, strict=True)])
    if isinstance(wanted, dict) and isinstance(value, dict):
        return {key: fitting(one, wanted.get(key)) for key, one in value.items()}
    if hasattr(wanted, "_fit"):
        return wanted._fit(value)
    if not isinstance(wanted, TensorSpec):
        return value
    if wanted.dtype == "string":
        return _fitting_text(value, wanted)
    if isinstance(getattr(value, "row_splits", None), Tensor):
        # A ragged tensor is described by its shape, and stays one.
        return value
    try:
        tensor = operand(value, numpy_dtype(wanted.dtype))
    except PenstockError as error:
        raise _unbound(f"Can not cast {value!r} to {wanted!r}.", error.fact) from None
    if not wanted.shape.is_compatible_with(tensor.shape):
        own = TensorSpec(tensor.shape, tensor.dtype)
        raise _unbound(f"Can not cast {own!r} to {wanted!r}.", "")
    return tensor


def _fitting_text(value: Any, wanted: TensorSpec) -> Any:
    if not is_text(value):
        own = getattr(value, "dtype", type(value).__name__)
        raise _unbound(f"Can not cast {value!r} to {wanted!r}.", f"it is {own}, not text")
    text = constant(value)
    if not wanted.shape.is_compatible_with(text.shape):
        raise _unbound(f"Can not cast {TensorSpec(text.shape, text.dtype)!r} to {wanted!r}.", "")
    return text


def _unbound(fact: str, origin: str) -> DTypeError:
    return DTypeError(
        f"Binding inputs to tf.function failed due to `{fact}`",
        origin=origin,
        why="Every argument must fit the input_signature of the function.",
        remedy="Convert it first, with tf.cast or tf.reshape, or leave out input_signature.",
        site=here(),
    )


@named("tf.executing_eagerly")
def executing_eagerly() -> bool:
    """Returns whether TensorFlow would compute at once here, and not build the graph of a function.

    Values can be read in a function, too: this says what TensorFlow says, for programs that ask.

    >>> from penstock import tensorflow as tf
    >>> tf.executing_eagerly(), tf.function(tf.executing_eagerly)().numpy().item()
    (True, False)
    """
    return computes_at_once(in_call())
