"""The gradient tape under TensorFlow's name, with its words, and gradients that are rows as IndexedSlices."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from penstock.declared import named
from penstock.errors import TapeError
from penstock.functions.scratch import shown_shape
from penstock.grad.rows import Rows
from penstock.grad.tape import GradientTape as NativeTape
from penstock.ops.shape import broadcast_to
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import as_array, none_refused, operand, tensor_of
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._errors import (
    ArgumentError,
    InvalidArgumentError,
    MissingGradientError,
    NotDifferentiableError,
    TapeStateError,
)
from penstock.tensorflow._graphs.graph import Mode, Operation, on_first_use
from penstock.tensorflow._modes import get_logger, inside
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape, brackets, shape_of
from penstock.trace.convert import as_tensor
from penstock.trace.kinds import register
from penstock.trace.leaf import OfVariable
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.spec import spec
from penstock.trace.structure import flat, mapped, packed
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
Function = TypeVar("Function", bound=Callable[..., Any])
_plain = frozenset((EagerTensor,))
USED_UP = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
    "efficient than "
    "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to "
    "increased CPU "
    "and memory usage). Only call GradientTape.gradient inside the context if you actually want to trace "
    "the gradient "
    "in order to compute higher order derivatives."
)


@named("tf.UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """The gradient of a source without a path: None or zeros."""

    NONE = "none"
    ZERO = "zero"


def _is_symbolic(value: Any) -> bool:
    """Returns whether a value is a tensor of a graph, which has a value only while a session runs."""
    return bool(Mode.inside) and isinstance(getattr(value, "op", None), Operation)


def _held(value: Any) -> Any:
    return value if _is_symbolic(value) else operand(value)


@named("tf.IndexedSlices")
class IndexedSlices:
    """A gradient that is zero outside some rows: `values[i]` belongs to row `indices[i]`.

    >>> from penstock import tensorflow as tf
    >>> table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> with tf.GradientTape() as tape:
    ...     total = tf.reduce_sum(tf.gather(table, [1, 1]))
    >>> slope = tape.gradient(total, table)
    >>> print(slope.indices.numpy(), tf.convert_to_tensor(slope).numpy().tolist())
    [1 1] [[0.0, 0.0], [2.0, 2.0]]
    """

    __slots__ = ("_lengths", "_symbolic_shape", "indices", "values")
    __array_priority__ = 100

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values, self.indices = _held(values), _held(indices)
        # In a graph, the shape may be known only when a session runs.
        self._symbolic_shape = dense_shape if _is_symbolic(dense_shape) else None
        unknown = dense_shape is None or self._symbolic_shape is not None
        self._lengths = None if unknown else tuple(np.asarray(dense_shape).tolist())

    @property
    def dense_shape(self) -> Any:
        """The shape of the table, as a tensor; None if it was not given."""
        if self._symbolic_shape is not None:
            return self._symbolic_shape
        return None if self._lengths is None else tensor_of(as_array(self._lengths, np.dtype(np.int32)))

    def with_values(self, values: Any) -> IndexedSlices:
        """Returns other values for the same rows of a table of the same shape."""
        lengths = self._lengths if self._symbolic_shape is None else self._symbolic_shape
        return IndexedSlices(values, self.indices, lengths)

    @property
    def shape(self) -> TensorShape:
        """The shape of the table."""
        if self._symbolic_shape is not None:
            known, axes = self._symbolic_shape.known, self._symbolic_shape.shape[0]
            if known is not None:
                return TensorShape(shown_shape(tuple(known.tolist())))
            return TensorShape(None if axes is None else [None] * axes)
        if self._lengths is None:
            return TensorShape((None, *self.values.shape[1:]))
        return shape_of(self._lengths)

    @property
    def dtype(self) -> DType:
        """The dtype of the rows."""
        return as_dtype(self.values.dtype)

    @property
    def _read_in(self) -> Callable[[Any], Any] | None:
        """Returns, for values in a graph, what makes the dense tensor there; None for others."""
        return self._dense_in if _is_symbolic(self.values) else None

    def _dense_in(self, graph: Any) -> Any:
        lengths = self._symbolic_shape if self._lengths is None else self._lengths
        if lengths is None:
            raise self._without_shape()
        return on_first_use("rows").dense(self, lengths)

    def _without_shape(self) -> ArgumentError:
        return ArgumentError(
            "Tensor conversion requested for IndexedSlices without dense_shape",
            remedy="Give tf.IndexedSlices the shape of the table: dense_shape=...",
            site=here(),
        )

    def rows(self) -> Rows:
        """Returns the gradient as the engine knows it."""
        assert self._lengths is not None
        return self._rows(self._lengths)

    def _rows(self, lengths: tuple[int, ...]) -> Rows:
        """Returns the gradient as the engine knows it, of a table of this shape."""
        return Rows(self.indices, self.values, spec(lengths, self.values._spec.dtype))

    def _dense(self) -> EagerTensor:
        if self._lengths is None:
            raise self._without_shape()
        return self._rows(self._lengths).dense()  # type: ignore[return-value]

    def __neg__(self) -> IndexedSlices:
        return self.with_values(-self.values)

    def __repr__(self) -> str:
        return object.__repr__(self)

    def __str__(self) -> str:
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{shape})"


def by_row(function: Function) -> Function:
    """Marks a function that takes gradients as rows, in a graph too, where others get them dense."""
    function.by_row = True  # type: ignore[attr-defined]
    return function


register(
    IndexedSlices,
    lambda rows: (
        (rows.values, rows.indices)
        if rows._symbolic_shape is None
        else (rows.values, rows.indices, rows._symbolic_shape),
        rows._lengths,
    ),
    lambda lengths, parts: IndexedSlices(parts[0], parts[1], parts[2] if len(parts) > 2 else lengths),
    composite=True,
)


@named("tf.GradientTape", "tf.autodiff.GradientTape")
class GradientTape(NativeTape):
    """Records the computations inside its `with` block, to differentiate them.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> print(tape.gradient(y, x))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """

    # What a tape has seen when it gives its one gradient, for `watched_variables`; and the notes it has taken
    # of forks whose other side TensorFlow would have traced too.
    __slots__ = ("_notes", "_seen")
    _notes: list[Any]
    _seen: tuple[Any, Any] | None

    def watch(self, tensor: Any) -> None:
        """Lets gradients end at a tensor or variable, or at each of a structure."""
        for one in flat(tensor, _is_none):
            if isinstance(one, UnreadVariable):
                one = one._variable
            elif hasattr(one, "_gradient_part"):
                one = one._gradient_part()
            elif not isinstance(one, Tensor | Cell):
                raise ArgumentError(
                    f"Passed in object {one!r} of type {type(one).__name__!r}, not tf.Tensor or "
                    "tf.Variable or "
                    "ExtensionType.",
                    remedy="Convert it to a tensor first, with tf.constant, and compute with that.",
                    site=here(),
                )
            super().watch(one)

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Returns the gradient of `target` by each source, in the structure of `sources`.

        A source that no path leads to gives None, or zeros with `unconnected_gradients="zero"`. The gradient
        by a variable that was only gathered from is a `tf.IndexedSlices`.
        """
        frame = _frame(1)
        trace = self._trace
        plain = unconnected_gradients is UnconnectedGradients.NONE and output_gradients is None
        if not plain or self._used or self._open or trace is None or type(target) is not EagerTensor:
            return self._examined(target, sources, output_gradients, unconnected_gradients, frame)
        if trace.generation == self._generation:
            self._seen = trace.node, trace.variables
        # A tape frees its record with its one gradient.
        record = self._record() if hasattr(self, "_notes") else None
        found = self._ask(target, sources, None, "none", frame)
        if hasattr(self, "_notes"):
            found = self._with_sides(found, target, sources, record)
        plain = type(found) is EagerTensor or (type(found) is list and _plain.issuperset(map(type, found)))
        if plain and not _with_rows[0]:
            return found
        return _speaking(found, sources)

    def _examined(
        self, target: Any, sources: Any, output_gradients: Any, unconnected_gradients: Any, frame: FrameType
    ) -> Any:
        """Computes the gradients of an unusual request, or raises the error about it."""
        word = getattr(unconnected_gradients, "value", unconnected_gradients)
        if word not in ("none", "zero"):
            raise ArgumentError(
                f"Unknown value for unconnected_gradients: {word!r}",
                remedy="Use 'none' or 'zero'.",
                site=here(),
            )
        if self.persistent:
            if self._open and not self._paused and self._trace is local.trace:
                get_logger().warning(INSIDE)
        elif self._used or self._trace is None:
            self._refuse_used()
        if target is None:
            raise MissingGradientError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None.",
                site=here(),
            )
        if not isinstance(target, Tensor):
            target = self._targets(target)
        if output_gradients is not None:
            output_gradients = _weights(target, output_gradients)
        self._seen = self._record()
        found = self._ask(target, sources, output_gradients, word, frame)
        return _speaking(self._with_sides(found, target, sources, self._seen), sources)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the derivative of each element of `target` by each element of the sources.

        Its shape is that of the target, then that of the source. All rows are computed together, or one after
        the other with `experimental_use_pfor=False`; `parallel_iterations` is accepted, and means nothing.
        """
        word, target = self._many_checked(target, unconnected_gradients)
        if not experimental_use_pfor and not self.persistent:
            raise TapeError(
                "GradientTape must be created with persistent=True to compute the jacobian with eager "
                "execution enabled and with  experimental_use_pfor set to False.",
                site=here(),
            )
        mode, record = ("jacobian", not experimental_use_pfor), self._record()
        found = self._gradient(target, sources, None, word, _frame(1), mode)
        return _speaking(self._with_sides(found, target, sources, record, target._spec.shape), sources)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns a Jacobian for each example: of `target[i]` by `source[i]`, which is taken for granted.

        Its shape is that of the target, then that of the source without the first axis. What is unconnected
        gives zeros, as in TensorFlow, for any request.
        """
        _, target = self._many_checked(target, unconnected_gradients)
        for one in (target, source):
            if len(one.shape) < 2:
                raise ArgumentError(f"Shape {one.shape} must have rank at least 2", site=here())
        if target.shape[0] != source.shape[0]:
            raise ArgumentError(
                f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) "
                "to match.",
                site=here(),
            )
        mode = ("batch_jacobian", not experimental_use_pfor)
        return _speaking(self._gradient(target, source, None, "zero", _frame(1), mode), source)

    def _many_checked(self, target: Any, unconnected_gradients: Any) -> tuple[str, Any]:
        """Examines a request for Jacobians; returns the word for unconnected sources, and the target."""
        word = getattr(unconnected_gradients, "value", unconnected_gradients)
        if word not in ("none", "zero"):
            raise ArgumentError(
                f"Unknown value for unconnected_gradients: {word!r}",
                remedy="Use 'none' or 'zero'.",
                site=here(),
            )
        if not self.persistent and (self._used or self._trace is None):
            self._refuse_used()
        target = self._targets(target)
        if not isinstance(target, Tensor | Cell):
            raise NotDifferentiableError(
                f"{type(target).__name__!r} object has no attribute 'shape'",
                origin=f"the target of the jacobian is {target!r}",
                remedy="Ask for the jacobian of one tensor at a time.",
                site=here(),
            )
        self._seen = self._record()
        return str(word), target

    def watched_variables(self) -> tuple[Any, ...]:
        """Returns the variables at which gradients of this tape can end, the oldest first."""
        node, variables = self._record() or getattr(self, "_seen", None) or (None, ())
        if node is None:
            return ()
        calls, size = node.program(), node.size
        watched = {slot for slot, _ in self._watched}
        read = set(watched)
        for start, stop in self.intervals(size) if self._watch_variables else ():
            for call in calls[start:stop]:
                read.add(call.slot)
                read.update(call.inputs)
        chosen = {}
        for call in calls:
            leaf = call.primitive
            if not isinstance(leaf, OfVariable):
                continue
            if call.slot in watched or (call.slot in read and leaf.trainable):
                chosen[variables[leaf.variable]._uid] = variables[leaf.variable]
        for note in self._noted() if self._watch_variables else ():
            chosen.update((uid, one()) for uid, one in note.read.items() if one() is not None)
        return tuple(chosen[uid] for uid in sorted(chosen))

    def _take_note(self, note: Any) -> None:
        """Keeps a note about a fork that is reached while the tape records: see `_untaken`."""
        if any(one.generation != note.generation for one in getattr(self, "_notes", (note,))[:1]):
            del self._notes
        if not hasattr(self, "_notes"):
            self._notes = []
        self._notes.append(note)

    def _noted(self) -> list[Any]:
        """Returns the notes about what the tape has recorded."""
        return [one for one in getattr(self, "_notes", ()) if one.generation == self._generation]

    def _with_sides(
        self, found: Any, target: Any, sources: Any, record: tuple[Any, Any] | None, shape: Any = ()
    ) -> Any:
        """Returns gradients with zeros for what only sides of forks use that were not taken."""
        notes = self._noted()
        given = flat(sources, _is_none)
        made = flat(found, _is_none)
        if not notes or record is None or all(one is not None for one in made):
            return found
        sides = inside.other_sides()
        trace: Trace = local.trace
        calls, variables = record[0].program(), record[1]
        past = self._past if trace.generation != self._generation else None
        for note in notes:
            note.settle(past)
        places = [sides.slot_of(trace, one, past) for one in flat(target)]
        reached, slots, crossed = sides.behind(calls, variables, places, notes)
        zeros: set[int] = set()
        watched = {slot for slot, _ in self._watched}
        named = {variables[calls[one].variable]._uid for one in watched if calls[one].variable is not None}
        for i, source in enumerate(given):
            if made[i] is not None or not isinstance(source, Tensor | Cell):
                continue
            if isinstance(source, Cell):
                is_watched = source._uid in named or (self._watch_variables and source._trainable)
                comes = source._uid in reached
            else:
                slot = sides.slot_of(trace, source, past)
                is_watched, comes = slot in watched, slot in slots
            if is_watched and comes:
                zero = as_tensor(np.zeros((), source._spec.dtype), EagerTensor)
                made[i] = broadcast_to(zero, shape=(*shape, *source._spec.shape))
                zeros.add(made[i]._slot)
        if any(crossed) and trace.taping and past is None:
            others = {one._slot for one in made if isinstance(one, Tensor)} - zeros
            sides.gradients_note(trace, [(zeros, reached, slots), (others, *crossed)])
        return packed(sources, iter(made), _is_none)

    def _record(self) -> tuple[Any, Any] | None:
        """Returns the path this tape has recorded, and the variables bound to it, while it is there."""
        past, trace = self._past, self._trace
        if trace is not None and trace.generation == self._generation:
            return trace.node, trace.variables
        return None if past is None else (past.node, past.variables)

    # -- words -------------------------------------------------------------------------------------------

    def _refuse_watch(self, tensor: Any) -> None:
        get_logger().warning(
            "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", tensor.dtype
        )

    def _refuse_entry(self) -> None:
        raise TapeStateError(
            "Tape is still recording, This can happen if you try to re-enter an already-active tape.",
            remedy="Open a second tape to nest recordings.",
            site=here(),
        )

    def _refuse_idle(self, what: str) -> None:
        raise TapeStateError(
            "Tape is not recording.", why=f"{what} belongs inside the tape's with block.", site=here()
        )

    def _refuse_used(self) -> None:
        if self._trace is None:
            why, remedy = "This tape has not recorded anything.", "Compute the target inside `with tape:`."
        else:
            why = "A tape that is not persistent frees its record after the first gradient."
            remedy = "Ask for all sources in one call, or open it with persistent=True."
        origin = "" if self._trace is None else f"tape opened at {self._opened_at()}"
        raise TapeError(USED_UP, origin=origin, why=why, remedy=remedy, site=here())

    def _never_entered(self) -> None:
        raise ArgumentError(
            "This tape has not recorded anything.",
            remedy="Compute the target inside `with tape:`.",
            site=here(),
        )

    def _targets(self, target: Any) -> Any:
        """Makes variables that are targets part of the record; returns the target."""
        if isinstance(target, UnreadVariable):
            target = target._variable
        trace: Trace = local.trace
        if self._noted():
            # Of a number that one side gives, TensorFlow makes a tensor.
            target = mapped(target, lambda one: tensor_of(one) if isinstance(one, int | float) else one)
        for one in flat(target):
            if self._noted() and isinstance(one, Tensor):
                trace.reference(one)
            if isinstance(one, Cell) and self._trace is trace and self._generation == trace.generation:
                trace.reference(one)
        return target

    def _check(self, values: Any, role: str) -> None:
        for position, value in enumerate(values):
            if isinstance(value, Tensor | Cell):
                continue
            if isinstance(value, UnreadVariable):
                values[position] = value._variable
            elif isinstance(value, IndexedSlices):
                values[position] = value._dense()
            elif hasattr(value, "_gradient_part"):
                _with_rows[0] = True
                values[position] = value._gradient_part()
            else:
                raise _not_a_tensor(value, role)


