"""The trace tree: a node is "the program so far", an edge is one recorded event, and all traces share it."""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from types import CodeType
from typing import Any

from penstock.trace.budget import NEVER, budget
from penstock.trace.leaf import Argument, Constant, Leaf, OfVariable, Version
from penstock.trace.source_site import Site
from penstock.trace.spec import OpenSpec, Spec

NODE_BYTES, CALL_BYTES, PLAN_BYTES, PLACE_BYTES, FACT_BYTES, SOURCE_BYTES = 1_000, 400, 1_500, 500, 100, 2_000
"""About how much memory each takes: a node with its edge, a call, a plan, a place, a fact, a code object."""
HEAVY = 50_000_000
"""A path or program of more arithmetic operations than this is heavy: it may be compiled early."""
REMEMBERED = 4_096
"""For how many places of a code object the varying numbers are remembered."""


class Call:
    """One value of a recorded program: which primitive made it, from which inputs, on which line.

    A value that no primitive has made has a leaf as its primitive, which says where it comes from. `slot`
    numbers the value; `inputs` are slots; `within` names the function of the library the user called, when
    this call is one of several inside it.
    """

    __slots__ = ("inputs", "params", "primitive", "site", "slot", "spec", "within")

    def __init__(
        self,
        primitive: Any,
        inputs: tuple[int, ...],
        params: dict[str, Any],
        slot: int,
        spec: Spec,
        site: Site | None,
        within: str | None,
    ) -> None:
        self.primitive, self.inputs, self.params = primitive, inputs, params
        self.slot, self.spec, self.site, self.within = slot, spec, site, within

    @property
    def variable(self) -> int | None:
        """The index of the variable on the path whose value this is; None for any other value."""
        leaf = self.primitive
        return leaf.variable if isinstance(leaf, OfVariable) else None

    def __repr__(self) -> str:
        leaf = self.primitive
        params = asdict(leaf) if isinstance(leaf, Leaf) else self.params
        words = [f"%{slot}" for slot in self.inputs] + [f"{name}={one!r}" for name, one in params.items()]
        return f"%{self.slot} = {leaf.name}({', '.join(words)}) : {self.spec!r}"


def cost_of(call: Any, operands: Sequence[Spec]) -> int:
    """Returns roughly how many arithmetic operations a call, or a step of a program, takes."""
    primitive = call.primitive
    if primitive.many:
        return int(primitive.work(**call.params))
    if any(type(one) is OpenSpec for one in (call.spec, *operands)):
        # A length is unknown: nothing is run, so no tier is chosen.
        return 1
    cost = getattr(primitive, "cost", None)
    return int(cost(*operands, **call.params)) if cost else int(call.spec.size)


def is_work(call: Call) -> bool:
    """Returns whether a call counts as work: of the results of one primitive, the first has its cost."""
    return not isinstance(call.primitive, Leaf) and not call.params.get("output")


def work_of(calls: Sequence[Call]) -> int:
    """Returns roughly how many arithmetic operations the calls of a path take."""
    return sum(cost_of(one, [calls[slot].spec for slot in one.inputs]) for one in calls if is_work(one))


@dataclass(slots=True)
class Event:
    """What an edge represents.

    `kind` is one of "operation", "enter", "read", "write", "open", "close", "watch", "reset", "look",
    "gradient", "apply"; `site` is the user's line; `details` depends on the kind.
    """

    kind: str
    site: Site | None
    details: dict[str, Any] = field(default_factory=dict)


class Place:
    """A spot in the tree where Python numbers enter an event: baked at first, arguments once seen to vary."""

    __slots__ = ("key", "scalars", "varying")

    def __init__(self, key: Any, scalars: tuple[Any, ...]) -> None:
        self.key, self.scalars = key, scalars
        self.varying: frozenset[int] = frozenset()


