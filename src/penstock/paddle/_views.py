"""Tensors that share memory in Paddle: a write to one of them also changes the others.

Reshaped, transposed and detached tensors, and parts that indexing gave, are views there. Values are not
shared here: each tensor knows the memory that it shows and its layout there, and a write gives new values to
all that show a written element. As in Paddle, only the written tensor has the write in its history: the
others keep theirs.

The results of a path are placed in their memory when the step is over, or before a write, if the program
still holds more than one that shows the same: a step that holds none pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from penstock.ops import index, pointwise, shape
from penstock.paddle._errors import NotThereError
from penstock.paddle._record import THROUGH, is_view, record_of
from penstock.trace.engine import engine
from penstock.trace.fast_path import alive
from penstock.trace.leaf import Constant
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, concrete
from penstock.trace.tree import Call

if TYPE_CHECKING:
    from penstock.paddle._layouts import Layout

PLAIN = (shape.reshape, pointwise.stop_gradient)
RELAID = frozenset(["reshape_", "squeeze_", "unsqueeze_", "flatten_", "transpose_", "t_", "swapaxes_"])
"""Methods in place that change how a tensor shows its memory, and no element of it."""


class Memory:
    """What tensors share: `members` are weak references to them, and `counter` holds the writes in place.

    A copy that Paddle makes for a view has memory of its own and the same counter. `trains` says that one of
    the tensors is a parameter.
    """

    __slots__ = ("_limit", "address", "counter", "members", "size", "trains")

    def __init__(self, address: int, spec: Spec, version: int = 0, counter: list[int] | None = None) -> None:
        self.address = address
        self.size = spec.size * spec.dtype.itemsize
        self.counter = [version] if counter is None else counter
        self.trains = False
        self.members: list[ref[Any]] = []
        self._limit = 8

    @property
    def version(self) -> int:
        """The number of writes in place."""
        return self.counter[0]

    def add(self, tensor: Any) -> None:
        """Lists a tensor, and forgets those that are gone."""
        if len(self.members) >= self._limit:
            self.members = [one for one in self.members if one() is not None]
            self._limit = max(8, 2 * len(self.members))
        self.members.append(ref(tensor))

    def others(self, tensor: Any) -> Iterator[Any]:
        """Yields the tensors that show this memory, but one."""
        for one in self.members:
            held = one()
            if held is not None and held is not tensor and held._place.memory is self:
                yield held


class Place(NamedTuple):
    """The memory that a tensor shows, and how."""

    memory: Memory
    layout: Layout


shown_parameters: set[Memory] = set()
"""The memory of parameters of which there are views."""
MANY = 256
"""How many of them are listed before those are looked for that have no views any more."""


# -- finding -----------------------------------------------------------------------------------------------


def sharing(trace: Trace, held: Any) -> tuple[int, ...]:
    """Returns the positions of the handles that share memory: with each other, or with data or a parameter.

    `held` says which of the handles the program holds.
    """
    record = record_of(trace.node)
    if not record.sharing:
        return ()
    calls, stored = record.calls, record.stored
    members: dict[int, list[int]] = {}
    uneven: set[int] = set()
    for position, (is_held, one) in enumerate(zip(held, trace.handles)):
        slot = one._slot
        if is_held and slot in record.sharing and getattr(one, "_shows", False):
            while is_view(calls[slot], calls, stored):
                if calls[slot].primitive not in PLAIN:
                    uneven.add(position)
                slot = calls[slot].inputs[0]
            members.setdefault(slot, []).append(position)
    shared = set(trace.current.values())
    return tuple(
        [
            position
            for slot, positions in members.items()
            for position in positions
            # Of one with gaps, views are copies.
            if len(positions) > 1 or slot in shared or not calls[slot].inputs or position in uneven
        ]
    )


def gather(trace: Trace) -> None:
    """Places the results of a path that share memory and are still held."""
    held = alive(trace.handles)
    positions: Sequence[int] | None
    if trace.shared:
        slots = record_of(trace.node).sharing
        positions = [i for i, yes in enumerate(held) if yes and trace.handles[i]._slot in slots]
    else:
        facts: dict[Any, Any] = trace.node.facts
        known = facts.get("sharing")
        if known is None:
            known = facts["sharing"] = {}
        positions = known.get(held)
        if positions is None:
            positions = known[held] = sharing(trace, held)
    if positions:
        place_each(trace, positions)


def place_each(trace: Trace, positions: Sequence[int]) -> None:
    """Places the handles at these positions."""
    handles: list[Any] = [trace.handles[position] for position in positions]
    handles = [one for one in handles if getattr(one, "_shows", False)]
    new = [one for one in handles if one._place is None]
    if new:
        walk = _Walk(trace, handles)
        for one in new:
            walk.place(one)


class _Walk:
    """Places tensors of one path: it follows each back to what its memory was made for."""

    def __init__(self, trace: Trace, handles: Sequence[Any]) -> None:
        record = record_of(trace.node)
        self.trace, self.calls, self.stored = trace, record.calls, record.stored
        self.owners: dict[int, Any] = {}
        for one in (*trace.variables, *trace.entries, *handles):
            # The history of a leaf's value has entered in the leaf's place.
            one = one._noted("leaf", lambda: None)() if hasattr(one, "_carries") else one
            if getattr(one, "_shows", False):
                slot = slot_of(one, trace)
                if slot is not None:
                    self.owners[slot] = one

    def place(self, one: Any) -> Place:
        """Returns the place of a tensor; it is one of its memory's members from now on."""
        place: Place | None = one._place
        if place is None:
            slot = slot_of(one, self.trace)
            if slot is None or slot >= len(self.calls):
                place = Place(Memory(id(one), one._spec, one._own_version()), contiguous(one._spec))
            else:
                place = self.at(slot, one)
            join(one, place)
        return place

    def at(self, slot: int, asking: Any = None) -> Place:
        """Returns the place of the value in a slot, which may be that of the tensor that is `asking`."""
        chain: list[Call] = []
        shared = self.trace.shared
        while True:
            base = shared.get(slot)
            if base is not None:
                break
            owner = self.owners.get(slot)
            if owner is not None and owner is not asking:
                base = self.place(owner)
                break
            if not is_view(self.calls[slot], self.calls, self.stored):
                base = self.root(slot, owner)
                break
            chain.append(self.calls[slot])
            slot = self.calls[slot].inputs[0]
        for call in reversed(chain):
            layout = self.along(base.layout, call)
            if layout is None:
                base = self.root(call.slot, None, base.memory.counter)
            else:
                base = Place(base.memory, layout)
        return base

    def root(self, slot: int, owner: Any, counter: list[int] | None = None) -> Place:
        """Returns the place of a value with memory of its own."""
        spec = self.calls[slot].spec
        memory = Memory(id(owner), spec, 0 if owner is None else owner._own_version(), counter)
        if owner is None:
            memory.address = id(memory)
        place = self.trace.shared[slot] = Place(memory, contiguous(spec))
        return place

    def along(self, layout: Layout, call: Call) -> Layout | None:
        """Returns the layout of a view of a value; None if the value has to be copied for it."""
        params = call.params
        if call.within == THROUGH or call.primitive is pointwise.stop_gradient:
            return layout
        if call.primitive is shape.reshape:
            return layout.reshaped(tuple(params["shape"]))
        if call.primitive is shape.transpose:
            return layout.transposed(params["axes"])
        if call.primitive is shape.flip:
            return layout.flipped(params["axes"])
        if call.primitive is shape.slice_:
            return layout.part(params["window"])
        window = [(0, n, 1) for n in layout.shape]
        for axis, length, slot in zip(params["axes"], params["lengths"], call.inputs[1:]):
            leaf: Any = self.calls[slot].primitive
            start = leaf.value if isinstance(leaf, Constant) else self.trace.arguments[leaf.position]
            first = int(np.asarray(start))
            window[axis] = (first, first + length, 1)
        return layout.part(window)


