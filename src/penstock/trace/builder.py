"""The builder: it expands an event into calls, the first time that the event is met."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from penstock.errors import CaptureError, NumberRangeError
from penstock.trace.leaf import Constant, NumberArgument, Version
from penstock.trace.lengths import Amount, Length, is_symbolic
from penstock.trace.local import here_if_known, local, value_of
from penstock.trace.source_site import Site
from penstock.trace.spec import Spec, spec, spec_of
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Call, Node

if TYPE_CHECKING:
    from penstock.trace.recorder import Trace


_new = object.__new__
python_numbers = (bool, int, float, complex, Length, Amount)


class Outcome:
    """The slot and spec of one value that an event returns; a tensor is made from it on each pass."""

    __slots__ = ("slot", "spec")

    def __init__(self, slot: int, spec: Spec) -> None:
        self.slot, self.spec = slot, spec


class RowsOutcome:
    """The slots of the two parts of a row gradient: ids and rows."""

    __slots__ = ("indices", "spec", "values")

    def __init__(self, indices: Outcome, values: Outcome, spec: Spec) -> None:
        self.indices, self.values, self.spec = indices, values, spec


class Number:
    """A Python number met as an operand, before it is known whether it is baked or bound."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Builder:
    """Stands in for the trace while one event is expanded into calls, the first time it is met.

    Library code that runs meanwhile (a derivative rule, an update rule, a function made of primitives)
    computes with tensors as usual; its operations are appended here instead of becoming edges.
    """

    __slots__ = (
        "base",
        "bound",
        "by",
        "calls",
        "capturing",
        "node",
        "numbers",
        "outer",
        "site",
        "varying",
        "within",
    )
    taping = 0
    entered: ClassVar[dict[int, int]] = {}
    current: ClassVar[dict[int, int]] = {}

    def __init__(
        self,
        base: Trace,
        numbers: tuple[Any, ...],
        varying: tuple[int, ...],
        site: Site,
        within: str | None,
        by: str | None = None,
    ) -> None:
        self.base, self.numbers, self.varying = base, numbers, varying
        self.site, self.within, self.by = site, within, by
        self.calls: list[Call] = []
        self.bound: list[tuple[int, Any]] = []
        self.node = Node(None, None)
        self.capturing = None

    def __enter__(self) -> Builder:
        self.outer = local.trace
        local.trace = self
        return self

    def __exit__(self, *exception: object) -> None:
        local.trace = self.outer

    def settle(self) -> None:
        """Nothing runs while an event is expanded."""

    def append(self, primitive: Any, inputs: Sequence[int], params: dict[str, Any], made: Spec) -> Outcome:
        """Appends a call; returns where its value is. Refuses the write of a variable that is locked."""
        if isinstance(primitive, Version):
            cell = self.base.variables[primitive.variable]
            if cell._locked is not None:
                raise cell._refusal(self.by or "a write", self.site)
        slot = self.base.node.size + len(self.calls)
        self.calls.append(Call(primitive, tuple(inputs), params, slot, made, self.site, self.within))
        return Outcome(slot, made)

    def handle(self, outcome: Outcome, kind: type[Tensor] = Tensor) -> Tensor:
        """Returns a tensor for any slot of the path or of this expansion, for use inside the expansion."""
        tensor = _new(kind)
        tensor._trace = self  # type: ignore[assignment]
        tensor._slot = outcome.slot
        tensor._spec = outcome.spec
        tensor._value = None
        return tensor

    def constant(self, value: Any, dtype: Any) -> Tensor:
        """Returns a number baked into the program, as a tensor of no dimensions."""
        array = as_dtype(value, dtype)
        return self.handle(self.append(Constant(array), (), {}, spec((), dtype)))

    def number(self, index: int, dtype: Any) -> Tensor:
        """Returns the event's i-th Python number: a constant, or an argument if it has varied before."""
        if index not in self.varying:
            return self.constant(self.numbers[index], dtype)
        dtype = np.dtype(dtype)
        position = self.base.node.arity + len(self.bound)
        self.bound.append((index, dtype))
        return self.handle(self.append(NumberArgument(position), (), {}, spec((), dtype)))

    def reference(self, operand: Any) -> Any:
        """Returns the slot of an operand; for a Python number, the number itself."""
        if isinstance(operand, Tensor):
            owner: Any = operand._trace
            if owner is self or owner is self.base:
                return operand._slot
            entered = self.base.entered.get(id(operand))
            if entered is not None:
                return entered
            value = value_of(operand)
        elif isinstance(operand, Cell):
            return self.base.current[operand._uid]
        elif isinstance(operand, python_numbers):
            return Number(operand)
        else:
            value = np.asarray(operand)
        # The event's key covers its inputs, so data created inside it is the same at each pass.
        return self.append(Constant(np.asarray(value)), (), {}, spec_of(value)).slot

    enter = read = reference

    def look(self, slot: int, how: str, frame: FrameType) -> None:  # noqa: ARG002 - as every trace is asked
        """An expansion has no values."""
        raise CaptureError(
            f"{how} needs a value inside {self.within or 'a recorded function'}.",
            site=self.site,
            why="The function is recorded once for all values, so no value exists yet.",
        )


def as_dtype(value: Any, dtype: Any) -> Any:
    """Returns a Python number as an array. Raises NumberRangeError where it does not fit."""
    if is_symbolic(value):
        return np.asarray(value, object)
    try:
        return np.asarray(value, dtype)
    except OverflowError:
        raise NumberRangeError(
            f"The number {value!r} does not fit {np.dtype(dtype).name}.",
            site=here_if_known(),
            remedy="Use a wider dtype for the other operand.",
        ) from None


def require_no_recording(what: str, remedy: str) -> None:
    """Raises CaptureError inside a captured step, for a call that belongs in the loop around it."""
    trace = local.trace
    step = getattr(trace, "capturing", None)
    if step or isinstance(trace, Builder):
        place = f"inside the captured step {step!r}" if step else "while an operation is being recorded"
        raise CaptureError(
            f"{what} was called {place}.",
            why="A captured function is recorded once and then replayed without its Python code.",
            remedy=remedy,
            site=here_if_known(),
        )


__all__ = [
    "Builder",
    "Number",
    "Outcome",
    "RowsOutcome",
    "as_dtype",
    "python_numbers",
    "require_no_recording",
]
