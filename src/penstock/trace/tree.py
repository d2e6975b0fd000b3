"""The trace tree: a node is "the program so far", an edge is one recorded event, and all traces share it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from types import CodeType
from typing import Any

from penstock.trace.leaf import Argument, Leaf, OfVariable
from penstock.trace.site import Site
from penstock.trace.spec import Spec

NODE_LIMIT = 200_000


class Call:
    """One value of a recorded program: which primitive made it, of what, where.

    A value that no primitive has made has a leaf in its place, which says where it comes from. `slot` numbers
    the value; `inputs` are slots; `within` names the function of the library the user called, when this call
    is one of several that it is made of.
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
        """Which variable of the path it is the value of, by its index; None if of none."""
        leaf = self.primitive
        return leaf.variable if isinstance(leaf, OfVariable) else None

    def __repr__(self) -> str:
        leaf = self.primitive
        params = asdict(leaf) if isinstance(leaf, Leaf) else self.params
        words = [f"%{slot}" for slot in self.inputs] + [f"{name}={one!r}" for name, one in params.items()]
        return f"%{self.slot} = {leaf.name}({', '.join(words)}) : {self.spec!r}"


@dataclass(slots=True)
class Event:
    """What an edge stands for.

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


class Node:
    """The program so far. Immutable but for the caches that hang on it.

    `slot` and `spec` describe the one value of an operation's event; `result` is the template of what a
    larger event returns. `size` counts slots, `arity` arguments, `variables` distinct variables and `depth`
    events, all from the root to here. Below a number that has just turned into an argument, `twin` is the
    node of the same program in which it is baked, whose places tell which numbers vary too. `code` keeps
    the user's code alive, whose identity is part of the edge's key.
    """

    __slots__ = (
        "arity",
        "calls",
        "code",
        "depth",
        "edges",
        "event",
        "facts",
        "parent",
        "places",
        "plans",
        "result",
        "scalars",
        "size",
        "slot",
        "spec",
        "twin",
        "variables",
    )

    def __init__(self, parent: Node | None, event: Event | None, calls: tuple[Call, ...] = ()) -> None:
        self.parent, self.event, self.calls = parent, event, calls
        self.edges: dict[Any, Node] = {}
        self.places: dict[Any, Place] = {}
        self.plans: dict[Any, Any] = {}
        self.facts: dict[str, Any] = {}
        self.result: Any = None
        self.code: CodeType | None = None
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

    def path(self) -> list[Node]:
        """Returns the nodes from the first event to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            nodes.append(node)
            node = node.parent
        nodes.reverse()
        return nodes

    def program(self) -> list[Call]:
        """Returns every call from the root to this node; the call at index i made slot i."""
        return list(itertools.chain.from_iterable(node.calls for node in self.path()))

    def __repr__(self) -> str:
        kind = self.event.kind if self.event else "root"
        return f"<Node {kind} depth {self.depth}, {self.size} slots>"


class Tree:
    """The one tree of the process, bounded: past `NODE_LIMIT` nodes it starts afresh."""

    __slots__ = ("count", "root")

    def __init__(self) -> None:
        self.root = Node(None, None)
        self.count = 0

    def grow(self, parent: Node, key: Any, node: Node) -> Node:
        """Hangs `node` below `parent`; where another thread was quicker, returns that thread's node."""
        kept = parent.edges.setdefault(key, node)
        if kept is node:
            self.count += 1
            if node.twin is None and parent.twin is not None:
                node.twin = parent.twin.edges.get(key)
        return kept

    def prune(self) -> None:
        """Forgets every path if there are too many. Compiled programs are kept elsewhere and found again."""
        if self.count > NODE_LIMIT:
            self.root.edges.clear()
            self.root.places.clear()
            self.root.plans.clear()
            self.count = 0

    def clear_plans(self) -> None:
        """Forgets how each path was finished; it is found again at the next pass."""
        for node in self.walk():
            node.plans.clear()

    def walk(self) -> Iterator[Node]:
        """Yields every node now in the tree, once, although many hang under two keys."""
        stack, seen = [self.root], {id(self.root)}
        while stack:
            node = stack.pop()
            yield node
            for child in list(node.edges.values()):
                if id(child) not in seen:
                    seen.add(id(child))
                    stack.append(child)


tree = Tree()
