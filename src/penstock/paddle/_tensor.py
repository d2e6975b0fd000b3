"""The tensor as Paddle shows it: results of operations, and leaves, which can be written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any
from weakref import ref

import numpy as np

from penstock.declared import named
from penstock.grad.custom import straight_through
from penstock.ops import pointwise
from penstock.ops import shape as shapes
from penstock.paddle import _views as views
from penstock.paddle._common import Common
from penstock.paddle._errors import InPlaceError, InvalidTypeError, RefusedError
from penstock.paddle._grad_mode import is_grad_enabled, switch
from penstock.paddle._handing import KEEPING, speech
from penstock.paddle._numbering import Names
from penstock.paddle._past import noted
from penstock.paddle._record import OWN_RECORD, historic, left_on, mark_accumulated, mark_watched, record_of
from penstock.paddle._standing import end_step, standing
from penstock.state import variable as creation
from penstock.state.flags import Flag
from penstock.state.variable import Variable
from penstock.tiers import run as _run  # noqa: F401  (fills in what runs recorded paths)
from penstock.trace import tensor as handles
from penstock.trace.builder import Outcome
from penstock.trace.engine import engine
from penstock.trace.fast_path import alive
from penstock.trace.history import STANDING
from penstock.trace.local import local, note_made, value_of
from penstock.trace.recorder import Trace, reread
from penstock.trace.source_site import exactly_here, here, is_library, site_of
from penstock.trace.spec import spec_of
from penstock.trace.tensor import Cell, serial_numbers

_frame = sys._getframe


class Maker:
    """The function behind `paddle.Tensor(...)`; `_compatible`, which imports makers, sets it."""

    made: Callable[[tuple[Any, ...], dict[str, Any]], Any]


class _TensorType(type):
    """Lets results and leaves both count as `paddle.Tensor`, which they are in Paddle."""

    def __call__(cls, *data: Any, **words: Any) -> Any:
        """Returns data as a tensor, of the default dtype if it is a list; or zeros of these lengths."""
        return Maker.made(data, words)

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Tensor:
            return isinstance(instance, handles.Tensor | Leaf)
        return super().__instancecheck__(instance)


@named("paddle.Tensor")
class Tensor(Common, handles.Tensor, metaclass=_TensorType):  # type: ignore[misc]
    """A tensor under Paddle's name. Make one with `paddle.to_tensor`, or by computing with others.

    >>> from penstock import paddle
    >>> paddle.to_tensor([1.0, 2.0]) * 2
    Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [2., 4.])
    """

    # `_own` is what has been said of this tensor beyond its value: its name, gradient, hooks. Programs may
    # set attributes of their own.
    __slots__ = ("__dict__", "_own")
    __array_priority__ = 100
    _dialect = "paddle"
    _is_watched = False
    _own: dict[str, Any]

    def _noted(self, word: str, default: Any = None) -> Any:
        try:
            return self._own.get(word, default)
        except AttributeError:
            return default

    def _note(self, word: str, value: Any) -> None:
        try:
            self._own[word] = value
        except AttributeError:
            self._own = {word: value}

    @property
    def _gradient(self) -> Any:
        return self._noted("gradient")

    @_gradient.setter
    def _gradient(self, value: Any) -> None:
        self._note("gradient", value)

    @property
    def _gradient_hooks(self) -> Any:
        return self._noted("hooks", ())

    @_gradient_hooks.setter
    def _gradient_hooks(self, hooks: Any) -> None:
        self._note("hooks", hooks)

    @property
    def name(self) -> str:
        """The tensor's name; Paddle makes one up for each result."""
        found = self._noted("name")
        if found is None:
            found = Names.next("eager_tmp")
            self._note("name", found)
        return str(found)

    @name.setter
    def name(self, name: str) -> None:
        self._note("name", name)

    @property
    def persistable(self) -> bool:
        """Whether the tensor belongs to a model's state."""
        return bool(self._noted("persistable", False))

    @persistable.setter
    def persistable(self, wanted: bool) -> None:
        self._note("persistable", wanted)

    @property
    def stop_gradient(self) -> bool:
        """Whether gradients end here: True for data, False for what depends on a tensor that wants them."""
        if type(self)._is_watched:
            return False
        trace: Any = self._trace
        if trace is None:
            past = self._past
            if past is None:
                return not self._noted("of_gradient", False)
            record = record_of(past.node, past.historic)
        else:
            base = getattr(trace, "base", trace)
            record = record_of(base.node, historic(base))
        return (
            self._slot not in record.carrying
            and self._slot not in record.flagged
            and not (speech.seen and _is_of_gradient(self, record))
        )

    @stop_gradient.setter
    def stop_gradient(self, wanted: bool) -> None:
        if bool(wanted) is self.stop_gradient:
            if wanted and engine.misplacements.functions:
                engine.misplacements.tell(_frame(1), "", [self])
            return
        frame = _frame(1)
        standing()
        self._note("of_gradient", False)
        if wanted:
            if type(self)._is_watched:
                self.__class__ = Tensor
                self._note("uncut", None)
            else:
                self._note("uncut", _as_it_was(self, frame))
            self._note("cut", True)
            rebind(self, pointwise.stop_gradient.record((self,), {}, frame))
            return
        self._note("set", here())
        self._note("cut", False)
        uncut = self._noted("uncut")
        if uncut is not None and uncut._spec is self._spec:
            # In Paddle the flag hides the history: it is there again.
            self._note("uncut", None)
            rebind(self, with_history(pointwise.stop_gradient.record((self,), {}, frame), uncut, frame))
        else:
            self._watch(frame)

    def _own_trace(self) -> Any:
        """Returns the present trace if this is one of its results, else None."""
        return local.trace if self._trace is local.trace else None

    def _watch(self, frame: FrameType) -> None:
        """Makes this tensor a leaf that wants its gradient."""
        trace = self._own_trace()
        if trace is not None:
            noted[id(self)] = self
            trace.mark("watch", (STANDING, self._slot), frame, tape=STANDING, slot=self._slot)
        else:
            local.trace.entered.pop(id(self), None)
        self.__class__ = Watched

    @property
    def is_leaf(self) -> bool:
        """Whether gradients end here since nothing was computed; False where `stop_gradient` was set."""
        return type(self)._is_watched or (self.stop_gradient and not self._noted("cut"))

    def _own_version(self) -> int:
        return int(self._noted("version", 0))

    def _mark_hook(self, frame: FrameType) -> None:
        trace = self._own_trace()
        if trace is not None and not self.is_leaf:
            noted[id(self)] = self
            trace.mark("hook", (STANDING, self._slot), frame, tape=STANDING, slot=self._slot)

    def retain_grads(self) -> None:
        """Lets `backward` keep this tensor's gradient although it is not a leaf."""
        trace = self._own_trace()
        if trace is not None and not self.is_leaf and self._noted("former") is None:
            standing()
            if not self._noted("retain"):
                self._gradient_hooks = (*self._gradient_hooks, KEEPING)
            self._note("retain", True)
            noted[id(self)] = self
            trace.mark("retain", (STANDING, self._slot), _frame(1), tape=STANDING, slot=self._slot)

    def _seen(self, how: str, frame: FrameType) -> Any:
        return value_of(self, how, frame)

    def _take(self, value: Any, by: str, frame: FrameType) -> None:
        """Takes the values written to a tensor that shares memory with this one."""
        if type(self)._is_watched:
            self._store(value, by, frame)
        else:
            _write_over(self, with_history(pointwise.stop_gradient.record((value,), {}, frame), self, frame))

    def _store(self, value: Any, by: str, frame: FrameType) -> None:
        watched = type(self)._is_watched
        standing()
        trace = self._own_trace()
        awaited = watched and trace is not None and _is_awaited(trace, self._slot)
        made = pointwise.stop_gradient.record((value,), {}, frame)
        _write_over(self, made if watched else with_history(made, self, frame))
        if awaited:
            _stand_in(made, self)
        trace = self._own_trace()
        if trace is not None:
            trace.mark("stored", (self._slot, by), frame, slot=self._slot, by=by)
        if watched:
            self.__class__ = Tensor
            self._watch(frame)

    def _change(self, made: Any, by: str, frame: FrameType) -> Any:
        """Takes the place of another result: what methods that end in `_` do."""
        if type(self)._is_watched and is_grad_enabled():
            raise refused_in_place(self)
        shared = views.family(self)
        self._note("version", self._noted("version", 0) + 1)
        if shared is not None:
            shared.counter[0] += 1
        if type(self)._is_watched:
            _tell_of_saved(self, shared, made, frame)
            self._replace(made, by, frame)
            return self
        _tell_of_saved(self, shared, made, frame)
        relaid = by in views.RELAID
        if relaid:
            views.relaid(self, made)
        if not is_grad_enabled():
            made = with_history(made, self, frame)
        if self._trace is local.trace and made._trace is not self._trace:
            # A handle of this step goes on standing for one of its values.
            made = pointwise.identity.record((made,), {}, frame)
        resized = made._spec is not self._spec and not relaid
        _write_over(self, made)
        if resized:
            views.leave(self)
        elif shared is not None and not relaid:
            views.spread(shared, self, by, frame)
        return self

    def __reduce__(self) -> Any:
        return _made_again, ("Leaf", np.array(self._array("pickle", _frame(1))), self.stop_gradient)

    def __copy__(self) -> Any:
        return Leaf(np.array(self._array("copy()", _frame(1))), self.stop_gradient)

    def __deepcopy__(self, memo: Any) -> Any:
        made = Leaf(np.array(self._array("deepcopy()", _frame(1))), self.stop_gradient)
        memo[id(self)] = made
        return made


