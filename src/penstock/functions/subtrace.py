"""Recording a user's function as a separate program, inside the recording that will hold it.

The function runs once on each pass, with tensors that have no value yet, and walks a separate trace through
the shared tree: from the second pass on this is one look-up an operation, however often the program is run.
Whatever it uses from outside (tensors, variables, numbers that vary, keys of random numbers) becomes an
operand.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import AbandonedError, CaptureError, DTypeError
from penstock.functions.rewrite import BodyBuilder, inline
from penstock.ops.promotion import kind_of, number_kind
from penstock.tiers.subprogram import Body
from penstock.trace.budget import budget
from penstock.trace.builder import Builder, Outcome
from penstock.trace.convert import as_tensor, convert
from penstock.trace.fast_path import alive
from penstock.trace.kinds import how_to_register
from penstock.trace.leaf import NumberArgument, TensorArgument, VariableArgument
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site, here, is_library, site_of, user_frame
from penstock.trace.spec import Spec
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Node


class Recorded:
    """What came of recording a function.

    `result` is its result; `slots`, `specs` and `kinds` describe each leaf of the result.
    `captures` are the tensors and variables it took from outside, `numbers` its numbers that vary, each
    with its dtype. `node` and `slots` identify the program.
    """

    __slots__ = ("captures", "count", "entries", "kinds", "node", "numbers", "result", "slots", "specs")

    node: Node
    result: Any
    slots: tuple[int, ...]
    specs: list[Spec]
    kinds: list[type[Tensor]]
    captures: list[Any]
    numbers: list[tuple[Any, Any]]
    count: int
    entries: int

    @property
    def key(self) -> tuple[Any, ...]:
        """The key that identifies this program."""
        return self.node, self.slots, self.count

    def body(self) -> Body:
        """Returns the program: its inputs are the function's arguments, then captures, then numbers."""
        facts: dict[Any, Any] = self.node.facts
        found: Body | None = facts.get(self.key)
        if found is None:
            found = facts[self.key] = self._build()
        return found

    def _build(self) -> Body:
        calls = self.node.program()
        tensors: dict[int, Any] = {}
        variables: dict[int, Any] = {}
        numbers: list[Any] = []
        for call in calls:
            match call.primitive:
                case TensorArgument(entry=entry):
                    tensors[entry] = call.spec
                case VariableArgument(variable=index):
                    variables[index] = call.spec
                case NumberArgument():
                    numbers.append(call)
        order = [tensors[i] for i in sorted(tensors)] + [variables[i] for i in sorted(variables)]
        builder = BodyBuilder(None)
        with builder:
            inputs = builder.inputs([*order, *(call.spec for call in numbers)])
            known = {call.slot: one for call, one in zip(numbers, inputs[len(order) :], strict=True)}
            for call in calls:
                match call.primitive:
                    case TensorArgument(entry=entry):
                        known[call.slot] = inputs[entry]
                    case VariableArgument(variable=index):
                        known[call.slot] = inputs[len(tensors) + index]
            made = inline(builder, calls, known)
            return builder.body([made[slot] for slot in self.slots])


def record(
    what: str,
    function: Callable[..., Any],
    given: Sequence[tuple[Spec, type[Tensor]]],
    frame: FrameType,
    dtypes: Sequence[Any] = (),
) -> Recorded:
    """Records a function of tensors of these specs and classes; `what` names it in messages.

    `dtypes` are for leaves of the result that are Python numbers, in order. Raises CaptureError if it looks
    at a value, writes a variable, or leaves a tape open.
    """
    site = site_of(frame if not is_library(frame.f_code) else user_frame(1))
    outer = local.trace
    trace = Trace.inside(outer, what, site)
    arguments = []
    for one, kind in given:
        tensor = kind()
        # While it enters, an argument counts as a tensor from outside whose value will be known later.
        tensor._trace, tensor._past = outer, None
        tensor._slot, tensor._spec, tensor._value = -1, one, None
        arguments.append(tensor)
    local.trace = trace
    try:
        for tensor in arguments:
            tensor._slot = trace.enter(tensor)
            tensor._trace = trace
        result = function(*arguments)
        if trace.taping:
            raise CaptureError(f"A tape was left open inside {what}.", site=site)
        found = Recorded()
        wanted = itertools.chain(dtypes, itertools.repeat(None))
        leaves = [as_leaf(one, dtype) for one, dtype in zip(flat(result), wanted, strict=False)]
        found.slots = tuple([trace.reference(one) for one in leaves])
        found.specs = [one._spec for one in leaves]
        found.kinds = [class_of(one) for one in leaves]
        found.result, found.count, found.entries = result, len(given), len(trace.entries)
        found.node = trace.node
        found.node.used = budget.now
        found.captures = [*trace.entries[len(given) :], *trace.variables]
        found.numbers = [(trace.arguments[i].item(), dtype) for i, dtype in _scalars(trace.node)]
        return found
    finally:
        local.trace = outer
        _release(trace, arguments, what, site)


