"""Functions that TensorFlow has traced: what each does, and which variables each run writes."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.frameworks.tensorflow.earlier import before_watch
from penstock.frameworks.tensorflow.entries import Asked, Assigned, Entry, Key, Operation, Updated
from penstock.frameworks.tensorflow.variable import Parameter
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.flags import Flags

DEEP = 64
"""How deep calls of functions inside functions are followed."""


@dataclass(slots=True)
class Effect:
    """A write in each run of a function; `group` numbers the updates.

    `loops` says that it may repeat, `chosen` that it is inside a branch.
    """

    by: str
    site: Site | None
    kind: str
    variable: Parameter
    terms: tuple[str, ...]
    group: int
    optimizer: Any = None
    loops: bool = False
    chosen: bool = False


@dataclass(eq=False)
class Script:
    """What a traced function does, in order; `home` is the line of its first call, which has traced it.

    `tapes` keeps the identities of tapes that the program did not open itself. `met` and `since` are for
    `Flags.is_measured`; when it was traced, flags had been changed `traced` times, and `compared` times when
    they were compared last.
    """

    graph: weakref.ref[Any]
    home: Site | None = None
    entries: list[Entry] = field(default_factory=list)
    known: bool = False
    played: bool = False
    times: int = 0
    met: int = 0
    since: int = 0
    traced: int = 0
    compared: int = -1
    tapes: list[object] = field(default_factory=list)
    _effects: dict[tuple[int, ...], list[Effect]] = field(default_factory=dict)
    _asks: bool | None = None
    _print: int | None = None


@dataclass(slots=True)
class Body:
    """A function inside an operation: the keys of its inputs with those outside, and whether it repeats."""

    script: Script
    inputs: list[tuple[Key, Key]]
    outputs: list[Key]
    repeats: bool


class Traced:
    """The traced functions of a program, by their graphs and names."""

    def __init__(self, flags: Flags) -> None:
        self._flags = flags
        self._scripts: weakref.WeakKeyDictionary[Any, Script] = weakref.WeakKeyDictionary()
        self._named: dict[str, weakref.ref[Any]] = {}

    def name(self, name: Any, graph: Any) -> None:
        """Notes the name under which operations call a graph."""
        text = name.decode() if isinstance(name, bytes) else str(name)
        named = self._named

        def forget(reference: weakref.ref[Any]) -> None:
            if named.get(text) is reference:
                del named[text]

        named[text] = weakref.ref(graph, forget)

    def graph(self, name: str) -> Any:
        """Returns the graph that has a name, if it is still there."""
        found = self._named.get(name)
        return found() if found is not None else None

    def script(self, graph: Any) -> Script:
        """Returns what a graph does, as far as it was traced under watch."""
        found = self._scripts.get(graph)
        if found is None:
            found = self._scripts[graph] = Script(weakref.ref(graph), traced=self._flags.changes)
        return found

    def ran(self, graph: Any) -> Script:
        """Returns what a graph that runs does: what it shows itself, if it was traced before the watch."""
        script = self.script(graph)
        if not script.entries and not script.known:
            script.known = True
            script.entries += before_watch(graph)
        return script

    def bodies(self, one: Operation) -> Iterator[tuple[str, Body]]:
        """Yields the functions inside an operation, each with the attribute that names it."""
        for attribute, names in one.bodies.items():
            for name in names:
                graph = self.graph(name)
                if graph is not None:
                    inner = [tensor.name for tensor in graph.inputs]
                    outer = list(one.inputs[1:] if one.kind in CHOICES else one.inputs)
                    if len(outer) != len(inner):
                        # The elements of a data set are no operands: what is captured comes last.
                        count = min(len(outer), len(inner))
                        outer, inner = (outer[-count:], inner[-count:]) if count else ([], [])
                    outputs = [tensor.name for tensor in graph.outputs]
                    repeats = one.kind in LOOPS or one.kind.endswith("Dataset")
                    body = Body(self.ran(graph), list(zip(inner, outer, strict=True)), outputs, repeats)
                    yield attribute, body

    # -- what a run does ---------------------------------------------------------------------------------

    def asks(self, script: Script) -> bool:
        """Returns whether a function, or one inside it, requests gradients."""
        if script._asks is None:
            script._asks = any(isinstance(one, Asked | Updated) for one in self._all(script, 0))
        return script._asks

    def print(self, script: Script) -> int:
        """Returns a number that is the same for functions that do the same operations."""
        if script._print is None:
            script._print = hash(
                tuple(
                    (type(one).__name__, one.kind if isinstance(one, Operation) else one.site)  # type: ignore[union-attr]
                    for one in self._all(script, 0)
                    if not isinstance(one, Operation) or one.kind != "Const"
                )
            )
        return script._print

    def _all(self, script: Script, depth: int) -> Iterator[Entry]:
        for one in script.entries:
            yield one
            if isinstance(one, Operation) and one.bodies and depth < DEEP:
                for _, body in self.bodies(one):
                    yield from self._all(body.script, depth + 1)

    def effects(self, script: Script, held: dict[Key, Parameter]) -> list[Effect]:
        """Returns the writes of a run; `held` are the variables behind the handles among its inputs."""
        key = tuple([one.uid for one in held.values()])
        found = script._effects.get(key)
        if found is None:
            found = script._effects[key] = list(self._written(script, held, False, False, 0))
        return found

    def _written(
        self, script: Script, held: dict[Key, Parameter], loops: bool, chosen: bool, depth: int
    ) -> Iterator[Effect]:
        for number, one in enumerate(script.entries):
            group = hash((depth, id(script), number))
            if isinstance(one, Updated):
                for variable in one.moved:
                    yield Effect(
                        one.by,
                        one.site,
                        "apply",
                        variable,
                        ("gradient",),
                        group,
                        one.optimizer,
                        loops,
                        chosen,
                    )
            elif isinstance(one, Assigned):
                thing = one.thing if isinstance(one.thing, Parameter) else held.get(one.thing)
                if thing is not None:
                    yield Effect(one.by, one.site, "write", thing, one.terms, group, None, loops, chosen)
            elif isinstance(one, Operation) and one.bodies and depth < DEEP:
                branches: list[Effect] = []
                for attribute, body in self.bodies(one):
                    inside = {inner: held[outer] for inner, outer in body.inputs if outer in held}
                    if attribute != "cond" and body.script is not script:
                        branches += self._written(
                            body.script,
                            inside,
                            loops or body.repeats,
                            chosen or one.kind in CHOICES,
                            depth + 1,
                        )
                yield from _once(branches)


CHOICES = frozenset(("If", "StatelessIf", "Case", "StatelessCase"))
"""Operations that run one of several functions; the first operand chooses."""
LOOPS = frozenset(("While", "StatelessWhile", "For", "ReduceDataset", "ScanDataset"))
"""Operations that run a function again and again."""


def _once(effects: Sequence[Effect]) -> list[Effect]:
    """Leaves out the same write in several branches: a run makes it once."""
    found: dict[tuple[Any, ...], Effect] = {}
    for one in effects:
        found.setdefault((one.by, one.site, one.variable.uid, one.kind), one)
    return list(found.values())


__all__ = ["CHOICES", "DEEP", "LOOPS", "Body", "Effect", "Script", "Traced"]