class Watched(Tensor):
    """A result that was told `stop_gradient = False`: a leaf."""

    __slots__ = ()
    _is_watched = True
    __module__, __qualname__ = "paddle", "Tensor"


class Accumulated(Tensor):
    """A gradient as `grad` gives it: it prints as a tensor that has one itself, in Paddle."""

    __slots__ = ()

    @property
    def stop_gradient(self) -> bool:
        """False, as in Paddle, although no gradient goes on from here until it is set."""
        return False

    @stop_gradient.setter
    def stop_gradient(self, wanted: bool) -> None:
        self.__class__ = Tensor  # type: ignore[assignment]
        self._note("of_gradient", False)
        if not wanted:
            standing()
            self._note("set", here())
            self._watch(_frame(1))

    @property
    def is_leaf(self) -> bool:
        """True: nothing that was recorded led to it."""
        return True


class Source(Tensor):
    """The history of a value that a leaf was given in a step that is over: it is read in the leaf's place."""

    __slots__ = ()
    _shows = False
    _carries = True


def _is_of_gradient(tensor: Any, record: Any) -> bool:
    """Returns whether a result that carries no gradient was computed from one that `grad` gave.

    In Paddle such a gradient is a leaf that wants its own, so the result's `stop_gradient` is False.
    """
    known = tensor._noted("of_gradient")
    if known is None:
        trace = tensor._trace
        found = left_on(tensor._past.node) if trace is None else _gradients_on(getattr(trace, "base", trace))
        known = record.shows(tensor._slot, found)
        tensor._note("of_gradient", known)
    return bool(known)


