"""A variable: a named, mutable cell with a version; every write is an event of the trace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from penstock.errors import DTypeError, LockedError, PenstockError, ShapeError
from penstock.ops import pointwise
from penstock.ops.promotion import kind_of, number_kind
from penstock.ops.table import describe_call
from penstock.state.flags import Flag, maker
from penstock.trace.builder import Builder, Number, Outcome
from penstock.trace.convert import as_tensor, convert
from penstock.trace.engine import engine
from penstock.trace.fast_path import assign
from penstock.trace.leaf import Version
from penstock.trace.local import local, note_made, value_of
from penstock.trace.recorder import Trace, reread
from penstock.trace.source_site import Site, exactly_here, here, is_library, site_of
from penstock.trace.spec import Shape, Spec
from penstock.trace.tensor import Cell, Tensor, concrete

_numbers = (bool, int, float, complex)


HISTORY = 32
"""How many of the latest settings of a variable's flags are kept, at least."""
living: WeakValueDictionary[int, Variable] = WeakValueDictionary()
"""Every variable that is still alive, by its number."""
constrained: set[int] = set()
"""The numbers of variables with a constraint: while it is empty, optimizers check nothing else."""


class Variable(Cell):
    """A named array that a program reads and writes, and that training may update.

    `value` is array-like data or a tensor, and fixes shape and dtype; `name` becomes the variable's `path`.
    `trainable` says whether training updates it: tapes watch trainable variables by themselves. Raises
    DTypeError for data that is not numeric.

    Threads may share a variable. `assign_add`, `assign_sub` and the updates of optimizers are atomic: none is
    lost. `x.assign(x + 1)` reads first and writes later, so a write of another thread in between is lost;
    such a line needs its own lock.

    Args:
        value: array-like data or a tensor: it fixes shape and dtype.
        name: the path, a string; None generates one.
        trainable: whether tapes watch it and optimizers update it.
        dtype: the dtype; None for that of the value.

    Raises:
        ShapeError: if a later value has another shape.
        DTypeError: if a value has no numbers.
        LockedError: if it is written while it is frozen.

    >>> import penstock as ps
    >>> weight = ps.Variable([1.0, 2.0], name="weight")
    >>> weight.assign_add([0.5, 0.5])
    Variable('weight', [1.5, 2.5], dtype=float32, trainable=True)
    >>> weight.version
    1
    """

    # `own` marks an optimizer's own state: patterns do not select it.
    __slots__ = ("_constraint", "_flags", "own", "path", "site")

    def __init__(
        self, value: Any, *, name: str | None = None, trainable: bool = True, dtype: Any = None
    ) -> None:
        if isinstance(value, Cell):
            value = read(value)
        if isinstance(value, Tensor):
            array = value_of(value, "Variable(...)", sys._getframe(1))
            array = array if dtype is None else np.asarray(array).astype(dtype)
        else:
            array = convert(value, dtype, default_integer=self._default_integer())._value
        super().__init__(array, bool(trainable))
        self.site: Site = exactly_here()
        self.path: str = name if name is not None else f"{self._default_path()}_{self._uid}"
        self._constraint: Callable[[Any], Any] | None = None
        by, self.own = maker(sys._getframe())
        self._flags: list[Flag] = [Flag("trainable", self._trainable, by, self.site)]
        living[self._uid] = self
        if not self.own:
            note_made(self)
        engine.creations.tell(self)

    @staticmethod
    def _default_integer() -> Any:
        return np.int64

    @staticmethod
    def _default_path() -> str:
        return "variable"

    @property
    def unnamed(self) -> bool:
        """Whether this variable has no name, so that its path is only a word and a number."""
        return self.path.rstrip("0123456789").removesuffix("_") == self._default_path()

    @property
    def shape(self) -> Shape:
        """The length of each axis, as a tuple of int."""
        return self._spec.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        return self._spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._spec.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._spec.size

    @property
    def name(self) -> str:
        """The variable's path."""
        return self.path

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """A function that, given this variable, returns the value to store; or None. Optimizers apply it.

        After an update, the optimizer writes what this function returns, in the same step.
        """
        return self._constraint

    @constraint.setter
    def constraint(self, function: Callable[[Any], Any] | None) -> None:
        if function is not None:
            constrained.add(self._uid)
        self._constraint = function

    @property
    def version(self) -> int:
        """How many writes this variable has had."""
        return self._version

    @property
    def trainable(self) -> bool:
        """Whether training updates this variable. You may set it; it is independent of `locked`."""
        self._tell_consulted()
        return self._trainable

    @trainable.setter
    def trainable(self, wanted: bool) -> None:
        reread(self)
        if self._locked is not None:
            self._locked = (self._locked[0], bool(wanted))
        self._set_trainable(bool(wanted))
        self._note(Flag("trainable", bool(wanted), maker(sys._getframe(1))[0], here()))

    def _tell_consulted(self) -> None:
        if engine.consultations.functions:
            engine.consultations.tell(self)
        _consulted(self)

    @property
    def locked(self) -> bool:
        """Whether writes to this variable are refused: see `penstock.freeze`."""
        _consulted(self)
        return self._locked is not None

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The settings of `trainable` and `locked`, the first and the latest ones: value, caller and line.

        >>> import penstock as ps
        >>> weight = ps.Variable(0.0, name="weight")
        >>> frozen = ps.freeze(weight)
        >>> [(flag.name, flag.value, flag.by) for flag in weight.flags]
        [('trainable', True, 'Variable'), ('locked', True, 'freeze'), ('trainable', False, 'freeze')]
        """
        return tuple(self._flags)

    def _lock(self, flag: Flag) -> None:
        """Locks or unlocks. A locked variable is not trainable; unlocking restores the earlier flag."""
        reread(self)
        trainable = False
        if flag.value:
            self._locked = (flag, self._trainable)
        else:
            trainable, self._locked = self._locked[1], None
        self._note(flag)
        if trainable != self._trainable:
            self._note(Flag("trainable", trainable, flag.by, flag.site))
        self._set_trainable(trainable)

    def _note(self, flag: Flag) -> None:
        """Stores a setting of a flag. Of many, as from a loop, only the first and the latest are kept."""
        if len(self._flags) >= 2 * HISTORY:
            del self._flags[1:HISTORY]
        self._flags.append(flag)

    def _refusal(self, by: str, site: Any) -> Exception:
        since = self._locked[0]
        return LockedError(
            f"{by} tried to write Variable {self.path!r}, which is frozen.",
            origin=f"frozen by {since.by} at {since.site}\nVariable created at {self.site}",
            why="Nothing may write a frozen variable: no optimizer, no assignment, no state update, no load.",
            remedy=f"Leave it out of this update, or write unfreeze({self.path!r}) before it.",
            site=site,
        )

    def numpy(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns a copy of the value as a NumPy array, or as a NumPy scalar if it has no dimensions."""
        return np.array(self._look("numpy()", sys._getframe(1)))[()]

    def value(self) -> Tensor:
        """Returns the present value as a tensor."""
        return read(self)

    def assign(self, value: Any) -> Variable:
        """Replaces the value; shape and dtype stay the same. Returns the variable.

        Raises ShapeError for a different shape and DTypeError for a tensor of a different dtype; then nothing
        is changed. No gradient passes through an assignment: it stores a value, not its history.
        """
        return self._write("assign", value, None, sys._getframe(1))

    def assign_add(self, delta: Any) -> Variable:
        """Adds `delta` to the value, reading it when it writes; otherwise like `assign`."""
        return self._write("assign_add", delta, pointwise.add, sys._getframe(1))

    def assign_sub(self, delta: Any) -> Variable:
        """Subtracts `delta` from the value, reading it when it writes; otherwise like `assign`."""
        return self._write("assign_sub", delta, pointwise.subtract, sys._getframe(1))

    def _look(self, how: str, frame: FrameType) -> Any:
        """Returns the runtime value, after running the pending operations."""
        trace = local.trace
        if isinstance(trace, Builder) or trace.capturing or trace.taping or self._uid in trace.pending:
            trace.look(trace.reference(self), how, frame)
        value = self._value
        if value is None or self._pending is not None:
            engine.publish(self)
            with engine.lock:
                value = self._value
        return value if engine.whole is None else engine.whole(value)

    def _write(self, by: str, value: Any, combine: Any, frame: FrameType) -> Variable:
        trace: Trace = local.trace
        if isinstance(value, Tensor) and value._trace is trace and trace.pending.get(self._uid) is None:
            # The common case, found at once; `_record` below added the edge here.
            before = trace.current.get(self._uid)
            if before is not None:
                key = (by, value._slot, before, frame.f_lasti, id(frame.f_code))
                node = trace.node.edges.get(key)
                if node is not None and assign(trace, [self], [node.slot], node):
                    return self
                return self._record(by, value, combine, frame, key)
        return self._record(by, value, combine, frame, None)

    def _record(self, by: str, value: Any, combine: Any, frame: FrameType, hot_key: Any) -> Variable:
        trace: Any = local.trace
        if isinstance(trace, Builder):
            raise AssertionError("a recorded function may not write variables")
        if type(value) not in _numbers and not isinstance(value, Tensor | Cell):
            value = self._as_operand(value)
        if by != "constraint":
            # A constraint belongs to the update before it, which is on the same line.
            write_over(trace, self, frame)
        trace.settle()
        # The lock: no other thread may write between the read of the old value and the write.
        with engine.lock:
            reference = trace.reference(value)
            own = self._spec
            uid = self._uid
            before = trace.current.get(uid)
            fresh = before is None and combine is None and uid not in trace.again and uid not in trace.stale
            number = isinstance(reference, Number)
            value_spec = None if number else value._spec
            index: list[int] = []

            def build(builder: Builder) -> Outcome:
                if number:
                    if "bifc".index(kind_of(own.dtype)) < "bifc".index(number_kind(value)):
                        self._refuse_number(by, value)
                    operand = builder.number(0, own.dtype)
                else:
                    assert value_spec is not None
                    operand = builder.handle(Outcome(reference, value_spec))
                self._check(by, operand._spec, trace, reference)
                if combine is not None:
                    operand = combine(builder.handle(Outcome(before, own)), operand)
                index.append(trace.variable_index(self))
                return builder.append(Version(index[0], self._trainable), (operand._slot,), {}, own)

            try:
                if fresh:
                    trace.variables.append(self)
                elif before is None:
                    before = trace.read_held(self)
                head = (by, None if number else reference, self._read_key if before is None else before)
                numbers = (reference.value,) if number else ()
                node = trace.follow("write", head, numbers, frame, build, hot_key, by=by)
                fresh = False
                if index:
                    node.event.details["variable"] = index[0]
                    node.event.details["slot"] = node.slot
                    node.variables = len(trace.variables)
                trace.assigned(self, node.slot)
            except PenstockError:
                if fresh:
                    trace.variables.pop()
                    trace.indices.pop(uid, None)
                raise
            except BaseException as error:
                engine.abandon(trace, error)
                raise
        return self

    def _as_operand(self, value: Any) -> Tensor:
        """Array-like data takes the variable's dtype: only its shape can be wrong."""
        tensor = as_tensor(value)
        own = self._spec.dtype
        if tensor.dtype == own:
            return tensor
        if (
            not np.can_cast(tensor.dtype, own, "same_kind")
            and tensor.dtype.kind in "fc"
            and own.kind in "iub"
        ):
            raise DTypeError(
                f"assign to Variable {self.path!r}: the data is {tensor._spec!r}, "
                f"the Variable is {self._spec!r}.",
                origin=f"Variable created at {self.site}",
                why="The fractional part would be lost.",
                remedy=f"Convert the data first, or create the Variable with dtype={tensor.dtype.name!r}.",
                site=here(),
            )
        return concrete(np.asarray(tensor._value).astype(own))

    def _refuse_number(self, by: str, value: Any) -> None:
        raise DTypeError(
            f"{by} to Variable {self.path!r}: the value is {value!r}, the Variable is {self._spec!r}.",
            origin=f"Variable created at {self.site}",
            why="The number would be truncated.",
            remedy=f"Round it first, or create the Variable as {self.path!r} with a floating-point value.",
            site=here(),
        )

    def _check(self, by: str, given: Spec, trace: Trace, reference: Any) -> None:
        """Raises ShapeError or DTypeError where a value does not fit this variable."""
        if given is self._spec:
            return
        origin = f"Variable created at {self.site}"
        if not isinstance(reference, Number):
            call = next((c for c in reversed(trace.node.program()) if c.slot == reference), None)
            if call is not None:
                origin = f"value: {describe_call(call, trace)}\n{origin}"
        fact = f"{by} to Variable {self.path!r}: the value is {given!r}, the Variable is {self._spec!r}."
        if given.shape != self._spec.shape:
            raise ShapeError(
                fact,
                origin=origin,
                why="The shape of a Variable is fixed, so that recorded steps stay valid.",
                remedy="Reshape the value, or create a new Variable.",
                site=here(),
            )
        raise DTypeError(
            fact,
            origin=origin,
            why="The dtype of a Variable is fixed.",
            remedy=f"Convert the value first: astype(value, {self._spec.dtype.name!r}).",
            site=here(),
        )

    def __repr__(self) -> str:
        value = np.array2string(np.asarray(self._look("repr()", sys._getframe(1))), separator=", ")
        return f"Variable({self.path!r}, {value}, dtype={self.dtype.name}, trainable={self._trainable})"

    def __iter__(self) -> Iterator[Tensor]:
        return iter(read(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the value, the path and the flags; versions and readers belong to this variable alone."""
        if self._constraint is not None:
            from penstock.state.pickled import refuse_unfound

            refuse_unfound(f"Variable {self.path!r}", {"constraint": self._constraint})
        return self._recipe()

    def _recipe(self) -> tuple[Any, ...]:
        """Returns how to recreate this variable, and the extra attributes of a subclass."""
        value = np.array(self._look("a copy", sys._getframe(1)))
        flags = self._trainable, self._locked, self.own
        made = _made_again, (type(self), value, self.path, *flags, self._constraint)
        beside = getattr(self, "__dict__", None)
        return (*made, dict(beside)) if beside else made

    def __copy__(self) -> Variable:
        make, given, *beside = self._recipe()
        made: Variable = make(*given)
        for name, value in beside[0].items() if beside else ():
            setattr(made, name, value)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        made = memo[id(self)] = self.__copy__()
        return made


def _made_again(
    kind: type[Variable], value: Any, path: str, trainable: bool, locked: Any = None, own: bool = False,
    constraint: Any = None,
) -> Variable:  # fmt: skip
    """Makes a variable from its copied or pickled parts."""
    made = kind(value, name=path, trainable=trainable if locked is None else locked[1])
    made.own = own
    made.constraint = constraint
    if locked is not None:
        made._lock(locked[0])
    return made


def _consulted(variable: Variable) -> None:
    """Notes that a step that is being captured has read a variable's flags."""
    trace = local.trace
    if trace.capturing and not isinstance(trace, Builder):
        trace.consulted[variable._uid] = variable


def read(variable: Cell) -> Tensor:
    """Returns the present value of a variable as a separate tensor, recorded where it is read."""
    return pointwise.identity.record((variable,), {}, sys._getframe(1))


def updating(variable: Any, frame: FrameType) -> AbstractContextManager[Any]:
    """Makes a read and the following write of a variable atomic: no other thread writes it in between.

    Operations that a write at this line would run first are run before. A dialect that changes tensors in
    place may pass a tensor for the variable.
    """
    trace = local.trace
    if isinstance(trace, Builder):
        return nullcontext()
    if isinstance(variable, Cell):
        write_over(trace, variable, frame)
    trace.settle()
    return engine.lock


def write_over(trace: Trace, variable: Cell, frame: FrameType) -> None:
    """Ends the step when a line outside every tape is about to write a variable for the second time.

    Without this a loop that only assigns would never end a step. Raises CaptureError inside a program that
    is recorded to be run later, such as the body of a loop: it computes values, and writes nothing.
    """
    if trace.nested is not None:
        trace.nested.refuse_write(variable)
    if trace.taping or trace.capturing or variable._uid not in trace.pending:
        return
    for node in _writes(trace):
        event = node.event
        assert event is not None
        if event.site == site_of(frame) and _touches(event, trace, variable):
            trace.run(reset=True)
            return


def _writes(trace: Trace) -> Iterator[Any]:
    node: Any = trace.node
    while node.parent is not None:
        if node.event.kind in ("write", "apply"):
            yield node
        node = node.parent


def _touches(event: Any, trace: Trace, variable: Cell) -> bool:
    own = trace.known_index(variable)
    return own in (event.details.get("variables") or [event.details.get("variable")])


__all__ = ["Variable", "is_library", "read", "updating", "write_over"]