def slot_of(one: Any, trace: Trace) -> int | None:
    """Returns the slot of a path that holds a tensor's value."""
    if isinstance(one, Cell):
        return trace.current.get(one._uid)
    return one._slot if one._trace is trace else trace.entered.get(id(one))


def join(one: Any, place: Place) -> None:
    """Gives a tensor its place."""
    one._place = place
    place.memory.add(one)
    if isinstance(one, Cell) and one._trainable:
        place.memory.trains = True
    if place.memory.trains:
        if len(shown_parameters) >= MANY:
            forget_unshared()
        shown_parameters.add(place.memory)


def forget_unshared() -> None:
    """Forgets the memory of parameters that have no views any more."""
    for memory in list(shown_parameters):
        if sum(one() is not None for one in memory.members) < 2:
            shown_parameters.discard(memory)


def place_of(tensor: Any) -> Place | None:
    """Returns the place of a tensor, which is one of its memory's members from now on."""
    trace: Any = local.trace
    if type(trace) is not Trace:
        return None
    with engine.lock:
        place: Place = _Walk(trace, trace.handles).place(tensor)
        slot = slot_of(tensor, trace)
        if slot is not None:
            trace.shared[slot] = place
        return place


def contiguous(spec: Spec) -> Layout:
    """Returns the layout of a tensor with memory of its own."""
    from penstock.paddle import _layouts

    return _layouts.contiguous(spec)


