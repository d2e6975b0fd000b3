"""Input as TensorFlow 1 reads it: names in a queue, readers of files, and batches of what they give."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _queues
from penstock.tensorflow._errors import ArgumentError, NotFoundError, OutOfRangeError
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.queues import GraphQueue, QueueRunner, add_queue_runner, shape_of, symbolic
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.texts import Seen, only_now, outputs_of
from penstock.tensorflow._records import records
from penstock.tensorflow._strings import StringTensor, strings
from penstock.tensorflow._words import Orders
from penstock.trace.source_site import here

_frame = sys._getframe
_WITHOUT_END = 0
"""The capacity of a queue that a session fills only as far as it needs."""


def _queue(kind: Any, arguments: Sequence[Any], **options: Any) -> GraphQueue:
    return GraphQueue(kind, arguments, options)


# -- producers ----------------------------------------------------------------------------------------------


class _Producer:
    """Puts all of some values into a queue, in random order if asked, as often as there are epochs."""

    def __init__(self, queue: GraphQueue, epochs: Any, shuffle: bool, seed: Any) -> None:
        self.queue, self.epochs, self.shuffle = queue, epochs, shuffle
        # TensorFlow shuffles by an operation of the graph, numbered among those that draw.
        self._seeds = mode.default().seeds_of(seed) if shuffle else None
        self._orders: WeakKeyDictionary[Any, Orders] = WeakKeyDictionary()
        self._done: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def __call__(self, runner: Any, operation: Operation, values: Sequence[Any]) -> None:
        only_now()
        session = runner.session
        done = self._done.get(session, 0)
        if self.epochs is not None and done >= self.epochs:
            raise OutOfRangeError(f"Reached limit of {self.epochs}", site=here())
        self._done[session] = done + 1
        parts = list(values)
        if self.shuffle:
            orders = self._orders.get(session)
            if orders is None:
                orders = self._orders[session] = Orders(self._seeds)
            order = orders.next(int(parts[0].shape[0]))
            parts = [_rows(one, order) for one in parts]
        self.queue.of(session).enqueue_many(parts)


def _rows(value: Any, order: Any) -> Any:
    if isinstance(value, StringTensor):
        return StringTensor(np.asarray(value)[order])
    return np.asarray(value.numpy())[order]


def _produced(
    tensors: list[SymbolicTensor], epochs: Any, shuffle: bool, seed: Any, name: str, frame: Any
) -> GraphQueue:
    if epochs is not None and (not isinstance(epochs, int) or epochs <= 0):
        raise ArgumentError(f"num_epochs must be > 0 not {epochs}.", site=here())
    shapes = [(shape_of(one) or [None])[1:] for one in tensors]
    queue = _queue(
        _queues.FIFOQueue, (_WITHOUT_END, [one.dtype for one in tensors]), shapes=shapes, name=name
    )
    producer = _Producer(queue, epochs, shuffle, seed)
    operation = mode.default().add(
        "QueueEnqueueManyV2", f"{name}_EnqueueMany", producer, tensors, frame, writes=True, fresh=True
    )
    operation.details = {"host": True}
    add_queue_runner(QueueRunner(queue, [operation]))
    return queue


@named("tf.compat.v1.train.string_input_producer")
def string_input_producer(
    string_tensor: Any,
    num_epochs: Any = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: Any = None,
    name: Any = None,
    cancel_op: Any = None,
) -> GraphQueue:
    """Returns a queue of strings, such as names of files, that go round, `num_epochs` times if it is given.

    `capacity`, `shared_name` and `cancel_op` do nothing: a session fills the queue as far as it needs.
    """
    frame = _frame(1)
    if isinstance(string_tensor, list | tuple) and not string_tensor:
        raise ValueError("string_input_producer requires a non-null input tensor")
    values = symbolic(string_tensor, frame)
    return _produced([values], num_epochs, shuffle, seed, name or "input_producer", frame)


@named("tf.compat.v1.train.input_producer")
def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: Any = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: Any = None,
    summary_name: Any = None,
    name: Any = None,
    cancel_op: Any = None,
) -> GraphQueue:
    """Returns a queue of the rows of a tensor, which go round.

    `element_shape`, `capacity`, `shared_name`, `summary_name` and `cancel_op` do nothing.
    """
    frame = _frame(1)
    return _produced(
        [symbolic(input_tensor, frame)], num_epochs, shuffle, seed, name or "input_producer", frame
    )


@named("tf.compat.v1.train.range_input_producer")
def range_input_producer(
    limit: Any,
    num_epochs: Any = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: Any = None,
    name: Any = None,
) -> GraphQueue:
    """Returns a queue of the numbers from 0 to `limit` - 1, which go round.

    `capacity` and `shared_name` do nothing.
    """
    frame = _frame(1)
    numbers = symbolic(np.arange(int(limit), dtype=np.int32), frame)
    return _produced([numbers], num_epochs, shuffle, seed, name or "input_producer", frame)


@named("tf.compat.v1.train.slice_input_producer")
def slice_input_producer(
    tensor_list: Any,
    num_epochs: Any = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: Any = None,
    name: Any = None,
) -> list[Any]:
    """Returns one row of each tensor, those of another place at each run.

    `capacity` and `shared_name` do nothing.
    """
    frame = _frame(1)
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    tensors = [symbolic(one, frame) for one in tensor_list]
    queue = _produced(tensors, num_epochs, shuffle, seed, name or "input_producer", frame)
    found = queue.dequeue()
    return found if isinstance(found, list) else [found]


@named("tf.compat.v1.train.limit_epochs")
def limit_epochs(tensor: Any, num_epochs: Any = None, name: Any = None) -> Any:
    """Returns a tensor that ends with an OutOfRangeError after so many runs."""
    if num_epochs is None:
        return tensor
    frame = _frame(1)
    one = symbolic(tensor, frame)
    done: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
        only_now()
        count = done.get(runner.session, 0)
        if count >= num_epochs:
            raise OutOfRangeError(f"Reached limit of {num_epochs}", site=here())
        done[runner.session] = count + 1
        return values[0]

    operation = mode.default().add(
        "LimitEpochs", name or "limit_epochs", kernel, (one,), frame, writes=True, fresh=True
    )
    operation.details = {"host": True}
    return outputs_of(operation, Seen(one.dtype, shape_of(one)))


@named("tf.compat.v1.train.match_filenames_once", "tf.compat.v1.io.match_filenames_once")
def match_filenames_once(pattern: Any, name: Any = None) -> StringTensor:
    """Returns the names of the files that fit a pattern, in order."""
    patterns = [one.decode() for one in np.atleast_1d(np.asarray(strings(pattern))).tolist()]
    return StringTensor(np.array(sorted(path for one in patterns for path in glob.glob(one)), object))


# -- readers ------------------------------------------------------------------------------------------------


@named("tf.compat.v1.ReaderBase")
class ReaderBase:
    """Reads records from the files whose names are in a queue: each run of a session gets the next one."""

    def __init__(self, name: Any = None) -> None:
        self._name = name or f"{type(self).__name__}V2"
        self._open: WeakKeyDictionary[Any, Iterator[tuple[bytes, bytes]]] = WeakKeyDictionary()
        self._count: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def _records(self, path: str) -> Iterator[tuple[bytes, bytes]]:
        """Yields the key and the content of each record of a file."""
        raise NotImplementedError

    def _next(self, session: Any, queue: GraphQueue) -> tuple[bytes, bytes]:
        while True:
            left = self._open.get(session)
            if left is not None:
                found = next(left, None)
                if found is not None:
                    self._count[session] = self._count.get(session, 0) + 1
                    return found
            path = queue.of(session).dequeue().numpy().decode()
            if not os.path.isfile(path) and type(self) is not IdentityReader:
                raise NotFoundError(f"{path}; No such file or directory", site=here())
            self._open[session] = self._records(path)

    def _reading(self, queue: Any, count: int | None, frame: Any) -> Any:
        def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
            only_now()
            found = []
            for _ in range(count or 1):
                try:
                    found.append(self._next(runner.session, queue))
                except OutOfRangeError:
                    if not found:
                        raise
                    break
            keys, records = zip(*found, strict=True)
            if count is None:
                return [StringTensor(np.array(one[0], object)) for one in (keys, records)]
            return [StringTensor(np.array(one, object)) for one in (keys, records)]

        operation = mode.default().add(
            "ReaderReadV2", "ReaderReadV2", kernel, (), frame, writes=True, fresh=True
        )
        operation.details = {"host": True, "ahead": lambda session: queue.fill(session, count or 1)}
        shape = [] if count is None else [None]
        return tuple(outputs_of(operation, [Seen("string", shape), Seen("string", shape)]))

    def read(self, queue: Any, name: Any = None) -> tuple[Any, Any]:
        """Returns the key and the content of the next record."""
        return self._reading(queue, None, _frame(1))  # type: ignore[no-any-return]

    def read_up_to(self, queue: Any, num_records: int, name: Any = None) -> tuple[Any, Any]:
        """Returns the keys and the contents of the next records, as many as there are at most."""
        return self._reading(queue, int(num_records), _frame(1))  # type: ignore[no-any-return]


@named("tf.compat.v1.TextLineReader")
class TextLineReader(ReaderBase):
    """Reads the lines of text files."""

    def __init__(self, skip_header_lines: Any = None, name: Any = None) -> None:
        super().__init__(name)
        self._skipped = int(skip_header_lines or 0)

    def _records(self, path: str) -> Iterator[tuple[bytes, bytes]]:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if number > self._skipped:
                    yield f"{path}:{number}".encode(), line.rstrip(b"\n").removesuffix(b"\r")


@named("tf.compat.v1.WholeFileReader")
class WholeFileReader(ReaderBase):
    """Reads whole files."""

    def _records(self, path: str) -> Iterator[tuple[bytes, bytes]]:
        with open(path, "rb") as file:
            yield path.encode(), file.read()


@named("tf.compat.v1.IdentityReader")
class IdentityReader(ReaderBase):
    """Gives the names in the queue, as keys and as contents."""

    def _records(self, path: str) -> Iterator[tuple[bytes, bytes]]:
        yield path.encode(), path.encode()


@named("tf.compat.v1.FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """Reads records of one length from files. `encoding` is not supported."""

    def __init__(
        self,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        hop_bytes: Any = None,
        name: Any = None,
        encoding: Any = None,
    ) -> None:
        super().__init__(name)
        if encoding:
            raise ArgumentError(
                f"FixedLengthRecordReader: encoding={encoding!r} is not supported.", site=here()
            )
        self._sizes = int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0), int(hop_bytes or 0)

    def _records(self, path: str) -> Iterator[tuple[bytes, bytes]]:
        size, head, foot, hop = self._sizes
        with open(path, "rb") as file:
            content = file.read()
        for number, start in enumerate(range(head, len(content) - foot - size + 1, hop or size)):
            yield f"{path}:{number}".encode(), content[start : start + size]


@named("tf.compat.v1.TFRecordReader")
class TFRecordReader(ReaderBase):
    """Reads the records of TFRecord files."""

    def __init__(self, name: Any = None, options: Any = None) -> None:
        super().__init__(name)
        self._options = options

    def _records(self, path: str) -> Iterator[tuple[bytes, bytes]]:
        place = 0
        for one in tf_record_iterator(path, self._options):
            yield f"{path}:{place}".encode(), one
            place += len(one) + 16


@named("tf.compat.v1.python_io.tf_record_iterator", "tf.compat.v1.io.tf_record_iterator")
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yields the records of a TFRecord file, as bytes."""
    yield from records(os.fspath(path), getattr(options, "compression_type", options) or "")


