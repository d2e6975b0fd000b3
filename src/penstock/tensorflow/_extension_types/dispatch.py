"""Functions of TensorFlow that a program teaches to take its extension types."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _dispatch
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._extension_types.types import ExtensionType
from penstock.trace.source_site import here

_PLACE = "tf.experimental"
_UNARY = (
    "abs acos acosh asin asinh atan atanh cast ceil conj cos cosh digamma erf erfc exp expm1 floor identity "
    "imag is_finite is_inf is_nan lgamma log log1p log_sigmoid logical_not negative real reciprocal rint "
    "round rsqrt sigmoid sign sin sinh softplus sqrt square tan tanh zero_fraction erfinv ndtri"
)
_ELSEWHERE = (
    "cast identity ones_like zeros_like clip_by_value strings.as_string strings.length strings.lower "
    "strings.upper nn.relu nn.relu6 nn.elu nn.selu nn.gelu nn.leaky_relu nn.softsign nn.silu nn.swish "
    "bitwise.invert image.adjust_brightness"
)
_BINARY = (
    "add subtract multiply divide truediv divide_no_nan maximum minimum pow floordiv floormod mod atan2 "
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
    "squared_difference xlogy xdivy multiply_no_nan zeta igamma igammac polygamma"
)
_BITS = "bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift"
_taught: dict[Any, list[tuple[Any, type, Any]]] = {}
"""By a program's function: the functions it works for, the class, and what was registered."""


def _functions(*names: str) -> list[Any]:
    from penstock import tensorflow as tf

    found = []
    for name in names:
        place: Any = tf
        for part in name.split("."):
            place = getattr(place, part, None)
        if callable(place) and place not in found:
            found.append(place)
    return found


def _of_math(names: str) -> list[str]:
    return [f"math.{one}" for one in names.split()]


def _classes(annotation: Any) -> list[type]:
    """Returns the classes that an annotation names, in unions and lists too."""
    if isinstance(annotation, type):
        return [annotation]
    return [one for part in typing.get_args(annotation) for one in _classes(part)]


def _checked(annotation: Any) -> Any:
    origin = typing.get_origin(annotation)
    if not isinstance(annotation, type) and origin not in (list, typing.Union, types.UnionType):
        raise ArgumentError(
            f"Type annotation {annotation} is not currently supported by dispatch.  Supported annotations: "
            "type objects,  List[...], and Union[...]",
            site=here(),
        )
    return annotation


def _matches(annotation: Any, value: Any) -> bool:
    if isinstance(annotation, type):
        return isinstance(value, annotation)
    inside = typing.get_args(annotation)
    if typing.get_origin(annotation) is list:
        return isinstance(value, list | tuple) and all(_matches(inside[0], one) for one in value)
    return any(_matches(one, value) for one in inside)


def _teach(target: Any, functions: list[Any], annotations: list[Any], way: Callable[..., Any]) -> None:
    """Registers a way for each extension type that annotations name."""
    kinds = [one for own in annotations for one in _classes(own) if issubclass(one, ExtensionType)]
    for kind in dict.fromkeys(kinds):
        for function in functions:
            original = _dispatch.register(function, kind, way)
            _taught.setdefault(target, []).append((original, kind, way))


@named(f"{_PLACE}.dispatch_for_api")
def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Any], Any]:
    """Returns a decorator for a function that does the work of another where its annotations fit.

    `signatures` may give the annotations instead: a dictionary by the names of the parameters.

    >>> from penstock import tensorflow as tf
    >>> class Pair(tf.experimental.ExtensionType):
    ...     first: tf.Tensor
    ...     second: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.reduce_sum)
    ... def total(input_tensor: Pair, axis=None, keepdims=False):
    ...     return tf.reduce_sum(input_tensor.first) + tf.reduce_sum(input_tensor.second)
    >>> print(tf.reduce_sum(Pair([1, 2], 3)))
    tf.Tensor(6, shape=(), dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(total)
    """
    wanted = inspect.signature(api)

    def decorate(target: Any) -> Any:
        own = inspect.signature(target)
        names = [one for one in own.parameters if one != "name"]
        if names != [one for one in wanted.parameters if one != "name"]:
            raise ArgumentError(
                f"Dispatch function's signature {_shown(own, wanted)} does not match API's signature "
                f"{_shown(wanted, wanted)}.",
                remedy="Give it the parameters of the function, in their order.",
                site=here(),
            )
        hints = [{k: v for k, v in typing.get_type_hints(target).items() if k != "return"}]
        for each in list(signatures) or hints:
            _teach(target, [api], [_checked(one) for one in each.values()], _when(own, each, target))
        return target

    return decorate


def _shown(own: inspect.Signature, api: inspect.Signature) -> str:
    """Returns parameters as TensorFlow shows them: without annotations, and with `name`."""
    found = {**own.parameters}
    if "name" in api.parameters:
        found.setdefault("name", api.parameters["name"])
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in found.values()]
    return str(inspect.Signature(bare))


def _when(own: inspect.Signature, annotations: Any, target: Any) -> Callable[..., Any]:
    def way(function: Any, *arguments: Any, **options: Any) -> Any:
        if "name" not in own.parameters:
            options.pop("name", None)
        given = own.bind(*arguments, **options).arguments
        if all(_matches(one, given[name]) for name, one in annotations.items() if name in given):
            return target(*arguments, **options)
        return function(*arguments, **options)

    return way


@named(f"{_PLACE}.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Any], Any]:
    """Returns a decorator for a function that does the work of every elementwise function of one operand.

    It gets the function, which takes a tensor alone, and the operand.
    """
    _checked(x_type)

    def decorate(target: Any) -> Any:
        def way(function: Any, x: Any, *arguments: Any, **options: Any) -> Any:
            if not _matches(x_type, x):
                return function(x, *arguments, **options)
            return target(lambda value: function(value, *arguments, **options), x)

        _teach(target, _functions(*_of_math(_UNARY), *_ELSEWHERE.split()), [x_type], way)
        return target

    return decorate


@named(f"{_PLACE}.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Returns a decorator for a function that does the work of every elementwise function of two operands.

    It gets the function, which takes two tensors alone, and the operands.
    """
    _checked(x_type), _checked(y_type)

    def decorate(target: Any) -> Any:
        def way(function: Any, x: Any, y: Any, *arguments: Any, **options: Any) -> Any:
            if not (_matches(x_type, x) and _matches(y_type, y)):
                return function(x, y, *arguments, **options)
            return target(lambda one, other: function(one, other, *arguments, **options), x, y)

        _teach(target, _functions(*_of_math(_BINARY), *_BITS.split()), [x_type, y_type], way)
        return target

    return decorate


@named(f"{_PLACE}.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Takes back what a decorator of this module has registered for a function."""
    if dispatch_target not in _taught:
        raise ArgumentError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.", site=here()
        )
    for original, kind, way in _taught.pop(dispatch_target):
        _dispatch.unregister(original, kind, way)
