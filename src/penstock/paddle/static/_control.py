"""Control flow of static programs: a value chooses which part of a program runs, and how often."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from penstock.capture.calls import Input, site_code
from penstock.declared import named
from penstock.paddle._convert import to_tensor
from penstock.paddle._creation import assign
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._mode import mode
from penstock.paddle.static._program import Operation, programs
from penstock.paddle.static._variable import StaticLeaf, StaticParameter, Variable, build
from penstock.trace.lengths import unknown
from penstock.trace.source_site import here
from penstock.trace.spec import spec
from penstock.trace.structure import flatten

_frame = sys._getframe


class _Part:
    """The recording of one function, and its result."""

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any] = ()) -> None:
        with programs.main.block() as self.operations:
            leaves, self.form = flatten(function(*arguments))
            self.results = [_as_variable(one) for one in leaves]

    def run(self, values: dict[Any, Any], testing: bool) -> list[Any]:
        for one in self.operations:
            one.run(values, testing)
        return [values[one] for one in self.results]


def _as_variable(one: Any) -> Any:
    if isinstance(one, Variable):
        return one
    eager = assign if isinstance(one, StaticLeaf | StaticParameter) else to_tensor
    return build(eager, "assign", (one,), {}, _frame(1))


class _Control(Operation):
    """An operation that runs parts of the program."""

    def __init__(self, kind: str, inputs: Sequence[Any], parts: Sequence[_Part], frame: Any) -> None:
        code = site_code(frame, programs.main.codes)
        super().__init__(kind, _never, [], {}, inputs, code)
        self.parts = list(parts)
        self.blocks = [one.operations for one in parts]
        outside = {one: None for part in parts for inner in part.operations for one in inner.inputs}
        self.inputs = [*inputs, *(one for one in outside if not any(one is given for given in inputs))]


def _never() -> None:
    raise AssertionError("a part of a program is run by its operation")


class _Choice(_Control):
    def run(self, values: dict[Any, Any], testing: bool) -> None:
        chosen = bool(np.asarray(values[self.inputs[0]]).reshape(-1)[0])
        self.give(values, self.parts[0 if chosen else 1].run(values, testing))


class _Loop(_Control):
    counters: list[Any]

    def run(self, values: dict[Any, Any], testing: bool) -> None:
        asked, body = self.parts
        present = [values[one] for one in self.starts]
        while True:
            values.update(zip(self.counters, present, strict=True))
            if not bool(np.asarray(asked.run(values, testing)[0]).reshape(-1)[0]):
                break
            present = body.run(values, testing)
        self.give(values, present)

    starts: list[Any]


class _Repeated(_Control):
    """A block that is run while a variable is true, which the block itself writes."""

    def __init__(self, condition: Any, before: set[Any], operations: list[Operation], frame: Any) -> None:
        super().__init__("while", [condition], [], frame)
        self.condition, self.operations, self.blocks = condition, operations, [operations]
        own = {one for inner in operations for one in inner.outputs}
        self.outputs = [one for one in own if one in before]
        read = {one: None for inner in operations for one in inner.inputs if one in before}
        self.inputs = [condition, *(one for one in read if one is not condition)]

    def run(self, values: dict[Any, Any], testing: bool) -> None:
        while bool(np.asarray(values[self.condition]).reshape(-1)[0]):
            for one in self.operations:
                one.run(values, testing)


class While:
    """Runs the operations inside its `block()` repeatedly while `cond` is true.

    What the block writes into variables from outside, as `paddle.assign(value, output=variable)` and
    `paddle.increment(variable)` do, they keep, and `cond` must be among them. `is_test` does nothing: a run
    keeps the history that gradients may need.
    """

    def __init__(self, cond: Any, is_test: bool = False, name: Any = None) -> None:
        if not isinstance(cond, Variable):
            raise InvalidTypeError(
                f"While takes a variable of a static program as cond, not {type(cond).__name__}.",
                remedy="Call paddle.enable_static() first, or write a Python while loop.",
                site=here(),
            )
        self.cond = cond

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Records the calls inside into the loop."""
        program, frame = programs.main, _frame(2)
        before = {one for inner in program.operations for one in inner.outputs} | set(program.data.values())
        with program.block() as operations:
            yield
        operation = _Repeated(self.cond, before, operations, frame)
        if self.cond not in set(operation.outputs):
            raise InvalidValueError(
                "The block of While does not change its condition, so that the loop would never end.",
                remedy="Write in the block: paddle.assign(paddle.less_than(i, n), output=cond).",
                site=here(),
            )
        program.add(operation)


