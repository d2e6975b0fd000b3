"""tf.TensorArray: tensors collected in a Python loop and stacked at its end."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from penstock.declared import named
from penstock.errors import CaptureError
from penstock.functions import array as native
from penstock.functions.scratch import Scratch
from penstock.tensorflow._convert import same_dtype, tensor_of
from penstock.tensorflow._dtype import as_dtype, numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError, OutOfRangeError
from penstock.tensorflow._graphs.graph import Mode, mode
from penstock.tensorflow._modes import inside
from penstock.tensorflow._seeds import in_call, kept_of_call
from penstock.tensorflow._string_type import STRING
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape, as_shape, brackets
from penstock.trace.builder import Builder
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_OBJECTS = np.dtype(object)
"""The dtype of strings."""


def shown_dtype(dtype: Any) -> Any:
    """Returns the dtype of an array as users see it."""
    return STRING if dtype == _OBJECTS else as_dtype(dtype)


def _program() -> Any:
    """Returns the recording of a program inside another one; None in what runs as it is written."""
    trace = local.trace
    return trace if isinstance(trace, Builder | Scratch) or trace.nested is not None else None


def _shape(one: Any) -> Any:
    """Returns the lengths of a tensor, or of one of strings."""
    return tuple(one.shape) if isinstance(one, StringTensor) else one._spec.shape


class History:
    """What has been written into an array: what a function of TensorFlow reads comes from all of it.

    There an array is one value, which each write replaces. `written` is what was written after `mark`, the
    number by which tapes know the contents until then; `token` is that of the array. A copy in a branch that
    is only tried out is `tried`, and `origin` is the array that it was copied from.
    """

    __slots__ = ("mark", "origin", "token", "tried", "written")

    def __init__(self, origin: Any = None, written: Sequence[Any] = ()) -> None:
        self.origin, self.written = origin, list(written)
        self.tried = inside.trying > 0
        self.token: int | None = None
        self.mark: Any = None

    def copied(self, own: Any) -> History:
        """Returns the history of a copy of the array `own`, whose history this is."""
        return History(self.origin, self.written) if self.tried else History(own)

    def begin(self, rows: Any) -> None:
        """Takes the only value that the array comes from."""
        self.origin, self.mark, self.written = None, None, [rows]


class _Kind(type):
    def __instancecheck__(cls, one: Any) -> bool:
        """Returns whether this is an array, that of a graph included."""
        return type.__instancecheck__(cls, one) or getattr(type(one), "_is_array", False)


@named("tf.TensorArray", "tf.compat.v1.TensorArray")
class TensorArray(metaclass=_Kind):
    """A list of tensors of one dtype; `write` returns the list itself, as in an eager TensorFlow.

    While a graph is being built, it is a part of the graph, and `write` returns another one.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.TensorArray(tf.float32, size=2)
    >>> for i in range(2):
    ...     rows = rows.write(i, tf.fill([2], float(i)))
    >>> print(rows.stack().numpy())
    [[0. 0.]
     [1. 1.]]
    """

    _build: ClassVar[Any]
    """Creates one in a graph; the file about those sets it."""
    _dtype: np.dtype[Any]
    _dynamic: bool
    _clears: bool
    _read: set[int]
    _held: list[Any]
    _element_shape: TensorShape
    _infers_shape: bool
    _place: Any
    """Where a function created it; None outside of functions."""
    _history: Any
    """What a function has written into it, for tapes; see `History`. None outside of functions."""
    _program: Any
    """The program inside a recording, such as a function of tf.cond, that created it; None if it is none."""

    def __new__(
        cls, dtype: Any, size: Any = None, dynamic_size: Any = None, clear_after_read: Any = None,
        tensor_array_name: Any = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
        element_shape: Any = None, colocate_with_first_write_call: bool = True, name: Any = None,
    ) -> Any:  # fmt: skip
        if Mode.inside and mode.building() is not None:
            return cls._build(
                dtype, size, dynamic_size, infer_shape, element_shape, name or tensor_array_name,
                sys._getframe(1),
            )  # fmt: skip
        self = object.__new__(cls)
        self._dtype = numpy_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read is not False
        self._read = set()
        self._held = [None] * (0 if size is None else int(size))
        self._element_shape, self._infers_shape = as_shape(element_shape), bool(infer_shape)
        self._place = self._history = None
        self._program = _program()
        if in_call():
            frame = sys._getframe(1)
            self._place = "elements of an array", frame.f_code, frame.f_lasti
            self._history = History()
        return self

    def _changed(self) -> TensorArray:
        """Returns the array that a change is made to: another one in a branch that is only tried out.

        Raises CaptureError where a program is recorded that has not created the array: it may not run.
        """
        if not inside.trying:
            program = _program()
            if program is None or program is self._program or not inside.programs:
                return self
            if not isinstance(program, Scratch):
                raise CaptureError("A program does not write into a TensorArray from outside.")
        made = object.__new__(TensorArray)
        made.__dict__.update(self.__dict__)
        made._held, made._read = list(self._held), set(self._read)
        if self._history is not None:
            made._history = self._history.copied(self)
        return made

    def _shown(self, result: Any) -> Any:
        """Returns what is read; in a function, tells tapes what else was written into the array."""
        if self._history is not None and inside.depth:
            return inside.other_sides().read_from(self, result)
        return result

    def _tell(self) -> None:
        """Keeps the shape of the elements for calls in which nothing is written.

        In a function of TensorFlow it is that of what the trace writes, on a side that is not taken, too.
        """
        kept = None if self._place is None else kept_of_call()
        if kept is not None and self._element_shape.is_fully_defined():
            kept.setdefault(self._place, tuple(self._element_shape))

    def _told(self) -> Any:
        kept = None if self._place is None or not self._infers_shape else kept_of_call()
        return None if kept is None else kept.get(self._place)

    @property
    def dtype(self) -> Any:
        """The dtype of the tensors."""
        return shown_dtype(self._dtype)

    @property
    def dynamic_size(self) -> bool:
        """Whether it grows."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The shape of each tensor, as far as it was given or is that of one that was written."""
        return self._element_shape

    def write(self, index: Any, value: Any, name: Any = None) -> TensorArray:
        """Puts a tensor to a place."""
        self, place = self._changed(), int(index)
        if place >= len(self._held):
            if not self._dynamic:
                raise OutOfRangeError(
                    f"Tried to write to index {place} but array is not resizeable and size is: "
                    f"{len(self._held)}",
                    remedy="Create it with dynamic_size=True, or with a larger size.",
                    site=here(),
                )
            self._held += [None] * (place + 1 - len(self._held))
        if place < 0:
            raise OutOfRangeError(f"Writing to negative indices (index {place}) is not allowed.", site=here())
        own = value._spec.dtype if isinstance(value, Tensor) else _OBJECTS if is_text(value) else self._dtype
        if own != self._dtype:
            raise InvalidArgumentError(
                f"TensorArray dtype is {shown_dtype(self._dtype).name} but Op is trying to write dtype "
                f"{shown_dtype(own).name} ",
                remedy=f"Convert it with tf.cast(value, {shown_dtype(self._dtype)!r}).",
                site=here(),
            )
        one = self._taken(value)
        if not self._element_shape.is_compatible_with(one.shape):
            raise ArgumentError(
                f"Incompatible shape for value ({one.shape}), expected ({self._element_shape})",
                remedy="Create the array with infer_shape=False for tensors of several shapes.",
                site=here(),
            )
        if self._infers_shape:
            known = self._element_shape.is_fully_defined()
            self._element_shape = self._element_shape.merge_with(one.shape)
            if not known:
                self._tell()
        self._held[place] = one
        self._read.discard(place)
        if self._history is not None:
            self._history.written.append(one)
        return self

    def read(self, index: Any, name: Any = None) -> EagerTensor:
        """Returns the tensor at a place; once alone unless `clear_after_read` is False."""
        place = int(index)
        if not 0 <= place < len(self._held):
            raise OutOfRangeError(
                f"Tried to read from index {place} but array size is: {len(self._held)}", site=here()
            )
        if place in self._read:
            raise InvalidArgumentError(
                f"Could not read index {place} twice because it was cleared after a previous read (perhaps "
                "try setting clear_after_read = false?)",
                site=here(),
            )
        found = self._value(place)
        # In a function of TensorFlow the array is a list of tensors, which clears nothing.
        if self._clears and not (inside.depth or inside.trying):
            self._read.add(place)
        return self._shown(found)  # type: ignore[no-any-return]

    def _value(self, place: int) -> Any:
        if self._held[place] is None:
            known = next((_shape(one) for one in self._held if one is not None), None)
            if known is None and not self._element_shape.is_fully_defined():
                known = self._told()
            if known is None and not self._element_shape.is_fully_defined():
                raise self._unwritten(place)
            return self._empty(tuple(self._element_shape) if known is None else known)
        return self._held[place]

    def _unwritten(self, place: int) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"Could not read index {place}: nothing was written to the array yet.", site=here()
        )

    def _all(self) -> list[Any]:
        return [self._value(place) for place in range(len(self._held))]

    def stack(self, name: Any = None) -> EagerTensor:
        """Returns the tensors stacked along a new first axis."""
        values = self._all()
        for one in values[1:]:
            if _shape(one) != _shape(values[0]):
                raise InvalidArgumentError(
                    f"Shapes differ: {brackets(_shape(values[0]))} and {brackets(_shape(one))}.",
                    remedy="Join tensors of different lengths with concat().",
                    site=here(),
                )
        return self._shown(self._joined(native.stack, values))  # type: ignore[no-any-return]

    def concat(self, name: Any = None) -> EagerTensor:
        """Returns the tensors joined along their first axis."""
        if (
            self._held
            and all(one is None for one in self._held)
            and not self._element_shape.is_fully_defined()
        ):
            # TensorFlow asks what was written for the lengths, whatever the trace knows.
            raise self._unwritten(0)
        return self._shown(self._joined(native.concat, self._all()))  # type: ignore[no-any-return]

    def _taken(self, value: Any) -> Any:
        """Returns a value as one of the array's tensors."""
        return strings(value) if self._dtype == _OBJECTS else tensor_of(value, self._dtype)

    def _empty(self, shape: Any) -> Any:
        """Returns zeros, or empty strings."""
        if self._dtype == _OBJECTS:
            return StringTensor(np.full(shape, b"", object))
        return tensor_of(np.zeros(shape, self._dtype))

    def _joined(self, function: Any, values: list[Any]) -> Any:
        if not values:
            return self._empty((0,))
        if self._dtype == _OBJECTS:
            together = np.stack if function is native.stack else np.concatenate
            return StringTensor(together([np.asarray(one) for one in values]))
        return function(same_dtype(values, "Pack", self._dtype), axis=0)

    def gather(self, indices: Any, name: Any = None) -> EagerTensor:
        """Returns the tensors at some places, stacked."""
        places = [int(one) for one in np.asarray(tensor_of(indices).numpy())]
        found = self._joined(native.stack, [self._value(place) for place in places])
        return self._shown(found)  # type: ignore[no-any-return]

    def unstack(self, value: Any, name: Any = None) -> TensorArray:
        """Takes the slices of a tensor along its first axis."""
        self, rows = self._changed(), self._taken(value)
        self._held = [rows[i] for i in range(_shape(rows)[0])]
        self._begun_again(rows)
        return self

    def _begun_again(self, rows: Any) -> None:
        self._read.clear()
        if self._history is not None:
            self._history.begin(rows)

    def split(self, value: Any, lengths: Any, name: Any = None) -> TensorArray:
        """Takes the parts of a tensor, of these lengths along its first axis."""
        self, rows = self._changed(), self._taken(value)
        parts = np.asarray(tensor_of(lengths).numpy()).tolist()
        if len(parts) != len(self._held) and not self._dynamic:
            raise InvalidArgumentError(
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._held)} vs. {len(parts)}), and the TensorArray is not marked as dynamically "
                "resizeable.",
                site=here(),
            )
        if sum(parts) != _shape(rows)[0]:
            raise InvalidArgumentError(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sum(parts)} and value's shape is: {brackets(rows._spec.shape)}",
                site=here(),
            )
        ends = itertools.accumulate(parts)
        self._held = [rows[end - length : end] for length, end in zip(parts, ends, strict=True)]
        self._begun_again(rows)
        return self

    def scatter(self, indices: Any, value: Any, name: Any = None) -> TensorArray:
        """Puts the slices of a tensor to some places."""
        rows = self._taken(value)
        for i, place in enumerate(np.asarray(tensor_of(indices).numpy())):
            self = self.write(int(place), rows[i])
        return self

    def size(self, name: Any = None) -> EagerTensor:
        """Returns how many places there are."""
        return tensor_of(np.asarray(len(self._held), np.int32))

    def identity(self) -> TensorArray:
        """Returns itself."""
        return self