def _gradients_on(trace: Any) -> list[int]:
    """Returns the slots of the present path that hold a gradient which `grad` gave, or what came of one."""
    found = [one._slot for one in trace.handles if type(one) is Accumulated and one._trace is trace]
    for entry in trace.entries:
        slot = trace.entered.get(id(entry))
        plain = type(entry) is Tensor and entry._trace is None
        if slot is not None and (type(entry) is Accumulated or (plain and not entry.stop_gradient)):
            found.append(slot)
    return found


Accumulated.__module__, Accumulated.__qualname__ = "paddle", "Tensor"
Tensor._tensor_class = speech.kind = Tensor
speech.gradient = Accumulated
mark_accumulated(Accumulated)
mark_watched(Watched)


def with_history(made: Any, tensor: Any, frame: FrameType) -> Any:
    """Returns a value that is written to a tensor without gradients, with the history of that tensor.

    In Paddle such a write changes the memory, and nothing else: the gradient goes on to what the old value
    was computed from, as if the new one had been computed so.
    """
    if tensor.stop_gradient or not made.stop_gradient:
        return made
    before = switch(True, frame)
    try:
        if made._spec.shape != tensor._spec.shape and made._spec.size == tensor._spec.size:
            tensor = shapes.reshape.record((tensor,), {"shape": made._spec.shape}, frame)
        return straight_through(made, tensor) if made._spec is tensor._spec else made
    finally:
        switch(before, frame)


