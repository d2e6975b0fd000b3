"""The hot path: an operation seen before is one look-up in the tree. It is in C where that could be built."""

from __future__ import annotations

import os
import sys
from itertools import starmap
from types import FrameType, MethodType
from typing import Any

from penstock.trace.engine import engine
from penstock.trace.history import Past
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import is_library, library_files, user_frame
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Node

_new = object.__new__

SLOT, FLOAT, INTEGER = range(3)
"""An operand in a hot key: a slot, or a Python number itself."""


def hot_reference(trace: Trace, operand: Any) -> tuple[Any, int] | None:
    """Returns an operand's entry in a hot key, and its kind; None if it needs the slow path."""
    if isinstance(operand, Tensor):
        if operand._trace is trace:
            return operand._slot, SLOT
        slot = trace.entered.get(id(operand))
        return (trace.enter(operand) if slot is None else slot), SLOT
    if isinstance(operand, Cell):
        slot = trace.current.get(operand._uid)
        return (trace.read(operand) if slot is None else slot), SLOT
    if type(operand) is float:
        # 0.0 and -0.0 would share a key, and NaN would never be found.
        return (operand, FLOAT) if operand and operand == operand else None
    return (operand, INTEGER) if type(operand) is int else None


def hot_key(trace: Trace, head: Any, operands: Any, frame: FrameType) -> Any:
    """Returns the key of an operation's edge, or None if one of the operands needs the slow path."""
    kinds = 0
    references = []
    for operand in operands:
        found = hot_reference(trace, operand)
        if found is None:
            return None
        references.append(found[0])
        kinds = kinds * 3 + found[1]
    return (head, kinds, *references, frame.f_lasti, id(frame.f_code))


def _follow(head: Any, operands: Any, kind: type[Tensor] | None, frame: FrameType) -> Tensor | None:
    trace = local.trace
    if type(trace) is not Trace:
        return None
    key = hot_key(trace, head, operands, frame)
    if key is None:
        return None
    node = trace.node.edges.get(key)
    if node is None:
        return None
    if kind is None:
        kind = result_class(operands)
    # Not by a call of the class: what a dialect makes of such a call is for its users.
    tensor = _new(kind)
    tensor._trace = trace
    tensor._slot = node.slot
    tensor._spec = node.spec  # type: ignore[assignment]
    tensor._value = None
    handles, count = trace.handles, len(trace.handles)
    # One statement: see Trace on interrupts.
    trace.node, handles[count:] = node, [tensor]
    return tensor


def result_class(operands: Any) -> type[Tensor]:
    """Returns the class of a result: that of the first operand which belongs to a dialect."""
    for operand in operands:
        if isinstance(operand, Tensor | Cell) and operand._tensor_class is not Tensor:
            return operand._tensor_class
    return Tensor


def find(head: Any, *operands: Any) -> Tensor | None:
    """Follows the edge of an operation that was recorded before and returns its result, or None.

    `head` identifies the operation and its parameters; the edge belongs to the user's line that led here.
    """
    return _follow(head, operands, None, user_frame(1))


class Method:  # noqa: D101  (its docstring is that of each method)
    # An operator: looks for its edge, and calls `slow(self, *others)` where there is none. `kind` is the
    # class of the result; a reflected operator has its operands in the other order.

    __slots__ = ("head", "kind", "reflected", "slow")

    def __init__(self, head: Any, kind: type[Tensor], slow: Any, reflected: bool = False) -> None:
        self.head, self.kind, self.slow, self.reflected = head, kind, slow, reflected

    @property
    def __wrapped__(self) -> Any:
        """The function that `inspect.signature` reads the parameters from."""
        return self.slow

    # What `help` shows of it is what it shows of the function.

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return str(self.slow.__doc__)

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return getattr(self.slow, name)
        raise AttributeError(name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *operands: Any) -> Any:
        tensor = _follow(self.head, operands[::-1] if self.reflected else operands, self.kind, user_frame(1))
        return self.slow(*operands) if tensor is None else tensor


def references(trace: Trace, operands: Any) -> tuple[int, ...]:
    """Returns the slots of tensors and variables in a trace."""
    return tuple([trace.reference(operand) for operand in operands])