_NAMES = {
    _queues.FIFOQueue: "fifo_queue",
    _queues.PaddingFIFOQueue: "padding_fifo_queue",
    _queues.RandomShuffleQueue: "random_shuffle_queue",
}

# -- batches ------------------------------------------------------------------------------------------------


def _batched(
    tensors: Any, kind: Any, lead: Sequence[Any], size: Any, many: bool, shapes: Any, padded: bool,
    smaller: bool, options: dict[str, Any], name: str, frame: Any,
) -> Any:  # fmt: skip
    """Returns batches of the rows of several lists of tensors, which take turns."""
    lists = [one if isinstance(one, list | tuple | dict) else [one] for one in tensors]
    keys = sorted(lists[0]) if isinstance(lists[0], dict) else None
    rows = [[one[key] for key in keys] if keys is not None else list(one) for one in lists]
    flat = [[symbolic(one, frame) for one in row] for row in rows]
    own = [shape_of(one) for one in flat[0]] if shapes is None else [list(one) for one in shapes]
    if many and shapes is None:
        own = [None if one is None else one[1:] for one in own]
    if not padded and any(one is None or None in one for one in own):
        raise ValueError(
            f"All shapes must be fully defined: {own}. Give every tensor a shape with set_shape or "
            " tf.reshape, or write dynamic_pad=True."
        )
    inner = _NAMES[kind]
    queue = _queue(
        kind, (*lead, [one.dtype for one in flat[0]]), shapes=own, name=f"{name}/{inner}", **options
    )
    enqueue = [(queue.enqueue_many if many else queue.enqueue)(row) for row in flat]
    add_queue_runner(QueueRunner(queue, enqueue))
    made = queue.dequeue_up_to(size, name) if smaller else queue.dequeue_many(size, name)
    parts = made if isinstance(made, list) else [made]
    if keys is not None:
        return dict(zip(keys, parts, strict=True))
    # One tensor, also in a list, gives one tensor; in TensorFlow only lists of several give a list.
    return parts if len(parts) > 1 else parts[0]


