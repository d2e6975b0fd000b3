"""Functions of tensors in a graph: they build once, on parameters, and are replayed at each turn."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from penstock.capture.calls import call_at, filled
from penstock.declared import named
from penstock.errors import CaptureError, PenstockError
from penstock.grad.custom import CustomGradient
from penstock.tensorflow import _control, _shape_functions
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elementwise import equal
from penstock.tensorflow._errors import ArgumentError, CallableError
from penstock.tensorflow._graphs import arrays as arrays
from penstock.tensorflow._graphs.build import build, call_kernel, constant, give, taken
from penstock.tensorflow._graphs.cond import Branch, cond
from penstock.tensorflow._graphs.graph import Graph, Operation, mode
from penstock.tensorflow._graphs.infer import Output, Place, infer
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor, open_spec, shown_shape
from penstock.tensorflow._graphs.texts import OBJECTS, SymbolicText, is_text, only_now
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_array import TensorArray
from penstock.tensorflow._tensor_shape import as_shape
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import spec
from penstock.trace.structure import flat, mapped, outline, packed
from penstock.trace.tensor import Tensor

_frame = sys._getframe


# -- functions --------------------------------------------------------------------------------------------


class Turn:
    """A function that a graph has built, as a function of values in one replay."""

    def __init__(self, runner: Any, branch: Branch) -> None:
        self.runner, self.branch = runner, branch
        # What tells functions apart for those who remember how a function has to be run.
        self.__code__ = branch

    def __call__(self, *given: Any) -> list[Any]:
        """Returns the results for these operands, in a list."""
        values = [
            one if isinstance(one, TensorArray | StringTensor) else tensor_of(one)
            for one in flat(list(given))
        ]
        return self.runner.inside(self.branch, values)  # type: ignore[no-any-return]


def _parameters(graph: Graph, facts: Sequence[Output], frame: FrameType) -> list[SymbolicTensor]:
    found = []
    for one in facts:
        operation = graph.add("Parameter", "arg", _unbound, (), frame)
        found.append(give(operation, Place(0), [one]))
    return found


def _unbound(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
    raise ArgumentError(
        f"{operation.outputs[0]} has a value only inside the function that it was given to.",
        origin=f"the function was given it at {operation.site}",
        remedy="Return what you need from the function.",
        site=operation.site,
    )


def _leaves(structure: Any, what: str, frame: FrameType) -> list[SymbolicTensor]:
    found = []
    for one in flat(structure):
        if isinstance(one, TensorArray) and not isinstance(one, SymbolicTensor):
            raise ArgumentError(
                f"tf.{what} was given a TensorArray that was created before the graph.",
                remedy="Create it in the graph in which it is used.",
                site=here(),
            )
        found.append(constant(one, f"{what}/input", frame))
    return found


def _placed(structure: Any) -> Any:
    numbers = iter(range(len(flat(structure))))
    return mapped(structure, lambda _: Place(next(numbers)))


def _operation(
    graph: Graph, type: str, name: str, kernel: Any, inputs: Sequence[SymbolicTensor],
    branches: Sequence[Branch], frame: FrameType, **details: Any,
) -> Operation:  # fmt: skip
    """Adds an operation that runs functions which the graph has built."""
    needed = dict.fromkeys([*inputs, *(one for branch in branches for one in branch.outside)])
    made = graph.add(
        type, name, kernel, list(needed), frame, writes=any(one.writes for one in branches),
        fresh=any(each.fresh for one in branches for each in one.order),
    )  # fmt: skip
    variables = tuple([v for one in branches for v in one.variables])
    made.details = {"branches": list(branches), "given": list(inputs), **details}
    if variables:
        made.details["variables"] = variables
    return made


def _called(operation: Operation, call: Any, *arguments: Any, **options: Any) -> list[Any]:
    """Calls an eager function on the user's line; replays one that a captured step cannot hold."""
    try:
        return flat(call_at(operation.code, call, arguments, options))
    except PenstockError as error:
        if getattr(local.trace, "capturing", False) and not isinstance(error, CaptureError):
            raise CaptureError(f"{operation.name} is replayed: {error.fact}") from error
        raise


def _facts(one: SymbolicTensor) -> Output:
    """Returns the known facts of a tensor."""
    return Output.like(one, one.spec, None if one.shape is UNKNOWN else list(one.shape))


def _row(one: SymbolicTensor) -> Output:
    """Returns the known facts of a slice along the first axis."""
    if isinstance(one, SymbolicText):
        return Output(one._dtype, None, shape=None if one.shape is UNKNOWN else list(one.shape)[1:])
    return Output(one._dtype, None if one.spec is None else spec(one.spec.shape[1:], one._dtype))


