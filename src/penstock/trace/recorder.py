"""The recorder: each thread walks its own trace through the shared tree, one edge for each event."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Protocol

from penstock.errors import AbandonedError, CaptureError, PenstockError
from penstock.trace.budget import budget
from penstock.trace.builder import Builder, Number, Outcome, as_dtype, python_numbers
from penstock.trace.captured import Baked, Binding
from penstock.trace.convert import as_tensor
from penstock.trace.engine import engine
from penstock.trace.history import STANDING, Past, Standing
from penstock.trace.leaf import TensorArgument, VariableArgument, Version
from penstock.trace.local import here_if_known, local, value_of
from penstock.trace.nesting import Nesting
from penstock.trace.source_site import Site, is_library, recorded_at, site_of, user_frame
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Call, Event, Node, tree

IDLE_DEPTH = 256
"""A trace is run at the end of an iteration after this many events outside of every tape, so that the pending
work stays bounded."""
STRAIGHT_DEPTH = 4 * IDLE_DEPTH
"""It is run after this many events wherever it is."""
SHORT_DEPTH = IDLE_DEPTH // 4
"""A heavy trace is run after this many, where the next iteration needs little of the last."""
TAPED_SLOTS = 50_000
"""A trace with a tape open is run, and its history kept, after this many slots."""
_new = object.__new__


def tag(value: Any) -> Any:
    """Returns a key under which two Python numbers meet only if a recorded program may treat them alike."""
    if isinstance(value, complex):
        return complex, repr(value)
    if value != value:
        return type(value), "nan"
    if isinstance(value, float) and not value and str(value)[0] == "-":
        return float, "-0"
    return type(value), value


class Guard(Protocol):
    """Checks a record before it takes effect, and raises to refuse it: see flow/contract.py."""

    def recorded(self, trace: Trace) -> None:
        """Checks the record of a trace before it is run."""

    def published(self, trace: Trace) -> None:
        """Checks the record of a trace before another thread receives the values it has written."""

    def replayed(self, node: Node, variables: list[Any], arguments: Sequence[Any]) -> None:
        """Checks the path of a captured step before it is replayed."""


def _holder(tensor: Tensor) -> Callable[[], Tensor]:
    """Returns a function that returns a tensor, and holds it, unlike a weak reference."""
    return lambda: tensor


class Trace:
    """What one thread has recorded since its last completed step, as a cursor into the tree plus bindings.

    `handles` are the tensors given out, in order; a run computes only those that are still held. `arguments`
    are the values bound to the path's argument slots. `current` maps a variable's number to the slot that
    holds its value now; one that is in `again` instead has to be read again from its slot there, and one in
    `stale` from the variable, since another thread has written it. `stand_ins` has the tensors that are read
    in the place of variables: see state/stand_ins.py. `rehearsal` says that its writes do not take effect.
    While a step is being captured, `bindings` lists the attributes that each replay reads or
    compares, `applications` the optimizers that stepped, `consulted` the variables whose flags were read, and
    `made` the variables and optimizers that were created. `standing` is the tape that a dialect whose
    autograd is always on keeps open: see Standing. `missed` has the variables whose gradient was requested
    although nothing on this path had touched them, each with the depth of the requesting event: a path has no
    number for them. `listed` has a node and the calls up to it, `recurrence` the iterations up to
    one, so that a growing path is read once. `guards` are the contracts that are open in its thread, the
    outer ones first; `counts` the lists in which optimizers have counted updates that are pending; `shared`
    the slots whose values a dialect lets share memory with others, each with its place there. `idle` is the
    depth at which its last tape was closed, `indices` the places in `variables` of the variables numbered so
    far.

    An interrupt comes between two calls of Python, never within a statement that calls nothing. Therefore the
    cursor moves in the same statement that binds what the new node refers to.
    """

    __slots__ = (
        "__weakref__",
        "again",
        "applications",
        "arguments",
        "bindings",
        "capturing",
        "checkpoint",
        "consulted",
        "counts",
        "current",
        "entered",
        "entries",
        "generation",
        "guards",
        "handles",
        "idle",
        "indices",
        "known",
        "listed",
        "made",
        "missed",
        "nested",
        "node",
        "pending",
        "previous",
        "progress",
        "recurrence",
        "rehearsal",
        "shared",
        "stale",
        "stand_ins",
        "standing",
        "start",
        "tapes",
        "taping",
        "thread",
        "variables",
        "varied",
        "whole",
    )

    def __init__(self) -> None:
        self.begin(None)
        engine.enlist(self)

    def begin(self, capturing: str | None) -> None:
        """Gives a trace its fields, at the root of the tree; `capturing` names a recording without values."""
        self.thread = threading.get_ident()
        self.capturing = capturing
        self.guards: list[Guard] = []
        self.whole = False
        self.bindings: list[Binding | Baked] = []
        self.applications: list[Any] = []
        self.consulted: dict[int, Cell] = {}
        self.made: list[Any] = []
        self.varied: set[tuple[int, str]] = set()
        self.previous: Past | None = None
        self.generation = 0
        self.taping = 0
        self.standing: Standing | None = None
        self.nested: Nesting | None = None
        self.stand_ins: dict[int, Tensor] = {}
        self.clear()
        self.rehearsal = capturing is not None

    @classmethod
    def inside(cls, outer: Trace | Builder, what: str, site: Site) -> Trace:
        """Returns a trace for a separate program inside another recording: see functions/subtrace.py."""
        trace = _new(cls)
        trace.begin(what)
        if isinstance(outer, Trace):
            # A step that is captured around this one also needs the variables consulted and created here.
            trace.consulted, trace.made = outer.consulted, outer.made
        trace.stand_ins = getattr(getattr(outer, "base", outer), "stand_ins", {})
        trace.stale.update(trace.stand_ins)
        trace.nested = Nesting(outer, what, site)
        return trace

    def clear(self) -> None:
        """Goes back to the root of the tree, forgetting every binding."""
        self.node = tree.root
        self.rehearsal = False
        self.generation += 1
        self.handles: list[Tensor] = []
        self.arguments: list[Any] = []
        self.variables: list[Cell] = []
        self.current: dict[int, int] = {}
        self.again: dict[int, int] = {}
        # A stale variable is read by `read_held`, which knows the tensor to read in its place.
        self.stale: set[int] = set(self.stand_ins)
        self.shared: dict[int, Any] = {}
        self.entered: dict[int, int] = {}
        self.entries: list[Tensor] = []
        self.pending: dict[int, Cell] = {}
        self.counts: list[list[int]] = []
        self.checkpoint = self.node
        self.tapes: list[Any] = []
        self.idle = 0
        self.missed: list[tuple[int, Cell]] = []
        self.indices: dict[int, int] = {}
        self.known: dict[int, Any] = {}
        self.progress: Any = None
        self.start: Node = self.node
        self.recurrence: Any = None
        self.listed: tuple[Node, list[Call]] = (self.node, [])
        if self.standing is not None:
            self.standing.begin(self)

    def program(self) -> list[Call]:
        """Returns every call from the root to the present node; a path that grows is read once."""
        known, calls = self.listed
        new: list[Node] = []
        node = self.node
        while node is not known and node.parent is not None:
            new.append(node)
            node = node.parent
        if node is not known:
            calls = []
        for one in reversed(new):
            calls.extend(one.calls)
        self.listed = self.node, calls
        return calls

    def past(self, replayable: bool) -> Past:
        """Returns the record of the present path to keep after it has been run."""
        past = Past()
        past.changed = past.spent = None
        past.node = self.node
        past.variables = self.variables
        past.missed = self.missed
        past.arguments = self.arguments if replayable else None
        past.entries = [weakref.ref(entry) for entry in self.entries] if self.entries else ()
        followed = self.entries and self.standing is not None
        past.historic = self.standing.historic(self) if followed else ()  # type: ignore[union-attr]
        if past.historic and replayable:
            # A gradient that comes through this path goes on there, also after the program has dropped them.
            needed = self.standing.needed_of(self, past.historic)  # type: ignore[union-attr]
            for i, entry in enumerate(self.entries):
                if self.entered.get(id(entry)) in needed:
                    past.entries[i] = _holder(entry)  # type: ignore[index]
        return past

    def renew(self) -> None:
        """Does the same as `clear`, but skips fields that are empty already."""
        if (
            budget.due
            or self.known
            or self.entered
            or self.entries
            or self.again
            or self.stale
            or self.shared
        ):
            self.clear()
            tidy()
            return
        self.node = self.start = self.checkpoint = tree.root
        self.generation += 1
        self.idle = 0
        self.handles = []
        self.arguments = []
        self.variables = []
        self.current = {}
        if self.indices:
            self.indices = {}
        if self.pending:
            self.pending = {}
            self.counts = []
        if self.tapes:
            self.tapes = []
        if self.missed:
            self.missed = []
        self.progress = None
        if self.standing is not None:
            self.standing.begin(self)

    # -- operands ---------------------------------------------------------------------------------------

    def reference(self, operand: Any) -> Any:
        """Returns the slot of an operand in this trace; for a Python number, the number itself."""
        if isinstance(operand, Tensor):
            if operand._trace is self:
                return operand._slot
            slot = self.entered.get(id(operand))
            return self.enter(operand) if slot is None else slot
        if isinstance(operand, Cell):
            slot = self.current.get(operand._uid)
            return self.read(operand) if slot is None else slot
        if isinstance(operand, python_numbers):
            return Number(operand)
        return self.enter(as_tensor(operand))

    def enter(self, tensor: Tensor) -> int:
        """Binds a tensor that has a value, but no slot here, as an argument; returns its slot."""
        value = tensor._value
        if (value is None or isinstance(value, AbandonedError)) and not self._is_outside(tensor):
            value = value_of(tensor)
        # A tensor of another dialect follows other promotion rules, so the path is different from here on.
        key: Any = (
            ("enter", tensor._spec) if type(tensor) is Tensor else ("enter", tensor._spec, type(tensor))
        )
        node = self.node.edges.get(key)
        if node is None:
            event = Event("enter", None)
            leaf = TensorArgument(self.node.arity, entry=len(self.entries))
            call = Call(leaf, (), {}, self.node.size, tensor._spec, here_if_known(), None)
            node = tree.grow(self.node, key, Node(self.node, event, (call,)))
        own, place, count = id(tensor), len(self.arguments), len(self.entries)
        self.node, self.arguments[place:], self.entries[count:], self.entered[own] = (
            node, [value], [tensor], node.slot,
        )  # fmt: skip
        return node.slot

    def _is_outside(self, tensor: Tensor) -> bool:
        """Returns whether a tensor belongs to a recording around this one, which will know its value."""
        around = self.nested
        while around is not None:
            if tensor._trace is around.outer or tensor._trace is getattr(around.outer, "base", around):
                return True
            around = getattr(around.outer, "nested", None)
        return False

    def read(self, variable: Cell) -> int:
        """Binds a variable's present value as an argument; returns its slot."""
        # The lock: a writer of the variable finds either that this trace has read it, or that it has not.
        with engine.lock:
            return self.read_held(variable)

    def _read_from(self, tensor: Tensor, uid: int) -> int:
        """Reads a tensor in the place of a variable."""
        slot: int = self.reference(tensor)
        self.current[uid] = slot
        return slot

    def read_held(self, variable: Cell) -> int:
        """Does the same as `read`, with the lock held."""
        uid = variable._uid
        if uid in self.stand_ins:
            self.again.pop(uid, None)
            return self._read_from(self.stand_ins[uid], uid)
        if uid in self.again:
            return self._read_again(variable)
        if self.nested is None and variable._pending is not None:
            engine.publish(variable)
        value = variable._value
        if uid in self.stale:
            return self._read_anew(variable, value)
        node = self.node.edges.get(variable._read_key)
        if node is None and variable._carried is not None:
            source = variable._carried
            if source._value is value:
                return self._read_from(source, uid)
            variable._lose_carried()
            node = self.node.edges.get(variable._read_key)
        if node is None:
            event = Event("read", None, {"variable": self.node.variables})
            if variable._standing:
                event.details["tape"] = STANDING
            leaf = VariableArgument(self.node.arity, self.node.variables, variable._trainable)
            call = Call(leaf, (), {}, self.node.size, variable._spec, here_if_known(), None)
            node = Node(self.node, event, (call,))
            node.variables += 1
            node = tree.grow(self.node, variable._read_key, node)
        place, count = len(self.arguments), len(self.variables)
        self.node, self.arguments[place:], self.variables[count:], self.current[uid] = (
            node, [value], [variable], node.slot,
        )  # fmt: skip
        return node.slot

    def _read_again(self, variable: Cell) -> int:
        """Reads a variable that this path knows, at a place where reading it counts: see `reread`."""
        uid = variable._uid
        slot = self.again[uid]
        key = ("read again", slot, variable._read_key)
        node = self.node.edges.get(key)
        if node is None:
            index = self.variable_index(variable)
            leaf = Version(index, variable._trainable, written=False)
            call = Call(leaf, (slot,), {}, self.node.size, variable._spec, here_if_known(), None)
            node = tree.grow(
                self.node, key, Node(self.node, Event("read", None, {"variable": index}), (call,))
            )
        self.node, self.current[uid] = node, node.slot
        del self.again[uid]
        return node.slot

    def _read_anew(self, variable: Cell, value: Any) -> int:
        """Binds the value that another thread has given to a variable this path has read before."""
        uid = variable._uid
        index = self.variable_index(variable)
        key = ("read afresh", index, variable._read_key)
        node = self.node.edges.get(key)
        if node is None:
            leaf = VariableArgument(self.node.arity, index, variable._trainable)
            call = Call(leaf, (), {}, self.node.size, variable._spec, here_if_known(), None)
            node = tree.grow(
                self.node, key, Node(self.node, Event("read", None, {"variable": index}), (call,))
            )
        place = len(self.arguments)
        self.node, self.arguments[place:], self.current[uid] = node, [value], node.slot
        self.stale.discard(uid)
        return node.slot

    def reread(self) -> None:
        """Makes the next use of every variable a separate read: only reads inside a tape count for it."""
        if self.current:
            self.again.update(self.current)
            self.current = {}

    def identity(self, variable: Cell, absent: Any = -1) -> Any:
        """Returns a key that identifies a variable on this path; `absent` if it was not touched."""
        uid = variable._uid
        slot = self.current.get(uid)
        if slot is None:
            slot = self.again.get(uid)
        if slot is None:
            return ("stale", self.variable_index(variable)) if uid in self.stale else absent
        return slot

    def slot_of(self, variable: Cell) -> int:
        """Returns the slot that holds a touched variable's value now."""
        uid = variable._uid
        slot = self.current.get(uid)
        return self.again[uid] if slot is None else slot

    # -- events -----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Runs the pending operations if there are too many; called before operands are looked up.

        A `whole` trace is not run in pieces, however long it is: a load happens at once, or not at all.
        """
        if self.whole:
            return
        if self.taping:
            if self.node.size - self.start.size > TAPED_SLOTS and not self.capturing:
                self.run(reset=False)
        elif self.node.depth - self.idle >= SHORT_DEPTH and not self.capturing:
            self._settle_idle()

    def _settle_idle(self) -> None:
        """Runs a long path outside of every tape, at the end of an iteration if events recur."""
        from penstock.trace.recurrence import ACCUMULATING, END, INDEPENDENT, Recurrence

        node, standing = self.node, self.standing
        depth = node.depth - self.idle
        if not node.recurs:
            if self.recurrence is None:
                self.recurrence = Recurrence(tree.root)
            node.recurs = self.recurrence.at(node)
        found = node.recurs
        if depth < IDLE_DEPTH:
            apart = found == INDEPENDENT or (found == ACCUMULATING and not self.pending)
            if apart and not engine.live_tapes(self) and (standing is None or not standing.wants(self)):
                self.run(reset=True)
        elif found < END and depth < STRAIGHT_DEPTH:
            pass
        elif standing is None:
            self.run(reset=True)
        elif node.depth >= standing.due:
            if standing.stays(self):
                # Asked at every event, a long path would cost time in proportion to its square.
                standing.due = standing.due_after(node.depth)
            else:
                self.run(reset=True)
        elif node.size - self.start.size > TAPED_SLOTS:
            self.run(reset=False)

    def follow(
        self,
        kind: str,
        head: tuple[Any, ...],
        numbers: tuple[Any, ...],
        frame: FrameType,
        build: Callable[[Builder], Any],
        hot_key: Any = None,
        bind: frozenset[int] = frozenset(),
        **details: Any,
    ) -> Node:
        """Moves the cursor along one event, building the edge if this is its first time.

        `head` identifies the event without its Python numbers, which are in `numbers`: they are baked into
        the edge at first; one that is seen to vary becomes an argument. `build` records into a Builder, whose
        `number(i)` gives the i-th number as a tensor, and returns the template of the event's result.
        `hot_key` is a second key under which a baked edge may be found without coming here. The numbers in
        `bind` are arguments from the start.
        """
        if is_library(frame.f_code):
            frame, hot_key = user_frame(1), None
        place_key = (head, frame.f_lasti, id(frame.f_code))
        edges = self.node.edges
        if not numbers:
            node = edges.get(place_key)
            if node is None:
                node = self.build(kind, place_key, (), (), frame, build, details)
                if hot_key is not None and node.spec is not None:
                    edges[hot_key] = node
            self.node = node
            return node
        tags = tuple(map(tag, numbers))
        parent = self.node
        place = parent.places.get(place_key)
        if place is None:
            place = tree.place(parent, place_key, hot_key, tags)
        if place.scalars != tags:
            varied = {i for i, (old, new) in enumerate(zip(place.scalars, tags, strict=True)) if old != new}
            if not varied <= place.varying:
                # The baked edge must not be found any more, or the path would alternate.
                edges.pop(place.key, None)
                place.varying = place.varying | varied
        varying = place.varying | bind
        key = (place_key, tuple(tags[i][0] if i in varying else tags[i] for i in range(len(tags))))
        node = edges.get(key)
        if node is not None:
            given: list[Any] = []
            count = len(self.arguments)
            for index, dtype in node.scalars:
                given.append(as_dtype(numbers[index], dtype))
            self.node, self.arguments[count:] = node, given
            return node
        node = self.build(kind, key, numbers, tuple(varying), frame, build, details)
        if not varying and hot_key is not None:
            edges[hot_key] = node
        if varying and node.twin is None:
            source = parent if parent.twin is None else parent.twin
            node.twin = source.edges.get((place_key, place.scalars))
        return node

    def build(
        self,
        kind: str,
        key: Any,
        numbers: tuple[Any, ...],
        varying: tuple[int, ...],
        frame: FrameType,
        build: Callable[[Builder], Any],
        details: dict[str, Any],
    ) -> Node:
        """Records an event for the first time: expands it below a new node."""
        site = recorded_at(frame)
        with Builder(self, numbers, varying, site, details.get("within"), details.get("by")) as builder:
            result = build(builder)
        node = Node(self.node, Event(kind, site, details), tuple(builder.calls))
        node.result = result
        node.source = tree.source(frame.f_code)
        node.scalars = tuple(builder.bound)
        if isinstance(result, Outcome):
            node.slot, node.spec = result.slot, result.spec
        node = tree.grow(self.node, key, node)
        given = [as_dtype(numbers[index], dtype) for index, dtype in node.scalars]
        count = len(self.arguments)
        self.node, self.arguments[count:] = node, given
        return node

    def mark(self, kind: str, key: Any, frame: FrameType, **details: Any) -> Node:
        """Records an event that computes nothing, such as the opening of a tape."""
        if is_library(frame.f_code):
            frame = user_frame(1)
        full_key = (kind, key, frame.f_lasti, id(frame.f_code))
        node = self.node.edges.get(full_key)
        if node is None:
            node = Node(self.node, Event(kind, recorded_at(frame), details))
            node.source = tree.source(frame.f_code)
            node.slot = self.node.size
            node = tree.grow(self.node, full_key, node)
        self.node = node
        return node

    def give(self, outcome: Outcome, kind: type[Tensor]) -> Tensor:
        """Returns a new handle on a slot of this trace."""
        tensor = _new(kind)
        tensor._trace = self
        tensor._slot = outcome.slot
        tensor._spec = outcome.spec
        tensor._value = None
        self.handles.append(tensor)
        return tensor

    # -- variables --------------------------------------------------------------------------------------

    def assigned(self, variable: Cell, slot: int) -> None:
        """Notes that `variable` now has the value of `slot`, to be committed when the trace is run.

        The engine's lock has been held since the inputs of the new value were read.
        """
        uid = variable._uid
        if self.nested is not None:
            self.nested.refuse_write(variable)
        if self.rehearsal:
            self.current[uid], self.pending[uid], self.checkpoint = slot, variable, self.node
        else:
            if variable._pending is not None and variable._pending is not self:
                engine.publish(variable)
            version = variable._version + 1
            # `_pending` before all else: a thread that reads the variable from here on waits for the lock.
            variable._pending, variable._version, self.current[uid], self.pending[uid], self.checkpoint = (
                self, version, slot, variable, self.node,
            )  # fmt: skip
            if engine.several:
                engine.overwritten(variable, self)
        self.again.pop(uid, None)
        self.stale.discard(uid)

    def assigned_together(self, variables: Sequence[Cell], slots: Sequence[int]) -> None:
        """Does the same as `assigned` for all variables that one event writes.

        An interrupt on the way takes back what it has counted; then the trace is to be abandoned.
        """
        checkpoint, versions = self.checkpoint, [one._version for one in variables]
        try:
            for variable, slot in zip(variables, slots, strict=True):
                self.assigned(variable, slot)
        except PenstockError:
            raise
        except BaseException:
            self.checkpoint = checkpoint
            for variable, version in zip(variables, versions, strict=True):
                variable._version = version
            raise

    def variable_index(self, variable: Cell) -> int:
        """Returns the number of a variable on this path, adding one that has not been touched before."""
        found = self.known_index(variable)
        if found is None:
            found = self.indices[variable._uid] = len(self.variables)
            self.variables.append(variable)
        return found

    def known_index(self, variable: Cell) -> int | None:
        """Returns the number of a variable on this path, or None if nothing has touched it."""
        variables, indices = self.variables, self.indices
        # A read only appends to the variables: those added since are numbered here.
        for index in range(len(indices), len(variables)):
            indices.setdefault(variables[index]._uid, index)
        return indices.get(variable._uid)

    # -- running ----------------------------------------------------------------------------------------

    def run(self, reset: bool) -> None:
        """Computes the tensors that are still held and commits the writes; with `reset`, the step is over."""
        if self.standing is not None:
            self.standing.keeps(self)
        engine.run(self, reset)

    def look(self, slot: int, how: str, frame: FrameType) -> None:
        """Runs the pending operations, because the value of a slot is needed."""
        if self.nested is not None:
            self.nested.refuse_look(how, site_of(frame if not is_library(frame.f_code) else user_frame(1)))
        if self.capturing:
            raise CaptureError(
                f"{how} needs a value inside the captured step {self.capturing!r}.",
                site=site_of(frame if not is_library(frame.f_code) else user_frame(1)),
                why="A captured step is recorded once and then replayed without its Python code, so inside "
                "it no value exists yet.",
                remedy="Return the tensor from the step and read it outside, or remove @ps.step.",
            )
        standing = self.standing
        if standing is None:
            reset = not self.taping and not engine.live_tapes(self)
        else:
            kept = standing.keeps(self)
            reset = not (self.taping or kept or any(t is not standing for t in engine.live_tapes(self)))
        if not reset:
            self.mark("look", slot, frame, slot=slot, how=how)
        self.run(reset)


def reread(variable: Cell) -> None:
    """Makes the next use of a variable a separate read in every trace: its flags have changed."""
    with engine.lock:
        for trace in list(engine.traces):
            slot = trace.current.pop(variable._uid, None)
            if slot is not None:
                trace.again[variable._uid] = slot


def tidy() -> None:
    """Drops the least recently used entries if there are too many: called between two steps."""
    if budget.due:
        with engine.lock:
            budget.tidy()


def _ends() -> list[Node]:
    """Returns the nodes at which threads record."""
    return [trace.node for trace in list(engine.traces)]


tree.in_use = _ends

local.begin(Trace)

__all__ = ["Trace", "reread", "tag", "tidy"]
