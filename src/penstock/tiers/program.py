"""A program: the calls that a run needs, detached from their path and without dead code."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from penstock.state.records import Record, records
from penstock.trace.budget import budget
from penstock.trace.leaf import Argument, Constant, Version
from penstock.trace.source_site import Site
from penstock.trace.spec import OpenSpec, Spec, spec, spec_of
from penstock.trace.tree import Call, cost_of

BUNDLE = spec((), np.float32)
"""Replaces the spec of all results together in a program; it is never read."""


class Pick:
    """Represents one result of several in a program."""

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
    def xla(_: Any, bundle: Any, output: int) -> Any:
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
        """The recorded parameters, without those that say which of several results are needed."""
        return {name: value for name, value in self.params.items() if name != "needed"}

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The programs that the step holds, where its primitive has several results."""
        return tuple(self.primitive.bodies(**self.given)) if self.primitive.many else ()

    @property
    def guarded(self) -> bool:
        """Whether it may refuse its operands by their values."""
        if self.primitive.many:
            return bool(self.primitive.guarded(**self.given))
        return self.primitive.guard is not None


def _compiled_bodies(step: Step) -> tuple[Any, ...]:
    """Returns the programs that a step holds, except that of a loop which the function in C computes."""
    bodies = step.bodies
    if not bodies:
        return ()
    # Imported here: only programs with loops need it.
    from penstock.ops import row_loops

    return () if row_loops.takes(step) else bodies


LIGHT_STEPS, LIGHT_COST = 4, 1000
"""A program of no more steps and arithmetic operations than these runs in NumPy before XLA is launched."""
CALL, ELEMENT = 200_000, 40
"""How many arithmetic operations NumPy performs in the time of a call, whatever its size, and while it writes
a number to memory."""
KEPT, HANDLED = 3, 8
"""A kernel whose result is kept is not fused with those that read it: XLA compiles this many others in the
time. It handles that many operations in the time of one kernel, even if all their kernels are equal."""
LARGE_ROOM = 1 << 20
"""If the values of a program take more bytes than this, the interpreter drops each one after its last use."""
_MOVES = frozenset(("broadcast_to", "cast", "flip", "reshape", "slice", "transpose", "window"))


def _is_one_call(primitive: Any) -> bool:
    """Returns whether NumPy computes a primitive in one call that reads its operands once."""
    return isinstance(getattr(primitive, "numpy", None), np.ufunc) or primitive.name in _MOVES


class Holder(Protocol):
    """The holder of a program: a plan that runs it, or a program around it."""

    used: int

    def forget(self) -> None:
        """Drops the executable, if it has one."""


FEW = 8
PROGRAM_BYTES, STEP_BYTES = 2_000, 600
"""About how much memory each takes: a program, and a step of it."""
EXECUTABLE_BYTES, OPERATION_BYTES = 256 << 10, 16 << 10
"""About how much memory each takes: an executable, and an operation in it."""


