"""Assertions of TensorFlow 1: with `data` and `message` by name, and operations in a graph."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow import debugging
from penstock.tensorflow._convert import operand
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._graphs.loops import checking


def _declared(name: str, function: Any, purpose: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Checks {purpose}. `data` does nothing: the message has the values."
    check = checking(function)
    check.__module__ = __name__
    return named(f"tf.compat.v1.{name}", f"tf.compat.v1.debugging.{name}")(check)


def _of_two(name: str, purpose: str) -> Any:
    check = getattr(debugging, name)

    def function(
        x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
    ) -> None:
        check(x, y, message, summarize)

    return _declared(name, function, purpose)


def _of_one(name: str, purpose: str) -> Any:
    check = getattr(debugging, name)

    def function(
        x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
    ) -> None:
        check(x, message, summarize)

    return _declared(name, function, purpose)


assert_equal = _of_two("assert_equal", "that all elements are equal to each other")
assert_none_equal = _of_two("assert_none_equal", "that no two elements are equal")
assert_less = _of_two("assert_less", "that the elements of x are less than those of y")
assert_less_equal = _of_two("assert_less_equal", "that no element of x is greater than that of y")
assert_greater = _of_two("assert_greater", "that the elements of x are greater than those of y")
assert_greater_equal = _of_two("assert_greater_equal", "that no element of x is less than that of y")
assert_positive = _of_one("assert_positive", "that all elements are greater than 0")
assert_negative = _of_one("assert_negative", "that all elements are less than 0")
assert_non_negative = _of_one("assert_non_negative", "that no element is less than 0")
assert_non_positive = _of_one("assert_non_positive", "that no element is greater than 0")


def _near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: Any = None,
) -> None:
    debugging.assert_near(x, y, rtol, atol, message, summarize)


def _rank(
    x: Any, rank: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> None:
    debugging.assert_rank(x, rank, message)


def _rank_at_least(
    x: Any, rank: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> None:
    debugging.assert_rank_at_least(x, rank, message)


def _rank_in(
    x: Any, ranks: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> None:
    debugging.assert_rank_in(x, ranks, message)


assert_near = _declared("assert_near", _near, "that all elements are close to each other")
assert_rank = _declared("assert_rank", _rank, "the number of axes; `summarize` does nothing")
assert_rank_at_least = _declared(
    "assert_rank_at_least", _rank_at_least, "the least number of axes; `summarize` does nothing"
)
assert_rank_in = _declared(
    "assert_rank_in", _rank_in, "that the number of axes is one of several; `summarize` does nothing"
)


def _dtype_of(x: Any) -> Any:
    return as_dtype(x.dtype if hasattr(x, "dtype") else operand(x).dtype)


@named("tf.compat.v1.assert_integer", "tf.compat.v1.debugging.assert_integer")
def assert_integer(x: Any, message: Any = None, name: Any = None) -> None:
    """Checks that a tensor holds integers."""
    if not _dtype_of(x).is_integer:
        raise TypeError(f"{message or ''}  Expected 'x' to be integer type.  Found: {_dtype_of(x)!r}.")


@named("tf.compat.v1.assert_type", "tf.compat.v1.debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: Any = None) -> None:
    """Checks the dtype of a tensor."""
    if _dtype_of(tensor) != as_dtype(tf_type):
        raise TypeError(f"{message or ''}  tensor must be of type {as_dtype(tf_type)!r}")


@named("tf.compat.v1.assert_scalar", "tf.compat.v1.debugging.assert_scalar")
def assert_scalar(tensor: Any, name: Any = None, message: Any = None) -> Any:
    """Returns a tensor that has no axes; raises ValueError for any other."""
    shape = tensor.shape if hasattr(tensor, "shape") else operand(tensor).shape
    if shape.ndims != 0:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {shape}.")
    return tensor


@named("tf.compat.v1.verify_tensor_all_finite", "tf.compat.v1.debugging.assert_all_finite")
def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: Any = None, x: Any = None, message: Any = None
) -> Any:
    """Returns a tensor without NaN and infinity; raises InvalidArgumentError for another."""
    return _finite(t if x is None else x, msg if message is None else message)


_finite = lift(debugging.check_numerics, "CheckNumerics")
