"""The gradients in the values of a graph: sums of them, with their factors, and what depends on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.flow.graph import Event, Graph, Request, Value, Write
from penstock.trace.source_site import Site

SAME = frozenset(
    ("cast", "identity", "reshape", "squeeze", "expand_dims", "stop_gradient", "positive", "asarray")
)
"""Operations whose result has the same sum of gradients as their operand."""
JOINING = frozenset(("add", "stack", "concat"))
MOST = 512
"""A sum with more parts is no longer followed."""

Origin = tuple[str, int, int]
"""A part of a sum: ("gradient", its request, its value), or what a variable or an incoming tensor held before
the path: ("held", the variable, 0), ("entry", its value, 0). Masks also have ("written", the variable, 0)."""
Factor = tuple[float, tuple[int, ...]]
"""The factor of a part: its literal numbers, and the values that it was also multiplied with."""
Parts = Mapping[Origin, Factor]
NOTHING: Parts = {}


@dataclass(frozen=True, slots=True)
class Asking:
    """A request for gradients: `given` has the value of each, by the number of its variable.

    `mean` says that each target is a mean, `behind` is the mask of what the targets depend on. `program` is
    the earlier path to which the variables belong, if the gradients were requested after it was over.
    """

    event: int
    site: Site | None
    given: tuple[tuple[int, int], ...]
    mean: bool
    behind: int
    program: object = None


@dataclass(frozen=True, slots=True)
class Storing:
    """A write of a variable by a line of the program: the new value, without that of the variable itself."""

    event: int
    by: str
    site: Site | None
    variable: int
    value: int


@dataclass(frozen=True, slots=True)
class Applying:
    """An update by an optimizer: the applied value by the number of each variable."""

    event: int
    by: str
    site: Site | None
    given: tuple[tuple[int, int], ...]


class Contents:
    """The parts of the values of a graph, and masks of all that they depend on.

    A mask has one bit for each request, variable and entry: see `bits`. `acts` are the requests and writes,
    in the order of the program. `is_open` says that the path is not simply one gradient after another, each
    applied at once.
    """

    __slots__ = ("acts", "bits", "graph", "is_open", "masks", "parts")

    def __init__(self, graph: Graph, graph_of: Callable[[Any], Graph]) -> None:
        self.graph = graph
        self.parts: list[Parts] = []
        self.masks: list[int] = []
        self.bits: list[Origin] = []
        self.acts: list[Asking | Storing | Applying] = []
        numbers: dict[Origin, int] = {}
        asked: dict[int, tuple[Request, Graph, object]] = {
            one.event: (one, graph, None) for one in graph.requests
        }
        for late in graph.late:
            asked[late.request.event] = late.request, graph_of(late.program), late.program
        writes: dict[int, list[Write]] = {}
        for write in graph.writes:
            writes.setdefault(write.event, []).append(write)
        applied: dict[int, list[tuple[int, int]]] = {}
        for (number, variable), given in graph.applied.items():
            applied.setdefault(number, []).append((variable, given))
        for event in graph.events:
            own = self._bit(numbers, ("gradient", event.number, 0)) if event.number in asked else 0
            self._follow(event, own, numbers)
            if own:
                request, home, program = asked[event.number]
                behind = 0
                for target in request.targets if program is None else ():
                    behind |= self.masks[target]
                sources = self._given(request, home, event.number)
                mean = all(_is_mean(home, one) for one in request.targets) and bool(request.targets)
                if sources:
                    self.acts.append(Asking(event.number, event.site, sources, mean, behind, program))
            elif event.number in applied:
                self.acts.append(Applying(event.number, event.name, event.site, tuple(applied[event.number])))
            elif event.kind == "write":
                for write in writes.get(event.number, ()):
                    if write.terms[0] in ("assign", "load"):
                        self.acts.append(
                            Storing(event.number, event.name, event.site, write.variable, write.value)
                        )
        self.is_open = self._is_open()

    def _bit(self, numbers: dict[Origin, int], origin: Origin) -> int:
        if origin not in numbers:
            numbers[origin] = len(self.bits)
            self.bits.append(origin)
        return 1 << numbers[origin]

    def _follow(self, event: Event, own: int, numbers: dict[Origin, int]) -> None:
        """Adds the values of an event."""
        for value in self.graph.values[event.first : event.last]:
            parts, mask = NOTHING, own
            if not own and value.kind == "operation":
                mask, parts = self._behind(value), self._sum(value)
            elif value.kind == "written" and event.kind == "write":
                assert value.variable is not None
                mask = self._behind(value) | self._bit(numbers, ("written", value.variable, 0))
                parts = self.parts[value.inputs[0]] if value.inputs else NOTHING
            elif value.kind == "variable" or value.kind == "data":
                held = value.kind == "variable" and value.variable is not None
                first = value.variable if held else value.number
                assert first is not None
                origin = ("held" if held else "entry", first, 0)
                mask = self._bit(numbers, origin)
                parts = {origin: (1.0, ())} if value.differentiable else NOTHING
            if event.kind == "apply":
                mask, parts = 0, NOTHING
            self.masks.append(mask)
            self.parts.append(parts)

    def _behind(self, value: Value) -> int:
        mask = 0
        for one in value.inputs:
            mask |= self.masks[one]
        return mask

    def _given(self, request: Request, home: Graph, event: int) -> tuple[tuple[int, int], ...]:
        """Notes the gradients of a request; returns the value of each by its variable: of rows, the last."""
        found = []
        for source, numbers in zip(request.sources, request.gradients, strict=False):
            variable = home.values[source].variable if source is not None else None
            if variable is not None and numbers:
                found.append((variable, numbers[-1]))
                self.parts[numbers[-1]] = {("gradient", event, numbers[-1]): (1.0, ())}
        return tuple(found)

    def _sum(self, value: Value) -> Parts:
        """Returns the parts of a value, if it is a sum of them."""
        name, inputs = value.name, value.inputs
        if not inputs or not any(self.parts[one] for one in inputs):
            return NOTHING
        first = self.parts[inputs[0]]
        # A sum over the elements of one gradient is a number to look at.
        joined = self.graph.values[inputs[0]].name == "stack"
        if name in SAME or (name == "sum" and joined):
            return first
        if name == "negative":
            return _scaled(first, -1.0)
        if name in JOINING or name == "subtract":
            found = dict(first)
            for one in inputs[1:]:
                more = self.parts[one]
                if name == "subtract":
                    more = _scaled(more, -1.0)
                for origin, factor in more.items():
                    # What is added twice, or taken away again, is no plain part any more.
                    found[origin] = factor if origin not in found else (0.0, (value.number,))
            return found if len(found) <= MOST else NOTHING
        if name == "mean" and joined:
            return _scaled(first, 1.0, value.number)
        if name in ("multiply", "divide") and len(inputs) == 2:
            second = self.parts[inputs[1]]
            if not second:
                return _scaled(first, *self._factor(inputs[1], name == "divide"))
            if not first and name == "multiply":
                return _scaled(second, *self._factor(inputs[0], False))
        return NOTHING

    def _factor(self, number: int, divides: bool) -> tuple[float, int | None]:
        literal = self.graph.values[number].literal
        if literal is None:
            return 1.0, number
        factor = float(literal[()])  # type: ignore[index]
        if divides:
            return (1.0 / factor, None) if factor else (1.0, number)
        return factor, None

    def _is_open(self) -> bool:
        """Returns whether the path is not simply one gradient after another, each applied at once."""
        sources = {variable for act in self.acts if isinstance(act, Asking) for variable, _ in act.given}
        waiting: set[int] = set()
        for act in self.acts:
            if isinstance(act, Asking):
                if waiting or act.program is not None:
                    return True
                waiting.add(act.event)
                continue
            given = act.given if isinstance(act, Applying) else ((act.variable, act.value),)
            inside: set[int] = set()
            for variable, number in given:
                inside |= {one for kind, one, _ in self.origins(self.masks[number]) if kind == "gradient"}
                others = any(
                    kind == "entry" or (kind == "held" and one != variable)
                    for kind, one, _ in self.parts[number]
                )
                if others and (isinstance(act, Applying) or variable in sources):
                    return True
            if inside and isinstance(act, Storing) and act.variable not in sources:
                return True
            waiting -= inside
        return bool(waiting)

    def origins(self, mask: int) -> list[Origin]:
        """Returns the requests, variables and entries of a mask."""
        found = []
        while mask:
            lowest = mask & -mask
            found.append(self.bits[lowest.bit_length() - 1])
            mask ^= lowest
        return found


def _scaled(parts: Parts, factor: float, by: int | None = None) -> Parts:
    tag = () if by is None else (by,)
    return {origin: (one * factor, (*tags, *tag)) for origin, (one, tags) in parts.items()}


def _is_mean(graph: Graph, target: int) -> bool:
    value = graph.values[target]
    while value.name in SAME and value.inputs:
        value = graph.values[value.inputs[0]]
    return value.name == "mean"


__all__ = ["Applying", "Asking", "Contents", "Parts", "Storing"]