class Program:
    """What one run computes: `specs` of the arguments, `constants`, `steps`, and the numbers of `outputs`.

    Programs of equal `key` are one object, wherever they were recorded, so a program is compiled once.
    `ends` has, for a program whose values take much memory, the values that each step is the last to read.
    `replaced` says, if it writes variables, which output takes the memory of which argument. `loans` counts
    the copies made of arguments that an executable overwrites and a run may not; `lent` has the bytes of the
    large ones, and of those that an executable left although a run might overwrite them: see plan.lent.
    `used` is the time it was last recorded, by the clock of trace/budget.py; its holders know when it was
    run.
    """

    __slots__ = (
        "__weakref__",
        "_kernels",
        "_open_ended",
        "_pieces",
        "_work",
        "compiled",
        "compiling",
        "constants",
        "cost",
        "ends",
        "fingerprint",
        "holders",
        "key",
        "launches",
        "lent",
        "light",
        "loans",
        "outputs",
        "replaced",
        "runs",
        "specs",
        "steps",
        "used",
    )

    def __init__(
        self, key: Any, specs: list[Spec], constants: list[Any], steps: list[Step], outputs: list[int]
    ) -> None:
        self.key, self.specs, self.constants, self.steps, self.outputs = key, specs, constants, steps, outputs
        self.runs = self.launches = self.loans = self.lent = 0
        self._kernels = self._pieces = self._work = 0
        self._open_ended: bool | None = None
        self.compiled: dict[Any, Any] = {}
        self.compiling = threading.Lock()
        self.replaced: Mapping[int, int] = {}
        self.fingerprint: str | None = None
        self.holders: list[weakref.ref[Holder]] = []
        self.used = budget.now
        every = self.every_spec
        self.cost = sum(cost_of(step, [every[i] for i in step.inputs]) for step in steps)
        few = len(steps) <= LIGHT_STEPS and self.cost <= LIGHT_COST
        self.light = few and all(_is_one_call(step.primitive) for step in steps)
        room = sum(step.spec.nbytes for step in steps if type(step.spec) is not OpenSpec)
        self.ends = _ends(steps, len(specs) + len(constants), outputs) if room > LARGE_ROOM else {}

    @property
    def every_spec(self) -> list[Spec]:
        """The specs of all values, by their numbers: arguments, constants, then steps."""
        return [*self.specs, *map(spec_of, self.constants), *(step.spec for step in self.steps)]

    @property
    def kernels(self) -> int:
        """About how many different pieces of code XLA makes for it: equal blocks of a model share theirs."""
        if not self._kernels:
            self._kernels = len(self._different())
        return self._kernels

    @property
    def work(self) -> int:
        """About how long NumPy takes for a run, in arithmetic operations: calls and memory count, too."""
        if not self._work:
            written = sum(step.spec.size for step in self.steps if type(step.spec) is not OpenSpec)
            self._work = self.cost + CALL * len(self.steps) + ELEMENT * written
            for step in self.steps:
                beside = max((one.program.work - one.program.cost for one in step.bodies), default=0)
                self._work += beside * step.params.get("length", 1)
        return self._work

    @property
    def pieces(self) -> int:
        """About how long XLA takes to compile it, in kernels."""
        if not self._pieces:
            first = len(self.specs) + len(self.constants)
            kept = len({number for number in self.outputs if number >= first})
            self._pieces = self.kernels + KEPT * min(self.kernels, kept) + len(self.steps) // HANDLED
        return self._pieces

    @property
    def open_ended(self) -> bool:
        """Whether it has a loop inside whose number of turns, and so of calls, depends on values."""
        if self._open_ended is None:
            self._open_ended = any(
                step.primitive.many
                and (step.primitive.open_ended or any(one.program.open_ended for one in step.bodies))
                for step in self.steps
            )
        return self._open_ended

    def _different(self) -> set[Any]:
        """Returns the steps without repetitions, those of inner programs too."""
        every = self.every_spec
        found: set[Any] = set()
        for step in self.steps:
            found.add((step.primitive, step.spec, *[every[i] for i in step.inputs]))
            for body in _compiled_bodies(step):
                found |= body.program._different()
        return found

    def hold(self, holder: Holder) -> None:
        """Adds a holder of the program, which is kept as long as its holders."""
        if len(self.holders) >= FEW and not len(self.holders) & (len(self.holders) - 1):
            self.holders = [one for one in self.holders if one() is not None]
        self.holders.append(weakref.ref(holder))

    @property
    def held(self) -> list[Holder]:
        """The present holders of the program."""
        return [holder for one in list(self.holders) if (holder := one()) is not None]

    @property
    def last_used(self) -> int:
        """When the program was last recorded or run."""
        return max([self.used, *(one.used for one in self.held)])

    def let_go(self) -> None:
        """Drops the executables; a program that is still in use is compiled again at its next run."""
        self.compiled.clear()
        for one in self.held:
            one.forget()

    @property
    def size_in_memory(self) -> int:
        """About how many bytes the recorded program takes."""
        return PROGRAM_BYTES + STEP_BYTES * len(self.steps) + sum(int(one.nbytes) for one in self.constants)

    @property
    def size_of_compiled(self) -> int:
        """About how many bytes its executables take."""
        return len(self.compiled) * executable_size(self)

    @property
    def operations(self) -> int:
        """How many steps it has, including those of the programs inside."""
        inner: list[Program] = [body.program for step in self.steps for body in step.bodies]
        count = len(self.steps)
        for one in inner:
            count += one.operations
        return count

    def __repr__(self) -> str:
        lines = [f"%{i} = argument : {one!r}" for i, one in enumerate(self.specs)]
        lines += [f"%{len(lines) + i} = {value!r}" for i, value in enumerate(self.constants)]
        for step in self.steps:
            inputs = ", ".join(f"%{i}" for i in step.inputs)
            params = "".join(f", {name}={value!r}" for name, value in step.params.items())
            lines.append(f"%{len(lines)} = {step.primitive.name}({inputs}{params}) : {step.spec!r}")
        return "\n".join([*lines, "return " + ", ".join(f"%{i}" for i in self.outputs)])


def _ends(steps: list[Step], first: int, outputs: list[int]) -> dict[int, tuple[int, ...]]:
    """Returns, by the number of each step's value, the values that nothing reads after that step."""
    last: dict[int, int] = {}
    for number, step in enumerate(steps, first):
        for read in step.inputs:
            last[read] = number
    found: dict[int, tuple[int, ...]] = {}
    needed = set(outputs)
    for read, number in last.items():
        if read >= first and read not in needed:
            found[number] = (*found.get(number, ()), read)
    return found


