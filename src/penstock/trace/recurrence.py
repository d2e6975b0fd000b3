"""Where the events of a path recur: a long path is cut at the end of an iteration of the user's loop."""

from __future__ import annotations

from typing import Any

from penstock.trace.leaf import Leaf
from penstock.trace.tree import HEAVY, Call, Node, cost_of, is_work

WINDOW = 512
"""Iterations of more events than this are not looked for."""

SHARE = 4
"""Events that recur on a heavy path are an iteration of its loop only if they do their share of its work: at
least one part in this many of what its events do on average. Additions of gradients recur, too."""

SETTLING = ("operation", "apply", "write")
"""The kinds of events before which a path may be cut."""

NOWHERE, INSIDE, END, INDEPENDENT, ACCUMULATING = range(1, 6)
"""States of a node: no event recurs, an iteration is not complete, or an iteration ends there.

On a heavy path the last two say more about an end: the next iteration reads nothing but scalars of the one
before it, such as a sum; or each iteration computes gradients and adds them to the earlier ones.
"""


class Recurrence:
    """Reads a growing path once, and returns for its last node whether an iteration ends there.

    `keys` has a key for each event with a line: its kind, its place in the code and the spec of its result.
    Two events with the same key are one line that ran twice. `matched` counts the latest events that repeat
    those `period` events earlier; when it reaches the period, two iterations are complete, and `end` becomes
    the number of the event that ends one. `heads` has the number of slots after each event, `gradients` the
    events that are backward passes, `costs` the work up to each event, and `scalar` says that only scalars
    pass from one iteration to the next.
    The result depends on the path alone, so a path is cut at the same places in each process.
    """

    __slots__ = (
        "calls",
        "cost",
        "costs",
        "end",
        "gradients",
        "heads",
        "keys",
        "last",
        "matched",
        "node",
        "period",
        "scalar",
    )

    def __init__(self, root: Node) -> None:
        self.begin(root)

    def begin(self, root: Node) -> None:
        """Goes back to the root."""
        self.node = root
        self.keys: list[Any] = []
        self.heads: list[int] = []
        self.costs: list[int] = []
        self.gradients: list[int] = []
        self.calls: list[Call] = []
        self.last: dict[Any, int] = {}
        self.period = self.matched = self.cost = 0
        self.end, self.scalar = -1, False

    def at(self, node: Node) -> int:
        """Returns the state of a node: see NOWHERE."""
        new: list[Node] = []
        while node is not self.node and node.parent is not None:
            new.append(node)
            node = node.parent
        if node is not self.node:
            self.begin(node)
        for one in reversed(new):
            self._add(one)
        return self._found()

    def _found(self) -> int:
        period, number = self.period, len(self.keys) - 1
        if not period or self.matched < period:
            return NOWHERE
        if self.end < 0:
            self._place()
        if (number - self.end) % period:
            return INSIDE
        if self.cost <= HEAVY:
            return END
        if self.cost > SHARE * (number + 1) * (self.cost - self.costs[number - period]) // period:
            return NOWHERE
        if self.gradients and self.gradients[-1] > number - period:
            return ACCUMULATING
        return INDEPENDENT if self.scalar else END

    def _add(self, node: Node) -> None:
        self.node = node
        calls, event = self.calls, node.event
        for call in node.calls:
            calls.append(call)
            if is_work(call):
                self.cost += cost_of(call, [calls[slot].spec for slot in call.inputs])
        if event is None or event.site is None:
            return
        instruction = event.site.instruction
        place = event.site.line if instruction is None else instruction[1]
        key = (event.kind, id(node.source), place, id(node.spec))
        keys, number = self.keys, len(self.keys)
        if event.kind == "gradient":
            self.gradients.append(number)
        keys.append(key)
        self.heads.append(node.size)
        self.costs.append(self.cost)
        if self.period and keys[number - self.period] == key:
            self.matched += 1
        else:
            self.end = -1
            self.period = self.matched = 0
            before = self.last.get(key)
            if before is not None and number - before <= WINDOW:
                period = self.period = number - before
                matched = 1
                while matched < min(period, before + 1) and keys[number - matched] == keys[before - matched]:
                    matched += 1
                self.matched = matched
        self.last[key] = number

    def _place(self) -> None:
        """Finds where iterations end: where the fewest values that one has computed are read by the next."""
        period, last = self.period, len(self.keys) - 1
        first = last - 2 * period + 1
        # The values that exist after each event of these two iterations, and the last event that reads each.
        ends = self.heads[first : last + 1]
        begin = self.heads[first - 1] if first else 0
        born: dict[int, int] = {}
        died: dict[int, int] = {}
        place = 0
        for slot in range(begin, ends[-1]):
            while slot >= ends[place]:
                place += 1
            if place < period and not isinstance(self.calls[slot].primitive, Leaf):
                born[slot] = place
            for read in self.calls[slot].inputs:
                if read in born:
                    died[read] = place
        crossing, large = [0] * period, [0] * period
        for slot, read in died.items():
            # A value of the first iteration is needed up to its last reader, which may be in the second.
            for one in range(born[slot], read):
                crossing[one % period] += 1
                large[one % period] += self.calls[slot].spec.size > 1
        # The present event is at the place `period - 1`: of equal places, the next one from there.
        places = [period - 1, *range(period - 1)]
        places = [one for one in places if self.keys[first + one + 1][0] in SETTLING] or places
        end = min(places, key=crossing.__getitem__)
        self.end = last if end == period - 1 else last - period + 1 + end
        self.scalar = not large[end]


__all__ = ["ACCUMULATING", "END", "INDEPENDENT", "INSIDE", "NOWHERE", "Recurrence"]
