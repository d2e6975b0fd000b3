"""Gradients of functions: `grad` and `value_and_grad`, which open the tape themselves."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from penstock.errors import DTypeError, PenstockError, ShapeError
from penstock.grad.backward import differentiable
from penstock.grad.tape import GradientTape
from penstock.ops.pointwise import identity
from penstock.trace.recorder import as_tensor
from penstock.trace.site import here
from penstock.trace.tensor import Cell, Tensor


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Returns a function that gives the gradient of `f`, which returns a scalar, by its arguments `argnums`.

    An argument is a tensor, a variable, an array or a number, or a list, tuple or dictionary of such; its
    gradient has the same structure. Several `argnums` give a tuple. An argument that the result does not
    depend on has the gradient None, not zeros; one that is only gathered from has `Rows`. Arguments count as
    separate although one tensor is given twice. It nests: `grad(grad(f))` is the second derivative.

    >>> import penstock as ps
    >>> ps.grad(lambda x: x * x * x)(2.0)
    Tensor(12., dtype=float32)
    >>> ps.grad(ps.grad(lambda x: x * x * x))(2.0)
    Tensor(12., dtype=float32)
    >>> ps.grad(lambda point: point["x"] * point["y"])({"x": 3.0, "y": 4.0})
    {'x': Tensor(4., dtype=float32), 'y': Tensor(3., dtype=float32)}
    """
    both = value_and_grad(f, argnums)

    @functools.wraps(f)
    def gradient(*arguments: Any, **options: Any) -> Any:
        return both(*arguments, **options)[1]

    return gradient


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Returns a function that gives (value, gradient) of `f`; see `grad`.

    With `has_aux`, `f` returns (value, anything), and the result is ((value, anything), gradient).
    Raises ShapeError if the value is not a scalar, and DTypeError for an argument of integers.

    >>> import penstock as ps
    >>> ps.value_and_grad(lambda x, y: x * y, argnums=(0, 1))(3.0, 4.0)
    (Tensor(12., dtype=float32), (Tensor(4., dtype=float32), Tensor(3., dtype=float32)))
    """

    @functools.wraps(f)
    def both(*arguments: Any, **options: Any) -> Any:
        wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        for position in wanted:
            if not -len(arguments) <= position < len(arguments):
                raise PenstockError(
                    f"argnums names argument {position}; {_name(f)} was given {len(arguments)} by position.",
                    remedy="Count from 0, and pass what is differentiated by position.",
                    site=here(),
                )
        with GradientTape(watch_accessed_variables=False) as tape:
            given = list(arguments)
            chosen = [arguments[position] for position in wanted]
            stand_ins, flat = _stand_ins(chosen, f)
            for position, one in zip(wanted, stand_ins, strict=True):
                given[position] = one
            tape.watch(*flat)
            result = f(*given, **options)
            value = _scalar(result, has_aux, f)
        found = iter(tape.gradient(value, flat))
        gradients = tuple(_mapped(one, lambda _: next(found)) for one in stand_ins)
        return result, gradients[0] if isinstance(argnums, int) else gradients

    return both


def _stand_ins(chosen: Sequence[Any], f: Any) -> tuple[list[Any], list[Any]]:
    """Returns the arguments as f shall see them, and the tensors and variables in them, each a different one.

    A variable is passed as it is, so that f can write it and gathering from it gives rows, unless it occurs
    twice.
    """
    occurrences: Counter[int] = Counter()
    for one in chosen:
        _mapped(one, lambda leaf: occurrences.update([id(leaf)]))
    flat: list[Any] = []

    def stand_in(leaf: Any) -> Any:
        if not isinstance(leaf, Cell) or occurrences[id(leaf)] > 1:
            leaf = identity(leaf if isinstance(leaf, Tensor | Cell) else as_tensor(leaf))
        if not differentiable(leaf._spec):
            raise DTypeError(
                f"The gradient of {_name(f)} by {leaf._spec!r} was asked for.",
                why="Integers and booleans have no derivative.",
                remedy="Pass a floating-point number, 3.0 for 3, or convert it: astype(x, 'float32').",
                site=here(),
            )
        flat.append(leaf)
        return leaf

    return [_mapped(one, stand_in) for one in chosen], flat


def _mapped(structure: Any, function: Callable[[Any], Any]) -> Any:
    """Returns a structure of nested lists, tuples and dictionaries with a function applied to its leaves."""
    if isinstance(structure, dict):
        return {key: _mapped(one, function) for key, one in structure.items()}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_mapped(one, function) for one in structure))
    if isinstance(structure, list | tuple):
        return type(structure)(_mapped(one, function) for one in structure)
    return None if structure is None else function(structure)


def _scalar(result: Any, has_aux: bool, f: Any) -> Any:
    """Returns the value of which the gradient is taken."""
    if has_aux and not (isinstance(result, tuple) and len(result) == 2):
        raise PenstockError(
            f"{_name(f)} returned {type(result).__name__}, with has_aux=True.",
            remedy="Return a pair: the scalar, and whatever else is wanted.",
            site=here(),
        )
    value = result[0] if has_aux else result
    if not isinstance(value, Tensor | Cell):
        raise PenstockError(
            f"{_name(f)} returned {type(value).__name__} {value!r}, which is no tensor.",
            why="A Python number or an array has no history that a gradient could follow.",
            remedy="Compute the result with tensors; for something else beside it, use has_aux=True.",
            site=here(),
        )
    if value._spec.shape != ():
        raise ShapeError(
            f"{_name(f)} returned {value._spec!r}; a gradient is that of a scalar.",
            remedy="Reduce it, for example with sum or mean.",
            site=here(),
        )
    return value


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", None) or type(f).__name__)
