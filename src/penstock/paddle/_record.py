"""The facts of a path about gradients: which values carry them, where they end, which are already freed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from penstock.grad.backward import passes
from penstock.ops import pointwise, shape
from penstock.trace.builder import RowsOutcome
from penstock.trace.leaf import Argument, Constant, Leaf, OfVariable
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call, Node

VIEWS = (shape.reshape, shape.transpose, shape.slice_, shape.window, shape.flip, pointwise.stop_gradient)
"""Functions whose result shares the memory of its operand in Paddle."""
THROUGH = "straight_through"
"""The block around a value with the history of another: it shows the first of the two."""
_watched: list[type[Tensor]] = []
_accumulated: list[type[Tensor]] = []


def mark_accumulated(kind: type[Tensor]) -> None:
    """Says which class of tensors is a gradient as `grad` gives it."""
    _accumulated.append(kind)


def mark_watched(kind: type[Tensor]) -> None:
    """Says which class of tensors enters a path as a leaf that wants its gradient."""
    _watched.append(kind)


def is_view(call: Call, calls: Sequence[Call], stored: Container[int]) -> bool:
    """Returns whether a value shares its memory with the first of those it was computed from.

    What a function computes in several operations is a copy.
    """
    return (
        ((call.primitive in VIEWS and call.within is None) or call.within == THROUGH)
        and call.slot not in stored
        # A position that was computed is not known yet.
        and (
            call.within == THROUGH
            or all(isinstance(calls[one].primitive, Constant | Argument) for one in call.inputs[1:])
        )
    )


class Record:
    """Facts about one path, computed on first use.

    `calls` are its values; `leaves` the slots where gradients end, each with the first slot that may use it;
    `carrying` the slots whose `stop_gradient` is False; `spent` those a backward pass has freed, and `gone`
    those of data whose history an earlier path has freed; `retained` those that keep their gradient although
    they are not leaves, and `hooked` those whose gradient a hook sees; `stored` those that `set_value` made;
    `ends` those that had no history when they were told to want a gradient; `changed` those whose tensors
    were written in place although a gradient may need them, each with the line and the slot of the new value;
    `needing` the results of functions that were said to save values, each with the slots of these; `bound`
    the tensors made of data that hold a result now, each with its slot; `refused` the results that Paddle
    differentiates not at all, each with the name of what made it; `intervals` the recorded slots;
    `since` the depth of the record that is kept before this one.
    `may_share` is False once it is known that no tensors share memory.
    """

    __slots__ = (
        "_flagged", "_flagged_up_to", "_looked_through", "_needs", "_paused", "_pauses", "_saved",
        "_saved_up_to", "_sharing", "bound", "calls", "carrying", "changed", "ends", "gone", "hooked",
        "intervals", "leaves", "may_share", "needing", "refused", "retained", "since", "spent", "stored",
    )  # fmt: skip

    def __init__(
        self, nodes: Iterable[Node], historic: Iterable[int] = (), before: Record | None = None
    ) -> None:
        """Reads nodes: of a whole path, or those that come after the path of the record `before`."""
        self.calls: list[Call] = list(before.calls) if before else []
        historic = tuple(historic)
        self.leaves: dict[int, int] = (
            dict(before.leaves) if before else dict.fromkeys([max(one, ~one) for one in historic], 0)
        )
        self.gone: frozenset[int] = frozenset([~one for one in historic if one < 0])
        self._needs: dict[int, frozenset[int]] = {}
        self.carrying: set[int] = set(before.carrying) if before else set(self.leaves)
        self.spent: set[int] = set(before.spent) if before else set()
        self.retained: set[int] = set(before.retained) if before else set()
        self.hooked: set[int] = set(before.hooked) if before else set()
        self.ends: set[int] = set(before.ends) if before else set()
        self.bound: dict[int, int] = dict(before.bound) if before else {}
        self.stored: set[int] = set(before.stored) if before else set()
        self.changed: dict[int, tuple[Site | None, int]] = dict(before.changed) if before else {}
        self.needing: dict[int, tuple[int, ...]] = dict(before.needing) if before else {}
        self.refused: dict[int, str] = dict(before.refused) if before else {}
        self._saved: dict[int, frozenset[int]] = dict(before._saved) if before else {}
        self._saved_up_to: int = before._saved_up_to if before else 0
        self._flagged: set[int] = set(before._flagged) if before else set()
        self._flagged_up_to: int = before._flagged_up_to if before else 0
        self._pauses: list[tuple[int, int]] = list(before._pauses) if before else []
        self._paused: int = before._paused if before else -1
        self._sharing: set[int] = set(before._sharing) if before else set()
        self._looked_through: int = before._looked_through if before else 0
        self.since = 0
        self._read(nodes)

    def _read(self, nodes: Iterable[Node]) -> None:
        calls, pauses, paused = self.calls, self._pauses, self._paused
        for one in nodes:
            assert one.event is not None
            kind, details, first = one.event.kind, one.event.details, len(calls)
            calls.extend(one.calls)
            if kind == "pause" and paused < 0:
                paused = first
            elif kind == "resume" and paused >= 0:
                pauses.append((paused, first))
                paused = -1
            elif kind == "watch":
                self._forget_saved(details["slot"])
                self.leaves[details["slot"]] = first
                if details["slot"] not in self.carrying:
                    self.ends.add(details["slot"])
                self.carrying.add(details["slot"])
            elif kind == "retain":
                self.retained.add(details["slot"])
            elif kind == "changed":
                for slot in details["slots"]:
                    self.changed[slot] = one.event.site, details["made"]
            elif kind == "stored":
                self.stored.add(details["slot"])
                self._forget_saved(details["slot"])
                if details["slot"] < self._looked_through:
                    self._sharing, self._looked_through = set(), 0
            elif kind == "saved":
                self.needing[details["made"]] = details["slots"]
                self._forget_saved(details["made"])
            elif kind == "refused":
                self.refused[details["made"]] = details["name"]
            elif kind == "bind":
                self.bound[details["variable"]] = details["slot"]
            elif kind == "write":
                self.bound.pop(details["variable"], None)
            elif kind == "hook":
                self.hooked.add(details["slot"])
            elif kind == "gradient":
                self.spent.update(details.get("spent", ()))
            aside = kind == "gradient" and not details.get("create_graph")
            if aside and paused < 0:
                pauses.append((first, len(calls)))
            if one.calls and _enters_as(one, _watched):
                self.leaves[one.slot] = 0
                self.carrying.add(one.slot)
                continue
            for call in one.calls:
                self._follow(call, paused >= 0 or aside)
        self._paused = paused
        self.may_share = bool(self._sharing) or self._looked_through < len(calls)
        last = [(paused, len(calls))] if paused >= 0 else []
        self.intervals = _between([*pauses, *last], len(calls))

    def _follow(self, call: Call, off: bool) -> None:
        leaf = call.primitive
        if isinstance(leaf, OfVariable):
            if leaf.trainable:
                self.leaves[call.slot] = 0
                self.carrying.add(call.slot)
        elif not off and any(
            slot in self.carrying and call.slot >= self.leaves.get(slot, 0) and leads(call, i)
            for i, slot in enumerate(call.inputs)
        ):
            self.carrying.add(call.slot)

    def shows(self, slot: int, gradients: Iterable[int]) -> bool:
        """Returns whether a value was computed from one of these gradients while the path was recorded.

        It carries nothing, and yet its `stop_gradient` is False, as that of the gradients themselves.
        """
        found = set(gradients)
        if not found or slot in found:
            return slot in found
        for start, stop in self.intervals:
            for call in self.calls[start : min(stop, slot + 1)]:
                if any(one in found and leads(call, i) for i, one in enumerate(call.inputs)):
                    found.add(call.slot)
        return slot in found

    @property
    def flagged(self) -> set[int]:
        """The slots whose `stop_gradient` is False although no gradient passes them.

        In Paddle the places that sorting finds have a history, as has what is computed from them.
        """
        calls, flagged = self.calls, self._flagged
        for call in calls[self._flagged_up_to :]:
            leaf = call.primitive
            if (
                not isinstance(leaf, OfVariable)
                and call.slot not in self.carrying
                and any(
                    (one in flagged and leads(call, i))
                    or ((one in flagged or one in self.carrying) and _finds(call))
                    for i, one in enumerate(call.inputs)
                )
                and any(start <= call.slot < stop for start, stop in self.intervals)
            ):
                flagged.add(call.slot)
        self._flagged_up_to = len(calls)
        return flagged

    @property
    def sharing(self) -> set[int]:
        """The slots whose tensors share memory with another's: views, and their bases."""
        if self._looked_through < len(self.calls):
            new = self.calls[self._looked_through :]
            self._looked_through = len(self.calls)
            for one in new:
                if one.primitive in VIEWS and one.slot not in self.stored:
                    self._sharing.add(one.inputs[0])
                if is_view(one, self.calls, self.stored):
                    self._sharing.add(one.slot)
            self.may_share = bool(self._sharing)
        return self._sharing

    @property
    def saved(self) -> dict[int, frozenset[int]]:
        """The slots whose values a gradient may need as they are, by the slots whose memory they show."""
        calls, saved = self.calls, self._saved
        for one in calls[self._saved_up_to :]:
            for slot in self._saved_by(one) if one.slot in self.carrying else ():
                at = slot
                saved[at] = saved.get(at, frozenset()) | {slot}
                while is_view(calls[at], calls, self.stored):
                    at = calls[at].inputs[0]
                    saved[at] = saved.get(at, frozenset()) | {slot}
        self._saved_up_to = len(calls)
        return saved

    def _saved_by(self, call: Call) -> Iterator[int]:
        # Few programs write in place.
        from penstock.paddle._saves import saved_by

        yield from saved_by(call, self.calls, VIEWS)
        yield from self.needing.get(call.slot, ())

    def _forget_saved(self, slot: int) -> None:
        """Looks through the path again for saved values, if what is known of a slot has changed."""
        if slot < self._saved_up_to:
            self._saved, self._saved_up_to = {}, 0

    def overwritten(
        self, slots: Iterable[int], since: Mapping[int, Any] | None = None
    ) -> tuple[Call, Site] | None:
        """Returns a call of these slots for whose gradient a value was saved that has changed, and the line.

        `since` are changes after the step was over.
        """
        changed = {**self.changed, **since} if since else self.changed
        if changed:
            for slot in slots:
                call = self.calls[slot]
                for one in self._saved_by(call):
                    site, made = changed.get(one, (None, -1))
                    # An operation in place saves a copy of what it changes.
                    if site is not None and not (made >= 0 and self.calls[made].site == call.site):
                        return call, site
        return None

    def inside(self, slot: int) -> bool:
        """Returns whether a gradient may pass through a value."""
        return slot in self.carrying

    def behind(self, targets: Iterable[int], stops: Iterable[int] = ()) -> list[int]:
        """Returns the slots that gradients of the targets pass on their way to leaves, leaves included."""
        seen: set[int] = set(stops)
        stack = [slot for slot in targets if slot in self.carrying and slot not in seen]
        found: list[int] = []
        while stack:
            slot = stack.pop()
            if slot in seen:
                continue
            seen.add(slot)
            found.append(slot)
            call = self.calls[slot]
            if slot in self.ends or (slot in self.leaves and self.leaves[slot] == 0):
                continue
            for i, source in enumerate(call.inputs):
                if (
                    source in self.carrying
                    and source not in seen
                    and slot >= self.leaves.get(source, 0)
                    and leads(call, i)
                ):
                    stack.append(source)
        return sorted(found)

    def between(self, behind: Iterable[int], wanted: Iterable[int]) -> list[int]:
        """Returns those of the slots behind targets that a gradient passes on its way to the wanted ones."""
        leading = set(wanted)
        found = []
        for slot in behind:
            if any(source in leading for source in self.calls[slot].inputs):
                leading.add(slot)
                found.append(slot)
        return found

    def is_freed(self, slot: int, since: Container[int] | None = None) -> bool:
        """Returns whether a backward pass of a value would come to what one before it has freed.

        `since` are the slots that were freed after the step was over.
        """
        needs = self._needs.get(slot)
        if needs is None:
            behind = self.behind([slot])
            needs = self._needs[slot] = self.operations(behind) | self.gone.intersection(behind)
        return not (
            needs.isdisjoint(self.spent)
            and needs.isdisjoint(self.gone)
            and not (since and any(one in since for one in needs))
        )

    def intervals_without(self, walls: Iterable[int]) -> tuple[tuple[int, int], ...]:
        """Returns the recorded slots, as pairs of ends, without single slots that must stop gradients."""
        found: list[tuple[int, int]] = []
        for start, stop in self.intervals:
            for wall in sorted(one for one in walls if start <= one < stop):
                found.append((start, wall))
                start = wall + 1
            found.append((start, stop))
        return tuple(found)

    def operations(self, slots: Iterable[int]) -> frozenset[int]:
        """Returns those of the slots that an operation made, which a backward pass frees.

        A value without history that was later marked to want a gradient is a leaf: a pass does not free it.
        """
        return frozenset(
            slot
            for slot in slots
            if not isinstance(self.calls[slot].primitive, Leaf)
            and (slot not in self.leaves or self._goes_on(slot))
        )

    def _goes_on(self, slot: int) -> bool:
        """Returns whether gradients pass from a slot to its inputs."""
        call = self.calls[slot]
        return slot not in self.ends and any(
            source in self.carrying and slot >= self.leaves.get(source, 0) and leads(call, i)
            for i, source in enumerate(call.inputs)
        )