@named("tf.compat.v1.train.batch")
def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Any = None,
    name: Any = None,
) -> Any:
    """Returns tensors of several runs as one, along a new first axis.

    `num_threads`, `capacity` and `shared_name` do nothing: the order is that of one thread.
    """
    return _batched(
        [tensors], _queues.PaddingFIFOQueue if dynamic_pad else _queues.FIFOQueue, (_WITHOUT_END,),
        batch_size, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, {}, name or "batch",
        _frame(1),
    )  # fmt: skip


@named("tf.compat.v1.train.batch_join")
def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Any = None,
    name: Any = None,
) -> Any:
    """Returns batches of several lists of tensors, in turns. `capacity` and `shared_name` do nothing."""
    return _batched(
        list(tensors_list), _queues.PaddingFIFOQueue if dynamic_pad else _queues.FIFOQueue, (_WITHOUT_END,),
        batch_size, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, {},
        name or "batch_join", _frame(1),
    )  # fmt: skip


@named("tf.compat.v1.train.shuffle_batch")
def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: Any = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Any = None,
    name: Any = None,
) -> Any:
    """Returns tensors of several runs in random order as one, of `min_after_dequeue` others at least.

    `capacity`, `num_threads` and `shared_name` do nothing.
    """
    return _batched(
        [tensors], _queues.RandomShuffleQueue, (_WITHOUT_END, min_after_dequeue), batch_size, enqueue_many,
        shapes, False, allow_smaller_final_batch, {"seed": seed}, name or "shuffle_batch",
        _frame(1),
    )  # fmt: skip


@named("tf.compat.v1.train.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: Any = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Any = None,
    name: Any = None,
) -> Any:
    """Returns random batches of several lists of tensors. `capacity` and `shared_name` do nothing."""
    return _batched(
        list(tensors_list), _queues.RandomShuffleQueue, (_WITHOUT_END, min_after_dequeue), batch_size,
        enqueue_many, shapes, False, allow_smaller_final_batch, {"seed": seed},
        name or "shuffle_batch_join", _frame(1),
    )  # fmt: skip
