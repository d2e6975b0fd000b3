"""Training in a static program: gradients and updates are operations that each run repeats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.capture.calls import Input, parts, site_code
from penstock.declared import named
from penstock.paddle._convert import data
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle._gradients import grad as _eager_grad
from penstock.paddle._mode import mode
from penstock.paddle._tensor import Leaf
from penstock.paddle.static._program import BACKWARD, OPTIMIZE, Operation, programs
from penstock.paddle.static._variable import Variable
from penstock.trace.source_site import here

_frame = sys._getframe


def _written(
    kind: str, call: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Any], role: str, frame: Any
) -> Operation:
    code = site_code(frame, programs.main.codes)
    places = [Input(number) for number in range(len(inputs))]
    operation = Operation(kind, call, places, {}, inputs, code, role)
    operation.outputs = list(outputs)
    programs.main.add(operation)
    return operation


def _checked(loss: Any) -> None:
    if not isinstance(loss, Variable):
        raise InvalidTypeError(
            f"The target loss of a static program must be a tensor of it, but it is {type(loss).__name__}.",
            why="paddle.enable_static() is on, so that training is written into a program.",
            remedy="Call paddle.disable_static() before programs of the dynamic mode.",
            site=here(),
        )


def _named(given: Any) -> set[Any]:
    """Returns parameters given as tensors or by their names."""
    leaves = programs.main.leaves
    return {leaves.get(one) if isinstance(one, str) else one for one in given or ()}


@named("paddle.static.append_backward")
def append_backward(
    loss: Any, parameter_list: Any = None, no_grad_set: Any = None, callbacks: Any = None,
    checkpoints: Any = None, distop_context: Any = None, *, frame: Any = None,
) -> list[tuple[Any, Any]]:  # fmt: skip
    """Writes a backward pass into the program; returns the parameters that a loss depends on, with gradients.

    What is kept for it is decided when the program is run: `checkpoints` does nothing, nor do `callbacks` and
    `distop_context`.
    """
    frame = frame or _frame(1)
    _checked(loss)
    program = programs.main
    barred = _named(no_grad_set)
    chosen = _named(parameter_list) if parameter_list is not None else None
    behind = _behind(loss)
    trained = [
        one
        for one in program.all_parameters()
        if one.trainable and one in behind and one not in barred and (chosen is None or one in chosen)
    ]

    def backward(loss: Any) -> list[Any]:
        for one in behind:
            one._gradient = None
        loss.backward(retain_graph=_asks_again(program, operation))
        for one in behind:
            if one not in kept:
                one._gradient = None
        return [_dense(one) for one in trained]

    kept = set(trained)
    gradients = [Variable(one._spec, "grad", name=f"{one.path}@GRAD", stopped=True) for one in trained]
    operation = _written("grad", backward, [loss], gradients, BACKWARD, frame)
    return list(zip(trained, gradients, strict=True))


def _dense(leaf: Any) -> Any:
    found = leaf.grad
    if found is None:
        return data(np.zeros(leaf._spec.shape, leaf._spec.dtype))
    return found


def _asks_again(program: Any, operation: Operation) -> bool:
    """Returns whether a later operation goes through the same history."""
    after = program.operations
    later = after[after.index(operation) + 1 :] if operation in after else after
    return any(one.role == BACKWARD for one in later)


def _behind(target: Variable) -> set[Any]:
    """Returns the parameters to which a gradient of a tensor can come."""
    made: dict[Any, list[Operation]] = {}
    for operation in programs.main.operations:
        for one in operation.outputs:
            made.setdefault(one, []).append(operation)
    found: set[Any] = set()
    seen: set[Any] = set()
    waiting: list[Any] = [target]
    while waiting:
        one = waiting.pop()
        if one in seen or one.stop_gradient:
            continue
        seen.add(one)
        for operation in made.get(one, ()):
            waiting += operation.inputs
            found.update(leaves_of(operation))
    return found


def leaves_of(operation: Any) -> list[Any]:
    """Returns the parameters that an operation reads."""
    found = [one for one in parts((operation.arguments, operation.options)) if isinstance(one, Leaf)]
    for layer, _ in operation.layers[:1]:
        found += layer.parameters()
    for block in getattr(operation, "blocks", ()):
        found += [one for inner in block for one in leaves_of(inner)]
    return [one for one in found if hasattr(one, "optimize_attr")]


def minimize(
    optimizer: Any, loss: Any, parameters: Any, no_grad_set: Any, frame: FrameType
) -> tuple[list[Any], list[Any]]:
    """Writes a backward pass and an update into the program; returns the update, and pairs as that pass."""
    listed = parameters if parameters is not None else optimizer._parameter_list or None
    pairs = append_backward(loss, listed, no_grad_set, frame=frame)
    return apply(optimizer, pairs, frame), pairs


def apply(optimizer: Any, pairs: Sequence[tuple[Any, Any]], frame: FrameType) -> list[Any]:
    """Writes an update by these gradients into the program."""
    trained = [one for one, _ in pairs]
    if not optimizer._parameter_list:
        optimizer._train(trained)

    def update(*gradients: Any) -> list[Any]:
        for one, gradient in zip(trained, gradients, strict=True):
            if one._gradient is None or not _is_own[one]:
                one._gradient = gradient
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        return []

    # A gradient as `append_backward` gave it is applied as it was left, rows included.
    _is_own = {one: gradient.name == f"{one.path}@GRAD" for one, gradient in pairs}
    operation = _written(
        type(optimizer).__name__.lower(), update, [gradient for _, gradient in pairs], [], OPTIMIZE, frame
    )
    programs.main.optimizers.append(optimizer)
    return [operation]


@named("paddle.static.gradients")
def gradients(targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None) -> list[Any]:
    """Returns the gradients of the targets' sum, weighted by `target_gradients`, for each of the inputs.

    None for an input that the targets do not depend on.
    """
    return _gradients(targets, inputs, target_gradients, no_grad_set, _frame(1))


def _gradients(targets: Any, inputs: Any, weights: Any, barred: Any, frame: FrameType) -> list[Any]:
    targets, inputs = _listed(targets), _listed(inputs)
    weights = None if weights is None else _listed(weights)
    fences = [one for one in barred or () if isinstance(one, Variable)]
    reached = [_reaches(targets, one) and not one.stop_gradient for one in inputs]
    sources = [one for one, there in zip(inputs, reached, strict=True) if there]
    given = [one for one in (*targets, *sources, *(weights or ()), *fences) if isinstance(one, Variable)]
    program = programs.main

    def pick(values: dict[Any, Any], listed: Sequence[Any]) -> list[Any]:
        return [values[one] if isinstance(one, Variable) else one for one in listed]

    def slopes(*present: Any) -> list[Any]:
        values = dict(zip(given, present, strict=True))
        found = _eager_grad(
            pick(values, targets),
            pick(values, sources),
            None if weights is None else pick(values, weights),
            retain_graph=True,
            create_graph=_asks_again(program, operation),
            allow_unused=True,
            no_grad_vars=pick(values, fences) or None,
        )
        return [
            one if one is not None else source * 0.0
            for one, source in zip(found, pick(values, sources), strict=True)
        ]

    made = [Variable(getattr(one, "spec", None) or one._spec, "grad") for one in sources]
    operation = _written("grad", slopes, given, made, BACKWARD, frame)
    answers = iter(made)
    return [next(answers) if there else None for there in reached]


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _reaches(targets: Sequence[Any], source: Any) -> bool:
    made: dict[Any, Any] = {}
    for operation in programs.main.operations:
        for one in operation.outputs:
            made[one] = operation
    seen: set[Any] = set()
    waiting = list(targets)
    while waiting:
        one = waiting.pop()
        if one is source:
            return True
        if one in seen or one not in made:
            continue
        seen.add(one)
        waiting += [*made[one].inputs, *leaves_of(made[one])]
    return False


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: Any = None, create_graph: bool = False,
    only_inputs: bool = True, allow_unused: bool = False, no_grad_vars: Any = None, name: Any = None,
) -> list[Any]:  # fmt: skip
    """Returns what `paddle.grad` does: in a static program, tensors of it."""
    if mode.builds():
        return _gradients(outputs, inputs, grad_outputs, no_grad_vars, _frame(1))
    return _eager_grad(
        outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, no_grad_vars
    )
