"""A program: the calls a run needs, cut loose from the path they were recorded on and free of dead code."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.state.records import records
from penstock.trace.leaf import Argument, Constant, Version
from penstock.trace.site import Site
from penstock.trace.spec import Spec, spec, spec_of
from penstock.trace.tree import Call

BUNDLE = spec((), np.float32)
"""Stands in a program for the spec of all results together, which is never looked at."""


class Pick:
    """Stands in a program for one result of several."""

    many = False
    name = "pick"
    derivative = "smooth"
    vjp = ()
    guard = None
    cost = None

    @staticmethod
    def numpy(bundle: Any, output: int) -> Any:
        return bundle[output]

    @staticmethod
    def xla(jax: Any, bundle: Any, output: int) -> Any:
        return bundle[output]


pick = Pick()


@dataclass(slots=True)
class Step:
    """One primitive applied to earlier values, which are numbered: arguments, constants, then steps."""

    primitive: Any
    inputs: tuple[int, ...]
    params: dict[str, Any]
    spec: Spec
    site: Site | None

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that were recorded, without which results of several are needed."""
        return {name: value for name, value in self.params.items() if name != "needed"}

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The programs that the step holds, where its primitive has several results."""
        return tuple(self.primitive.bodies(**self.given)) if self.primitive.many else ()


LIGHT_STEPS, LIGHT_COST = 4, 1000
"""A program of no more steps and arithmetic operations than these runs in NumPy before XLA is launched."""
_MOVES = frozenset(("broadcast_to", "cast", "flip", "reshape", "slice", "transpose", "window"))


def _is_one_call(primitive: Any) -> bool:
    """Returns whether NumPy computes a primitive by one call that goes over its operands once."""
    return isinstance(getattr(primitive, "numpy", None), np.ufunc) or primitive.name in _MOVES


class Program:
    """What one run computes: `specs` of the arguments, `constants`, `steps`, and the numbers of `outputs`.

    Programs of equal `key` are one object, wherever they were recorded, so a program is compiled once.
    """

    __slots__ = (
        "compiled",
        "compiling",
        "constants",
        "cost",
        "key",
        "launches",
        "light",
        "outputs",
        "runs",
        "specs",
        "steps",
    )

    def __init__(
        self, key: Any, specs: list[Spec], constants: list[Any], steps: list[Step], outputs: list[int]
    ) -> None:
        self.key, self.specs, self.constants, self.steps, self.outputs = key, specs, constants, steps, outputs
        self.runs = self.launches = 0
        self.compiled: dict[Any, Any] = {}
        self.compiling = threading.Lock()
        every = [*specs, *map(spec_of, constants), *(step.spec for step in steps)]
        self.cost = sum(_cost(step, every) for step in steps)
        few = len(steps) <= LIGHT_STEPS and self.cost <= LIGHT_COST
        self.light = few and all(_is_one_call(step.primitive) for step in steps)

    def __repr__(self) -> str:
        lines = [f"%{i} = argument : {one!r}" for i, one in enumerate(self.specs)]
        lines += [f"%{len(lines) + i} = {value!r}" for i, value in enumerate(self.constants)]
        for step in self.steps:
            inputs = ", ".join(f"%{i}" for i in step.inputs)
            params = "".join(f", {name}={value!r}" for name, value in step.params.items())
            lines.append(f"%{len(lines)} = {step.primitive.name}({inputs}{params}) : {step.spec!r}")
        return "\n".join([*lines, "return " + ", ".join(f"%{i}" for i in self.outputs)])


def _cost(step: Step, specs: list[Spec]) -> int:
    """Returns roughly how many arithmetic operations a step takes, for the choice of a tier."""
    if step.primitive.many:
        return int(step.primitive.work(**step.params))
    cost = getattr(step.primitive, "cost", None)
    return int(cost(*(specs[i] for i in step.inputs))) if cost else step.spec.size


programs: dict[Any, Program] = {}
_warm: dict[str, int] = {}
"""How often programs had been run, by fingerprint, when the checkpoint was made that was loaded."""
_fingerprints: dict[Program, str] = {}
COUNTED = 1000
"""Runs beyond these make no difference to any choice."""


def _fingerprint(program: Program) -> str:
    """Returns what tells a program from others, in other processes too."""
    found = _fingerprints.get(program)
    if found is None:
        import hashlib

        specs, constants, steps, outputs = program.key
        plain = [(primitive.name, inputs, params) for primitive, inputs, params in steps]
        text = repr((specs, constants, plain, outputs))
        found = _fingerprints[program] = hashlib.sha256(text.encode()).hexdigest()[:24]
    return found


def _runs() -> dict[str, int]:
    """Returns how often each program has been run: that decides which tier runs it next."""
    return {
        _fingerprint(program): min(program.runs, COUNTED)
        for program in list(programs.values())
        if program.runs
    }


def _take_up(noted: dict[str, int]) -> None:
    """Lets programs go on counting from there, so that a resumed run changes tiers where it would have."""
    _warm.update(noted)
    for program in list(programs.values()):
        program.runs = max(program.runs, _warm.pop(_fingerprint(program), 0))


records["programs"] = (_runs, _take_up)


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return tuple((name, _frozen(one)) for name, one in value.items())
    return value


def many(call: Call) -> bool:
    """Returns whether a call is one of several results of a primitive."""
    return bool(getattr(call.primitive, "many", False))


def values_at(
    slots: Sequence[int], calls: Sequence[Call], known: Mapping[int, Any], arguments: Sequence[Any]
) -> list[Any]:
    """Returns what a program takes: values known from an earlier run, or bound to its path."""
    return [known[one] if one in known else arguments[calls[one].primitive.position] for one in slots]


def _operands(call: Call) -> tuple[int, ...]:
    """Returns what the value of a call is made of."""
    if many(call) and call.primitive.alias is not None:
        return (call.inputs[call.primitive.alias(call.params["output"])],)
    return call.inputs


def extract(
    calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int] = ()
) -> tuple[Program, list[int]]:
    """Returns the program that computes the wanted slots, and the slots it takes as arguments, in order.

    Argument slots and `known` ones are taken; everything else that is needed is computed. Steps that are
    the same as an earlier one (same primitive, operands and parameters) are computed once; so are the results
    of one primitive that has several.
    """
    wanted = list(wanted)
    taken, constants, seen, steps, number = _collected(calls, wanted, known)
    outputs = [number[slot] for slot in wanted]
    specs = [calls[slot].spec for slot in taken]
    key = (
        tuple(specs),
        tuple(constants),
        tuple(seen),
        tuple(outputs),
    )
    program = programs.get(key)
    if program is None:
        values = list(constants.values())
        program = programs.setdefault(key, Program(key, specs, values, steps, outputs))
        if _warm:
            program.runs = max(program.runs, _warm.pop(_fingerprint(program), 0))
    return program, taken


def own_site(
    trail: Sequence[Any], calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int] = ()
) -> Site | None:
    """Returns on which line of this recording a step stands; its program may have been met on another first.

    `trail` is the step's number; or that of the step that holds its program, that program, its number in
    there, and so on. Returns None where this recording has no such step.
    """
    steps = _collected(calls, list(wanted), known)[3]
    if not 0 <= trail[0] < len(steps):
        return None
    step: Step = steps[trail[0]]
    if len(trail) == 1:
        return step.site
    body: Any = trail[1]
    for one in step.bodies:
        own = one.only(body.facts["only"]) if "only" in body.facts else one
        if own == body:
            return own_site(trail[2:], own.calls, own.outputs)
    return None


def _collected(
    calls: Sequence[Call], wanted: Sequence[int], known: Iterable[int]
) -> tuple[list[int], dict[Any, Any], dict[Any, int], list[Step], dict[int, int]]:
    """Returns the slots taken, constants, the identities of the steps, these, and the number of each slot."""
    known = set(known)
    needed: set[int] = set()
    stack = list(wanted)
    while stack:
        slot = stack.pop()
        if slot in needed:
            continue
        needed.add(slot)
        if slot not in known:
            stack.extend(_operands(calls[slot]))
    taken = [s for s in sorted(needed) if s in known or isinstance(calls[s].primitive, Argument)]
    number = {slot: i for i, slot in enumerate(taken)}
    constants: dict[Any, Any] = {}
    constant_numbers: dict[Any, int] = {}
    for slot in sorted(needed):
        leaf = calls[slot].primitive
        if slot not in number and isinstance(leaf, Constant):
            frozen = _frozen(leaf.value)
            if frozen not in constant_numbers:
                constant_numbers[frozen] = len(taken) + len(constants)
                constants[frozen] = leaf.value
            number[slot] = constant_numbers[frozen]
    steps: list[Step] = []
    seen: dict[Any, int] = {}
    for slot in sorted(needed):
        if slot in number:
            continue
        call = calls[slot]
        inputs = tuple(number[i] for i in _operands(call))
        if isinstance(call.primitive, Version) or (many(call) and call.primitive.alias is not None):
            number[slot] = inputs[0]
            continue
        primitive, params, own = call.primitive, call.params, call.spec
        if many(call):
            # All results are one step; each that is needed is picked out of it.
            params = {name: value for name, value in call.params.items() if name != "output"}
            identity = (primitive, inputs, _frozen(params))
            bundle = seen.get(identity)
            if bundle is None:
                bundle = seen[identity] = len(taken) + len(constants) + len(steps)
                steps.append(Step(primitive, inputs, {**params, "needed": ()}, BUNDLE, call.site))
            together = steps[bundle - len(taken) - len(constants)].params
            output = call.params["output"]
            together["needed"] = tuple(sorted({*together["needed"], output}))
            primitive, inputs, params = pick, (bundle,), {"output": output}
        identity = (primitive, inputs, _frozen(params))
        found = seen.get(identity)
        if found is None:
            found = seen[identity] = len(taken) + len(constants) + len(steps)
            steps.append(Step(primitive, inputs, params, own, call.site))
        number[slot] = found
    return taken, constants, seen, steps, number