def Assert(cond: Any, data: Any = None, summarize: int = 20, name: Any = None) -> None:
    """Raises ValueError in a run in which `cond` is not true, with the values of `data`.

    `summarize` says how many elements of each are shown, -1 for all.
    """
    given = [cond, *([] if data is None else data)]

    def checked(wanted: Any, *shown: Any) -> list[Any]:
        if not _is_true(wanted):
            lines = []
            for one in shown:
                flat = np.asarray(one).reshape(-1)
                few = flat if summarize < 0 else flat[:summarize]
                lines.append(f"shape {list(one.shape)}, dtype {one.dtype.name}, data {few.tolist()}")
            raise InvalidValueError(
                "The condition of Assert must be true, but it is false.",
                origin="; ".join(lines),
                site=here(),
            )
        return []

    if not mode.builds():
        checked(*given)
        return
    places = [Input(number) for number in range(len(given))]
    operation = Operation("assert", checked, places, {}, given, site_code(_frame(1), programs.main.codes))
    programs.main.add(operation)


def _joined(one: Any, other: Any, word: str) -> Any:
    """Returns a variable that may be either of two."""
    if one.spec.ndim != other.spec.ndim or one.spec.dtype != other.spec.dtype:
        raise InvalidTypeError(
            f"{word}: the functions return {one.dtype.name} {list(one.shape)} and {other.dtype.name} "
            f"{list(other.shape)}.",
            why="The functions must return one dtype and one number of axes.",
            site=here(),
        )
    pairs = zip(one.spec.shape, other.spec.shape, strict=True)
    lengths = tuple([a if a is b or a == b else unknown("None") for a, b in pairs])
    return Variable(spec(lengths, one.spec.dtype), word, stopped=one.stop_gradient and other.stop_gradient)


def _is_true(pred: Any) -> bool:
    return bool(np.asarray(pred).reshape(-1)[0])


@named("paddle.static.nn.cond")
def cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None, return_names: Any = None
) -> Any:
    """Returns what `true_fn` gives if `pred` is true, else what `false_fn` gives; only that one is run.

    Results have the names of their operations: `return_names` does nothing.
    """
    if not mode.builds() or not isinstance(pred, Variable):
        chosen = true_fn if _is_true(pred) else false_fn
        return None if chosen is None else chosen()
    nothing = lambda: None  # noqa: E731
    parts = [_Part(true_fn or nothing), _Part(false_fn or nothing)]
    if parts[0].form != parts[1].form:
        raise InvalidTypeError(
            f"true_fn and false_fn of cond return different structures: {parts[0].form} and {parts[1].form}.",
            remedy="Return as many tensors from both.",
            site=here(),
        )
    operation = _Choice("cond", [pred], parts, _frame(1))
    operation.outputs = [_joined(*pair, "cond") for pair in zip(parts[0].results, parts[1].results)]
    programs.main.add(operation)
    return parts[0].form.packed(iter(operation.outputs))


@named("paddle.static.nn.while_loop")
def while_loop(cond: Any, body: Any, loop_vars: Any, is_test: bool = False, name: Any = None) -> Any:
    """Calls `body` with the loop's tensors, and then with its results, while `cond` of them is true.

    A run keeps the history that gradients may need in any case: `is_test` does nothing.
    """
    if not mode.builds():
        present = list(loop_vars)
        while _is_true(cond(*present)):
            found = body(*present)
            present = list(found) if isinstance(found, list | tuple) else [found]
        return present
    starts = [_as_variable(one) for one in loop_vars]
    counters = [Variable(one.spec, "loop", stopped=one.stop_gradient) for one in starts]
    asked = _Part(cond, counters)
    specs = [one.spec for one in counters]
    inside = _Part(body, counters)
    for one, own in zip(counters, specs, strict=True):
        one.spec = own
    operation = _Loop("while", starts, [asked, inside], _frame(1))
    operation.counters, operation.starts = counters, starts
    mine = set(counters)
    operation.inputs = [one for one in operation.inputs if one not in mine]
    operation.outputs = [_joined(*pair, "while_loop") for pair in zip(starts, inside.results, strict=True)]
    programs.main.add(operation)
    return list(operation.outputs)


@named("paddle.static.nn.case")
def case(pred_fn_pairs: Any, default: Any = None, name: Any = None) -> Any:
    """Returns the result of the function with the first true value, else of `default` or the last one."""
    (pred, function), *others = pred_fn_pairs
    if not others:
        return cond(pred, function, default or function)
    return cond(pred, function, lambda: case(others, default))


@named("paddle.static.nn.switch_case")
def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: Any = None) -> Any:
    """Returns the result of the function with this number, else of `default` or of the largest number."""
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if pairs and not isinstance(pairs[0], list | tuple):
        pairs = list(enumerate(pairs))
    pairs.sort(key=lambda one: one[0])
    otherwise = default or pairs[-1][1]
    return case([(branch_index == number, function) for number, function in pairs], otherwise)