def _tell_of_saved(tensor: Any, shared: Any, made: Any, frame: FrameType) -> None:
    """Records that values which a gradient needs are about to be written in place, if there are any."""
    trace: Any = local.trace
    if type(trace) is not Trace:
        return
    members = (tensor,) if shared is None else (tensor, *shared.others(tensor))
    for one in members:
        past = None if isinstance(one, Cell) or one._trace is not None else one._past
        if past is not None and past.arguments is not None:
            found = record_of(past.node, past.historic).saved.get(one._slot)
            if found:
                past.changed = {**(past.changed or {}), **dict.fromkeys(found, (site_of(frame), -1))}
    saved = record_of(trace.node, historic(trace) if trace.entries else ()).saved
    if not saved:
        return
    own = [views.slot_of(one, trace) for one in members]
    slots = tuple(sorted({slot for one in own if one is not None for slot in saved.get(one, ())}))
    if slots:
        slot = made._slot if getattr(made, "_trace", None) is trace else -1
        trace.mark("changed", (slots, slot), frame, slots=slots, made=slot)


def forgetting(tensor: Any, made: Any, frame: FrameType) -> Any:
    """Returns data that is written to a tensor, as depending on the old value with a gradient of zeros."""
    if tensor.stop_gradient or not made.stop_gradient or made._spec is not tensor._spec:
        return made
    if not is_grad_enabled():
        return made
    return pointwise.where.record((False, tensor, made), {}, frame)


def rebind(tensor: Any, made: Any) -> None:
    """Lets a handle mean what another one means, of the present trace.

    The trace's list of handles stays as its path has made it: the two change places in it.
    """
    trace: Any = local.trace
    with engine.lock:
        for one in list(engine.traces) if engine.several else (trace,):
            slot = one.entered.pop(id(tensor), None)
            if slot is not None and tensor._trace is None and tensor._past is not None:
                _entered_as_it_was(tensor, one, slot)
        before: Any = tensor._trace
        if before is not trace and isinstance(before, Trace):
            _replaced_by_a_copy(tensor, before.handles)
        if made._trace is not trace:
            tensor._value = made._value
            tensor._trace, tensor._past = None, None
            tensor._slot, tensor._spec = made._slot, made._spec
        else:
            _exchange(tensor, made, trace)


def _exchange(tensor: Any, made: Any, trace: Any) -> None:
    listed = trace.handles
    there = _position(listed, made)
    if tensor._trace is trace:
        here_ = _position(listed, tensor)
        listed[here_], listed[there] = made, tensor
        for word in ("_slot", "_spec", "_value"):
            ours, theirs = getattr(tensor, word), getattr(made, word)
            setattr(tensor, word, theirs)
            setattr(made, word, ours)
        return
    listed[there] = tensor
    # The value goes first: a thread that finds none waits for the lock.
    tensor._value = made._value
    tensor._trace, tensor._slot, tensor._spec = trace, made._slot, made._spec


class _Former(Tensor):
    """What a tensor was before a write in place, with its hooks; the gradient is the tensor's."""

    __slots__ = ()
    _shows = False

    @property
    def _gradient(self) -> Any:
        tensor = self._noted("tensor")()
        return None if tensor is None else tensor._gradient

    @_gradient.setter
    def _gradient(self, value: Any) -> None:
        tensor = self._noted("tensor")()
        if tensor is not None:
            tensor._gradient = value


def _write_over(tensor: Any, made: Any) -> None:
    """Lets a tensor take a result's value; its hooks, and the gradient it keeps, stay with the old one."""
    hooks, here_ = tensor._gradient_hooks, tensor._trace is local.trace
    rebind(tensor, made)
    if hooks and here_ and type(made) is Tensor and type(tensor) is Tensor and made is not tensor:
        # The two have changed places: what was made stands for the old value now.
        made.__class__ = _Former
        made._own = {
            "tensor": ref(tensor), "hooks": hooks, "retain": tensor._noted("retain"),
            "former": tensor._noted("former"),
        }  # fmt: skip
        tensor._gradient_hooks = ()
        tensor._note("former", made)
        noted[id(made)] = made


