"""Puts a run of a traced function into a graph, with the functions inside it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from penstock.frameworks.tensorflow.entries import (
    Asked,
    Assigned,
    Closed,
    Entry,
    Inside,
    Key,
    Numbers,
    Opened,
    Operation,
    Updated,
    Watched,
)
from penstock.frameworks.tensorflow.traced import CHOICES, DEEP, LOOPS, Body, Script, Traced
from penstock.frameworks.tensorflow.window import Window
from penstock.trace.source_site import Site

TURNS = 2
"""How often the body of a loop is put into the graph: the second time with the results of the first."""
_runs = itertools.count(1)


Moved = tuple[Site | None, Site | None]


class Player:
    """Plays functions into a window."""

    def __init__(self, traced: Traced, window: Window, moved: Moved | None = None) -> None:
        """`moved` are the line from which a function was traced, and the one that calls it now."""
        self._traced, self._window, self._moved = traced, window, moved

    def play(self, script: Script, numbers: Inside, writes: bool = True, depth: int = 0) -> None:
        """Puts one run into the window; with `writes`, also what it writes."""
        window, run = self._window, next(_runs)
        script.played = True
        window.flush()
        for entry in script.entries:
            one = entry if self._moved is None else _moved(entry, self._moved)
            match one:
                case Operation():
                    if one.bodies:
                        window.flush()
                        self._compose(one, numbers, writes, depth)
                    else:
                        window.add(one, numbers)
                case Opened():
                    window.opened(one, run)
                case Closed():
                    window.closed(one, run)
                case Watched():
                    window.watched(one, numbers, None, run)
                case Asked():
                    window.asked(one, numbers, run)
                case Updated() if writes:
                    window.updated(one, numbers)
                case Assigned() if writes:
                    window.assigned(one, numbers)
        window.flush()

    def _compose(self, one: Operation, numbers: Numbers, writes: bool, depth: int) -> None:
        if depth >= DEEP:
            return
        bodies = list(self._traced.bodies(one))
        if one.kind in CHOICES:
            self._choose(one, [body for _, body in bodies], numbers, writes, depth)
        elif one.kind in LOOPS:
            body = next((body for name, body in bodies if name in ("body", "f")), None)
            if body is not None:
                self._repeat(one, body, numbers, writes, depth)
        else:
            for name, body in bodies:
                if name != "f":
                    continue
                inside = self._inside(body, numbers, {})
                self.play(body.script, inside, writes, depth + 1)
                if not body.repeats:
                    for outer, inner in zip(one.outputs, body.outputs, strict=False):
                        self._hand_on(inside, inner, numbers, outer)

    def _choose(
        self, one: Operation, bodies: Sequence[Body], numbers: Numbers, writes: bool, depth: int
    ) -> None:
        results: list[list[int | None]] = []
        for body in bodies:
            inside = self._inside(body, numbers, {})
            self.play(body.script, inside, writes, depth + 1)
            results.append([inside.number(key) for key in body.outputs])
        chooser = numbers.number(one.inputs[0])
        for place, (key, type_) in enumerate(zip(one.outputs, one.types[len(one.inputs) :], strict=True)):
            sources = [result[place] if place < len(result) else None for result in results]
            if all(source is None for source in sources) and chooser is None:
                continue
            number = self._window.join("cond", sources, type_, one.site, chooser)
            if number is not None:
                numbers.bind(key, number, None)

    def _repeat(self, one: Operation, body: Body, numbers: Numbers, writes: bool, depth: int) -> None:
        """Plays a loop: each result is what went in, or what a turn has made of it."""
        states = one.states or len(body.outputs)
        first = [inner for inner, _ in body.inputs]
        inputs = list(one.inputs)
        offset = 1 if one.kind.endswith("Dataset") else 0
        started = [numbers.number(key) for key in inputs[offset : offset + states]]
        names = self._names(body, first, states)
        carried: dict[Key, int] = {
            name: number for name, number in zip(names, started, strict=False) if number is not None
        }
        seen: list[list[int | None]] = [list(started)]
        for turn in range(TURNS):
            inside = self._inside(body, numbers, carried)
            self.play(body.script, inside, writes and not turn, depth + 1)
            made = [inside.number(key) for key in body.outputs[:states]]
            seen.append(made)
            carried = {name: number for name, number in zip(names, made, strict=False) if number is not None}
        for place, (key, type_) in enumerate(zip(one.outputs, one.types[len(one.inputs) :], strict=False)):
            sources = [turn[place] if place < len(turn) else None for turn in seen]
            if all(source is None for source in sources):
                continue
            number = self._window.join("while", sources, type_, one.site)
            if number is not None:
                numbers.bind(key, number, None)

    def _names(self, body: Body, first: Sequence[Key], states: int) -> list[Key]:
        graph = body.script.graph()
        return (
            [tensor.name for tensor in graph.inputs[:states]] if graph is not None else list(first[:states])
        )

    def _inside(self, body: Body, numbers: Numbers, carried: dict[Key, int]) -> Inside:
        inside = Inside()
        for inner, outer in body.inputs:
            variable = numbers.variable(outer)
            if variable is not None:
                inside.hold(inner, variable)
            elif (number := numbers.number(outer)) is not None:
                inside.bind(inner, number)
            elif (literal := numbers.literal(outer)) is not None:
                inside.note(inner, literal)
        for inner, number in carried.items():
            inside.bind(inner, number)
        return inside

    def _hand_on(self, inside: Inside, inner: Key, numbers: Numbers, outer: Key) -> None:
        number = inside.number(inner)
        if number is not None:
            numbers.bind(outer, number, None)


def _moved(one: Entry, moved: Moved) -> Entry:
    """Returns what the line of a call does, on the line that calls now."""
    if isinstance(one, Watched) or one.site != moved[0]:
        return one
    return replace(one, site=moved[1])


__all__ = ["Moved", "Player"]
