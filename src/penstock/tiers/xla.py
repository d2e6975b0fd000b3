"""The XLA tier: compiles a program that has run often enough, as a whole, through JAX."""

from __future__ import annotations

import functools
import operator
import time
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np

from penstock.interrupts import HeldInterrupts
from penstock.ops import ffi
from penstock.tiers import disk
from penstock.tiers.compiler import jax
from penstock.tiers.differences import Comparison
from penstock.tiers.donation import pair
from penstock.tiers.executable_limits import room
from penstock.tiers.heap import give_back, keep_room, make_way, uncollected
from penstock.tiers.libraries import barriers, compiled, full_products, options
from penstock.tiers.one_pass import NONE, one_pass
from penstock.tiers.placement import Layouts, in_force
from penstock.tiers.program import Program, Step, compilations, executable_size, programs
from penstock.tiers.reference import interpret
from penstock.tiers.storing import asks
from penstock.tiers.uploads import uploads
from penstock.tiers.waiting import announced
from penstock.trace.fast_path import launch
from penstock.trace.spec import Spec


class Executable:
    """A compiled program: call it with runtime values; `host_guards` are checked before, on the host.

    `checked` says whether a call needs more than launching. A guard whose operand is computed on the way is
    an extra output, at the end; such a program donates nothing, so that its writes can still be refused.
    `loaded` says that an earlier process has compiled it: tiers/disk.py; `placed` that it has many devices.
    """

    __slots__ = (
        "checked",
        "device_guards",
        "donated",
        "first",
        "host_guards",
        "launch",
        "loaded",
        "made",
        "placed",
        "seconds",
        "wide",
    )

    def __init__(self, program: Program, donated: tuple[int, ...], layouts: Layouts | None = None) -> None:
        start = time.perf_counter()
        guarded = [step for step in program.steps if step.guarded]
        self.host_guards: list[list[Any]] = []
        self.device_guards: list[Step] = []
        for step in guarded:
            many = step.primitive.many
            # One process alone cannot read a value that several processes hold together.
            apart = layouts is not None and layouts.together
            roots = (
                None
                if many or apart
                else _host_roots(program, [step.inputs[i] for i in step.primitive.guarded])
            )
            if roots is None:
                self.device_guards.append(step)
            else:
                self.host_guards.append([step, roots, None])
        self.donated = () if self.device_guards else donated
        self.first = True
        self.placed = layouts is not None
        # JAX would narrow 64-bit NumPy data unless it is told, for this one call, to keep it.
        self.wide = [
            i
            for i, one in enumerate(program.specs)
            if (one.dtype.itemsize >= 8 and one.dtype.kind != "c") or one.dtype.itemsize > 8
        ]
        module = jax()
        room.enter(program)
        # An executable for many devices is not kept: it does not say where it may run.
        kept = layouts is None and disk.folder() is not None
        replaced = {i: program.replaced[i] for i in self.donated if i in program.replaced}
        key = disk.key_of(module, program, self.donated, replaced, options(module, program)) if kept else None
        count = len(program.outputs) + len(self.device_guards)
        made = disk.read(module, key, len(program.specs), count) if key else None
        self.loaded = made is not None
        if made is None:
            if layouts is None:
                untouched = frozenset(range(len(program.specs))).difference(self.donated)
                function = functools.partial(evaluate, program, self.device_guards, untouched=untouched)
            else:
                function = functools.partial(evaluate_named, program, self.device_guards)
            with announced(program, kept), ffi.allowed(layouts is None):
                made = compile_function(
                    function, program, program.specs, self.donated, layouts, count, replaced
                )
            if key:
                disk.write(key, made)
        keep_room(made)
        self.launch = made
        self.made = made
        self.checked = bool(guarded)
        self.seconds = time.perf_counter() - start

    def __call__(self, program: Program, arguments: Sequence[Any], box: list[Any]) -> Sequence[Any]:
        """Returns the values of the outputs as JAX arrays, which may not be ready yet.

        They are in `box` too, once arguments may have been overwritten: see fast_path.launch.
        """
        if self.device_guards:
            box = []
        if self.host_guards:
            self.check(program, arguments)
        program.launches += 1
        if self.wide and np.ndarray in {type(arguments[i]) for i in self.wide}:
            with jax().enable_x64(True):
                results = launch_first(box, self.launch, arguments)
        elif self.first:
            results = launch_first(box, self.launch, arguments)
        else:
            results = launch(box, self.launch, arguments)
        if self.first:
            self.first = False
            # The inner callable that JAX makes at the first call; without it, JAX's outer one is called,
            # which costs 0.2 us more.
            self.launch = getattr(self.launch, "_call", None) or self.launch
            # A first run leaves its memory fragmented: the values it has made are in between.
            make_way()
        if self.device_guards:
            count = len(program.outputs)
            if not all(map(bool, results[count:])):
                # Nothing was overwritten: NumPy can repeat the error and name the index.
                whole = in_force.placement.whole if in_force.placement is not None else _same
                interpret(program, [whole(one) for one in arguments])
                raise AssertionError("a guard was raised in XLA and not in NumPy")
            results = results[:count]
        return results  # type: ignore[no-any-return]

    def check(self, program: Program, arguments: Sequence[Any]) -> None:
        """Applies the guards whose operands are arguments; an array that has passed is not read again.

        Arrays that have passed are remembered by weak references, which do not keep them alive.
        """
        for guard in self.host_guards:
            step, roots, passed = guard
            values = [arguments[i] for i in roots]
            if passed is not None and all(one is known() for one, known in zip(values, passed, strict=True)):
                continue
            operands = [
                _on_host(program, arguments, number) if position in step.primitive.guarded
                else _described(program, number)
                for position, number in enumerate(step.inputs)
            ]  # fmt: skip
            refused = step.primitive.guard(*operands, **step.params)
            if refused is not None:
                error = step.primitive.refusal(refused, site=step.site, why="No variable was changed.")
                error.trail = (next(i for i, one in enumerate(program.steps) if one is step),)
                raise error
            guard[2] = list(map(_reference, values))


