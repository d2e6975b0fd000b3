"""tf.TensorArray in a graph: each write gives the array as it is from then on.

A run has an array of the eager kind in its place. While only shapes are known, neither are places: then an
array has one value that stands for all of its values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.capture.calls import Input
from penstock.functions.scratch import Scratch, folded
from penstock.tensorflow._arrays import reshape
from penstock.tensorflow._convert import tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._graphs.build import call_kernel, constant, give
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor, open_spec, shown_shape
from penstock.tensorflow._graphs.texts import OBJECTS, SymbolicText
from penstock.tensorflow._tensor_array import TensorArray, shown_dtype
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.trace.lengths import is_symbolic
from penstock.trace.local import local

_frame = sys._getframe


# -- in a run ---------------------------------------------------------------------------------------------


class ArrayInRun(TensorArray):
    """The values of an array in a run: a write gives another array."""

    _anywhere: Any = None
    """The sum of what was written at unknown places, while only shapes are known."""

    def _copied(self) -> ArrayInRun:
        made = object.__new__(ArrayInRun)
        vars(made).update(vars(self))
        made._held, made._read = list(self._held), set()
        return made

    def _added(self, value: Any) -> None:
        one = self._taken(value)
        known = self._anywhere
        if known is None or tuple(known.shape) != tuple(one.shape):
            self._anywhere = one
        else:
            self._anywhere = known + one

    def _value(self, place: int) -> Any:
        if self._anywhere is not None:
            return self._anywhere
        return super()._value(place)

    def with_all_of(self, other: Any) -> ArrayInRun:
        """Returns an array whose value comes from all that was written to either."""
        made = self._copied()
        made._added(self._one())
        made._added(other._one())
        return made

    def _one(self) -> Any:
        """Returns one value that comes from all that were written."""
        found = self._anywhere
        for one in self._held:
            if one is not None:
                found = one if found is None or tuple(found.shape) != tuple(one.shape) else found + one
        return self._empty(()) if found is None else found


def _known(number: Any) -> int | None:
    """Returns a number of a tensor; None while only shapes are known and it does not follow from them."""
    tensor = tensor_of(number)
    trace = local.trace
    if isinstance(trace, Scratch) and tensor._value is None:
        found = folded(trace, tensor._slot) if tensor._trace is trace else None
        try:
            return None if found is None else int(found)
        except TypeError:
            return None
    return int(tensor)


def created(size: Any, dtype: Any, dynamic: bool, shape: Any, infers: bool) -> Any:
    """Returns an array of empty places."""
    count = 0 if size is None else _known(size)
    return ArrayInRun(
        dtype, count or 0, dynamic or count is None, False, infer_shape=infers, element_shape=shape
    )


def written(array: ArrayInRun, index: Any, value: Any) -> Any:
    """Returns the array with a value at a place."""
    made, place = array._copied(), _known(index)
    if place is None:
        made._added(value)
    else:
        made.write(place, value)
    return made


def read(array: ArrayInRun, index: Any) -> Any:
    """Returns the value at a place."""
    place = _known(index)
    return array._one() if place is None or array._anywhere is not None else array.read(place)


def stacked(array: ArrayInRun) -> Any:
    """Returns the values along a new first axis."""
    if array._anywhere is not None:
        one = array._one()
        return reshape(one, (1, *one.shape))
    return array.stack()


def joined(array: ArrayInRun) -> Any:
    """Returns the values joined along their first axis."""
    return array._one() if array._anywhere is not None else array.concat()


def gathered(array: ArrayInRun, indices: Any) -> Any:
    """Returns the values at some places along a new first axis."""
    return stacked(array) if array._anywhere is not None else array.gather(indices)


def unstacked(array: ArrayInRun, value: Any) -> Any:
    """Returns the array with the slices of a tensor as its values."""
    made, rows = array._copied(), array._taken(value)
    if isinstance(local.trace, Scratch) and is_symbolic(rows._spec.shape[:1]):
        made._added(rows[0])
    else:
        made.unstack(rows)
    return made


def split(array: ArrayInRun, value: Any, lengths: Any) -> Any:
    """Returns the array with the parts of a tensor as its values."""
    made = array._copied()
    if isinstance(local.trace, Scratch) and tensor_of(lengths)._value is None:
        made._added(value)
    else:
        made.split(value, lengths)
    return made


def scattered(array: ArrayInRun, indices: Any, value: Any) -> Any:
    """Returns the array with the slices of a tensor at some places."""
    if isinstance(local.trace, Scratch) and tensor_of(indices)._value is None:
        return unstacked(array, value)
    made = array._copied()
    made.scatter(indices, value)
    return made


def counted(array: ArrayInRun) -> Any:
    """Returns how many places there are."""
    return array.size()


# -- in a graph -------------------------------------------------------------------------------------------


def _element(shape: Any, dtype: Any, name: str = "") -> Any:
    """Returns what is known of tensors in an array; the spec of strings is that of numbers in their place."""
    return open_spec(shape, np.dtype(np.int64) if dtype == OBJECTS else dtype, name)


def _spec_of(one: SymbolicTensor) -> Any:
    """Returns the spec of a tensor, or what stands for that of strings."""
    if isinstance(one, SymbolicText):
        return None if one.shape is UNKNOWN else _element(list(one.shape), OBJECTS, one.name)
    return one.spec


class SymbolicArray(SymbolicTensor):
    """An array of a graph: `spec` is that of an element, as far as it is known."""

    _is_array = True
    infers: Any = True
    dynamic_size: Any = None
    """Whether it was created to grow, as the program has said it."""
    count: int | None = None
    """How many places there are, if that is known and does not change."""

    @property
    def dtype(self) -> Any:
        """The dtype of the tensors."""
        return shown_dtype(self._dtype)

    @property
    def element_shape(self) -> Any:
        """The shape of each tensor, as far as it is known."""
        return TensorShape(None) if self._shape is UNKNOWN else self._shape

    @property
    def flow(self) -> SymbolicArray:
        """The array itself, after all that was written."""
        return self

    def _alike(self, *facts: Any) -> SymbolicArray:
        """Returns another array that was created as this one was."""
        made = SymbolicArray(*facts)
        made.infers, made.dynamic_size, made.count = self.infers, self.dynamic_size, self.count
        return made

    def write(self, index: Any, value: Any, name: Any = None) -> SymbolicArray:
        """Returns the array with a tensor at a place."""
        frame = _frame(1)
        one = constant(value, "TensorArrayV2Write/value", frame, self._dtype)
        place = constant(index, "TensorArrayV2Write/index", frame, np.dtype(np.int32))
        return self._after("TensorArrayWriteV3", written, [place, one], _spec_of(one), name, frame)

    def read(self, index: Any, name: Any = None) -> Any:
        """Returns the tensor at a place."""
        frame = _frame(1)
        place = constant(index, "TensorArrayReadV3/index", frame, np.dtype(np.int32))
        return self._given("TensorArrayReadV3", read, [place], self.spec, name, frame)

    def stack(self, name: Any = None) -> Any:
        """Returns the tensors along a new first axis."""
        own = None if self.spec is None else _element([self.count, *self._shape], self._dtype, "stack")
        return self._given("TensorArrayV3Stack", stacked, [], own, name, _frame(1))

    def concat(self, name: Any = None) -> Any:
        """Returns the tensors joined along their first axis."""
        known = self.spec is not None and self.spec.ndim
        own = _element([None, *self._shape[1:]], self._dtype, "concat") if known else None
        return self._given("TensorArrayConcatV3", joined, [], own, name, _frame(1))

    def gather(self, indices: Any, name: Any = None) -> Any:
        """Returns the tensors at some places along a new first axis."""
        frame = _frame(1)
        places = constant(indices, "TensorArrayGatherV3/indices", frame, np.dtype(np.int32))
        own = None
        if self.spec is not None:
            count = None if places.spec is None else shown_shape(places.spec)[0]
            own = _element([count, *self._shape], self._dtype, "gather")
        return self._given("TensorArrayGatherV3", gathered, [places], own, name, frame)

    def unstack(self, value: Any, name: Any = None) -> SymbolicArray:
        """Returns the array with the slices of a tensor along its first axis."""
        frame = _frame(1)
        rows = constant(value, "TensorArrayUnstack/value", frame, self._dtype)
        own = None if _spec_of(rows) is None else _element(list(rows.shape)[1:], self._dtype, "unstack")
        return self._after("TensorArrayScatterV3", unstacked, [rows], own, name, frame)

    def split(self, value: Any, lengths: Any, name: Any = None) -> SymbolicArray:
        """Returns the array with the parts of a tensor, of these lengths along its first axis."""
        frame = _frame(1)
        rows = constant(value, "TensorArraySplitV3/value", frame, self._dtype)
        counts = constant(lengths, "TensorArraySplitV3/lengths", frame)
        own = (
            None if _spec_of(rows) is None else _element([None, *list(rows.shape)[1:]], self._dtype, "split")
        )
        return self._after("TensorArraySplitV3", split, [rows, counts], own, name, frame)

    def scatter(self, indices: Any, value: Any, name: Any = None) -> SymbolicArray:
        """Returns the array with the slices of a tensor at some places."""
        frame = _frame(1)
        rows = constant(value, "TensorArrayScatterV3/value", frame, self._dtype)
        places = constant(indices, "TensorArrayScatterV3/indices", frame, np.dtype(np.int32))
        own = None if _spec_of(rows) is None else _element(list(rows.shape)[1:], self._dtype, "scatter")
        return self._after("TensorArrayScatterV3", scattered, [places, rows], own, name, frame)

    def size(self, name: Any = None) -> Any:
        """Returns how many places there are."""
        own = _element([], np.dtype(np.int32))
        return self._given("TensorArraySizeV3", counted, [], own, name, _frame(1), np.dtype(np.int32))

    def identity(self) -> SymbolicArray:
        """Returns itself."""
        return self

    def _after(
        self, type: str, call: Callable[..., Any], inputs: Sequence[Any], own: Any, name: Any, frame: Any
    ) -> SymbolicArray:
        """Adds an operation that gives the array as it is from then on."""
        known = self.spec
        if self.infers and known is not None and own is not None:
            if not shown_shape(known).is_compatible_with(shown_shape(own)):
                raise ValueError(
                    f"Inconsistent shapes: saw {shown_shape(own)} but expected {shown_shape(known)}"
                )
            merged = [a if b is None else b for a, b in zip(self._shape, shown_shape(own), strict=True)]
            known = _element(merged, self._dtype, "element")
        elif self.infers and known is None:
            known = own
        output = Output(self._dtype, known, kind=self._alike)
        return _added(type, name or type, call, [self, *inputs], output, frame)  # type: ignore[no-any-return]

    def _given(
        self, type: str, call: Callable[..., Any], inputs: Sequence[Any], own: Any, name: Any, frame: Any,
        dtype: Any = None,
    ) -> Any:  # fmt: skip
        """Adds an operation that gives a tensor."""
        given = self._dtype if dtype is None else dtype
        lengths = None if own is None else list(shown_shape(own))
        output = Output(given, None if given == OBJECTS else own, shape=lengths)
        return _added(type, name or type, call, [self, *inputs], output, frame)


def _added(
    type: str, name: str, call: Callable[..., Any], inputs: Sequence[Any], output: Output, frame: Any,
    rest: Sequence[Any] = (),
) -> Any:  # fmt: skip
    operation = mode.default().add(type, name, call_kernel, inputs, frame)
    places = [Input(number) for number in range(len(inputs))]
    operation.details = {"call": call, "arguments": [*places, *rest], "options": {}}
    return give(operation, Place(0), [output])


def build(
    dtype: Any, size: Any, dynamic_size: Any, infer_shape: bool, element_shape: Any, name: Any, frame: Any
) -> SymbolicArray:
    """Adds an operation that creates an array."""
    own = numpy_dtype(dtype)
    count = constant(0 if size is None else size, "TensorArray/size", frame, np.dtype(np.int32))
    shape = as_shape(element_shape)
    known = _element(shape, own, "element") if shape.rank is not None else None
    output = Output(own, known, kind=SymbolicArray)
    rest = [shown_dtype(own), bool(dynamic_size), shape, bool(infer_shape)]
    made: SymbolicArray = _added(
        "TensorArrayV3", name or "TensorArray", created, [count], output, frame, rest
    )
    made.infers, made.dynamic_size = bool(infer_shape), dynamic_size
    made.count = None if dynamic_size or isinstance(size, SymbolicTensor) else int(size or 0)
    return made


TensorArray._build = staticmethod(build)

__all__ = ["ArrayInRun", "SymbolicArray", "build"]