def _stacked(one: SymbolicTensor, along: SymbolicTensor) -> Output:
    if isinstance(one, SymbolicText) or isinstance(along, SymbolicText):
        if one.shape is UNKNOWN or along.shape is UNKNOWN:
            return Output(one._dtype, None)
        shape = [along.shape[0], *one.shape]
        own = None if isinstance(one, SymbolicText) else open_spec(shape, one._dtype, "map")
        return Output(one._dtype, own, shape=shape)
    if one.spec is None or along.spec is None:
        return Output(one._dtype, None)
    return Output(one._dtype, spec((along.spec.shape[0], *one.spec.shape), one._dtype))


def _with_texts(tensors: Sequence[SymbolicTensor]) -> bool:
    return any(isinstance(one, SymbolicText) for one in tensors)


# -- maps -------------------------------------------------------------------------------------------------


@named("tf.compat.v1.map_fn")
def map_fn(
    fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: Any = True,
    swap_memory: Any = False, infer_shape: Any = True, name: Any = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """Returns what `tf.map_fn` does, with a function that may read tensors of the graph.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [None])
    ...     print(session.run(tf.map_fn(lambda one: one * x[0], x), {x: [2.0, 3.0]}))
    [4. 6.]
    """
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    frame, graph = _frame(1), mode.building()
    if graph is None:
        return _control.map_fn(fn, elems, fn_output_signature=wanted)
    if not callable(fn):
        raise CallableError(f"The provided function {fn!r} is not callable.", site=here())
    given = _leaves(elems, "map_fn", frame)
    with graph.name_scope(name or "map"):
        taken_in = _parameters(graph, [_row(one) for one in given], frame)
        branch = Branch(
            graph, lambda: fn(packed(elems, iter(taken_in))), frame, "map_fn", taken_in, apart=True
        )
        _agree("map_fn", branch, [one._dtype for one in given] if wanted is None else _dtypes(wanted))
        made = _operation(graph, "While", "TensorArrayV2Stack", _map, given, [branch], frame)
    return give(made, branch.structure, [_stacked(one, given[0]) for one in branch.results])


def _dtypes(signature: Any) -> list[Any]:
    dtypes = [getattr(one, "dtype", one) for one in flat(signature)]
    return [OBJECTS if is_text(one) else numpy_dtype(one) for one in dtypes]


def _agree(what: str, branch: Branch, dtypes: Sequence[Any]) -> None:
    found = [one._dtype for one in branch.results]
    if found != list(dtypes):
        raise ArgumentError(
            f"tf.{what}: the function returned {[one.name for one in found]}, and "
            f"{[one.name for one in dtypes]} was expected.",
            remedy="Declare what the function returns: fn_output_signature=tf.float32, or a tuple of dtypes.",
            site=here(),
        )


def _map(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    details = operation.details
    (branch,) = details["branches"]
    signature = [one.dtype for one in branch.results]
    given = [runner.values[one] for one in details["given"]]
    if _with_texts([*details["given"], *branch.results]):
        only_now()
    return _called(operation, _control.map_fn, Turn(runner, branch), given, fn_output_signature=signature)


@named("tf.compat.v1.vectorized_map")
def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: Any = True, warn: Any = True) -> Any:
    """Returns what `tf.vectorized_map` does: in a graph, `map_fn` of a function of any dtypes."""
    if mode.building() is None:
        return _control.vectorized_map(fn, elems)
    frame, graph = _frame(1), mode.default()
    given = _leaves(elems, "vectorized_map", frame)
    with graph.name_scope("vectorized_map"):
        taken_in = _parameters(graph, [_row(one) for one in given], frame)
        branch = Branch(graph, lambda: fn(packed(elems, iter(taken_in))), frame, "vectorized_map", taken_in)
        made = _operation(graph, "While", "TensorArrayV2Stack", _map, given, [branch], frame)
    return give(made, branch.structure, [_stacked(one, given[0]) for one in branch.results])


@named("tf.compat.v1.scan")
def scan(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, infer_shape: Any = True, reverse: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns what `tf.scan` does, with a function that may read tensors of the graph."""
    frame, graph = _frame(1), mode.building()
    if graph is None:
        return _control.scan(fn, elems, initializer, reverse=reverse)
    if not callable(fn):
        raise CallableError(f"The provided function {fn!r} is not callable.", site=here())
    given = _leaves(elems, "scan", frame)
    start = [] if initializer is None else _leaves(initializer, "scan", frame)
    with graph.name_scope(name or "scan"):
        carried = [_row(one) for one in given] if initializer is None else [_facts(one) for one in start]
        carry = _parameters(graph, carried, frame)
        rows = _parameters(graph, [_row(one) for one in given], frame)
        form = elems if initializer is None else initializer

        def turn() -> Any:
            return fn(packed(form, iter(carry)), packed(elems, iter(rows)))

        branch = Branch(graph, turn, frame, "scan", [*carry, *rows], apart=True)
        _agree("scan", branch, [one.dtype for one in carried])
        made = _operation(
            graph, "While", "TensorArrayV2Stack", _scan, [*given, *start], [branch], frame,
            count=len(given), reverse=reverse,
        )  # fmt: skip
    return give(made, branch.structure, [_stacked(one, given[0]) for one in branch.results])


def _scan(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    details = operation.details
    given = [runner.values[one] for one in details["given"]]
    if _with_texts([*details["given"], *details["branches"][0].results]):
        only_now()
    count = details["count"]
    start = given[count:] or None
    turn = Turn(runner, details["branches"][0])
    return _called(operation, _control.scan, turn, given[:count], start, reverse=details["reverse"])


@named("tf.compat.v1.foldl")
def foldl(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns fn(... fn(fn(first, elems[0]), elems[1]) ...): slices along the first axis, in order."""
    if mode.building() is None:
        return _shape_functions.foldl(fn, elems, initializer)
    return mapped(scan(fn, elems, initializer, name=name or "foldl"), lambda one: one[-1])


@named("tf.compat.v1.foldr")
def foldr(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns what `foldl` does, from the last slice to the first."""
    if mode.building() is None:
        return _shape_functions.foldr(fn, elems, initializer)
    return mapped(scan(fn, elems, initializer, reverse=True, name=name or "foldr"), lambda one: one[0])


# -- loops ------------------------------------------------------------------------------------------------


@named("tf.compat.v1.while_loop")
def while_loop(
    cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None, parallel_iterations: Any = 10,
    back_prop: Any = True, swap_memory: Any = False, name: Any = None, maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """Returns the last of `loop_vars = body(*loop_vars)`, repeated while `cond(*loop_vars)`.

    A single variable comes back without its list, unless `return_same_structure` is set. After
    `tf.disable_v2_behavior()`, several come back as a tuple if the body returns one, and else as a list.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [])
    ...     power = tf.while_loop(lambda y: y < 50.0, lambda y: y * x, [x])
    ...     print(session.run([power, tf.gradients(power, x)[0]], {x: 4.0}))
    [np.float32(64.0), np.float32(48.0)]
    """
    frame, graph = _frame(1), mode.building()
    if graph is None:
        return _control.while_loop(cond, body, loop_vars, maximum_iterations=maximum_iterations)
    for word, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise CallableError(f"'{word}' must be callable.", site=here())
    if not isinstance(loop_vars, list | tuple) or not loop_vars:
        raise ArgumentError("'loop_vars' must be provided.", site=here(), remedy="Give a list or tuple.")
    start = _leaves(loop_vars, "while_loop", frame)
    shapes: list[Any] = [one.shape for one in start]
    known = [one.spec for one in start]
    if shape_invariants is not None:
        shapes = flat(shape_invariants, lambda one: one is None or not isinstance(one, list | tuple | dict))
        known = [
            one.spec if isinstance(one, TensorArray | SymbolicText) else open_spec(shape, one._dtype, "loop")
            for shape, one in zip(shapes, start, strict=True)
        ]
    facts = [Output.like(*one) for one in zip(start, known, map(_lengths, shapes), strict=True)]
    with graph.name_scope(name or "while"):
        carried = _parameters(graph, facts, frame)
        form = list(loop_vars)
        asked = Branch(
            graph, lambda: cond(*packed(form, iter(carried))), frame, "while_loop", carried, apart=True
        )
        kind: list[Any] = [type(loop_vars)]

        def turn() -> Any:
            found = body(*packed(form, iter(carried)))
            if mode.by_reference:
                kind[0] = tuple if type(found) is tuple else list
            return _listed(found)

        turned = Branch(graph, turn, frame, "while_loop", carried, apart=True)
        _same_loop(form, turned, start, carried)
        limit = [] if maximum_iterations is None else _leaves([maximum_iterations], "while_loop", frame)
        made = _operation(
            graph, "While", "LoopCond", _loop, [*start, *limit], [asked, turned], frame, limited=bool(limit)
        )
    # The elements of an array have the shape of what the body writes.
    ends = [one.spec if isinstance(one, TensorArray) else own for one, own in zip(turned.results, known)]
    outputs = [Output.like(one, own, fact.shape) for one, own, fact in zip(start, ends, facts, strict=True)]
    found = give(
        made, _placed(kind[0](loop_vars) if type(loop_vars) in (list, tuple) else loop_vars), outputs
    )
    return found[0] if len(start) == 1 and not return_same_structure else found


def _second_loop(
    cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None, parallel_iterations: Any = 10,
    back_prop: Any = True, swap_memory: Any = False, maximum_iterations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns what TensorFlow 2's `tf.while_loop` does: the variables in their structure."""
    return while_loop(
        cond, body, loop_vars, shape_invariants, name=name, maximum_iterations=maximum_iterations,
        return_same_structure=True,
    )  # fmt: skip


while_loop._second = _second_loop  # type: ignore[attr-defined]


def _lengths(shape: Any) -> list[Any] | None:
    """Returns a shape as a list; None for any number of axes."""
    return None if shape is None or getattr(shape, "rank", 0) is None else list(as_shape(shape))


def _listed(found: Any) -> Any:
    return list(found) if isinstance(found, list | tuple) else [found]


def _same_loop(
    form: Any, turned: Branch, start: Sequence[SymbolicTensor], carried: Sequence[SymbolicTensor]
) -> None:
    if outline(turned.structure) != outline(form):
        raise ArgumentError(
            "The two structures don't have the same nested structure.",
            origin=f"loop_vars: {outline(form)}\nthe body's result: {outline(turned.structure)}",
            remedy="Return as many tensors from the body as there are loop_vars.",
            site=here(),
        )
    for before, inside, after in zip(start, carried, turned.results, strict=True):
        if after._dtype != before._dtype:
            raise TypeError(
                f"Loop var {before.name} enters the loop with type {before.dtype!r}, but has type "
                f"{after.dtype!r} after 1 iteration."
            )
        if not _holds(inside, after):
            raise ValueError(
                f"Input tensor `{before.name}` enters the loop with shape {inside.shape}, but has shape "
                f"{after.shape} after one iteration. To allow the shape to vary across iterations, use the "
                "`shape_invariants` argument of tf.while_loop to specify a less-specific shape."
            )


def _holds(before: SymbolicTensor, after: SymbolicTensor) -> bool:
    """Returns whether the known facts of a loop's variable also hold after a turn."""
    if isinstance(before, SymbolicText):
        if after.shape is UNKNOWN:
            # Few functions of strings say which shapes they give.
            return True
        known, found = _lengths(before.shape), _lengths(after.shape)
    else:
        known, found = (None if one.spec is None else list(shown_shape(one.spec)) for one in (before, after))
    if known is None:
        return True
    if found is None or len(known) != len(found):
        return False
    return all(a is None or a == b for a, b in zip(known, found, strict=True))


def _loop(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    details = operation.details
    given = [runner.values[one] for one in details["given"]]
    limit = given.pop() if details["limited"] else None
    asked, turned = (Turn(runner, one) for one in details["branches"])
    if _with_texts(details["given"]):
        only_now()
    if runner.session.trial:
        # A value reaches each of the others within as many turns as there are.
        for _ in given:
            asked(*given)
            given = turned(*given)
        return given
    if limit is None and runner.tape is not None and getattr(local.trace, "capturing", False):
        raise CaptureError("A gradient may pass a loop of unknown length.")
    return _called(
        operation, _control.while_loop, lambda *now: asked(*now)[0], turned, given, maximum_iterations=limit
    )


# -- choices ----------------------------------------------------------------------------------------------


@named("tf.compat.v1.case")
def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """Returns the result of the function with the first true predicate, or of `default`."""
    if mode.building() is None:
        return _shape_functions.case(pred_fn_pairs, default, exclusive)
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    checked = [_at_most_one([one for one, _ in pairs])] if exclusive else []
    if default is None:
        pairs, default = pairs[:-1], pairs[-1][1]
    with mode.default().control_dependencies(checked):
        return _shape_functions.chosen(cond, pairs, default)


@named("tf.compat.v1.switch_case")
def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: Any = "switch_case") -> Any:
    """Returns the result of the function with this number; for other numbers the last one, or `default`."""
    if mode.building() is None:
        return _shape_functions.switch_case(branch_index, branch_fns, default)
    table, last = _shape_functions.numbered(branch_fns, default)
    place = constant(branch_index, "switch_case/index", _frame(1))
    pairs = [(_equal(place, number), function) for number, function in table.items()]
    return _shape_functions.chosen(cond, pairs, last)


def _equal(place: SymbolicTensor, number: int) -> Any:
    return build(equal, "Equal", "Equal", (place, number), {}, _frame(2))


# -- functions of the user's ------------------------------------------------------------------------------


class _InRun(CustomGradient[Any]):
    """A function with a custom gradient, as a run of the graph calls it."""

    _kind: type[Tensor] = EagerTensor


def with_gradient(function: Callable[..., Any], arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """Builds a call of a function with a custom gradient: `function` returns (value, gradient)."""
    frame, graph = _frame(2), mode.default()
    given = _leaves(list(arguments), "custom_gradient", frame)
    kept: list[Any] = []

    def forward() -> Any:
        found = function(*packed(list(arguments), iter(inner)), **options)
        if not isinstance(found, tuple) or len(found) != 2 or not callable(found[1]):
            raise ArgumentError(
                "tf.custom_gradient: the function must return (value, gradient function).",
                remedy="return value, gradient",
                site=here(),
            )
        kept.append(found[1])
        return found[0]

    with graph.name_scope("custom_gradient"):
        first = len(graph.operations)
        inner = _parameters(graph, [_facts(one) for one in given], frame)
        value = Branch(graph, forward, frame, "custom_gradient", inner)
        slopes = _parameters(graph, [_facts(one) for one in value.results], frame)
        gradient = Branch(
            graph, lambda: _listed(kept[0](*slopes)), frame, "custom_gradient", [*inner, *slopes], first
        )
        made = _operation(graph, "IdentityN", "IdentityN", _own_gradient, given, [value, gradient], frame)
    return give(made, value.structure, [Output(one._dtype, one.spec) for one in value.results])


def _own_gradient(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    value, gradient = operation.details["branches"]
    given = [runner.values[one] for one in operation.details["given"]]

    def function(*operands: Any) -> Any:
        def slopes(*upstream: Any) -> list[Any]:
            return runner.inside(gradient, [*operands, *upstream])  # type: ignore[no-any-return]

        return runner.inside(value, operands), slopes

    return _called(operation, _InRun(function), *given)


def _by_python(eager: Callable[..., Any], type: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def function(func: Any = None, inp: Any = None, Tout: Any = None, *more: Any, name: Any = None) -> Any:
        if mode.building() is None:
            return eager(func, inp, Tout, *more)
        frame, graph = _frame(1), mode.default()
        given = _leaves(list(inp), type, frame)
        made = graph.add(type, name or type, _call_python, given, frame, fresh=True)
        made.details = {"call": call, "function": func, "dtypes": Tout}
        form = list(Tout) if isinstance(Tout, list | tuple) else Tout
        return give(made, _placed(form), [Output(numpy_dtype(one), None) for one in flat(form)])

    function.__name__ = function.__qualname__ = eager.__name__
    function.__doc__ = eager.__doc__
    return function


def _call_python(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    if runner.session.trial:
        raise CaptureError("What a function of Python's gives is not known before it is called.")
    details = operation.details
    return _called(operation, details["call"], details["function"], list(values), details["dtypes"])


numpy_function = named("tf.compat.v1.numpy_function")(
    _by_python(_shape_functions.numpy_function, "PyFunc", _shape_functions.checked_numpy_function)
)
py_function = named("tf.compat.v1.py_function")(
    _by_python(_shape_functions.py_function, "EagerPyFunc", _shape_functions.py_function)
)


# -- checks -----------------------------------------------------------------------------------------------


def checking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a check that, in a graph, is an operation: it raises when a session runs it."""

    def check(*arguments: Any, **options: Any) -> Any:
        graph = mode.building()
        if graph is None:
            return function(*arguments, **options)
        frame, inputs = _frame(1), []  # type: ignore[var-annotated]
        options.pop("name", None)
        template, choices = taken(list(arguments), inputs, graph), taken(options, inputs, graph)
        code = graph.site_code(frame)

        def tried(values: list[Any]) -> Any:
            return call_at(code, function, filled(template, values), filled(choices, values))

        with contextlib.suppress(CaptureError):
            infer(tried, inputs, True)
        made = graph.add("Assert", function.__name__, call_kernel, inputs, frame)
        made.details = {"call": function, "arguments": template, "options": choices}
        return made

    check.__name__ = check.__qualname__ = function.__name__
    check.__doc__ = function.__doc__
    check._checked = function  # type: ignore[attr-defined]
    return check


_at_most_one = checking(_shape_functions.at_most_one)


def is_symbolic(values: Any) -> bool:
    """Returns whether there is a tensor or variable of a graph in a structure."""
    return any(isinstance(one, SymbolicTensor | GraphVariable) for one in flat(values))