PLACES = frozenset(["argsort", "running_argmax", "running_argmin"])
"""Functions of places whose results have a history in Paddle; those of `argmax` have none."""


CUTTING = frozenset(
    [
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "digamma", "erf", "erfinv", "hypot",
        "i0", "i0e", "i1", "i1e", "lgamma", "logcumsumexp", "logit", "logsumexp", "reciprocal", "rsqrt",
        "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh",
    ]
)  # fmt: skip
"""The functions that Paddle computes of a copy of whole numbers in floats: the copy has no history."""
WITHOUT_GRADIENT = frozenset(["atan2", "exp", "expm1", "log", "log10", "log1p", "log2"])
"""The functions whose kernels give whole numbers a gradient of floats, or raise an error over it."""


def leads(call: Call, operand: int) -> bool:
    """Returns whether a gradient passes from a call to its i-th operand in Paddle: through integers too."""
    return passes(call, operand, discrete=True)


def _finds(call: Call) -> bool:
    """Returns whether a call finds places that have a history in Paddle, which no gradient passes."""
    places = call.within == "max_pool" and not differentiable(call.spec)
    return places or call.primitive.name in PLACES


def _enters_as(node: Node, kinds: Container[type[Tensor]]) -> bool:
    """Returns whether an event brings a tensor of one of these classes into the path."""
    event, parent = node.event, node.parent
    if event is None or event.kind != "enter" or parent is None:
        return False
    return any(
        there is node and len(key) == 3 and key[0] == "enter" and key[2] in kinds
        for key, there in parent.edges.items()
        if type(key) is tuple
    )


