"""Functions of keras.ops that call functions."""

from __future__ import annotations

import functools as _functools
import inspect as _inspect
import re as _re
from typing import Any

import numpy as _np

from penstock.tensorflow import (
    _arrays,
    _control,
    _custom,
)
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow.keras._ops.base import _given, _made
from penstock.tensorflow.keras._ops.tensors import convert_to_tensor
from penstock.trace.source_site import here as _here

map_ = map


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


def associative_scan(f: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """Returns the results of combining all slices up to each by an associative function of two structures.

    The slices are combined in pairs, so that there are about as many steps as the logarithm of their number.
    """
    from penstock.tensorflow import nest

    flat = [_given(one) for one in nest.flatten(elems)]
    lengths = {one._spec.shape[axis] for one in flat}
    if len(lengths) != 1:
        raise _ArgumentError(
            "Array inputs to associative_scan must have the same first dimension. (saw: "
            f"{[tuple(one.shape) for one in flat]})",
            site=_here(),
        )
    if reverse:
        flat = [_arrays.reverse(one, [axis]) for one in flat]

    def part(xs: list[Any], *bounds: Any) -> list[Any]:
        return [x[(*(slice(None),) * (axis % len(x._spec.shape)), slice(*bounds))] for x in xs]

    def both(xs: list[Any], ys: list[Any]) -> list[Any]:
        made = f(nest.pack_sequence_as(elems, xs), nest.pack_sequence_as(elems, ys))
        return [_given(one) for one in nest.flatten(made)]

    def joined(*several: list[Any]) -> list[Any]:
        return [_arrays.concat(column, axis) for column in zip(*several, strict=True)]

    def scanned(xs: list[Any]) -> list[Any]:
        count = xs[0]._spec.shape[axis]
        if count < 2:
            return xs
        odd = scanned(both(part(xs, 0, count - 1, 2), part(xs, 1, None, 2)))
        even = part(xs, 0, 1)
        if count > 2:
            even = joined(even, both(odd if count % 2 else part(odd, 0, -1), part(xs, 2, None, 2)))
        return joined(*(part(even if n % 2 == 0 else odd, n // 2, n // 2 + 1) for n in range(count)))

    found = scanned(flat)
    return nest.pack_sequence_as(elems, [_arrays.reverse(x, [axis]) for x in found] if reverse else found)


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: str | None = None) -> Any:
    """Returns a function that applies `pyfunc` to each element, or to parts with the axes of `signature`.

    `excluded` has the positions and names of arguments that are handed on as they are.
    """
    if not callable(pyfunc):
        raise _ArgumentError(
            f"Expected argument `pyfunc` to be a callable. Received: pyfunc={pyfunc}", site=_here()
        )
    kept = frozenset(excluded or ())

    @_functools.wraps(pyfunc)
    def called(*arguments: Any, **options: Any) -> Any:
        places = [n for n in range(len(arguments)) if n not in kept]
        words = [name for name in options if name not in kept]
        given = [_given(arguments[n]) for n in places] + [_given(options[name]) for name in words]
        cores = _cores(signature, len(given))
        batches = [
            one._spec.shape[: len(one._spec.shape) - core] for one, core in zip(given, cores, strict=True)
        ]
        batch = _np.broadcast_shapes(*(tuple(one) for one in batches))
        rows = []
        for one, core in zip(given, cores, strict=True):
            inner = tuple(one._spec.shape[len(one._spec.shape) - core :])
            rows.append(_arrays.reshape(_arrays.broadcast_to(one, (*batch, *inner)), (-1, *inner)))

        def apply(parts: Any) -> Any:
            whole: list[Any] = list(arguments)
            named = dict(options)
            place: Any
            for place, part in zip((*places, *words), parts, strict=True):
                if isinstance(place, str):
                    named[place] = part
                else:
                    whole[place] = part
            return pyfunc(*whole, **named)

        found = _control.vectorized_map(apply, tuple(rows))

        def shaped(one: Any) -> Any:
            return _arrays.reshape(one, (*batch, *one._spec.shape[1:]))

        return tuple(map_(shaped, found)) if isinstance(found, tuple | list) else shaped(found)

    return called


def _cores(signature: str | None, count: int) -> list[int]:
    """Returns how many axes the parts of each argument have: "(n),(n,m)->(m)" says one and two."""
    if signature is None:
        return [0] * count
    found = _re.findall(r"\(([^()]*)\)", signature.partition("->")[0])
    if "->" not in signature or len(found) != count:
        raise _ArgumentError(
            f"vectorize: signature {signature!r} does not name {count} arguments and results.",
            remedy='Write it as NumPy does: "(n),(n,m)->(m)".',
            site=_here(),
        )
    return [len([axis for axis in one.split(",") if axis.strip()]) for one in found]


_made["associative_scan"], _made["vectorize"] = associative_scan, vectorize
