"""A stretch of a program, recorded call by call as a graph of values."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from penstock.flow.graph import Event, Look, Request, Tape, Value, Wall, Write
from penstock.flow.reach import judge
from penstock.frameworks.eager.parameter import Parameter, Registry
from penstock.frameworks.marks import Marks
from penstock.frameworks.stretch import Stretch
from penstock.trace.source_site import Site

STANDING = -1
"""The number of the tape that is always open: autograd records unless it is switched off."""
SILENT = 2_000
"""How many values computed without autograd are kept in one window."""


class Window(Stretch[Parameter]):
    """The actions of a program in a stretch of steps, as a graph; it is also the passage for the report."""

    def __init__(self, registry: Registry, contents: bool = False) -> None:
        """`contents` says that arrays are copied as they come in: see `Marks`."""
        super().__init__(registry.tensors.words)
        self.registry, self.tensors = registry, registry.tensors
        self._reads: dict[int, int] = {}
        self._versions: dict[int, list[Any]] = {}
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._marks = Marks(contents)
        self._silent = 0
        self.flat = False
        self._zero: dict[int, list[bool]] = {}
        self._renewed: dict[int, Event] = {}
        self._tape = Tape(STANDING, True, [(0, None)], [None])
        self.graph.tapes.append(self._tape)
        self.recording = True

    # -- look-ups ------------------------------------------------------------------------------------------

    def number(self, tensor: Any) -> int | None:
        """Returns the present value of a tensor, if it belongs to this window."""
        found = self._numbers.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def stems(self, tensor: Any) -> bool:
        """Returns whether a tensor comes from a parameter, or may be one."""
        return (
            self.tensors.is_trained(tensor)
            or self.number(tensor) is not None
            or isinstance(tensor, self.tensors.Parameter)
        )

    # -- recording ----------------------------------------------------------------------------------------

    def follow_recording(self, site: Site | None) -> None:
        """Opens or closes the always open tape's interval when autograd is switched on or off."""
        now = self.tensors.is_recording()
        if now == self.recording:
            return
        self.recording = now
        at = len(self.graph.values)
        if now:
            self._tape.intervals.append((at, None))
            self._tape.opened.append(site)
        else:
            self._tape.intervals[-1] = (self._tape.intervals[-1][0], at)
            self._tape.closed.append(site)

    def read(self, tensor: Any, site: Site | None) -> int:
        """Returns the present value of a parameter."""
        parameter = self.registry.of(tensor)
        number = self._reads.get(parameter.uid)
        if number is None or self.graph.values[number].trainable != self.tensors.is_trained(tensor):
            event = self.event("read", "", site, 1)
            number = self._value(event, "variable", "variable", tensor, (), (), site)
            self._reads[parameter.uid] = number
        return number

    def renewed(self, parameter: Parameter, name: str, site: Site | None) -> None:
        """Notes that a parameter got another initial value, which counts as no write.

        A backward pass may need the value that was read before all the same.
        """
        number = self._reads.pop(parameter.uid, None)
        if number is not None:
            at = len(self.graph.values)
            self._renewed[number] = Event(len(self.graph.events), "write", name, site, at, at)

    def forget_reads(self, parameters: Sequence[Parameter]) -> None:
        """Makes the next use of parameters a separate read: they have been written."""
        for one in parameters:
            self._reads.pop(one.uid, None)

    def operand(self, tensor: Any, site: Site | None) -> int:
        """Returns the value of an operand: a parameter, the result of an earlier call, or data."""
        number = self.number(tensor)
        if number is not None:
            return number
        if self.tensors.is_leaf(tensor) and (
            self.tensors.is_trained(tensor) or isinstance(tensor, self.tensors.Parameter)
        ):
            return self.read(tensor, site)
        known = self.registry.find(tensor)
        if known is not None and known.kind == "weight":
            return self.read(tensor, site)
        event = self.event("enter", "", site, 1)
        number = self._value(event, "data", "data", tensor, (), (), site, entry=len(self.graph.looks))
        self._numbers[id(tensor)] = weakref.ref(tensor), number
        self._origin(tensor, number)
        return number

    def _value(
        self,
        event: Event,
        kind: str,
        name: str,
        tensor: Any,
        inputs: tuple[int, ...],
        links: tuple[str, ...],
        site: Site | None,
        entry: int | None = None,
        role: str = "",
    ) -> int:
        number = len(self.graph.values)
        index, trainable = None, False
        if kind in ("variable", "written"):
            parameter = self.registry.of(tensor)
            index, trainable = self.index(parameter), parameter.trainable
        spec = f"{self.tensors.dtype(tensor)}[{', '.join(map(str, tensor.shape))}]"
        value = Value(
            number, kind, name, spec, self.tensors.is_differentiable(tensor), inputs, links, site,
            event.number, index, trainable, entry, None, role,
        )  # fmt: skip
        self.graph.values.append(value)
        self.noted(number, tensor)
        if index is not None:
            self._versions.setdefault(index, []).append(number)
        return number

    def noted(self, number: int, tensor: Any) -> None:
        """Is called with each new value."""

    def first_bad(self, numbers: Sequence[int]) -> tuple[int, str] | None:
        """Returns the value where numbers that are not finite began, if that is known, and what it is.

        "operation", "variable", "data", or "slope" for the derivative of an operation.
        """
        return None

    def largest(self, number: int) -> float:
        """Returns the largest absolute number of a value; NaN if it is unknown."""
        return math.nan

    def differentiated(self, ends: Sequence[Any], results: Sequence[Any], site: Site | None) -> None:
        """Records gradients that can be differentiated again, with everything that their graph leads to.

        These are the factors in the backward pass, which need not be the requested sources.
        """
        raise NotImplementedError

    def passes_silence(self) -> bool:
        """Counts a call; returns False for one too many of those made without autograd."""
        if self.recording:
            return True
        self._silent += 1
        return self._silent <= SILENT

    def add(
        self,
        name: str,
        operands: Sequence[Any],
        results: Sequence[Any],
        site: Site | None,
        word: Callable[[Any, Any], str],
        role: str = "",
        is_barrier: bool = False,
    ) -> None:
        """Records a call; `word` says what stops a derivative from a result to an operand."""
        inputs = [self.operand(one, site) for one in operands]
        event = self.event("operation", name, site, len(results))
        for result in results:
            links = tuple(word(result, one) for one in operands)
            self.flat = self.flat or "flat" in links
            number = self._value(event, "operation", name, result, tuple(inputs), links, site, role=role)
            self._numbers[id(result)] = weakref.ref(result), number
            if is_barrier and inputs:
                own, of = (number,), tuple(inputs)
                self.graph.barriers.append(Wall(site, number, own, of, own, of))

    # -- looks --------------------------------------------------------------------------------------------

    def look(self, tensor: Any, how: str, gave: Any, site: Site | None) -> None:
        """Records that a value left the record, and the resulting number or array."""
        number = self.number(tensor)
        if number is None and self.tensors.is_leaf(tensor) and self.tensors.is_trained(tensor):
            number = self.read(tensor, site)
        if number is None:
            return
        event = self.event("look", how, site)
        self.graph.looks.append(Look(event.number, number, how, site))
        self._marks.note(gave, len(self.graph.looks) - 1)

    def origins_of(self, thing: Any) -> list[int]:
        """Returns the looks from which a number, a list of numbers or an array is known to come."""
        return list(self._marks.origins_of(thing))

    def came_in(self, tensor: Any, given: Any, site: Site | None) -> None:
        """Records a tensor made from numbers or an array, if these are known to come from a look."""
        origins = self.origins_of(given)
        if origins:
            event = self.event("enter", "", site, 1)
            number = self._value(event, "data", "data", tensor, (), (), site, entry=len(self.graph.looks))
            self._numbers[id(tensor)] = weakref.ref(tensor), number
            self._origins[number] = tuple(origins)

    def came_from(self, tensor: Any, operands: Sequence[Any], site: Site | None) -> None:
        """Records a tensor made from the numbers in other tensors."""
        numbers = {self.number(one) for one in operands} | {
            self._reads.get(self._uid(one)) for one in operands
        }
        looks = [at for at, one in enumerate(self.graph.looks) if one.value in numbers]
        event = self.event("enter", "", site, 1)
        number = self._value(event, "data", "data", tensor, (), (), site, entry=len(self.graph.looks))
        self._numbers[id(tensor)] = weakref.ref(tensor), number
        self._origins[number] = tuple(looks)

    def _uid(self, tensor: Any) -> int:
        found = self.registry.find(tensor)
        return -1 if found is None else found.uid

    def _origin(self, tensor: Any, number: int) -> None:
        """Notes the looks that incoming data are known to come from."""

    # -- questions and writes -----------------------------------------------------------------------------

    def asked(
        self,
        name: str,
        site: Site | None,
        targets: Sequence[Any],
        sources: Sequence[Any],
        found: Sequence[bool],
    ) -> None:
        """Records a request for gradients of tensors by others, and which of them existed."""
        goals = [number for one in targets if (number := self.number(one)) is not None]
        self.asked_numbers(name, site, goals, sources, found)

    def asked_numbers(
        self,
        name: str,
        site: Site | None,
        goals: Sequence[int],
        sources: Sequence[Any],
        found: Sequence[bool],
    ) -> None:
        """Does the same for values by their numbers."""
        event = self.event("gradient", name, site)
        numbers: list[int | None] = []
        region = self._tape.region(len(self.graph.values))
        for one in sources:
            number = self.number(one)
            parameter = self.registry.find(one)
            if number is None and parameter is not None:
                number = self._reads.get(parameter.uid)
                if number is None:
                    versions = self._versions.get(self._index.get(parameter.uid, -1), [None])
                    number = versions[-1]
                if number is None:
                    self.missed = [*self.missed, (event.number + 1, parameter)]
            numbers.append(number)
        self._zero[len(self.graph.requests)] = [
            there and self.is_flat(one) for one, there in zip(sources, found)
        ]
        self.graph.requests.append(
            Request(event.number, site, region, tuple(goals), tuple(numbers), tuple(found))
        )

    def is_flat(self, tensor: Any) -> bool:
        """Returns whether a gradient is exactly zero in a window with a flat function."""
        if not self.flat:
            return False
        gradient = self.tensors.gradient(tensor)
        return gradient is not None and self.tensors.is_zero(gradient)

    def settle_flat(self) -> None:
        """Treats gradients that are zero because of a flat function as missing, after the recording."""
        for at, zero in self._zero.items():
            asked = self.graph.requests[at]
            found = [
                there and not (flat and number is not None and self._ends_flat(asked, number))
                for there, flat, number in zip(asked.found, zero, asked.sources, strict=True)
            ]
            self.graph.requests[at] = replace(asked, found=tuple(found))
        self._zero.clear()

    def _ends_flat(self, asked: Request, number: int) -> bool:
        return judge(self.graph, asked.targets, [number], asked.region).reason == "flat"

    def overtaken(self, goals: Sequence[int], shape: Sequence[int] | None) -> list[tuple[int, int, Event]]:
        """Returns the values of parameters on the path to goals that were overwritten since, and the writers.

        Each comes with the number of its parameter; `shape` is that of the one to look for, in any order.
        """
        found = {}
        for number in sorted(self.graph.ancestors(goals)):
            index = self.graph.values[number].variable
            if index is None or (shape is not None and sorted(self.variables[index].shape) != sorted(shape)):
                continue
            after = next(
                (one for one in self.graph.writes if one.variable == index and one.value > number), None
            )
            if number in self._renewed:
                found[index] = index, number, self._renewed[number]
            elif after is not None:
                found[index] = index, number, self.graph.events[after.event]
        return list(found.values())

    def wrote(
        self, name: str, site: Site | None, tensors: Sequence[Any], kind: str, terms: tuple[str, ...]
    ) -> int:
        """Records that tensors got new values by one event; returns its number."""
        event = self.event(kind, name, site, len(tensors), True)
        for tensor in tensors:
            parameter = self.registry.of(tensor)
            before = self._reads.get(parameter.uid)
            inputs = () if before is None else (before,)
            links = ("overwritten",) * len(inputs)
            number = self._value(event, "written", "version", tensor, inputs, links, site)
            self._reads[parameter.uid] = number
            self.graph.writes.append(Write(event.number, self.index(parameter), number, False, terms))
        return event.number


__all__ = ["Window"]