def _between(pauses: Sequence[tuple[int, int]], size: int) -> tuple[tuple[int, int], ...]:
    """Returns the intervals between the pauses: pairs of the first slot and one past the last."""
    found = []
    start = 0
    for first, stop in sorted(pauses):
        if first > start:
            found.append((start, first))
        start = max(start, stop)
    if size > start or not found:
        found.append((start, size))
    return tuple(found)


OWN_RECORD: tuple[str, tuple[int, ...]] = ("autograd", ())
"""Where a path's facts keep its record, if no earlier path holds a history that it goes on with."""


def record_of(node: Node, historic: tuple[int, ...] = ()) -> Record:
    """Returns the record of a path. `historic` are slots of data whose own history an earlier path holds."""
    facts: dict[Any, Any] = node.facts
    key = ("autograd", historic) if historic else OWN_RECORD
    found: Record | None = facts.get(key)
    if found is None:
        # A path that is looked at again and again as it grows is read once.
        after: list[Node] = []
        before: Record | None = None
        at: Node | None = node
        while before is None and at is not None and at.parent is not None:
            after.append(at)
            at = at.parent
            known: dict[Any, Any] = at.facts
            before = known.get(key)
        found = facts[key] = Record(reversed(after), historic, before)
        if before is not None and at is not None:
            # Each record is as long as its path: those kept are a sixteenth of the path apart.
            if 16 * (at.depth - before.since) < at.depth:
                known.pop(key, None)
                found.since = before.since
            else:
                found.since = at.depth
    return found


