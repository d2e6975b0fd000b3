"""The exceptions of the dialect, and TensorFlow's words for Penstock's own errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock import errors
from penstock.declared import named
from penstock.errors import DTypeError, PenstockError, ShapeError, TapeError
from penstock.errors import InvalidArgumentError as InvalidArgumentError
from penstock.tensorflow._dtype import c_name
from penstock.tensorflow._tensor_shape import brackets

OpError: Any = PenstockError
"""Base of the errors that TensorFlow raises when an operation does not work."""
named("tf.errors.OpError")(OpError)
named("tf.errors.InvalidArgumentError")(InvalidArgumentError)


def _message(node_def: Any, op: Any, message: str, error_code: Any = None) -> str:
    """Returns the message of an error that a program makes, as it makes TensorFlow's."""
    return message or "(no message)"


errors.message_among = _message
InvalidArgumentError.error_code = 3  # type: ignore[attr-defined]
# What a program reads of an error that it has caught: there is no operation of a graph.
OpError.op = OpError.node_def = None
OpError.error_code = 2


@named("tf.errors.FailedPreconditionError")
class FailedPreconditionError(PenstockError):
    """An operation on an object that is not in the right state for it."""

    error_code = 9


@named("tf.errors.NotFoundError")
class NotFoundError(PenstockError):
    """A named object that does not exist."""

    error_code = 5


@named("tf.errors.OutOfRangeError")
class OutOfRangeError(PenstockError):
    """The end of an iteration."""

    error_code = 11


@named("tf.errors.DataLossError")
class DataLossError(PenstockError):
    """A file that is damaged, or ends in the middle of a record."""

    error_code = 15


@named("tf.errors.AlreadyExistsError")
class AlreadyExistsError(PenstockError):
    """An object to create that already exists."""

    error_code = 6


@named("tf.errors.AbortedError")
class AbortedError(PenstockError):
    """An operation that was given up."""

    error_code = 10


@named("tf.errors.CancelledError")
class CancelledError(PenstockError):
    """A cancelled operation."""

    error_code = 1


@named("tf.errors.DeadlineExceededError")
class DeadlineExceededError(PenstockError):
    """An operation that took longer than it may."""

    error_code = 4


@named("tf.errors.InternalError")
class InternalError(PenstockError):
    """A mistake inside the framework."""

    error_code = 13


@named("tf.errors.PermissionDeniedError")
class PermissionDeniedError(PenstockError):
    """An action that the program may not take."""

    error_code = 7


@named("tf.errors.UnavailableError")
class UnavailableError(PenstockError):
    """A resource that is not available at present."""

    error_code = 14


@named("tf.errors.UnknownError")
class UnknownError(PenstockError):
    """Anything else."""

    error_code = 2


@named("tf.errors.ResourceExhaustedError")
class ResourceExhaustedError(PenstockError):
    """Not enough memory."""

    error_code = 8


@named("tf.errors.UnimplementedError")
class UnimplementedError(PenstockError):
    """An operation that is not implemented."""

    error_code = 12


# TensorFlow raises Python's own types for the following errors; each also has Penstock's type.


class ConversionError(DTypeError, ValueError):
    """A value that cannot become a tensor, or not one of the dtype wanted."""


class NumberError(DTypeError):
    """A Python value that does not fit the dtype that it is combined with."""


class AssignedShapeError(ShapeError):
    """A value assigned to a variable of another shape."""


class TapeStateError(TapeError, ValueError):
    """A tape opened while it is recording, or used as if it were recording when it is not."""


class NotDifferentiableError(PenstockError, AttributeError):
    """A Python number or array where a gradient needs a tensor or a variable."""


class NotAVariableError(PenstockError, AttributeError):
    """A tensor where an optimizer needs a variable to write."""


class ItemAssignmentError(PenstockError, TypeError):
    """`tensor[i] = x`, which no tensor takes."""


class MissingGradientError(PenstockError, TypeError):
    """None where a source, or a pair of gradient and variable, was needed."""


class ArgumentError(PenstockError, ValueError):
    """An argument that a function does not accept."""


class CallableError(PenstockError, TypeError):
    """An object that is not a function, although one was needed."""


class AugmentedAssignmentError(PenstockError, RuntimeError):
    """`variable += x`, which would rebind the name to a tensor."""


OP_NAMES = {
    "add": "AddV2", "subtract": "Sub", "multiply": "Mul", "divide": "RealDiv", "power": "Pow",
    "floor_divide": "FloorDiv", "remainder": "FloorMod", "maximum": "Maximum", "minimum": "Minimum",
    "first_maximum": "Maximum", "first_minimum": "Minimum",
    "atan2": "Atan2", "equal": "Equal", "not_equal": "NotEqual", "less": "Less", "less_equal": "LessEqual",
    "greater": "Greater", "greater_equal": "GreaterEqual", "logical_and": "LogicalAnd",
    "logical_or": "LogicalOr", "logical_xor": "LogicalXor", "matmul": "MatMul", "concat": "ConcatV2",
    "where": "SelectV2", "clip": "ClipByValue",
}  # fmt: skip
"""TensorFlow's name of a primitive's operation."""


