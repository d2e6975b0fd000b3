"""Iterators of data sets in a graph: each run of a session takes an element, until there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from penstock.declared import named
from penstock.errors import CaptureError
from penstock.tensorflow._errors import ArgumentError, FailedPreconditionError, OutOfRangeError
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.texts import Seen, outputs_of
from penstock.tensorflow._type_spec import TensorSpec
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.structure import flat, mapped

_frame = sys._getframe


class Iterator:
    """Yields the elements of a data set one after another; in a graph, each session starts over."""

    def __init__(self, dataset: Any, waits: bool, frame: FrameType) -> None:
        self._dataset, self._waits = dataset, waits
        self._left: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self.element_spec = _spec_of(dataset)
        self._graph = mode.building()
        self._initializer: Operation | None = None
        if self._graph is None:
            self._here = iter(dataset)
        elif waits:
            self._initializer = self._graph.add(
                "MakeIterator", "MakeIterator", self._start, (), frame, writes=True
            )

    output_shapes = property(lambda self: mapped(self.element_spec, lambda one: one.shape))
    output_types = property(lambda self: mapped(self.element_spec, lambda one: one.dtype))
    output_classes = property(lambda self: mapped(self.element_spec, lambda one: type(one)))

    @property
    def initializer(self) -> Operation:
        """The operation that lets a session begin with the first element."""
        if self._initializer is None:
            raise ArgumentError("Iterator does not have an initializer.", site=here())
        return self._initializer

    def get_next(self, name: str | None = None) -> Any:
        """Returns the next element: in a graph, tensors that are another one's at each run.

        Raises:
            OutOfRangeError: if there is none left; in a graph, when a session runs it.
        """
        if self._graph is None:
            return next(self)
        specs = flat(self.element_spec)
        operation = self._graph.add(
            "IteratorGetNext", name or "IteratorGetNext", self._take, (), _frame(1), writes=True, fresh=True
        )
        shapes = [
            None if one.shape.rank is None else [getattr(n, "value", n) for n in one.shape] for one in specs
        ]
        seen = iter([Seen(one.dtype, shape) for one, shape in zip(specs, shapes, strict=True)])
        return outputs_of(operation, mapped(self.element_spec, lambda one: next(seen)))

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if self._graph is not None:
            raise TypeError(
                "'Iterator' object is not iterable: write get_next() while a graph is being built."
            )
        return _one_of(self._here, "make_one_shot_iterator")

    def _start(self, runner: Any, operation: Operation, values: Sequence[Any]) -> None:
        if runner.session.trial:
            return
        _only_now()
        self._left[runner.session] = iter(self._dataset)

    def _take(self, runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
        _only_now()
        left = self._left.get(runner.session)
        if left is None:
            if self._waits:
                raise FailedPreconditionError(
                    "GetNext() failed because the iterator has not been initialized. Ensure that you have "
                    "run the initializer operation for this iterator before getting the next element.",
                    origin=f"built at {operation.site}",
                    remedy="Write session.run(iterator.initializer) first.",
                    site=here(),
                )
            left = self._left[runner.session] = iter(self._dataset)
        found = flat(_one_of(left, operation.site))
        for one, wanted in zip(found, flat(self.element_spec), strict=True):
            if not wanted.shape.is_compatible_with(one.shape):
                raise ArgumentError(
                    f"An element of the data set has shape {one.shape}, and {wanted.shape} was expected.",
                    origin=f"built at {operation.site}",
                    why="The result of map is inferred from the first element; its first axis may change.",
                    site=here(),
                )
        return found


def _spec_of(dataset: Any) -> Any:
    """Returns the shapes and dtypes of an element; seen at the first one, its first axis may change."""
    with mode.computing():
        seen = dataset._known_spec() is None
        found = dataset.element_spec
    if not seen:
        return found
    return mapped(found, lambda one: TensorSpec([None, *one.shape[1:]] if one.shape else [], one.dtype))


def _only_now() -> None:
    """Ends the capture of a run: each takes another element."""
    if local.trace.capturing:
        raise CaptureError("An iterator goes on.")


def _one_of(left: Any, origin: Any) -> Any:
    with mode.computing():
        try:
            return next(left)
        except StopIteration:
            raise OutOfRangeError("End of sequence", origin=f"built at {origin}", site=here()) from None


@named("tf.compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Iterator:
    """Returns an iterator that goes through a data set once, in each session.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
    ...     x = tf.data.make_one_shot_iterator(rows).get_next()
    ...     print(session.run(x * 10.0), session.run(x * 10.0))
    10.0 20.0
    """
    return Iterator(dataset, False, _frame(1))


@named("tf.compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """Returns an iterator that starts over each time a session runs its `initializer`.

    `shared_name` does nothing: there is one process.
    """
    if mode.building() is None:
        raise RuntimeError(
            "dataset.make_initializable_iterator is not supported when eager execution is enabled. Use "
            "`for element in dataset` instead."
        )
    return Iterator(dataset, True, _frame(1))


def _of_spec(name: str, purpose: str) -> Any:
    def function(dataset_or_iterator: Any) -> Any:
        part = {"shapes": "shape", "types": "dtype"}[name.rpartition("_")[2]]
        with mode.computing():
            return mapped(dataset_or_iterator.element_spec, lambda one: getattr(one, part))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns the {purpose} of each part of an element."
    return named(f"tf.compat.v1.data.{name}")(function)


get_output_shapes = _of_spec("get_output_shapes", "shape")
get_output_types = _of_spec("get_output_types", "dtype")
