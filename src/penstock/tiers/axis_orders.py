"""The order of axes in which XLA computes each value, so that transpositions cancel across what is between.

Many programs have their pictures channels-first, and convolutions on a processor compute channels-last:
the record is full of a transposition, a few elementwise operations, and the transposition back. XLA drops two
that are next to each other, but none with an operation in between, and each of them moves a whole picture.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import Any

from penstock.tiers.program import Program, Step
from penstock.trace.spec import Shape, spec_of

Axes = tuple[int, ...]
"""Says that XLA computes an array whose transposition by these axes is the recorded value."""
LARGE = 1 << 12
"""A value of fewer elements is computed as it was recorded."""
PART = 4
"""An operand that is smaller than the result by this factor is transposed at no cost that counts."""

_params: Mapping[str, Callable[[dict[str, Any], Axes], dict[str, Any]]] = {
    "concat": lambda params, axes: {**params, "axis": axes[params["axis"]]},
    "slice": lambda params, axes: {**params, "window": reordered(params["window"], axes)},
    "unslice": lambda params, axes: {
        **params, "window": reordered(params["window"], axes), "shape": reordered(params["shape"], axes)
    },
    "flip": lambda params, axes: {**params, "axes": tuple(axes[axis] for axis in params["axes"])},
}  # fmt: skip
"""Operations along single axes: their parameters in another order of axes."""


def orders(program: Program, apart: Collection[int] = ()) -> Mapping[int, Axes]:
    """Returns the axes of each value that is computed in another order than it was recorded, by its number.

    Only what lies between two transpositions that cancel is, or between one and a reduction, for which the
    order makes no difference. The steps `apart` keep their order.
    """
    first = len(program.specs) + len(program.constants)
    if not any(step.primitive.name == "transpose" for step in program.steps):
        return {}
    from penstock.ops.batching import ELEMENTWISE, REDUCTIONS

    shapes = [one.shape for one in (*program.specs, *map(spec_of, program.constants))]
    shapes += [step.spec.shape for step in program.steps]
    possible: dict[int, Axes] = {}
    ends: list[int] = []
    for number, step in enumerate(program.steps, first):
        if step.primitive in REDUCTIONS:
            ends.append(number)
        if number - first in apart or prod(shapes[number]) < LARGE:
            continue
        if step.primitive.name == "transpose":
            axes = step.params["axes"]
            known = possible.get(step.inputs[0])
            if known is not None:
                axes = after(known, axes)
                if is_identity(axes):
                    ends.append(number)
                    continue
            possible[number] = axes
        elif step.primitive in ELEMENTWISE or step.primitive.name in _params:
            chosen = _common(step, number, possible, shapes, program, first)
            if chosen is not None:
                possible[number] = chosen
    return _between(program, first, possible, ends)


def _common(
    step: Step,
    number: int,
    possible: Mapping[int, Axes],
    shapes: Sequence[Shape],
    program: Program,
    first: int,
) -> Axes | None:
    """Returns the order in which a step has the fewest large operands to transpose, or None for its own."""
    counts: dict[Axes | None, int] = {}
    for one in step.inputs:
        axes = possible.get(one)
        if axes is None and (
            prod(shapes[one]) * PART <= prod(shapes[number])
            or (one >= first and program.steps[one - first].primitive.name == "broadcast_to")
        ):
            continue
        if axes is not None and len(axes) != step.spec.ndim:
            axes = None
        counts[axes] = counts.get(axes, 0) + 1
    own = counts.pop(None, 0)
    if not counts:
        return None
    best = max(counts, key=lambda axes: counts[axes])
    return best if counts[best] >= own else None


def _between(
    program: Program, first: int, possible: Mapping[int, Axes], ends: Sequence[int]
) -> Mapping[int, Axes]:
    """Returns the orders of the values that lead to transpositions that cancel."""
    found: dict[int, Axes] = {}
    waiting = [program.steps[number - first].inputs[0] for number in ends]
    while waiting:
        number = waiting.pop()
        axes = possible.get(number)
        if axes is None or number in found:
            continue
        found[number] = axes
        step = program.steps[number - first]
        if step.primitive.name == "transpose":
            waiting += [one for one in step.inputs if one in possible]
        else:
            waiting += [one for one in step.inputs if possible.get(one) == axes]
    return found


class Ordered:
    """The values of a program while it is lowered: each as it was computed, and as it was recorded."""

    __slots__ = ("_axes", "_first", "_jax", "_recorded", "_steps", "computed")

    def __init__(self, jax: Any, program: Program, values: list[Any], axes: Mapping[int, Axes]) -> None:
        self._jax, self._axes, self._steps = jax, axes, program.steps
        self._first = len(values)
        self.computed = values
        self._recorded: dict[int, Any] = {}

    def __getitem__(self, number: int) -> Any:
        """Returns a value in the order in which it was recorded."""
        axes = self._axes.get(number)
        if axes is None:
            return self.computed[number]
        found = self._recorded.get(number)
        if found is None:
            found = self._recorded[number] = self._jax.lax.transpose(self.computed[number], axes)
        return found

    def operands(self, step: Step) -> list[Any]:
        """Returns the operands of a step in the order in which they were recorded."""
        return [self[one] for one in step.inputs]

    def result(self, number: int, step: Step, params: dict[str, Any], compute: Callable[..., Any]) -> Any:
        """Returns what `compute` gives for the operands of a step, in the order chosen for the step."""
        axes = self._axes.get(number)
        if step.primitive.name == "transpose":
            (source,) = step.inputs
            known = self._axes.get(source)
            if axes is not None or (known is not None and is_identity(after(known, params["axes"]))):
                return self.computed[source]
        elif axes is not None:
            operands = [self._operand(one, axes) for one in step.inputs]
            change = _params.get(step.primitive.name)
            params = params if change is None else change(params, axes)
            return self._jax.numpy.asarray(compute(*operands, **params))
        elif step.inputs and (known := self._axes.get(step.inputs[0])) is not None and is_reduction(step):
            along = tuple(sorted(known[axis] for axis in params["axes"]))
            found = compute(self.computed[step.inputs[0]], axes=along, keepdims=True)
            return self._jax.lax.transpose(found, known).reshape(step.spec.shape)
        return self._jax.numpy.asarray(compute(*self.operands(step), **params))

    def _operand(self, number: int, axes: Axes) -> Any:
        """Returns an operand in this order of axes."""
        if self._axes.get(number) == axes:
            return self.computed[number]
        step = self._steps[number - self._first] if number >= self._first else None
        if step is not None and step.primitive.name == "broadcast_to":
            value = self._operand(step.inputs[0], axes)
            return self._jax.numpy.broadcast_to(value, reordered(step.spec.shape, axes))
        value = self[number]
        if value.ndim == 0:
            return value
        value = value.reshape((1,) * (len(axes) - value.ndim) + value.shape)
        return self._jax.lax.transpose(value, inverse(axes))


def is_reduction(step: Step) -> bool:
    """Returns whether a step reduces its operand along some axes, and nothing else."""
    from penstock.ops.batching import REDUCTIONS

    return step.primitive in REDUCTIONS


def after(known: Axes, axes: Axes) -> Axes:
    """Returns the axes of one transposition in place of two.

    >>> after((0, 3, 1, 2), (0, 2, 3, 1))
    (0, 1, 2, 3)
    """
    return tuple(known[axis] for axis in axes)


def is_identity(axes: Axes) -> bool:
    """Returns whether a transposition leaves everything in its place."""
    return axes == tuple(range(len(axes)))


def inverse(axes: Axes) -> Axes:
    """Returns the axes that undo a transposition.

    >>> inverse((0, 3, 1, 2))
    (0, 2, 3, 1)
    """
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def reordered(items: Sequence[Any], axes: Axes) -> tuple[Any, ...]:
    """Returns the items for each axis of a recorded value in the order of axes in which it is computed."""
    return tuple(items[axis] for axis in inverse(axes))


__all__ = ["Axes", "Ordered", "after", "inverse", "is_identity", "orders", "reordered"]