_with_rows = [False]
"""Whether a ragged tensor has been among the sources: its gradient has its rows."""


def _not_a_tensor(value: Any, role: str) -> NotDifferentiableError:
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    attribute = "dtype" if role == "target" and not hasattr(value, "dtype") else "_id"
    return NotDifferentiableError(
        f"{module + kind.__name__!r} object has no attribute {attribute!r}",
        origin=f"the {role} of the gradient is {kind.__name__} {value!r}",
        why="A Python number or an array has no history for a gradient to follow.",
        remedy="Compute it with tensors inside the tape.",
        site=here(),
    )


def _weights(target: Any, weights: Any) -> Any:
    """Returns `output_gradients` as tensors of the targets' shapes."""
    single = isinstance(target, Tensor | Cell)
    targets = [target] if single else flat(target)
    given = [weights] if single else flat(weights, _is_none)
    made = []
    for one, weight in zip(targets, given, strict=False):
        if weight is None:
            raise none_refused()
        weight = operand(weight, one._spec.dtype)
        if weight._spec.shape != one._spec.shape:
            raise InvalidArgumentError(
                f"Incompatible shapes: {brackets(weight._spec.shape)} vs. {brackets(one._spec.shape)}",
                why="Each of output_gradients must have the shape of its target.",
                site=here(),
            )
        made.append(weight)
    return made[0] if single else packed(target, iter(made))


def _speaking(found: Any, sources: Any) -> Any:
    """Returns a structure of gradients with rows as IndexedSlices; refuses None among the sources."""
    given = flat(sources, _is_none)
    if any(one is None for one in given):
        raise MissingGradientError(
            "Cannot convert the argument `type_value`: None to a TensorFlow DType.",
            origin="one of the sources of the gradient is None",
            remedy="Remove it, or replace it by the variable that you meant.",
            site=here(),
        )
    made = mapped(
        found, lambda one: IndexedSlices(one.values, one.indices, one.shape) if isinstance(one, Rows) else one
    )
    if all(isinstance(one, Tensor | Cell) for one in given):
        return made
    # A gradient by a ragged tensor has its rows.
    parts = zip(given, flat(made, _is_none), strict=True)
    return packed(
        sources,
        iter([one._of_gradient(part) if hasattr(one, "_of_gradient") else part for one, part in parts]),
        _is_none,
    )


def _is_none(one: Any) -> bool:
    return one is None
