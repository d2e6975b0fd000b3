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
# What a program reads of an error that it has caught: there is no operation of a graph.
OpError.op = OpError.node_def = None


@named("tf.errors.FailedPreconditionError")
class FailedPreconditionError(PenstockError):
    """An operation on an object that is not in the right state for it."""


@named("tf.errors.NotFoundError")
class NotFoundError(PenstockError):
    """A named object that does not exist."""


@named("tf.errors.OutOfRangeError")
class OutOfRangeError(PenstockError):
    """The end of an iteration."""


@named("tf.errors.DataLossError")
class DataLossError(PenstockError):
    """A file that is damaged, or ends in the middle of a record."""


@named("tf.errors.AlreadyExistsError")
class AlreadyExistsError(PenstockError):
    """An object to create that already exists."""


@named("tf.errors.AbortedError")
class AbortedError(PenstockError):
    """An operation that was given up."""


@named("tf.errors.CancelledError")
class CancelledError(PenstockError):
    """A cancelled operation."""


@named("tf.errors.DeadlineExceededError")
class DeadlineExceededError(PenstockError):
    """An operation that took longer than it may."""


@named("tf.errors.InternalError")
class InternalError(PenstockError):
    """A mistake inside the framework."""


@named("tf.errors.PermissionDeniedError")
class PermissionDeniedError(PenstockError):
    """An action that the program may not take."""


@named("tf.errors.UnavailableError")
class UnavailableError(PenstockError):
    """A resource that is not available at present."""


@named("tf.errors.UnknownError")
class UnknownError(PenstockError):
    """Anything else."""


@named("tf.errors.ResourceExhaustedError")
class ResourceExhaustedError(PenstockError):
    """Not enough memory."""


@named("tf.errors.UnimplementedError")
class UnimplementedError(PenstockError):
    """An operation that is not implemented."""


@named("tf.errors.UnauthenticatedError")
class UnauthenticatedError(PenstockError):
    """A request that does not say who makes it."""


CODES = {
    "OK": 0, "CANCELLED": 1, "UNKNOWN": 2, "INVALID_ARGUMENT": 3, "DEADLINE_EXCEEDED": 4, "NOT_FOUND": 5,
    "ALREADY_EXISTS": 6, "PERMISSION_DENIED": 7, "RESOURCE_EXHAUSTED": 8, "FAILED_PRECONDITION": 9,
    "ABORTED": 10, "OUT_OF_RANGE": 11, "UNIMPLEMENTED": 12, "INTERNAL": 13, "UNAVAILABLE": 14,
    "DATA_LOSS": 15, "UNAUTHENTICATED": 16,
}  # fmt: skip
"""The number of each kind of error."""
for _name, _code in CODES.items():
    named(f"tf.errors.{_name}")(_code)
_OF_CODE: dict[int, Any] = {
    CODES["CANCELLED"]: CancelledError, CODES["UNKNOWN"]: UnknownError,
    CODES["INVALID_ARGUMENT"]: InvalidArgumentError, CODES["DEADLINE_EXCEEDED"]: DeadlineExceededError,
    CODES["NOT_FOUND"]: NotFoundError, CODES["ALREADY_EXISTS"]: AlreadyExistsError,
    CODES["PERMISSION_DENIED"]: PermissionDeniedError, CODES["RESOURCE_EXHAUSTED"]: ResourceExhaustedError,
    CODES["FAILED_PRECONDITION"]: FailedPreconditionError, CODES["ABORTED"]: AbortedError,
    CODES["OUT_OF_RANGE"]: OutOfRangeError, CODES["UNIMPLEMENTED"]: UnimplementedError,
    CODES["INTERNAL"]: InternalError, CODES["UNAVAILABLE"]: UnavailableError,
    CODES["DATA_LOSS"]: DataLossError, CODES["UNAUTHENTICATED"]: UnauthenticatedError,
}  # fmt: skip
for _code, _kind in _OF_CODE.items():
    # A native error has no number of its own, and shares its class with the dialect.
    _kind.error_code = _code


@named("tf.errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> Any:
    """Returns the type of the errors with a number; raises KeyError for other numbers."""
    return _OF_CODE[error_code]


@named("tf.errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: Any) -> int:
    """Returns the number of a type of errors, UNKNOWN for types that TensorFlow does not have."""
    return next((code for code, kind in _OF_CODE.items() if kind is cls), CODES["UNKNOWN"])


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