def as_leaf(one: Any, dtype: Any = None) -> Any:
    """Returns a tensor or variable unchanged, anything else as a tensor; a number in a dtype that fits it."""
    if isinstance(one, Tensor | Cell):
        return one
    if type(one) in (bool, int, float, complex) and dtype is not None:
        fits = "bifc".index(kind_of(np.dtype(dtype))) >= "bifc".index(number_kind(one))
        return convert(one, dtype if fits else None)
    try:
        return as_tensor(one)
    except DTypeError as error:
        if type(one).__module__ in ("builtins", "numpy"):
            raise
        raise DTypeError(
            error.fact,
            why="It is neither a tensor, nor data, nor a structure of these.",
            remedy=how_to_register(type(one)),
            site=here(),
        ) from None


def class_of(one: Any) -> type[Tensor]:
    """Returns the class of the tensors that are computed from a tensor or variable."""
    return one._tensor_class if isinstance(one, Cell) else _class_of(one)


def _class_of(tensor: Tensor) -> type[Tensor]:
    return type(tensor) if type(tensor)._dialect != "native" else Tensor


def _scalars(node: Node) -> list[tuple[int, Any]]:
    """Returns the positions and dtypes of the numbers that vary on a path."""
    found = node.facts.get("scalars")
    if found is None:
        found = node.facts["scalars"] = [
            (call.primitive.position, call.spec.dtype)
            for call in node.program()
            if isinstance(call.primitive, NumberArgument)
        ]
    return found


def _release(trace: Trace, arguments: list[Tensor], what: str, site: Site) -> None:
    """Detaches the tensors of a finished recording; using one that was kept raises an error."""
    handles = trace.handles
    kept = [one for one, held in zip(handles, alive(handles), strict=True) if held]
    # A trace and its tensors hold each other, and would hold values of variables until they are collected.
    trace.handles, trace.arguments, trace.entries, trace.variables = [], [], [], []
    trace.entered, trace.current, trace.tapes = {}, {}, []
    if not kept and not arguments:
        return
    error = AbandonedError(
        f"This tensor belongs to {what} and has no value outside it.",
        origin=f"recorded for the call at {site}",
        why="It has a different value in each run of that program.",
        remedy="Return it from there.",
        site=site,
    )
    for tensor in (*kept, *arguments):
        if tensor._value is None:
            tensor._value = error
        tensor._trace = None
        tensor._past = None


def follow(
    what: str,
    head: tuple[Any, ...],
    operands: Sequence[Any],
    numbers: Sequence[tuple[Any, Any]],
    kinds: Sequence[type[Tensor]],
    frame: FrameType,
    build: Callable[[Builder, list[Tensor]], Sequence[Tensor]],
    baked: Sequence[tuple[Any, Any]] = (),
) -> list[Tensor]:
    """Records one event over tensors and variables, expanded by `build` at its first time.

    `build` is given the operands, then the numbers, then those that are `baked` until they vary, as tensors,
    and returns the results; `kinds` are their classes.
    """
    first = len(numbers)
    numbers = [*numbers, *baked]
    trace: Any = local.trace
    if isinstance(trace, Builder):
        given = [trace.handle(Outcome(trace.reference(one), one._spec)) for one in operands]
        given += [trace.constant(number, dtype) for number, dtype in numbers]
        return list(build(trace, given))
    slots = tuple([trace.reference(one) for one in operands])

    def expand(builder: Builder) -> tuple[Outcome, ...]:
        given = [builder.handle(Outcome(slot, one._spec)) for slot, one in zip(slots, operands, strict=True)]
        given += [builder.number(place, dtype) for place, (_, dtype) in enumerate(numbers)]
        return tuple(Outcome(one._slot, one._spec) for one in build(builder, given))

    values = tuple([number for number, _ in numbers])
    dtypes = tuple([dtype for _, dtype in numbers])
    bound = frozenset(range(first))
    node = trace.follow(
        "operation", (what, head, slots, dtypes), values, frame, expand, bind=bound, within=what
    )
    return [trace.give(one, kind) for one, kind in zip(node.result, kinds, strict=True)]


__all__ = ["Recorded", "as_leaf", "class_of", "follow", "record"]