class _FormerLeaf(_Former):
    """What a leaf was before a write: the gradient at that value is the leaf's own, as is every hook."""

    __slots__ = ()
    _is_watched = True


def _is_awaited(trace: Trace, slot: int) -> bool:
    """Returns whether `backward` may still bring a gradient to a slot, from a result that is still held."""
    record = record_of(trace.node, historic(trace) if trace.entries else ())
    if not any(
        slot in call.inputs and call.slot in record.carrying and call.slot not in record.spent
        for call in record.calls[slot + 1 :]
    ):
        return False
    results = [one for one, held in zip(trace.handles, alive(trace.handles)) if held]
    return slot in record.behind([one._slot for one in results if one._slot > slot], record.spent)


def _stand_in(made: Any, tensor: Any) -> None:
    """Lets the handle with which a leaf has changed places take the gradient of the leaf's old value."""
    made.__class__ = _FormerLeaf
    made._own = {"tensor": ref(tensor)}
    noted[id(made)] = made
    earlier = [
        one
        for one in tensor._noted("earlier", ())
        if (
            _is_awaited(one._trace, one._slot)
            if one._trace is local.trace
            else one._past is not None and one._past.arguments is not None
        )
    ]
    tensor._note("earlier", (*earlier, made))


def _replaced_by_a_copy(tensor: Any, listed: list[Any]) -> None:
    """Leaves another thread's trace a handle of its own on what this one has meant there."""
    for i, one in enumerate(listed):
        if one is tensor:
            listed[i] = copy = object.__new__(Tensor)
            copy._trace, copy._slot, copy._spec = tensor._trace, tensor._slot, tensor._spec
            copy._value = tensor._value


def _as_it_was(tensor: Any, frame: FrameType) -> Any:
    """Returns a handle of its own on the value of a result, which leads to the same history."""
    if tensor._trace is not None:
        found: Any = pointwise.identity.record((tensor,), {}, frame)
        found._shows = False
        return found
    return _copy_of(tensor)


def _copy_of(tensor: Any) -> Any:
    copy: Any = object.__new__(type(tensor))
    copy._trace, copy._past, copy._slot = None, tensor._past, tensor._slot
    copy._spec, copy._value = tensor._spec, tensor._value
    copy._shows = False
    return copy


def _entered_as_it_was(tensor: Any, trace: Any, slot: int) -> None:
    """Leaves a path that a tensor has entered a handle on what it was: its history goes on from there."""
    copy = _copy_of(tensor)
    trace.entries[_position(trace.entries, tensor)] = copy
    trace.entered[id(copy)] = slot


def _position(listed: list[Any], one: Any) -> int:
    for i in range(len(listed) - 1, -1, -1):
        if listed[i] is one:
            return i
    raise AssertionError("a handle of a trace stands in its list")