def layout_of(tensor: Any) -> Layout | None:
    """Returns how a tensor shows its memory; None for one whose elements certainly lie in order."""
    trace: Any = local.trace
    if tensor._place is None:
        if type(trace) is not Trace or not tensor._spec.shape:
            return None if tensor._spec.shape else contiguous(tensor._spec)
        slot = slot_of(tensor, trace)
        if slot is None or (slot not in trace.shared and slot not in record_of(trace.node).sharing):
            return None
    place = place_of(tensor)
    return None if place is None else place.layout


def whole(tensor: Any) -> Any:
    """Returns a tensor that shows all of the memory of which this one shows a part."""
    place = place_of(tensor)
    if place is not None:
        for one in (tensor, *place.memory.others(tensor)):
            layout = one._place.layout
            size = layout.size * layout.dtype.itemsize
            if layout.in_order and layout.dtype == place.layout.dtype and size == place.memory.size:
                return one
    raise NotThereError(
        "The elements between those of this tensor are asked for, and the tensor that had them is gone.",
        origin=f"it shows {list(tensor._spec.shape)} elements of a memory of "
        f"{'?' if place is None else place.memory.size} bytes",
        remedy="Keep the tensor that it was taken from, and call the method on that.",
        site=here(),
    )


def show(found: Any, base: Any, layout: Callable[[Layout], Layout | None]) -> Any:
    """Returns a result that shows the memory of `base`, in a layout that follows from the base's."""
    trace: Any = local.trace
    if type(trace) is not Trace or found is base or trace.capturing or not getattr(found, "_shows", False):
        return found
    under = place_of(base)
    own = None if under is None else layout(under.layout)
    if under is not None and own is not None and own.shape == tuple(found._spec.shape):
        join(found, Place(under.memory, own))
        slot = slot_of(found, trace)
        if slot is not None:
            trace.shared[slot] = found._place
    return found


def counted(found: Any, base: Any) -> Any:
    """Returns a copy that Paddle makes for a view: writes to one of the two count for both."""
    trace: Any = local.trace
    if type(trace) is Trace and not trace.capturing and getattr(found, "_shows", False):
        under = place_of(base)
        if under is not None:
            memory = Memory(id(found), found._spec, counter=under.memory.counter)
            join(found, Place(memory, contiguous(found._spec)))
            slot = slot_of(found, trace)
            if slot is not None:
                trace.shared[slot] = found._place
    return found


# -- writing -----------------------------------------------------------------------------------------------


def family(tensor: Any) -> Memory | None:
    """Returns the memory of a tensor that is about to be written; None if no other tensor shows it."""
    trace: Any = local.trace
    if type(trace) is not Trace:
        return None
    if tensor._place is None and not engine.several:
        # The common case: nothing was ever computed of it that would show its memory.
        slot = slot_of(tensor, trace)
        if slot is None or (slot not in trace.shared and slot not in record_of(trace.node).sharing):
            return None
    with engine.lock:
        if engine.several:
            for one in list(engine.traces):
                gather(one)
        else:
            gather(trace)
    place = tensor._place
    return None if place is None else place.memory


