"""tf.function and other names about graphs, which the recorder does not need."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import DTypeError, PenstockError
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import constant, operand, tensor_of
from penstock.tensorflow._dtype import DType, as_dtype, numpy_dtype
from penstock.tensorflow._modes import inside
from penstock.tensorflow._seeds import Calls, of_call
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace.source_site import here
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
    """Returns the function: its operations are recorded with or without this decorator.

    With an `input_signature`, arguments become tensors of its dtypes, and TypeError is raised where their
    shapes or dtypes do not fit.

    Its Python code runs at every call, so `print` and counters inside it work as written; TensorFlow runs
    them once for each new signature. What it returns is made of tensors: a variable is read, a number, a
    string or an array becomes a tensor, and an array that is given is one inside.

    >>> from penstock import tensorflow as tf
    >>> @tf.function
    ... def double(x):
    ...     return x * 2
    >>> print(double(tf.constant(3.0)))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """
    if input_signature is None:
        return function if func is None else _with_names(_of_tensors(func), func)
    if func is None:
        return functools.partial(function, input_signature=input_signature)
    made = _of_signature(func, input_signature)
    return _with_names(_of_tensors(made), func, input_signature)


class ConcreteFunction:
    """A function for arguments of given shapes and dtypes; calling it calls the Python function."""

    def __init__(self, func: Callable[..., Any], specs: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._called = _of_signature(func, specs) if specs else func
        self.python_function, self.structured_input_signature = func, (specs, named)
        self.name = getattr(func, "__name__", "function")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._called(*arguments, **options)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}{self.structured_input_signature[0]}>"


def _with_names(made: Any, func: Any, signature: Any = ()) -> Any:
    """Returns what was made of a function, with the names that TensorFlow gives to its own functions."""

    def get_concrete_function(*arguments: Any, **options: Any) -> ConcreteFunction:
        return ConcreteFunction(made, arguments or tuple(signature), options)

    made.get_concrete_function, made.python_function = get_concrete_function, func
    return made


def _of_tensors(func: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function whose arrays are tensors inside, and which returns tensors."""

    draws = Calls()

    @functools.wraps(func, updated=())
    def called(*arguments: Any, **options: Any) -> Any:
        for one in (*arguments, *options.values()) if options else arguments:
            if isinstance(one, np.ndarray | np.generic):
                arguments = tuple([_inside(one) for one in arguments])
                options = {key: _inside(one) for key, one in options.items()}
                break
        with inside, of_call(draws, arguments, options):
            found = func(*arguments, **options)
        return found if type(found) is Tensor else _returned(found)

    return called


def _inside(value: Any) -> Any:
    """Returns an argument as the function sees it."""
    return operand(value) if isinstance(value, np.ndarray | np.generic) and _is_numeric(value) else value


def _is_numeric(value: Any) -> bool:
    return bool(value.dtype.kind in "biufc")


def _returned(value: Any) -> Any:
    """Returns what a function has returned, with a tensor for each variable, number, string and array."""
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
        given = [_fitting(one, wanted.get(key)) for key, one in zip(names, arguments, strict=False)]
        chosen = {key: _fitting(one, wanted.get(key)) for key, one in options.items()}
        return func(*given, *arguments[len(given) :], **chosen)

    return called


def _fitting(value: Any, wanted: Any) -> Any:
    """Returns an argument as a tensor of the dtype of a TensorSpec; structures part by part."""
    if isinstance(wanted, list | tuple) and isinstance(value, list | tuple):
        return type(value)([_fitting(one, own) for one, own in zip(value, wanted, strict=True)])
    if isinstance(wanted, dict) and isinstance(value, dict):
        return {key: _fitting(one, wanted.get(key)) for key, one in value.items()}
    if not isinstance(wanted, TensorSpec):
        return value
    try:
        tensor = operand(value, numpy_dtype(wanted.dtype))
    except PenstockError as error:
        raise _unbound(f"Can not cast {value!r} to {wanted!r}.", error.fact) from None
    if wanted.shape is not None and not wanted.shape.is_compatible_with(tensor.shape):
        own = TensorSpec(tensor.shape, tensor.dtype)
        raise _unbound(f"Can not cast {own!r} to {wanted!r}.", "")
    return tensor


def _unbound(fact: str, origin: str) -> DTypeError:
    return DTypeError(
        f"Binding inputs to tf.function failed due to `{fact}`",
        origin=origin,
        why="Every argument must fit the input_signature of the function.",
        remedy="Convert it first, with tf.cast or tf.reshape, or leave out input_signature.",
        site=here(),
    )


@named("tf.TensorSpec")
class TensorSpec:
    """The shape and dtype that a function expects of an argument; None means any length."""

    def __init__(self, shape: Any, dtype: Any = "float32", name: Any = None) -> None:
        self.shape: TensorShape | None = None if shape is None else as_shape(shape)
        self.dtype: DType = as_dtype(dtype)
        self.name = name

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


@named("tf.executing_eagerly")
def executing_eagerly() -> bool:
    """Returns True: values can be read anywhere."""
    return True