def replacements(program: Program, written: Mapping[int, int]) -> dict[int, int]:
    """Returns which output takes the memory of which argument; `written` has the output of its variable.

    No output takes the memory of two arguments. Variables that swap their values also swap their memory.
    """
    found = unchanged(program, written)
    taken = set(found.values())
    for argument, output in written.items():
        if argument not in found and output not in taken:
            found[argument] = output
            taken.add(output)
    left = [output for output in written.values() if output not in taken]
    specs = program.every_spec
    for argument in [one for one in written if one not in found]:
        same = [one for one in left if specs[program.outputs[one]] == program.specs[argument]]
        if same:
            found[argument] = same[0]
            left.remove(same[0])
    return found


def unchanged(program: Program, arguments: Container[int]) -> dict[int, int]:
    """Returns which of these arguments are outputs without a change: their output, by their number.

    An old value of a variable that is still held stays in its memory, and the new value gets separate memory.
    """
    first = len(program.specs) + len(program.constants)
    found: dict[int, int] = {}
    for output, number in enumerate(program.outputs):
        while number >= first and program.steps[number - first].primitive.name == "identity":
            (number,) = program.steps[number - first].inputs
        if number in arguments:
            found.setdefault(number, output)
    return found


def executable_size(program: Program) -> int:
    """Returns about how many bytes one executable of a program takes."""
    return EXECUTABLE_BYTES + OPERATION_BYTES * program.operations


programs: dict[Any, Program] = {}
compilations: list[tuple[Program, tuple[int, ...]]] = []
"""The compilations of the programs that are kept, oldest first, each with the arguments it may overwrite."""
_runs_before: dict[str, int] = {}
"""How often programs that are not in memory were run, by fingerprint: in the process that saved the loaded
checkpoint, or in this process before they were dropped."""
COUNTED = 10_000
"""More runs than this make no difference to any decision."""
REMEMBERED = 10_000
"""For this many dropped programs, the number of their runs is remembered."""


def fingerprint(program: Program) -> str:
    """Returns a text that identifies a program, in other processes too."""
    if program.fingerprint is None:
        import hashlib

        specs, constants, steps, outputs = program.key
        plain = [(primitive.name, inputs, _told(params)) for primitive, inputs, params in steps]
        text = repr((specs, constants, plain, outputs))
        program.fingerprint = hashlib.sha256(text.encode()).hexdigest()[:24]
    return program.fingerprint


def _told(params: Any) -> Any:
    """Returns parameters, with each program among them replaced by its fingerprint."""
    if isinstance(params, tuple):
        return tuple([_told(one) for one in params])
    inner = getattr(params, "program", None)
    return (fingerprint(inner), params.taken, params.count) if isinstance(inner, Program) else params


def _runs() -> dict[str, int]:
    """Returns how often each program has been run; this decides which tier runs it next."""
    counts = {fingerprint(one): min(one.runs, COUNTED) for one in list(programs.values()) if one.runs}
    return {**_runs_before, **counts}


def _take_up(noted: dict[str, int]) -> None:
    """Makes programs continue these counts, so that a resumed run changes tiers where it would have."""
    _runs_before.update(noted)
    for program in list(programs.values()):
        _go_on(program)


def _go_on(program: Program) -> None:
    program.runs = max(program.runs, _runs_before.pop(fingerprint(program), 0))


class Programs:
    """Recorded programs, which are dropped by age: see trace/budget.py.

    `launches` counts those of dropped programs.
    """

    def __init__(self) -> None:
        self.launches = 0

    def weigh(self) -> Iterator[tuple[int, int, Program]]:
        """Yields each program."""
        for program in list(programs.values()):
            yield program.last_used, program.size_in_memory, program

    def drop(self, things: list[Program]) -> int:
        """Drops programs, except those that a path or another program still needs."""
        stayed = 0
        for program in things:
            if program.held:
                stayed += program.size_in_memory
            else:
                self.launches += program.launches
                program.launches = 0
                _discard(program)
        compilations[:] = [one for one in compilations if programs.get(one[0].key) is one[0]]
        return stayed

    def wasted(self) -> int:
        """Returns 0: any program may be used again."""
        return 0


kept = Programs()
budget.recorded.kinds.append(kept)


def _discard(program: Program) -> None:
    """Drops a program that nothing holds; if it is recorded again, it continues its count of runs."""
    program.let_go()
    if programs.get(program.key) is program:
        del programs[program.key]
    if program.runs:
        while len(_runs_before) >= REMEMBERED:
            del _runs_before[next(iter(_runs_before))]
        _runs_before[fingerprint(program)] = min(program.runs, COUNTED)


