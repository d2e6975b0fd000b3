"""A program held by a primitive: calls with their own inputs and outputs, computed by both tiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from penstock.errors import PenstockError
from penstock.tiers.program import extract
from penstock.tiers.reference import interpret
from penstock.trace.budget import budget
from penstock.trace.spec import Spec
from penstock.trace.tree import Call


class Body:
    """A program with `count` inputs, its first calls, and `outputs`, slots among its calls.

    Bodies of one program are equal, wherever they were recorded: the calls, and with them the user's lines,
    are there for explanations and derivatives. `facts` keeps results that were derived from it.
    """

    __slots__ = ("__weakref__", "calls", "count", "facts", "outputs", "program", "taken", "used")

    def __init__(self, calls: Sequence[Call], count: int, outputs: Sequence[int]) -> None:
        self.calls, self.count, self.outputs = tuple(calls), count, tuple(outputs)
        self.program, taken = extract(self.calls, self.outputs)
        self.taken = tuple(taken)
        self.facts: dict[Any, Any] = {}
        self.used = budget.now
        self.program.hold(self)

    def forget(self) -> None:
        """Does nothing: a body has no executable, it is compiled as a part of others."""

    @property
    def input_specs(self) -> tuple[Spec, ...]:
        """The spec of each input."""
        return tuple(call.spec for call in self.calls[: self.count])

    @property
    def output_specs(self) -> tuple[Spec, ...]:
        """The spec of each output."""
        return tuple(self.calls[slot].spec for slot in self.outputs)

    @property
    def guarded(self) -> bool:
        """Whether it may refuse its inputs by their values."""
        return any(step.guarded for step in self.program.steps)

    @property
    def cost(self) -> int:
        """Roughly how many arithmetic operations it takes."""
        return self.program.cost

    def only(self, outputs: tuple[int, ...]) -> Body:
        """Returns the program of these outputs alone."""
        if outputs == tuple(range(len(self.outputs))):
            return self
        found = self.facts.get(outputs)
        if found is None:
            found = Body(self.calls, self.count, [self.outputs[one] for one in outputs])
            found.facts["only"] = outputs
            self.facts[outputs] = found
        return found

    def numpy(self, arguments: Sequence[Any]) -> list[Any]:
        """Returns the outputs of these inputs, computed by NumPy."""
        try:
            return interpret(self.program, [arguments[one] for one in self.taken])
        except PenstockError as error:
            error.trail = (self, *error.trail)
            raise

    def xla(
        self, module: Any, arguments: Sequence[Any], given: Mapping[int, Any] = MappingProxyType({})
    ) -> tuple[list[Any], Any]:
        """Returns the outputs of these inputs, as JAX traces them, and whether every guard has passed.

        `given` has the known values of steps, by the number of the step.
        """
        # Imported here: only programs that compile need it.
        from penstock.tiers.xla import evaluate

        program = self.program
        guards = [step for step in program.steps if step.guarded]
        values = evaluate(program, guards, *(arguments[one] for one in self.taken), given=given)
        count = len(program.outputs)
        passed = module.numpy.asarray(True)
        for flag in values[count:]:
            passed = module.numpy.logical_and(passed, flag)
        return values[:count], passed

    def computed(self, module: Any, number: int, known: dict[int, Any]) -> Any:
        """Returns a value of the program, as JAX traces it, from those `known`, to which it adds."""
        from penstock.tiers.xla import value_of

        if number not in known:
            first = len(self.program.specs) + len(self.program.constants)
            step = self.program.steps[number - first]
            known[number] = value_of(module, step, [self.computed(module, one, known) for one in step.inputs])
        return known[number]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Body)
            and self.program is other.program
            and self.taken == other.taken
            and self.count == other.count
        )

    def __hash__(self) -> int:
        return hash((id(self.program), self.taken, self.count))

    def __repr__(self) -> str:
        return f"<program of {len(self.program.steps)} operations>"
