"""Queues in a graph: each session has its own, and what fills one is run when an element is asked for.

TensorFlow fills queues in threads. Here a session runs the operations of a queue's runners itself, before a
run that takes elements, until there are enough: the order is that of one thread. Where a program enqueues in
threads of its own, an operation on a full or an empty queue waits for them.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType, SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _queues
from penstock.tensorflow._convert import constant as value_of
from penstock.tensorflow._errors import ArgumentError, OutOfRangeError
from penstock.tensorflow._graphs.build import constant
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.texts import Seen, ask, only_now, outputs_of
from penstock.tensorflow._graphs.texts import constant as constant_text
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.trace.source_site import here

_frame = sys._getframe
_PAUSE = 0.001
"""Seconds between two looks at a queue on which another thread is awaited."""
COLLECTION = "queue_runners"


def symbolic(value: Any, frame: FrameType, dtype: Any = None) -> SymbolicTensor:
    """Returns a value, which may be strings, as a tensor of the default graph."""
    if isinstance(value, StringTensor) or (not isinstance(value, SymbolicTensor) and is_text(value)):
        return constant_text(strings(value), mode.default(), frame)
    return constant(value, "Const", frame, None if dtype is None else np.dtype(dtype.as_numpy_dtype))


def looked_up(function: Callable[..., Any], keys: Any, dtype: Any, frame: FrameType) -> Any:
    """Returns what a table has for keys, which are found when a session runs."""
    given = symbolic(keys, frame)
    name = "hash_table_Lookup/LookupTableFindV2"
    return ask(function, given, Seen.like(given, dtype), "LookupTableFindV2", name, frame)


class GraphQueue:
    """A queue of a graph, whose elements each session keeps apart."""

    def __init__(self, kind: type, arguments: Sequence[Any], options: dict[str, Any]) -> None:
        self._example = kind(*arguments, **options)
        self._queues: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self._frame_name = str(options.get("name") or _snake(kind.__name__))
        self.name = mode.default().unique_name(self._frame_name)
        self.dtypes, self.shapes, self.names = (
            self._example.dtypes, self._example.shapes, self._example.names,
        )  # fmt: skip
        self.runners: list[QueueRunner] = []

    def of(self, session: Any) -> Any:
        """Returns the queue of a session."""
        found = self._queues.get(session)
        if found is None:
            found = self._queues[session] = self._example._anew()
        return found

    # -- operations --------------------------------------------------------------------------------------

    def _added(
        self, ending: str, kernel: Any, inputs: Sequence[Any], seen: Any, frame: FrameType, name: Any = None
    ) -> Any:
        own = name or f"{self.name}_{'enqueue' if ending == 'Enqueue' else ending}"
        operation = mode.default().add(
            f"Queue{ending}V2", own, kernel, inputs, frame, writes=True, fresh=True
        )
        operation.details = {"host": True}
        return (operation, None) if seen is None else (operation, outputs_of(operation, seen))

    def _enqueued(self, vals: Any, ending: str, frame: FrameType, name: Any) -> Operation:
        if isinstance(vals, dict):
            vals = [vals[name] for name in self.names]
        elif not isinstance(vals, list | tuple) or (len(self.dtypes) == 1 and len(vals) != 1):
            vals = [vals]
        if len(vals) != len(self.dtypes):
            raise ArgumentError(
                f"Received {len(vals)} tensors for the {len(self.dtypes)} components of the queue.",
                site=here(),
            )
        inputs = [symbolic(one, frame, dtype) for one, dtype in zip(vals, self.dtypes, strict=True)]
        many = ending == "EnqueueMany"

        def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> None:
            only_now()
            queue = self.of(runner.session)
            room = int(values[0].shape[0]) if many else 1
            capacity = queue._capacity
            _wait(lambda: queue._closed or capacity is None or len(queue._waiting) + room <= capacity)
            (queue.enqueue_many if many else queue.enqueue)(list(values))

        return self._added(ending, kernel, inputs, None, frame, name)[0]  # type: ignore[no-any-return]

    def enqueue(self, vals: Any, name: Any = None) -> Operation:
        """Returns an operation that puts an element at the end."""
        return self._enqueued(vals, "Enqueue", _frame(1), name)

    def enqueue_many(self, vals: Any, name: Any = None) -> Operation:
        """Returns an operation that puts each slice along the first axis at the end."""
        return self._enqueued(vals, "EnqueueMany", _frame(1), name)

    def _taken(self, ending: str, count: Any, frame: FrameType, name: Any) -> Any:
        shapes = self.shapes or [None] * len(self.dtypes)
        lead = [] if count is None else [count if ending == "DequeueMany" else None]
        seen = [
            Seen(dtype, None if shape is None else [*lead, *shape])
            for dtype, shape in zip(self.dtypes, shapes, strict=True)
        ]
        needed = 1 if count is None else int(count)

        def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
            only_now()
            queue = self.of(runner.session)
            _wait(lambda: queue._closed or len(queue._waiting) - queue._least() >= needed)
            found = queue.dequeue() if count is None else getattr(queue, _snake(ending))(needed)
            return list(found.values()) if isinstance(found, dict) else found

        operation, made = self._added(ending, kernel, (), seen, frame, name)
        operation.details["ahead"] = lambda session: self.fill(session, needed)
        if self.names is not None:
            return dict(zip(self.names, made, strict=True))
        return made[0] if len(made) == 1 else made

    def dequeue(self, name: Any = None) -> Any:
        """Returns the next element, another one at each run."""
        return self._taken("Dequeue", None, _frame(1), name)

    def dequeue_many(self, n: Any, name: Any = None) -> Any:
        """Returns the next n elements as one, along a new first axis."""
        return self._taken("DequeueMany", n, _frame(1), name)

    def dequeue_up_to(self, n: Any, name: Any = None) -> Any:
        """Returns the next n elements as one, or fewer of a closed queue."""
        return self._taken("DequeueUpTo", n, _frame(1), name)

    def size(self, name: Any = None) -> Any:
        """Returns how many elements wait."""

        def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
            only_now()
            return value_of(np.int32(len(self.of(runner.session)._waiting)))

        return self._added("Size", kernel, (), [Seen("int32", [])], _frame(1), name)[1][0]

    def is_closed(self, name: Any = None) -> Any:
        """Returns whether it has been closed."""

        def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> Any:
            only_now()
            return value_of(self.of(runner.session)._closed)

        return self._added("IsClosed", kernel, (), [Seen("bool", [])], _frame(1), name)[1][0]

    def close(self, cancel_pending_enqueues: bool = False, name: Any = None) -> Operation:
        """Returns an operation that lets no more in. `cancel_pending_enqueues` does nothing: none waits."""

        def kernel(runner: Any, operation: Operation, values: Sequence[Any]) -> None:
            self.of(runner.session).close()

        return self._added("Close", kernel, (), None, _frame(1), name)[0]  # type: ignore[no-any-return]

    # -- what fills it -----------------------------------------------------------------------------------

    def fill(self, session: Any, count: int) -> None:
        """Runs the operations of the queue's runners until it can give so many elements, or they end."""
        queue = self.of(session)
        graph = session.graph
        operations = [one for runner in self.runners for one in runner.enqueue_ops]
        # A graph that was brought back has operations of its own, by the same names.
        operations = [
            one if one.graph is graph else graph.get_operation_by_name(one.name) for one in operations
        ]
        turn = 0
        while operations and not queue._closed and len(queue._waiting) - queue._least() < count:
            try:
                session.run(operations[turn % len(operations)])
            except OutOfRangeError:
                operations.pop(turn % len(operations))
                if not operations:
                    queue.close()
                continue
            turn += 1