def _described(program: Program, number: int) -> Any:
    """Returns the spec of a value of a program, or the value itself if it is a constant."""
    first = number - len(program.specs)
    if first < 0:
        return program.specs[number]
    held = len(program.constants)
    return program.constants[first] if first < held else program.steps[first - held].spec


def _reference(value: Any) -> Callable[[], Any]:
    """Returns a function that returns the value as long as something else holds it."""
    try:
        return weakref.ref(value)
    except TypeError:
        # A NumPy scalar, which is cheap to read again.
        return _nothing


def _nothing() -> None: ...


def _same(value: Any) -> Any:
    return value


def launchable(
    function: Callable[..., Any],
    program: Program,
    specs: Sequence[Spec],
    donated: tuple[int, ...],
    replaced: Mapping[int, int],
) -> Callable[..., Any]:
    """Compiles a function that runs a program in a loop."""
    room.enter(program)
    with announced(program), ffi.allowed(True):
        made = compile_function(function, program, specs, donated, replaced=replaced, looped=True)
    keep_room(made)
    return made


def compile_function(
    function: Callable[..., Any],
    program: Program,
    specs: Sequence[Spec],
    donated: tuple[int, ...],
    layouts: Layouts | None = None,
    count: int = 0,
    replaced: Mapping[int, int] | None = None,
    looped: bool = False,
) -> Callable[..., Any]:
    """Compiles a function that runs a program; it may overwrite its arguments at the positions `donated`.

    `replaced` says which output overwrites each of them, as far as that is known; `looped`, whether the
    function runs the program in a loop.
    """
    module = jax()
    make_way()
    with module.enable_x64(True):
        with uncollected(), full_products(module):
            lowered = lower(function, specs, donated, layouts, count)
        if replaced and layouts is None:
            pair(lowered, replaced, len(specs))
        made: Callable[..., Any] = compiled(module, lowered, program, looped)
    del lowered
    give_back()
    return made


