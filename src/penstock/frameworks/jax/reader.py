"""Reads what a JAX program does into a window: operations, inner programs, gradients, and updates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jax._src import core

from penstock.flow.graph import Event
from penstock.frameworks.jax import operations
from penstock.frameworks.jax.keys import Key
from penstock.frameworks.jax.lines import is_of_jax, is_typed_in, line_of
from penstock.frameworks.jax.parameter import Parameter
from penstock.frameworks.jax.scripts import Scripts
from penstock.frameworks.jax.window import Frame, Type, Window, type_of
from penstock.trace.source_site import Site

ROOM = 100_000
"""A window with this many values follows no inner programs any more."""
INNER = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
    "remat": "jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr", "custom_lin": "",
}  # fmt: skip
"""Primitives that run a program once, by the parameter that has it."""


@dataclass(slots=True)
class Moved:
    """One update: the parameters that it moves, how often a run makes it, and whether it may be skipped.

    `idle` are those known to stay as they are.
    """

    by: str
    site: Site | None
    parameters: list[Parameter]
    idle: set[int]
    event: int
    times: int = 1
    chosen: bool = False


@dataclass(slots=True)
class Operands:
    """The operands of an operation: their keys, types, and the numbers among them."""

    keys: list[Key | None]
    types: list[Type]
    things: list[Any] = field(default_factory=list)


class Reader:
    """Reads into a window. `site` is the line of the call that is read, where nothing more exact is known."""

    def __init__(self, window: Window, scripts: Scripts, named: dict[Any, Parameter]) -> None:
        self.window, self.scripts, self._named = window, scripts, named
        self.moved: list[Moved] = []
        self._times = 1
        self._chosen = False
        self._requested: list[Parameter] = []

    # -- operations ----------------------------------------------------------------------------------------

    def operation(
        self, frame: Frame, name: str, params: dict[str, Any], given: Operands, outs: Sequence[Key | None],
        results: Sequence[Type], site: Site | None, group: Event | None = None,
    ) -> None:  # fmt: skip
        """Reads one operation."""
        known = self._numbers(frame, given, site, group)
        inner = INNER.get(name)
        holds = name in ("scan", "while", "cond") or bool(inner)
        if all(one is None for one in known) and not holds:
            if all(_is_zero(frame, key, thing) for key, thing in _paired(given)) and name in ZEROS:
                frame.zeros.update(outs)
            return
        if len(self.window.graph.values) > ROOM:
            holds = False
            if all(one is None for one in known):
                return
        if holds:
            owners = [frame.owner(key) for key in given.keys]
            if inner and inner in params:
                self._inner(frame, name, params[inner], given, owners, outs, site, group, params)
                return
            if name == "scan":
                self._scan(frame, params, given, owners, outs, results, site, group)
                return
            if name == "cond":
                self._cond(frame, params, given, owners, outs, results, site, group)
                return
            if name == "while":
                self._while(frame, params, given, owners, outs, results, site, group)
                return
        self._plain(frame, name, params, given, known, outs, results, site, group)

    def _numbers(
        self, frame: Frame, given: Operands, site: Site | None, group: Event | None
    ) -> list[int | None]:
        """Returns the values among operands; a parameter is read where it is used first."""
        found = []
        for key, type_ in zip(given.keys, given.types, strict=True):
            number = frame.number(key)
            if number is None and group is None and (owner := frame.owner(key)) is not None:
                number = frame.numbers[key] = self.window.read(owner, type_, site)
            found.append(number)
        return found

    def _plain(
        self, frame: Frame, name: str, params: dict[str, Any], given: Operands, known: list[int | None],
        outs: Sequence[Key | None], results: Sequence[Type], site: Site | None, group: Event | None,
    ) -> None:  # fmt: skip
        inputs, kinds = [], []
        for place, (key, type_, number) in enumerate(zip(given.keys, given.types, known, strict=True)):
            if number is None and group is None and operations.is_differentiable(type_.dtype):
                thing = given.things[place] if given.things else None
                if key is not None or isinstance(thing, float):
                    number = self.window.enter(type_, site, thing)
                    if key is not None:
                        frame.numbers[key] = number
            if number is not None:
                inputs.append(number)
                kinds.append(type_.dtype)
        shown = _function_name(params) if name.startswith("custom_") else ""
        typed = params.get("typed", True)
        found = self.window.operation(name, inputs, kinds, results, site, group, bool(shown), shown, typed)
        for key, number in zip(outs, found, strict=True):
            if key is not None:
                frame.numbers[key] = number

    # -- inner programs ------------------------------------------------------------------------------------

    def _inner(
        self, frame: Frame, name: str, jaxpr: Any, given: Operands, owners: list[Parameter | None],
        outs: Sequence[Key | None], site: Site | None, group: Event | None, params: dict[str, Any],
    ) -> None:  # fmt: skip
        opened = group
        if group is None and name in ("jit", "pjit") and is_of_jax(getattr(jaxpr, "jaxpr", jaxpr)):
            known = self._numbers(frame, given, site, group)
            if all(one is None for one in known):
                return
            for place, (key, type_, number) in enumerate(zip(given.keys, given.types, known, strict=True)):
                thing = given.things[place] if given.things else None
                unknown = number is None and operations.is_differentiable(type_.dtype)
                if unknown and (key is not None or isinstance(thing, float)):
                    number = self.window.enter(type_, site, thing)
                    if key is not None:
                        frame.numbers[key] = number
            shown = operations.name_of(str(params.get("name") or name))
            opened = self.window.event("operation", shown, site, 0, True)
        numbers = [frame.number(key) for key in given.keys]
        found, kept = self.program(frame, jaxpr, numbers, owners, site, opened, given.keys)
        if opened is not None and group is None:
            self.window.end(opened)
        for key, number, owner in zip(outs, found, kept, strict=True):
            _bind(frame, key, number, owner)

    def program(
        self, frame: Frame, jaxpr: Any, numbers: Sequence[int | None], owners: Sequence[Parameter | None],
        site: Site | None, group: Event | None, keys: Sequence[Key | None] = (),
    ) -> tuple[list[int | None], list[Parameter | None]]:  # fmt: skip
        """Reads one run of a program; returns the values and the parameters among its results."""
        jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
        inner = Frame(frame)
        for variable, number, owner in zip(jaxpr.invars, numbers, owners, strict=True):
            _bind(inner, variable, number, owner)
        for variable, key in zip(jaxpr.invars, keys):
            if key in frame.made:
                inner.made[variable] = frame.made[key]
            if key in frame.given:
                inner.given[variable] = frame.given[key]
        requested, moved = len(self._requested), len(self.moved)
        script = self.scripts.of(jaxpr)
        blocks = list(script.blocks) if script is not None else []
        at = 0
        equations = jaxpr.eqns
        while at < len(equations) or blocks:
            if blocks and blocks[0].first <= at:
                block = blocks.pop(0)
                for name, arguments in block.entries:
                    getattr(self, name)(inner, *arguments)
                at = max(at, block.last)
                continue
            self._equation(inner, equations[at], site, group)
            at += 1
        if len(self._requested) > requested:
            written = {one.uid for each in self.moved[moved:] for one in each.parameters}
            self._updated_by_hand(inner, jaxpr, self._requested[requested:], written)
        for variable, key in zip(jaxpr.invars, keys):
            owner = inner.owners.get(variable)
            if owner is not None and key is not None and frame.owner(key) is None:
                frame.owners[key] = owner
        results = [one if isinstance(one, core.Var) else None for one in jaxpr.outvars]
        return [inner.number(one) for one in results], [inner.owner(one) for one in results]

    def _equation(self, frame: Frame, equation: Any, site: Site | None, group: Event | None) -> None:
        keys = [one if isinstance(one, core.Var) else None for one in equation.invars]
        things = [one.val if isinstance(one, core.Literal) else None for one in equation.invars]
        given = Operands(keys, [type_of(one) for one in equation.invars], things)
        outs = [None if isinstance(one, core.DropVar) else one for one in equation.outvars]
        results = [type_of(one) for one in equation.outvars]
        own = site if group is not None else line_of(equation) or site
        name, params = equation.primitive.name, equation.params
        if name == operations.STOP and not is_typed_in(equation):
            params = {**params, "typed": False}
        self.operation(frame, name, params, given, outs, results, own, group)

    def _scan(
        self, frame: Frame, params: dict[str, Any], given: Operands, owners: list[Parameter | None],
        outs: Sequence[Key | None], results: Sequence[Type], site: Site | None, group: Event | None,
    ) -> None:  # fmt: skip
        fixed, carried = params["num_consts"], params["num_carry"]
        jaxpr, length = params["jaxpr"], params["length"]
        window = self.window
        numbers = self._numbers(frame, given, site, group)
        types = [type_of(one) for one in jaxpr.jaxpr.invars]
        for place in range(fixed + carried, len(numbers)):
            number = numbers[place]
            if number is not None:
                dtype = given.types[place].dtype
                numbers[place] = window.operation("getitem", [number], [dtype], [types[place]], site, group)[
                    0
                ]
        times, self._times = self._times, self._times * max(length, 1)
        found, kept = self.program(frame, jaxpr, numbers, owners, site, group, given.keys[:fixed])
        for place in range(carried):
            before = kept[place] or owners[fixed + place]
            key = given.keys[fixed + place]
            if before is not None and key is not None and frame.owner(key) is None:
                frame.owners[key] = before
        if length > 1:
            # What one turn leaves is what the next one begins with.
            moved = len(self.moved)
            again = [*numbers[:fixed], *found[:carried], *numbers[fixed + carried :]]
            held = [*owners[:fixed], *kept[:carried], *owners[fixed + carried :]]
            second, kept = self.program(frame, jaxpr, again, held, site, group)
            del self.moved[moved:]
            found = [
                new if place < carried else self._join("scan", [old, new], results[place], site, group)
                for place, (old, new) in enumerate(zip(found, second, strict=True))
            ]
        self._times = times
        for place, (key, number) in enumerate(zip(outs, found, strict=True)):
            if place >= carried and number is not None:
                dtype = window.graph.values[number]
                kind = type_of(jaxpr.jaxpr.outvars[place]).dtype if dtype else None
                number = window.operation("stack", [number], [kind], [results[place]], site, group)[0]
            _bind(frame, key, number, kept[place] if place < carried else None)

    def _while(
        self, frame: Frame, params: dict[str, Any], given: Operands, owners: list[Parameter | None],
        outs: Sequence[Key | None], results: Sequence[Type], site: Site | None, group: Event | None,
    ) -> None:  # fmt: skip
        skipped, fixed = params["cond_nconsts"], params["body_nconsts"]
        numbers = [frame.number(key) for key in given.keys][skipped:]
        held = owners[skipped:]
        chosen, self._chosen = self._chosen, True
        found, kept = self.program(frame, params["body_jaxpr"], numbers, held, site, group)
        moved = len(self.moved)
        again = [*numbers[:fixed], *found]
        second, kept = self.program(frame, params["body_jaxpr"], again, [*held[:fixed], *kept], site, group)
        del self.moved[moved:]
        self._chosen = chosen
        for place, (key, number) in enumerate(zip(outs, second, strict=True)):
            joined = self._join("while", [numbers[fixed + place], number], results[place], site, group)
            _bind(frame, key, joined, kept[place])

    def _cond(
        self, frame: Frame, params: dict[str, Any], given: Operands, owners: list[Parameter | None],
        outs: Sequence[Key | None], results: Sequence[Type], site: Site | None, group: Event | None,
    ) -> None:  # fmt: skip
        numbers = [frame.number(key) for key in given.keys]
        chosen, self._chosen = self._chosen, True
        taken = [
            self.program(frame, one, numbers[1:], owners[1:], site, group, given.keys[1:])
            for one in params["branches"]
        ]
        self._chosen = chosen
        for place, key in enumerate(outs):
            sources = [found[place] for found, _ in taken]
            held = [kept[place] for _, kept in taken if kept[place] is not None]
            joined = self._join("cond", sources, results[place], site, group, numbers[0])
            _bind(frame, key, joined, held[0] if held else None)

    def _join(
        self, name: str, sources: Sequence[int | None], type_: Type, site: Site | None, group: Event | None,
        by: int | None = None,
    ) -> int | None:  # fmt: skip
        if group is None:
            return self.window.join(name, sources, type_, site, by)
        known = [one for one in dict.fromkeys(sources) if one is not None]
        if not known:
            return None
        return self.window.operation(name, known, [type_.dtype] * len(known), [type_], site, group)[0]

    # -- gradients -----------------------------------------------------------------------------------------

    def given(self, frame: Frame, path: str, outer: Key | None, type_: Type, site: Site | None) -> None:
        """Reads the array that a differentiated function is given, before its region begins.

        A function that uses this array itself, from outside, and not its argument, gets no gradient by it.
        """
        if self.window.depth == 0:
            parameter = self._parameter(frame, outer, path, type_, site)
            if outer is not None and self._is_stale(frame.number(outer)):
                frame.numbers[outer] = self.window.read(parameter, type_, site)

    def _is_stale(self, number: int | None) -> bool:
        """Returns whether an array has no value yet, or one with the history of an earlier step."""
        return number is None or self.window.graph.values[number].kind != "variable"

    def opened(self, frame: Frame, tape: object, site: Site | None) -> None:
        """Begins the region of a function that is differentiated."""
        frame.tapes[tape] = self.window.open(site)

    def argument(
        self, frame: Frame, tape: object, path: str, inner: Key, outer: Key | None, type_: Type,
        site: Site | None,
    ) -> None:  # fmt: skip
        """Reads a differentiated argument, which is a parameter unless an outer gradient is computed, too."""
        window = self.window
        if window.depth > 1:
            frame.numbers[inner] = window.pass_on(frame.tapes[tape], frame.number(outer), type_, site)
            return
        parameter = self._parameter(frame, outer, path, type_, site)
        frame.numbers[inner] = window.read(parameter, type_, site)
        self._requested.append(parameter)

    def closed(self, frame: Frame, tape: object, site: Site | None) -> None:
        """Ends the region."""
        self.window.close(frame.tapes[tape], site)

    def asked(
        self, frame: Frame, tape: object, how: str, site: Site | None,
        targets: Sequence[tuple[Key | None, Type]],
        sources: Sequence[tuple[Key, Key | None, Type]],
    ) -> None:  # fmt: skip
        """Reads a request for gradients."""
        window = self.window
        goals = []
        for key, type_ in targets:
            number = frame.number(key)
            goals.append(window.enter(type_, site) if number is None else number)
        numbers = [frame.numbers[inner] for inner, _, _ in sources]
        types = [type_ for _, _, type_ in sources]
        found = window.asked(frame.tapes[tape], how, site, goals, numbers, types, window.depth == 0)
        for (_, key, _), number, source in zip(sources, found, numbers, strict=True):
            if key is not None:
                frame.numbers[key] = number
            elif (index := window.graph.values[source].variable) is not None:
                window.variables[index].loose = True

    def alias(self, frame: Frame, new: Key, old: Key) -> None:
        """Notes that two keys are one value."""
        number = frame.number(old)
        if number is not None:
            frame.numbers[new] = number

    # -- parameters and updates ----------------------------------------------------------------------------

    def _parameter(
        self, frame: Frame, key: Key | None, path: str, type_: Type, site: Site | None
    ) -> Parameter:
        """Returns the parameter whose value is the array with a key."""
        found = frame.owner(key)
        if found is not None:
            return found
        number = frame.number(key)
        if number is not None:
            found = self.window.lineage(number)
            if found is not None and not self.window.is_same(number):
                frame.numbers[key] = self._write_by_hand(found, number, type_)
        if found is None:
            named = site, path, type_.spec
            found = self._named.get(named)
            if found is not None and found.written and found.array is not None and found.array() is not None:
                # The array that the earlier parameter has got last is still there: this is another one.
                found = None
            if found is None:
                dtype = getattr(type_.dtype, "name", "float32")
                made = frame.made.get(key) or site
                path = frame.given.get(key, path)
                found = self._named[named] = Parameter(path, made, type_.shape, dtype)
        if key is not None:
            frame.owners[key] = found
            if number is not None:
                self.window.same.setdefault(number, found)
        return found

    def updated(
        self, frame: Frame, by: str, site: Site | None,
        leaves: Sequence[tuple[Key | None, Key | None, Key | None, Type, bool]],
    ) -> None:  # fmt: skip
        """Reads an update: for each leaf the keys of the old value, the change and the new value."""
        window = self.window
        moved: list[tuple[Parameter, Sequence[int], Type]] = []
        news: list[Key | None] = []
        idle: set[int] = set()
        for old, change, new, type_, zero in leaves:
            parameter, number = frame.owner(old), frame.number(change)
            if parameter is None:
                made_of = [one for one in (frame.number(old), number) if one is not None]
                if made_of:
                    kinds = [type_.dtype] * len(made_of)
                    (result,) = window.operation("add", made_of, kinds, [type_], site)
                    _bind(frame, new, result, None)
                continue
            parameter.written = True
            if number is None and not parameter.loose and (zero or _is_zero(frame, change, None)):
                parameter.zeroed = True
                idle.add(parameter.uid)
            moved.append((parameter, () if number is None else (number,), type_))
            news.append(new)
        if not moved:
            return
        event = window.write("apply", by, site, moved)
        for new, (parameter, _, type_) in zip(news, moved, strict=True):
            # What uses the new value later begins with it: the history of a weight is no path of a loss.
            _bind(frame, new, window.read(parameter, type_, site), parameter)
        self._note(by, site, [one for one, _, _ in moved], idle, event.number)

    def _note(
        self, by: str, site: Site | None, parameters: list[Parameter], idle: set[int], event: int
    ) -> None:
        last = self.moved[-1] if self.moved else None
        if last is not None and (last.by, last.site, last.times, last.chosen) == (
            by, site, self._times, self._chosen
        ):  # fmt: skip
            known = {one.uid for one in last.parameters}
            if known.isdisjoint([one.uid for one in parameters]):
                # One line moves several parameters, such as a map over a tree.
                last.parameters += parameters
                last.idle |= idle
                return
        self.moved.append(Moved(by, site, parameters, idle, event, self._times, self._chosen))

    def _write_by_hand(self, parameter: Parameter, number: int, type_: Type) -> int:
        value = self.window.graph.values[number]
        parameter.written = True
        event = self.window.write("apply", value.name, value.site, [(parameter, [number], type_)])
        self._note(value.name, value.site, [parameter], set(), event.number)
        return self.window.read(parameter, type_, value.site)

    def _updated_by_hand(
        self, frame: Frame, jaxpr: Any, requested: Sequence[Parameter], written: set[int]
    ) -> None:
        """Finds the results of a program that are parameters, moved by their gradients.

        If there are several, such as one and its moving average, the next request for gradients tells.
        """
        results = [
            (one, number)
            for one in dict.fromkeys(one for one in jaxpr.outvars if isinstance(one, core.Var))
            if frame.owner(one) is None and (number := frame.number(one)) is not None
        ]
        for parameter in dict.fromkeys(requested):
            if parameter.uid in written:
                continue
            fitting = [(key, number) for key, number in results if self.window.follows(number, parameter)]
            if len(fitting) == 1:
                ((key, number),) = fitting
                new = self._write_by_hand(parameter, number, type_of(key))
                _bind(frame, key, new, parameter)


ZEROS = frozenset(("broadcast_in_dim", "convert_element_type", "mul", "neg", "copy", "reshape"))
"""Primitives that make zeros of zeros."""


def _paired(given: Operands) -> list[tuple[Key | None, Any]]:
    things = given.things or [None] * len(given.keys)
    return list(zip(given.keys, things, strict=True))


def _is_zero(frame: Frame | None, key: Key | None, thing: Any) -> bool:
    """Returns whether an operand is known to be zeros, whatever the program computes."""
    while frame is not None and key is not None:
        if key in frame.zeros:
            return True
        frame = frame.parent
    if key is not None or thing is None:
        return False
    try:
        return not np.any(np.asarray(thing))
    except (TypeError, ValueError):
        return False


def _bind(frame: Frame, key: Key | None, number: int | None, owner: Parameter | None) -> None:
    if key is None:
        return
    if number is not None:
        frame.numbers[key] = number
    if owner is not None:
        frame.owners[key] = owner


def _function_name(params: dict[str, Any]) -> str:
    """Returns the name of the function that has a derivative of its own."""
    for one in params.values():
        info = getattr(getattr(one, "jaxpr", one), "debug_info", None)
        name = getattr(info, "func_name", None)
        if name:
            return operations.name_of(str(name))
    return "custom function"


__all__ = ["Moved", "Operands", "Reader"]