def _wait(ready: Callable[[], bool]) -> None:
    """Waits for another thread of the program, if there is one."""
    main = threading.main_thread()
    while not ready():
        others = [
            one for one in threading.enumerate() if one is not threading.current_thread() and one is not main
        ]
        if threading.current_thread() is main and not others:
            return
        time.sleep(_PAUSE)


def _snake(name: str) -> str:
    return (
        "".join(f"_{one.lower()}" if one.isupper() else one for one in name)
        .lstrip("_")
        .replace("f_i_f_o", "fifo")
    )


class _Either(type):
    """Gives one name to a queue of a graph, and to one whose elements are there at once."""

    _eager: type

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if mode.building() is None:
            return cls._eager(*arguments, **options)
        return GraphQueue(cls._eager, arguments, options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (cls._eager, GraphQueue))


def _kind(name: str) -> Any:
    eager = getattr(_queues, name)
    made = _Either(name, (), {"_eager": eager, "__doc__": eager.__doc__})
    return named(f"tf.compat.v1.{name}", f"tf.compat.v1.queue.{name}", f"tf.compat.v1.io.{name}")(made)


QueueBase, FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue, PriorityQueue = (
    _kind(one)
    for one in ("QueueBase", "FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue", "PriorityQueue")
)


@named("tf.compat.v1.train.QueueRunner")
class QueueRunner:
    """The operations that fill a queue. A session runs them when elements are asked for.

    `close_op`, `cancel_op`, `queue_closed_exception_types`, `queue_runner_def` and `import_scope` do nothing:
    a queue is closed when its operations come to the end of what they read.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        self.queue, self.enqueue_ops = queue, list(enqueue_ops or ())
        self.exceptions_raised: list[Any] = []
        if isinstance(queue, GraphQueue):
            queue.runners.append(self)

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(self.queue.name)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[Any]:
        """Returns no threads: the session fills the queue itself.

        `sess`, `coord`, `daemon` and `start` do nothing.
        """
        return []


@named("tf.compat.v1.train.add_queue_runner")
def add_queue_runner(qr: Any, collection: str = COLLECTION) -> None:
    """Adds a runner to a collection of the default graph."""
    mode.default().add_to_collection(collection, qr)


@named("tf.compat.v1.train.start_queue_runners")
def start_queue_runners(
    sess: Any = None, coord: Any = None, daemon: bool = True, start: bool = True, collection: str = COLLECTION
) -> list[Any]:
    """Returns no threads: a session fills a queue when its elements are asked for.

    `sess`, `coord`, `daemon`, `start` and `collection` do nothing.
    """
    return []


queue_runner = named("tf.compat.v1.train.queue_runner")(
    SimpleNamespace(
        QueueRunner=QueueRunner, add_queue_runner=add_queue_runner, start_queue_runners=start_queue_runners
    )
)


def shape_of(tensor: Any) -> list[Any] | None:
    """Returns the known lengths of a tensor; None if not even their number is known."""
    shape = tensor.shape
    return None if shape is UNKNOWN else [getattr(one, "value", one) for one in shape]


__all__ = [
    "COLLECTION",
    "GraphQueue",
    "QueueRunner",
    "add_queue_runner",
    "queue_runner",
    "shape_of",
    "symbolic",
]