def left_on(node: Node) -> Iterator[int]:
    """Yields the slots of gradients of leaves: of backward passes on a path, and of earlier ones."""
    at: Node | None = node
    while at is not None and (event := at.event) is not None:
        if event.kind == "gradient" and event.details.get("implied"):
            for one in at.result:
                if one is not None:
                    yield one.values.slot if isinstance(one, RowsOutcome) else one.slot
        elif at.calls and _enters_as(at, _accumulated):
            yield at.slot
        at = at.parent


def historic(trace: Trace) -> tuple[int, ...]:
    """Returns the slots of data on this path that were computed on an earlier one, and can carry on there.

    Where a backward pass has freed the history, it is `~slot`: the gradient of what carries on is refused.
    """
    found: list[int] = []
    for entry in trace.entries:
        # One that another thread is about to compute has no past yet.
        past = getattr(entry, "_past", None)
        if past is not None and entry._trace is None:
            slot = trace.entered.get(id(entry))
            if slot is None or type(entry) in _watched:
                continue
            if entry._slot in record_of(past.node, past.historic).carrying:
                found.append(~slot if is_freed(entry) else slot)
    return tuple(found)


def still_historic(trace: Trace) -> tuple[int, ...]:
    """Returns the slots of `historic` whose history can still be asked for."""
    return tuple([one for one in historic(trace) if one >= 0]) if trace.entries else ()


def is_freed(result: Any) -> bool:
    """Returns whether a backward pass has freed the history of a result of a step that is over."""
    past = result._past
    return past.arguments is None or record_of(past.node, past.historic).is_freed(result._slot, past.spent)