def _form() -> Any:
    from penstock.state.form import Each, count

    return Each(count)


records["programs"] = Record(_runs, _take_up, _form)


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
    """Returns the arguments of a program: values known from an earlier run, or bound to its path."""
    return [known[one] if one in known else arguments[calls[one].primitive.position] for one in slots]


def _operands(call: Call) -> tuple[int, ...]:
    """Returns the slots from which the value of a call is computed."""
    primitive = call.primitive
    if getattr(primitive, "many", False) and primitive.alias is not None:
        return (call.inputs[primitive.alias(call.params["output"])],)
    return call.inputs


def _passes_on(call: Call) -> bool:
    """Returns whether a call computes nothing: its value is that of its one operand."""
    primitive = call.primitive
    return isinstance(primitive, Version) or (
        getattr(primitive, "many", False) and primitive.alias is not None
    )


def _by_first_use(
    calls: Sequence[Call],
    needed: Mapping[int, tuple[int, ...]],
    given: Container[int],
    wanted: Sequence[int],
) -> list[int]:
    """Returns the given slots in the order in which steps read them; those that none reads, as wanted.

    `needed` has, by slot in rising order, the slots from which each value is computed.

    The order does not depend on when a value entered the path: a step before which the program has assigned
    data to a variable, as at the start of an epoch, is the same program as the step that reads the variable.
    """
    passed: dict[int, int] = {}
    found: dict[int, None] = {}
    for slot, inputs in needed.items():
        if slot in given:
            continue
        if _passes_on(calls[slot]):
            passed[slot] = passed.get(inputs[0], inputs[0])
        else:
            for one in inputs:
                source = passed.get(one, one) if passed else one
                if source in given:
                    found[source] = None
    ends = (passed.get(one, one) for one in wanted)
    return list({**found, **dict.fromkeys(one for one in ends if one in given)})


def extract(
    calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int] = ()
) -> tuple[Program, list[int]]:
    """Returns the program that computes the wanted slots, and the slots it takes as arguments, in its order.

    Argument slots and `known` ones are taken; everything else that is needed is computed. Steps that are
    the same as an earlier one (same primitive, operands and parameters) are computed once; so are the results
    of one primitive that has several.
    """
    wanted = list(wanted)
    taken, constants, seen, steps, number = collected(calls, wanted, known)
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
        budget.take(budget.recorded, program.size_in_memory)
        if _runs_before:
            _go_on(program)
    program.used = budget.now
    return program, taken


def places_of(calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int] = ()) -> dict[int, int]:
    """Returns the place of each slot in an extracted program: among its arguments, constants and steps."""
    return collected(calls, list(wanted), known)[4]


def own_site(
    trail: Sequence[Any], calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int] = ()
) -> Site | None:
    """Returns the line of a step in this recording; its program may have been recorded on another line first.

    `trail` is the step's number; or the number of the step that holds its program, that program, the number
    in there, and so on. Returns None if this recording has no such step.
    """
    steps = collected(calls, list(wanted), known)[3]
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


def collected(
    calls: Sequence[Call], wanted: Sequence[int], known: Iterable[int]
) -> tuple[list[int], dict[Any, Any], dict[Any, int], list[Step], dict[int, int]]:
    """Returns the argument slots, constants, keys of the steps, the steps, and the number of each slot."""
    if not isinstance(known, dict | set):
        known = set(known)
    behind: dict[int, tuple[int, ...]] = {}
    stack = list(wanted)
    while stack:
        slot = stack.pop()
        if slot in behind:
            continue
        operands = behind[slot] = () if slot in known else _operands(calls[slot])
        stack.extend(operands)
    needed = {slot: behind[slot] for slot in sorted(behind)}
    given = {s for s in needed if s in known or isinstance(calls[s].primitive, Argument)}
    taken = _by_first_use(calls, needed, given, wanted)
    number = {slot: i for i, slot in enumerate(taken)}
    constants: dict[Any, Any] = {}
    constant_numbers: dict[Any, int] = {}
    for slot in needed:
        leaf = calls[slot].primitive
        if slot not in number and isinstance(leaf, Constant):
            frozen = _frozen(leaf.value)
            if frozen not in constant_numbers:
                constant_numbers[frozen] = len(taken) + len(constants)
                constants[frozen] = leaf.value
            number[slot] = constant_numbers[frozen]
    steps: list[Step] = []
    seen: dict[Any, int] = {}
    for slot, operands in needed.items():
        if slot in number:
            continue
        call = calls[slot]
        inputs = tuple([number[i] for i in operands])
        if _passes_on(call):
            number[slot] = inputs[0]
            continue
        primitive, params, own = call.primitive, call.params, call.spec
        if many(call):
            # All results are one step; each needed result is picked out of it.
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