class Source:
    """A code object of the user's, kept alive as long as its identity is part of a key in the tree.

    `size` is about how many bytes were recorded from it. `varying` remembers which numbers vary at dropped
    places, by event, instruction and depth: a new recording makes them arguments at once.
    """

    __slots__ = ("code", "size", "varying")

    def __init__(self, code: CodeType) -> None:
        self.code, self.size = code, SOURCE_BYTES + sys.getsizeof(code)
        self.varying: dict[Any, frozenset[int]] = {}

    @property
    def abandoned(self) -> bool:
        """Whether only the tree references the code, so that it will never run again."""
        return sys.getrefcount(self.code) <= _ALONE


_sample = Source(compile("0", "<sample>", "eval"))
_ALONE = sys.getrefcount(_sample.code)
"""The reference count of an object that only one attribute holds."""


class Node:
    """The program so far. Immutable, except for the caches attached to it.

    `slot` and `spec` describe the one value of an operation's event; `result` is the template of what a
    larger event returns. `size` counts slots, `arity` arguments, `variables` distinct variables and `depth`
    events, all from the root to here. Below a number that has just become an argument, `twin` is the node of
    the same program with that number baked in; its places say which other numbers vary. `source` is the
    user's code, whose identity is part of the edge's key. `used` is the time at which the path to here was
    last recorded without a plan; a plan has its own time of use. `recurs` says whether an iteration of a loop
    ends here, if that was asked: see trace/recurrence.py.
    """

    __slots__ = (
        "arity",
        "calls",
        "depth",
        "edges",
        "event",
        "facts",
        "parent",
        "places",
        "plans",
        "recurs",
        "result",
        "scalars",
        "size",
        "slot",
        "source",
        "spec",
        "twin",
        "used",
        "variables",
    )

    def __init__(self, parent: Node | None, event: Event | None, calls: tuple[Call, ...] = ()) -> None:
        self.parent, self.event, self.calls = parent, event, calls
        self.edges: dict[Any, Node] = {}
        self.places: dict[Any, Place] = {}
        self.plans: dict[Any, Any] = {}
        self.facts: dict[str, Any] = {}
        self.result: Any = None
        self.recurs = 0
        self.source: Source | None = None
        self.used = budget.now
        self.twin: Node | None = None
        self.scalars: tuple[tuple[int, Any], ...] = ()
        self.slot = calls[-1].slot if calls else -1
        self.spec = calls[-1].spec if calls else None
        if parent is None:
            self.size = self.arity = self.variables = self.depth = 0
        else:
            self.size = parent.size + len(calls)
            self.arity = parent.arity + sum(isinstance(call.primitive, Argument) for call in calls)
            self.variables = parent.variables
            self.depth = parent.depth + 1

    @property
    def size_in_memory(self) -> int:
        """About how many bytes the node takes, with its calls, plans, places and facts."""
        size = NODE_BYTES + CALL_BYTES * len(self.calls) + PLACE_BYTES * len(self.places)
        size += sum(
            int(one.primitive.value.nbytes) for one in self.calls if isinstance(one.primitive, Constant)
        )
        return size + PLAN_BYTES * len(self.plans) + FACT_BYTES * self.size * len(self.facts)

    def path(self) -> list[Node]:
        """Returns the nodes from the first event to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            nodes.append(node)
            node = node.parent
        nodes.reverse()
        return nodes

    def writes(self, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yields each write below depth `start`: the variable's number, and the slot of its new value."""
        for node in self.path()[start:]:
            event = node.event
            if event is not None and event.kind == "bind":
                yield event.details["variable"], event.details["slot"]
            for call in node.calls:
                leaf = call.primitive
                if isinstance(leaf, Version) and leaf.written:
                    yield leaf.variable, call.slot

    def program(self) -> list[Call]:
        """Returns every call from the root to this node; the call at index i made slot i."""
        return list(itertools.chain.from_iterable(node.calls for node in self.path()))

    def __repr__(self) -> str:
        kind = self.event.kind if self.event else "root"
        return f"<Node {kind} depth {self.depth}, {self.size} slots>"


