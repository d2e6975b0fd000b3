"""Functions of keras.ops that call functions."""

from __future__ import annotations

import inspect as _inspect
from typing import Any

from penstock.tensorflow import (
    _arrays,
    _control,
    _custom,
)
from penstock.tensorflow.keras._ops.base import _given, _made
from penstock.tensorflow.keras._ops.tensors import convert_to_tensor


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """Returns the result of one of two functions."""
    return _control.cond(pred, true_fn, false_fn)


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    """Applies a function to values repeatedly while a condition holds; returns the last values."""
    several = isinstance(loop_vars, tuple | list)
    values = tuple(loop_vars) if several else (loop_vars,)
    values = tuple(convert_to_tensor(one) for one in values)
    count = 0
    while (maximum_iterations is None or count < maximum_iterations) and bool(cond(*values)):
        found = body(*values)
        values = tuple(found) if isinstance(found, tuple | list) else (found,)
        count += 1
    return values if several else values[0]


def fori_loop(lower: int, upper: int, body_fun: Any, init_val: Any) -> Any:
    """Applies a function to each number in turn and the value so far; returns the last value."""
    value = init_val
    for number in range(int(lower), int(upper)):
        value = body_fun(number, value)
    return value


def scan(
    f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: int = 1
) -> Any:
    """Returns the last state, and the results of a function of a state and a row for each row.

    `unroll` does nothing: there is no graph to be rewritten or compiled: operations are recorded with or
    without it.
    """
    from penstock.tensorflow import nest

    flat = [] if xs is None else [_given(one) for one in nest.flatten(xs)]
    count = flat[0]._spec.shape[0] if flat else int(length)
    state, outputs = init, []
    for row in reversed(range(count)) if reverse else range(count):
        given = None if xs is None else nest.pack_sequence_as(xs, [one[row] for one in flat])
        state, output = f(state, given)
        outputs.append(output)
    outputs = outputs[::-1] if reverse else outputs
    if not outputs or outputs[0] is None:
        return state, None
    rows = [nest.flatten(one) for one in outputs]
    return state, nest.pack_sequence_as(
        outputs[0], [_arrays.stack(column, 0) for column in zip(*rows, strict=True)]
    )


def map(f: Any, xs: Any) -> Any:
    """Returns a function's results for each row, stacked."""
    return scan(lambda _, row: (None, f(row)), None, xs)[1]


def vectorized_map(function: Any, elements: Any) -> Any:
    """Returns a function's results for each row, stacked."""
    return _control.vectorized_map(function, elements)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Returns the result of the function with a number."""
    number = min_(max_(int(index), 0), len(branches) - 1)
    return branches[number](*operands)


min_, max_ = min, max


def custom_gradient(f: Any) -> Any:
    """Returns a function with a custom derivative: f returns its value and a function of the
    cotangent."""

    def adapted(*arguments: Any) -> Any:
        value, gradient = f(*arguments)
        named = "upstream" in _inspect.signature(gradient).parameters

        def derivative(*cotangents: Any) -> Any:
            return gradient(upstream=cotangents[0]) if named else gradient(*cotangents)

        return value, derivative

    return _custom.custom_gradient(adapted)


for _one in (cond, while_loop, fori_loop, scan, map, vectorized_map, switch, custom_gradient):
    _made[_one.__name__] = _one