class Leaf(Common, Variable):  # type: ignore[misc]
    """A tensor that the program created from data: it has its own gradient and can be written."""

    __slots__ = ("__dict__", "_changes", "_gradient", "_gradient_hooks", "_told", "persistable", "sparse")
    __array_priority__ = 100
    _tensor_class = Tensor
    _is_watched = False
    _standing = True
    _made_by = "to_tensor"

    def __init__(self, array: Any, stop_gradient: bool = True, name: str | None = None) -> None:
        standing()
        Cell.__init__(self, array, not stop_gradient)
        self.site = exactly_here()
        self.path = Names.next(self._default_path()) if name is None else name
        self._gradient = None
        self._gradient_hooks = ()
        self._changes = 0
        self._flags = [Flag("trainable", not stop_gradient, self._made_by, self.site)]
        self.own = False
        self._constraint = None
        self.persistable = False
        self.sparse = False
        self._told = False
        if not stop_gradient:
            self._announce()

    @staticmethod
    def _default_path() -> str:
        return "generated_tensor"

    def _announce(self) -> None:
        """Tells observers of this variable: data that is only read is not worth a row in a report."""
        if not self._told:
            self._told = True
            creation.living[self._uid] = self
            note_made(self)
            engine.creations.tell(self)

    def _set_trainable(self, trainable: bool) -> None:
        Cell._set_trainable(self, trainable)
        self._read_key = (*self._read_key, "paddle")

    @property
    def name(self) -> str:
        """The tensor's name."""
        return self.path

    @name.setter
    def name(self, name: str) -> None:
        self.path = name

    @property
    def stop_gradient(self) -> bool:
        """Whether gradients end here: True by default for `to_tensor`, False for parameters."""
        if engine.consultations and not is_library(_frame(1).f_code):
            self._tell_consulted()
        return not (self._trainable or self._has_history())

    @stop_gradient.setter
    def stop_gradient(self, wanted: bool) -> None:
        self._announce()
        trainable = not wanted
        if not self._trainable and self._has_history():
            if wanted:
                frame = _frame(1)
                self._bind_to(pointwise.stop_gradient.record((self,), {}, frame), frame)
        elif self._trainable is not trainable:
            reread(self)
            self._set_trainable(trainable)
        self._flags.append(Flag("trainable", trainable, "assignment", here()))

    @property
    def is_leaf(self) -> bool:
        """Whether gradients end here."""
        return self._trainable or self.stop_gradient

    def _own_version(self) -> int:
        return self._changes

    def _seen(self, how: str, frame: FrameType) -> Any:
        trace: Any = local.trace
        if self._uid in trace.pending:
            trace.look(trace.reference(self), how, frame)
        return self._look(how, frame)

    def _origin(self) -> str:
        return f"{self.name} created at {self.site}"

    def _has_history(self) -> bool:
        """Returns whether a gradient may pass through the present value, which a step has computed."""
        trace = local.trace
        slot = trace.current.get(self._uid)
        if slot is None:
            return self._carried is not None
        return slot in record_of(trace.node, historic(trace) if trace.entries else ()).carrying

    def _carry(self, past: Any, slot: int) -> None:
        """Keeps the history of the present value, which a step that is over has computed."""
        source: Any = object.__new__(Source)
        source._trace, source._past, source._slot = None, past, slot
        source._spec, source._value = self._spec, self._value
        source._own = {"leaf": ref(self)}
        self._carried = source
        # No path has an edge for it, so that `Trace.read` looks for the source.
        self._read_key = ("read", self._uid, "with its history")

    def _lose_carried(self) -> None:
        self._carried = None
        self._set_trainable(self._trainable)

    def _replace(self, value: Any, by: str, frame: FrameType) -> None:
        trace = local.trace
        slot = trace.current.get(self._uid)
        if slot is not None:
            record = trace.node.facts.get(OWN_RECORD) or record_of(trace.node)
            if (
                not (record.may_share and slot in record.sharing)
                and self._place is None
                and (self._trainable or slot not in record.carrying)
            ):
                # The common case: no view to write to as well, and no history to go on.
                if trace.standing is None:
                    standing()
                if not self._told:
                    self._announce()
                self._write(by, value, None, frame)
                return
        super()._replace(value, by, frame)

    def _store(self, value: Any, by: str, frame: FrameType) -> None:
        standing()
        self._announce()
        if not self._trainable and self._has_history():
            # Data that holds a result: it is written like one.
            made = with_history(pointwise.stop_gradient.record((value,), {}, frame), self, frame)
            if not made.stop_gradient:
                self._bind(made, by, frame)
                return
        self._write(by, value, None, frame)
        if self._carried is not None:
            self._lose_carried()

    def _take(self, value: Any, by: str, frame: FrameType) -> None:
        """Takes the values written to a tensor that shares memory with this one."""
        if self._trainable:
            self._store(value, by, frame)
        else:
            made = pointwise.stop_gradient.record((value,), {}, frame)
            self._bind(with_history(made, self, frame), by, frame)

    def _recast(self, dtype: Any, frame: FrameType) -> None:
        """Changes the dtype in place: all references to this tensor see the new dtype from now on.

        What was recorded before belongs to a step that is over.
        """
        if self._spec.dtype == dtype:
            return
        end_step(local.trace)
        self._reform(np.array(self._array("astype()", frame)).astype(dtype))

    def _reform(self, value: Any) -> None:
        """Takes a value of another shape or dtype; what was recorded before is a step that is over."""
        value.flags.writeable = False
        end_step(local.trace)
        if self._uid in local.trace.current:
            raise RefusedError(
                f"{self.name} cannot become {spec_of(value)!r} in a step that is being recorded.",
                origin=self._origin(),
                remedy="Do it before the step: before tapes and captured functions.",
                site=here(),
            )
        self._value, self._spec = value, spec_of(value)
        self._version += 1
        self._gradient = None
        self._set_trainable(self._trainable)

    def _change(self, made: Any, by: str, frame: FrameType) -> Any:
        if self._trainable and is_grad_enabled():
            raise refused_in_place(self)
        shared = views.family(self)
        self._changes += 1
        if shared is not None:
            shared.counter[0] += 1
        _tell_of_saved(self, shared, made, frame)
        if self._trainable:
            self._replace(made, by, frame)
            return self
        self._bind(made, by, frame)
        if shared is not None:
            views.spread(shared, self, by, frame)
        return self

    def _bind(self, made: Any, by: str, frame: FrameType) -> None:
        trace = local.trace
        if not is_grad_enabled():
            made = with_history(made, self, frame)
        if made._trace is trace and not made.stop_gradient:
            # The new value keeps its history, which an assignment would cut.
            self._bind_to(made, frame)
        else:
            self._store(made, by, frame)

    def _bind_to(self, made: Any, frame: FrameType) -> None:
        """Lets the leaf have a value of the present path, with what led to it."""
        trace = local.trace
        with engine.lock:
            standing().bound[self._uid] = self
            index = trace.variable_index(self)
            trace.mark("bind", (index, made._slot), frame, tape=STANDING, variable=index, slot=made._slot)
            trace.assigned(self, made._slot)

    def __reduce__(self) -> Any:
        kind = "Parameter" if isinstance(self, Parameter) else "Leaf"
        named = ("persistable", *(Parameter.__slots__ if kind == "Parameter" else ()))
        state = {name: getattr(self, name) for name in named}
        value = np.array(self._array("pickle", _frame(1)))
        return _made_again, (kind, value, not self._trainable, self.path), (None, state)

    def __copy__(self) -> Any:
        return Leaf(np.array(self._array("copy()", _frame(1))), not self._trainable)

    def __deepcopy__(self, memo: Any) -> Any:
        made = type(self)._copied(self)
        memo[id(self)] = made
        return made

    def _copied(self) -> Any:
        return Leaf(np.array(self._array("deepcopy()", _frame(2))), not self._trainable)

    def retain_grads(self) -> None:
        """A leaf keeps its gradient anyway."""

    def __repr__(self) -> str:
        return self._text("repr()", _frame(1))