class Tree:
    """The one tree of the process, and the code it was recorded from."""

    __slots__ = ("count", "in_use", "root", "sources")

    def __init__(self) -> None:
        self.root = Node(None, None)
        self.count = 0
        self.sources: dict[int, Source] = {}
        self.in_use: Callable[[], Iterable[Node]] = tuple
        """Returns the present nodes of all recordings."""

    def grow(self, parent: Node, key: Any, node: Node) -> Node:
        """Adds `node` below `parent`; if another thread was quicker, returns that thread's node."""
        kept = parent.edges.setdefault(key, node)
        if kept is node:
            self.count += 1
            if node.twin is None and parent.twin is not None:
                node.twin = parent.twin.edges.get(key)
            size = node.size_in_memory
            if node.source is not None:
                node.source.size += size
            budget.take(budget.recorded, size)
        return kept

    def source(self, code: CodeType) -> Source:
        """Returns the object that keeps a piece of the user's code, so that keys may hold its identity."""
        found = self.sources.get(id(code))
        return found if found is not None else self.sources.setdefault(id(code), Source(code))

    def place(self, parent: Node, key: tuple[Any, int, int], hot_key: Any, scalars: tuple[Any, ...]) -> Place:
        """Returns a new place below `parent`; numbers that are known to vary there are arguments at once."""
        twin = parent.twin.places.get(key) if parent.twin is not None else None
        place = parent.places.setdefault(key, Place(hot_key, scalars if twin is None else twin.scalars))
        if twin is not None:
            place.varying = twin.varying
        else:
            head, instruction, code = key
            source = self.sources.get(code)
            if source is not None and source.varying:
                place.varying = source.varying.get((head, instruction, parent.depth), place.varying)
        return place

    def walk(self) -> Iterator[Node]:
        """Yields every node now in the tree once, although many have two keys."""
        stack, seen = [self.root], {id(self.root)}
        while stack:
            node = stack.pop()
            yield node
            for child in list(node.edges.values()):
                if id(child) not in seen:
                    seen.add(id(child))
                    stack.append(child)

    # -- memory: see trace/budget.py ---------------------------------------------------------------------

    def wasted(self) -> int:
        """Returns about how many bytes were recorded from code that is gone."""
        return sum(one.size for one in list(self.sources.values()) if one.abandoned)

    def weigh(self) -> Iterator[tuple[int, int, Node]]:
        """Yields each node after the ones below it; its last use is theirs."""
        busy = {id(node) for end in self.in_use() for node in end.path()}
        nodes = sorted(self.walk(), key=operator.attrgetter("depth"))
        gone = {id(source) for source in self.sources.values() if source.abandoned}
        dead: set[int] = set()
        for node in nodes:
            if id(node) not in busy and (id(node.source) in gone or id(node.parent) in dead):
                dead.add(id(node))
        latest: dict[int, int] = {}
        for node in reversed(nodes[1:]):
            own = id(node)
            used = max(node.used, latest.get(own, 0), *(plan.used for plan in list(node.plans.values())))
            used = NEVER if own in dead else budget.now if own in busy else used
            latest[id(node.parent)] = max(used, latest.get(id(node.parent), 0))
            yield used, node.size_in_memory, node

    def drop(self, nodes: list[Node]) -> int:
        """Removes nodes from the tree; a trace that is still at one of them finds nothing below it."""
        dropped = set(map(id, nodes))
        kept: set[int] = set()
        self.count = 0
        for node in self.walk():
            for key, child in list(node.edges.items()):
                if id(child) in dropped:
                    node.edges.pop(key, None)
            kept.add(id(node.source))
            self.count += node.parent is not None
        for node in nodes:
            self._remember(node)
            if node.source is not None:
                node.source.size -= min(node.size_in_memory, node.source.size)
            # Nodes reference each other; otherwise only the garbage collector would free them.
            node.edges.clear()
            node.plans.clear()
        for number, source in list(self.sources.items()):
            if source.abandoned and id(source) not in kept:
                del self.sources[number]
        return 0

    def _remember(self, node: Node) -> None:
        for (head, instruction, code), place in list(node.places.items()):
            source = self.sources.get(code)
            if place.varying and source is not None:
                if len(source.varying) >= REMEMBERED:
                    del source.varying[next(iter(source.varying))]
                source.varying[head, instruction, node.depth] = place.varying


tree = Tree()
budget.recorded.kinds.append(tree)