def lower(
    function: Callable[..., Any],
    specs: Sequence[Spec],
    donated: tuple[int, ...],
    layouts: Layouts | None = None,
    count: int = 0,
) -> Any:
    """Lowers a function for XLA, for one device or for values placed as `layouts` says."""
    module = jax()
    if layouts is None:
        arguments = [module.ShapeDtypeStruct(one.shape, one.dtype) for one in specs]
        return module.jit(function, donate_argnums=donated).lower(*arguments)
    arguments = [
        module.ShapeDtypeStruct(one.shape, one.dtype, sharding=where)
        for one, where in zip(specs, layouts.arguments, strict=True)
    ]
    # The outputs after these say whether each guard has passed.
    outputs = [*layouts.outputs, *[None] * (count - len(layouts.outputs))]
    return module.jit(function, donate_argnums=donated, out_shardings=outputs).lower(*arguments)


def launch_first(box: list[Any], made: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Launches an executable, with its outputs in `box`, where JAX may run Python code around it.

    It does at the first call of an executable, and at the first with arguments that it must convert. An
    interrupt in that code would lose arguments that the executable has overwritten: it is held until `box`
    has the outputs.
    """
    with HeldInterrupts(all=True):
        return launch(box, made, arguments)


def _host_roots(program: Program, numbers: Sequence[int]) -> list[int] | None:
    """Returns the arguments from which integers, such as ids, are computed with little work.

    Their guard is then applied on the host, before anything is overwritten. None if they need more work.
    """
    first = len(program.specs) + len(program.constants)
    roots: set[int] = set()
    stack = list(numbers)
    while stack:
        number = stack.pop()
        if number < len(program.specs):
            roots.add(number)
        elif number >= first:
            step = program.steps[number - first]
            if step.spec.dtype.kind not in "iub" or step.primitive.guard is not None:
                return None
            stack.extend(step.inputs)
    if any(program.specs[root].dtype.kind not in "iub" for root in roots):
        return None
    return sorted(roots)


def _on_host(program: Program, arguments: Sequence[Any], number: int) -> Any:
    """Computes a value of a program that depends on integer arguments alone, with NumPy."""
    inputs = len(program.specs)
    if number < inputs:
        return np.asarray(arguments[number])
    if number < inputs + len(program.constants):
        return program.constants[number - inputs]
    step = program.steps[number - inputs - len(program.constants)]
    operands = [_on_host(program, arguments, one) for one in step.inputs]
    return np.asarray(step.primitive.numpy(*operands, **step.params))


def evaluate(
    program: Program, guards: Sequence[Step], *arguments: Any, scope: Any = None, stores: bool = True,
    given: Mapping[int, Any] = MappingProxyType({}), untouched: Collection[int] = (), looped: bool = False,
) -> list[Any]:  # fmt: skip
    """Returns the outputs of a program as JAX traces them, then for each of the guards whether it passed.

    `stores` says whether values may get barriers, for this processor's XLA. `given` has the known values of
    steps, by the number of the step. The arguments `untouched` are still needed afterwards. A program that is
    `looped` is the body of a loop.
    """
    module, known = jax(), lengths.get()
    values: list[Any] = [*arguments, *program.constants]
    flags: dict[int, Any] = {}
    # For several devices, the data that a step sends is read from the text of the program; if lengths are
    # unknown, so are sizes.
    plain = stores and scope is None and known is None and module.default_backend() == "cpu"
    kept = barriers(program, looped) if plain else frozenset()
    at_once = one_pass(program) if plain else NONE
    for number, step in enumerate(program.steps):
        if number in given:
            values.append(given[number])
            continue
        if (update := at_once.updates.get(number)) is not None:
            # A value as it was read may be an output, too, under another number.
            given_out = {id(values[one]) for one in program.outputs if one < len(values)}
            lent = [one for one in update.old if one not in untouched and id(values[one]) not in given_out]
            computed = update.computed(module, values, lent)
            values.append(None)
            for place, value in zip(update.new, computed, strict=True):
                values[place] = value
            continue
        if number in at_once.skipped:
            values.append(None)
            continue
        operands = [values[i] for i in step.inputs]
        params = step.params if known is None else known(step.params)
        with nullcontext() if scope is None else scope(f"{SCOPE}{number}"):
            if step.primitive.many:
                *results, flags[id(step)] = step.primitive.xla(module, *operands, **params)
                values.append(tuple(results))
                continue
            for guard in guards:
                if guard is step:
                    flags[id(step)] = step.primitive.xla_guard(module, *operands, **params)
            if number in kept and asks(step):
                # A barrier does without the copy that a branch would make.
                values.append(module.lax.optimization_barrier(operands[0]))
                continue
            result = _as_declared(module, lowering(step.primitive)(*operands, **params), step, known)
            values.append(module.lax.optimization_barrier(result) if number in kept else result)
    return [values[i] for i in program.outputs] + [flags[id(guard)] for guard in guards]


lengths: ContextVar[Callable[[Any], Any] | None] = ContextVar("lengths", default=None)
"""Replaces unknown lengths by JAX's own symbols: see capture/export.py."""

SCOPE = "penstock_step_"
"""The start of each step's name in XLA's text of a program for several devices; its number follows."""


def evaluate_named(program: Program, guards: Sequence[Step], *arguments: Any) -> list[Any]:
    """Like `evaluate`, but names XLA's operations after the number of their step."""
    module = jax()
    return evaluate(program, guards, *arguments, scope=module.named_scope)


def value_of(module: ModuleType, step: Step, operands: Sequence[Any]) -> Any:
    """Returns the result of a step that has one, as JAX traces it."""
    return _as_declared(module, lowering(step.primitive)(*operands, **step.params), step, None)


def _as_declared(module: ModuleType, result: Any, step: Step, known: Any) -> Any:
    """Checks that the lowering follows the shape rule, which the NumPy tier defines."""
    result = module.numpy.asarray(result)
    shape = step.spec.shape if known is None else known(step.spec.shape)
    if result.shape != shape or result.dtype != step.spec.dtype:
        raise AssertionError(
            f"{step.primitive.name} in XLA gave {result.dtype}{list(result.shape)}, not {step.spec!r}"
        )
    return result


@functools.cache
def lowering(primitive: Any) -> Callable[..., Any]:
    """Returns the function of JAX arrays that computes a primitive."""
    if isinstance(primitive.xla, str):
        function: Callable[..., Any] = operator.attrgetter(primitive.xla)(jax())
        return function
    return functools.partial(primitive.xla, jax())


def executable(program: Program, donated: tuple[int, ...], layouts: Layouts | None = None) -> Executable:
    """Returns the compiled program that may overwrite these arguments, compiling it the first time.

    Two threads that need one program compile it once; other programs are compiled meanwhile.
    """
    key: Any = donated if layouts is None else (donated, layouts)
    found = program.compiled.get(key)
    if found is None:
        with program.compiling:
            found = program.compiled.get(key)
            if found is None:
                found = Executable(program, donated, layouts)
                if layouts is not None and layouts.together and in_force.placement is not None:
                    made: Any = found.made
                    in_force.placement.compiled(program, layouts, made.as_text())
                program.compiled[key] = found
                room.count += 1
                room.entered(program, executable_size(program))
                compilations.append((program, donated))
    result: Executable = found
    return result


def explain_compilation(
    program: Program, donated: tuple[int, ...] = (), comparison: Comparison | None = None
) -> str:
    """Says how a compiled program differs from the closest one compiled before it: tiers/differences.py."""
    earlier: list[Program] = []
    for other, overwritten in compilations:
        if other is program and overwritten == donated:
            break
        earlier.append(other)
    return (comparison or Comparison()).explain(program, earlier)


def on_device(value: Any) -> Any:
    """Returns NumPy data as a JAX array that keeps its dtype."""
    with jax().enable_x64(True):
        return jax().device_put(value)


def sent(value: Any) -> Any:
    """Does the same for data that is not to be overwritten: an accelerator may hold a copy of it already."""
    return on_device(value) if jax().default_backend() == "cpu" else uploads.copy(value, on_device)


__all__ = [
    "Executable",
    "compilations",
    "executable",
    "explain_compilation",
    "jax",
    "lengths",
    "on_device",
    "programs",
]