@named("paddle.nn.Parameter")
class Parameter(Leaf):
    """A tensor that training updates: `paddle.create_parameter`, or a layer's weight."""

    _made_by = "create_parameter"
    do_model_average = True

    __slots__ = ("is_distributed", "need_clip", "optimize_attr", "regularizer")

    def __init__(self, data: Any = None, requires_grad: bool = True, name: str | None = None) -> None:
        if type(data) is not np.ndarray:
            # A program's own: a copy of a tensor, or nothing yet.
            name = Names.next("_eager_param_base") if name is None else name
            if data is None:
                data = np.zeros([0], np.float32)
            elif isinstance(data, Leaf | Tensor):
                data = np.array(data)
            else:
                raise InvalidTypeError(
                    f"argument (position 1) must be Tensor, but got {type(data).__name__}",
                    remedy="Write paddle.nn.Parameter(paddle.to_tensor(values)), or for a shape "
                    "paddle.create_parameter(shape, dtype).",
                    site=here(),
                )
        super().__init__(data, not requires_grad, name)
        self._announce()
        self.persistable = True
        self.optimize_attr = {"learning_rate": 1.0}
        self.regularizer: Any = None
        self.need_clip = True
        self.is_distributed = False

    def initialize(self) -> None:
        """Does nothing: a parameter has its values from the start, under `paddle.LazyGuard` too."""

    def set_init_func(self, obj: Any) -> None:
        """Does nothing with `obj`, as a parameter has its values from the start."""

    @classmethod
    def from_tensor(cls, tensor: Any, **kwargs: Any) -> Any:
        """Returns a parameter with the values of a tensor: it may have a `name` and be not `trainable`."""
        made = cls(np.array(tensor), bool(kwargs.pop("trainable", True)), kwargs.pop("name", None))
        for word, value in kwargs.items():
            setattr(made, word, value)
        return made

    @property
    def unnamed(self) -> bool:
        """Whether this parameter has no name and belongs to no layer."""
        return self.path.startswith("create_parameter_")

    @property
    def trainable(self) -> bool:
        """Whether training updates this parameter: the opposite of `stop_gradient`."""
        if engine.consultations and not is_library(_frame(1).f_code):
            self._tell_consulted()
        return self._trainable

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        self.stop_gradient = not wanted

    def _copied(self) -> Any:
        array = np.array(self._array("deepcopy()", _frame(2)))
        made = Parameter(array, self._trainable, f"{self.name}{Names.next('_deepcopy')}")
        made.optimize_attr = dict(self.optimize_attr)
        made.regularizer, made.need_clip = self.regularizer, self.need_clip
        made.is_distributed = self.is_distributed
        return made

    def __repr__(self) -> str:
        return f"Parameter containing:\n{self._text('repr()', _frame(1))}"

    def __str__(self) -> str:
        return f"Parameter containing:\n{self._text('print()', _frame(1))}"