def mixed(name: str, position: int, wanted: Any, found: Any, site: Any = None) -> InvalidArgumentError:
    """Returns the error for operands of two dtypes: `position` counts from 0."""
    return InvalidArgumentError(
        f"cannot compute {OP_NAMES.get(name, name)} as input #{position}(zero-based) was expected to be a "
        f"{c_name(wanted)} tensor but is a {c_name(found)} tensor",
        why="TensorFlow does not mix dtypes.",
        remedy=f"Convert one operand: tf.cast(x, tf.{np.dtype(wanted).name}).",
        site=site,
    )


def refused_dtype(dtype: Any, allowed: str, origin: str = "", site: Any = None) -> InvalidArgumentError:
    """Returns the error for an operand of a dtype that an operation does not take."""
    return InvalidArgumentError(
        f"Value for attr 'T' of {c_name(dtype)} is not in the list of allowed values: {allowed}",
        origin=origin,
        remedy="Convert it first, for example with tf.cast(x, tf.float32).",
        site=site,
    )


FLOATING = "bfloat16, half, float, double, complex64, complex128"
NUMERIC = "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128"


def translated(
    error: PenstockError, name: str, operands: Sequence[Any], params: dict[str, Any]
) -> PenstockError:
    """Returns a native error of a primitive as TensorFlow's type, with TensorFlow's words first."""
    shapes = [getattr(one, "shape", ()) for one in operands]
    if isinstance(error, ShapeError):
        fact = _shape_words(error, name, shapes, params)
    elif isinstance(error, DTypeError) and not isinstance(error, ConversionError | NumberError):
        dtypes = [one.dtype for one in operands if hasattr(one, "dtype")]
        allowed = FLOATING if "floating" in error.fact else NUMERIC
        return refused_dtype(dtypes[0] if dtypes else np.float32, allowed, error.fact, error.site)
    else:
        return error
    return InvalidArgumentError(
        fact, origin=error.origin, why=error.why, remedy=error.remedy, site=error.site
    )


def _shape_words(
    error: ShapeError, name: str, shapes: Sequence[Sequence[int]], params: dict[str, Any]
) -> str:
    rule = _SHAPE_WORDS.get(name)
    if rule is not None:
        return rule(error, shapes, params)
    if len(shapes) == 2 and "broadcast" in error.fact:
        return f"Incompatible shapes: {brackets(shapes[0])} vs. {brackets(shapes[1])}"
    return error.fact


def _matmul_words(error: ShapeError, shapes: Sequence[Sequence[int]], params: dict[str, Any]) -> str:
    left, right = (brackets(shape) for shape in shapes[:2])
    ranks = [len(shape) for shape in shapes[:2]]
    if ranks[0] != ranks[1] and min(ranks) < 2:
        return f"In[0] and In[1] has different ndims: {left} vs. {right}"
    if min(ranks) < 2:
        return f"In[0] and In[1] ndims must be == 2: {ranks[0]}"
    if "broadcast" in error.fact:
        return f"In[0] and In[1] must have compatible batch dimensions: {left} vs. {right}"
    return f"Matrix size-incompatible: In[0]: {left}, In[1]: {right}"


def _concat_words(error: ShapeError, shapes: Sequence[Sequence[int]], params: dict[str, Any]) -> str:
    first = shapes[0]
    for number, shape in enumerate(shapes[1:], 1):
        pair = f"shape[0] = {brackets(first)} vs. shape[{number}] = {brackets(shape)}"
        if len(shape) != len(first):
            return f"ConcatOp : Ranks of all input tensors should match: {pair}"
        for axis, (a, b) in enumerate(zip(first, shape, strict=True)):
            if a != b and axis != params["axis"]:
                return f"ConcatOp : Dimension {axis} in both shapes must be equal: {pair}"
    return error.fact


def _where_words(error: ShapeError, shapes: Sequence[Sequence[int]], params: dict[str, Any]) -> str:
    condition, then, otherwise = (brackets(shape) for shape in shapes)
    return f"condition {condition}, then {then}, and else {otherwise} must be broadcastable"


_SHAPE_WORDS: dict[str, Callable[[ShapeError, Sequence[Sequence[int]], dict[str, Any]], str]] = {
    "matmul": _matmul_words,
    "concat": _concat_words,
    "where": _where_words,
}