def spread(memory: Memory, tensor: Any, by: str, frame: FrameType) -> None:
    """Gives the other tensors that show a memory the new values after a write to one of them."""
    trace: Any = local.trace
    # The trace itself holds every result of the path; those that only it holds need no new values.
    gone = {id(one) for is_held, one in zip(alive(trace.handles), trace.handles) if not is_held}
    others = [one for one in memory.others(tensor) if id(one) not in gone]
    written = tensor._place.layout
    for one in others:
        moved = _moved(tensor, written, one, one._place.layout, frame)
        if moved is not None:
            one._take(moved, by, frame)
    for one in (tensor, *others):
        slot = slot_of(one, trace)
        if slot is not None:
            trace.shared[slot] = one._place


def _moved(tensor: Any, written: Layout, one: Any, layout: Layout, frame: FrameType) -> Any:
    """Returns the value of a tensor after a write to another; None if it shows no written element."""
    from penstock.paddle._layouts import overlap, through_bytes

    kind = type(tensor)._tensor_class
    if written.dtype != layout.dtype:
        before, by = (np.asarray(each._array("a write in place", frame)) for each in (one, tensor))
        return concrete(through_bytes(layout, before, written, by), kind)
    found = overlap(layout, written)
    if found is None:
        return None
    if found.places is None and found.sources is None:
        return shape.reshape.record((tensor,), {"shape": layout.shape}, frame)
    rows = shape.reshape.record((tensor,), {"shape": (written.size,)}, frame)
    if found.sources is not None:
        rows = index.take.record((rows, concrete(found.sources, kind)), {"axis": 0}, frame)
    if found.places is not None:
        flat = shape.reshape.record((one,), {"shape": (layout.size,)}, frame)
        rows = index.set_rows.record((flat, concrete(found.places, kind), rows), {}, frame)
    return shape.reshape.record((rows,), {"shape": layout.shape}, frame)


def relaid(tensor: Any, made: Any) -> None:
    """Lets a tensor show its memory as `made`, a view of it, does; or that of `made`, if that is a copy."""
    family(tensor)
    if isinstance(tensor, Cell):
        own = place_of(tensor)
        if own is not None:
            own.memory.counter[0] += 1
    if tensor._place is not None:
        place = place_of(made)
        if place is not None:
            move(tensor, place)


def leave(tensor: Any) -> None:
    """Lets a tensor that has taken a value of another form show memory of its own."""
    if tensor._place is not None:
        place = Place(
            Memory(id(tensor), tensor._spec, tensor._place.memory.version), contiguous(tensor._spec)
        )
        move(tensor, place)


def filled(tensor: Any) -> None:
    """Lets a tensor that takes a whole value show a piece of its memory without gaps.

    So does Paddle when it copies a value to where the tensor begins: a tensor with gaps, such as a column,
    writes its neighbours, and one that the memory has no room for gets memory of its own.
    """
    place = tensor._place
    if place is None or place.layout.in_order:
        return
    layout = contiguous(tensor._spec)._replace(offset=place.layout.offset)
    if layout.offset + tensor._spec.size * layout.dtype.itemsize > place.memory.size:
        leave(tensor)
    else:
        move(tensor, place._replace(layout=layout))


def move(tensor: Any, place: Place) -> None:
    """Lets a tensor show other memory than before."""
    if tensor._place is None or place.memory is not tensor._place.memory:
        place.memory.add(tensor)
    tensor._place = place
    slot = slot_of(tensor, local.trace)
    if slot is not None:
        local.trace.shared[slot] = place


def spread_from(parameters: Any, by: str, frame: FrameType) -> None:
    """Gives the views of parameters their new values after an update."""
    held = False
    for one in parameters:
        place = one._place
        if place is not None and any(True for _ in place.memory.others(one)):
            held = True
            spread(place.memory, one, by, frame)
    if not held:
        forget_unshared()


def address(tensor: Any) -> int:
    """Returns a number that a tensor shares with those whose first element is its own."""
    from penstock.paddle._layouts import places_of

    place = place_of(tensor)
    if place is None:
        return id(tensor)
    first = places_of(place.layout)[:1]
    return place.memory.address + (int(first[0]) if first.size else 0)


__all__ = [
    "RELAID", "Memory", "Place", "address", "contiguous", "counted", "family", "filled", "gather", "join",
    "layout_of",
    "leave", "move", "place_each", "place_of", "relaid", "sharing", "show", "shown_parameters", "slot_of",
    "spread", "spread_from", "whole",
]  # fmt: skip