def _made_again(kind: str, array: Any, stop_gradient: bool, path: str | None = None) -> Any:
    """Makes a tensor from what `pickle` keeps of one: its value, its name and whether it is trained."""
    if kind == "Parameter":
        return Parameter(array, not stop_gradient, path)
    return Leaf(array, stop_gradient, path)


Tensor.__module__, Tensor.__qualname__ = "paddle", "Tensor"
Leaf.__module__, Leaf.__qualname__, Leaf.__name__ = "paddle", "Tensor", "Tensor"
Watched.__name__ = Accumulated.__name__ = "Tensor"
Parameter.__module__, Parameter.__qualname__ = "paddle.base.framework", "EagerParamBase"
Parameter.__name__ = "EagerParamBase"


def refused_in_place(tensor: Any) -> InPlaceError:
    """Returns the error for a leaf that training updates, changed in place while gradients are recorded."""
    return InPlaceError(
        f"Leaf Tensor ({tensor.name}) that doesn't stop gradient can't use inplace strategy.",
        origin=tensor._origin(),
        why="Its gradient is taken at its old value.",
        remedy="Change it inside `with paddle.no_grad():`, with x.set_value(...), or make a new tensor.",
        site=here(),
    )


def as_result(leaf: Any, frame: FrameType) -> Any:
    """Returns the present value of a leaf as a separate result."""
    return pointwise.identity.record((leaf,), {}, frame)


def saving(found: Any, frame: FrameType, *operands: Any, result: bool = False) -> Any:
    """Returns the result of several operations, or several results, after saying what their gradient needs.

    These are the operands, and with `result` the results: all of them for the gradient of each.
    """
    results = found if isinstance(found, list | tuple) else (found,)
    trace: Any = local.trace
    made = [one for one in results if getattr(one, "_trace", None) is trace and not one.stop_gradient]
    if type(trace) is Trace and made:
        slots = tuple([trace.reference(one) for one in operands])
        if result:
            slots = (*slots, *[one._slot for one in made])
        for one in made:
            trace.mark("saved", (one._slot, slots), frame, made=one._slot, slots=slots)
    return found


def refusing(results: Any, name: str, frame: FrameType) -> None:
    """Says that a gradient which comes to one of these results is refused; `name` is what made them."""
    trace: Any = local.trace
    made = [one for one in results if getattr(one, "_trace", None) is trace and not one.stop_gradient]
    if type(trace) is Trace:
        for one in made:
            trace.mark("refused", (one._slot, name), frame, made=one._slot, name=name)


def flagged(places: Any, x: Any) -> Any:
    """Returns the places of elements, whose `stop_gradient` is that of x."""
    if not x.stop_gradient and is_grad_enabled():
        places._note("of_gradient", True)
        speech.seen = True
    return places


__all__ = [
    "Leaf", "Outcome", "Parameter", "Tensor", "Trace", "Watched", "flagged", "rebind", "refusing", "saving",
    "serial_numbers",
]  # fmt: skip