def launch(box: list[Any], executable: Any, arguments: Any) -> Any:
    """Calls an executable and keeps its outputs in `box` too: an interrupt right after it must not lose them.

    Python handles a signal that came during a call as soon as it has returned. The list calls the executable
    itself, so that it has the outputs by then.
    """
    box.extend(starmap(executable, (arguments,)))
    return box[-1]


def assign(
    trace: Trace, cells: list[Cell], slots: list[int], node: Node, updates: list[int] | None = None
) -> bool:
    """Moves the cursor to the node of a write and notes the new values, with no interrupt in between.

    It also counts the optimizer's `updates`, in a list of one number. It does nothing and returns False where
    a write takes more work: other threads record too, a thread that ended has left a value pending, a
    variable must be read again, or the write must not take effect. In C no other thread can run between the
    test and the write, and no interrupt in the write; here the lock prevents the one, and a write that was
    interrupted is completed.
    """
    with engine.lock:
        if cells and (engine.several or trace.again or trace.rehearsal):
            return False
        if any(cell._pending is not None and cell._pending is not trace for cell in cells):
            return False
        versions: dict[int, int] = {}
        for cell in cells:
            # Twice for a variable that is updated twice.
            versions[cell._uid] = versions.get(cell._uid, cell._version) + 1
        counts = trace.counts if updates is None else [*trace.counts, updates]
        applied = 0 if updates is None else updates[0] + 1
        moved = trace, cells, slots, versions, node, counts, updates, applied
        try:
            _move(*moved)
        except BaseException:
            _move(*moved)
            raise
        return True


def _move(
    trace: Trace,
    cells: list[Cell],
    slots: list[int],
    versions: dict[int, int],
    node: Node,
    counts: list[list[int]],
    updates: list[int] | None,
    applied: int,
) -> None:
    """Does the work of `assign`; nothing more happens if it is repeated."""
    for cell, slot in zip(cells, slots, strict=True):
        trace.current[cell._uid] = slot
        trace.pending[cell._uid] = cell
        cell._pending = trace
        cell._version = versions[cell._uid]
    trace.node = trace.checkpoint = node
    trace.counts = counts
    if updates is not None:
        updates[0] = applied


def settle(
    handles: list[Tensor],
    computed: tuple[int, ...],
    variables: list[Cell],
    written: tuple[int, ...],
    outputs: Any,
) -> None:
    """Gives a run's outputs to the handles, then the variables, at these positions."""
    for index, value in zip(computed, outputs, strict=False):
        handles[index]._value = value
    for index, value in zip(written, outputs[len(computed) :], strict=False):
        variables[index]._value = value
        variables[index]._pending = None


def release(handles: list[Tensor], positions: tuple[int, ...], past: Past) -> None:
    """Detaches handles from a trace that goes back to the root; `past` keeps the path that made them."""
    for position in positions:
        handles[position]._trace = None
        handles[position]._past = past


def alive(handles: list[Tensor]) -> Any:
    """Returns, for each handle in a list, whether anything but the list holds it, as a hashable sequence."""
    return tuple([count > _ALONE for count in map(sys.getrefcount, handles)])


def unshared(values: Any, positions: tuple[int, ...], holders: int) -> bool:
    """Returns whether each value at these positions has at most `holders` holders, including the sequence."""
    extra = _ALONE - 1
    return all(sys.getrefcount(values[position]) <= holders + extra for position in positions)


def holds(values: Any, kind: type) -> bool:
    """Returns whether a value of just this class is among the values."""
    return kind in set(map(type, values))


_ALONE = next(map(sys.getrefcount, [object()]))
"""The reference count of an object that only one list holds."""

accelerated = False
"""Whether the functions of this file are the ones in C. PENSTOCK_PURE=1 asks for the ones above."""

if not os.environ.get("PENSTOCK_PURE"):
    try:
        from penstock.trace import _hot
    except ImportError:
        pass
    else:
        _hot.configure(local, engine, Tensor, Cell, Trace, Node, library_files, is_library)
        find, Method = _hot.find, _hot.Method  # type: ignore[misc, assignment]
        assign, settle, release, references = _hot.assign, _hot.settle, _hot.release, _hot.references
        launch = _hot.launch
        alive, unshared, holds = _hot.alive, _hot.unshared, _hot.holds
        accelerated = True
