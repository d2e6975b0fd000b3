"""tf.queue: elements that wait in line, in one process: what would wait for another thread is refused."""

from __future__ import annotations

import heapq
from copy import copy
from typing import Any, NoReturn, Self

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError, CallableError
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._seeds import seeds_of, whole_seed
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor_shape import TensorShape, as_shape
from penstock.tensorflow.errors import CancelledError, OutOfRangeError
from penstock.trace.source_site import here


@named("tf.queue.QueueBase")
class QueueBase:
    """The base of the queues. An element is a tensor, or several, of the dtypes declared.

    An operation that would have to wait, on a full or an empty queue, raises an error: no other thread could
    end the wait.
    """

    def __init__(self, capacity: Any, dtypes: Any, shapes: Any = None, names: Any = None) -> None:
        several = isinstance(dtypes, list | tuple)
        self.dtypes = [as_dtype(one) for one in (dtypes if several else [dtypes])]
        self._single = len(self.dtypes) == 1
        self._capacity = int(capacity) if int(capacity) > 0 else None
        self.shapes = self._declared(shapes)
        self.names = list(names) if isinstance(names, list | tuple) else None if names is None else [names]
        if self.names is not None and len(self.names) != len(self.dtypes):
            raise ArgumentError(
                f"There are {len(self.names)} names for {len(self.dtypes)} dtypes.", site=here()
            )
        self._waiting: list[Any] = []
        self._closed = False

    def _anew(self) -> Self:
        """Returns a queue like this one, which is empty and has not been used."""
        made = copy(self)
        made._waiting = []
        return made

    def _declared(self, shapes: Any) -> list[TensorShape] | None:
        if shapes is None:
            return None
        if isinstance(shapes, TensorShape | int) or not any(
            isinstance(one, list | tuple | TensorShape) for one in shapes
        ):
            shapes = [shapes]
        if len(shapes) != len(self.dtypes):
            raise ArgumentError(
                f"Queue shapes must have the same length as dtypes, received {len(shapes)} shapes and "
                f"{len(self.dtypes)} dtypes",
                site=here(),
            )
        return [as_shape(one) for one in shapes]

    @property
    def name(self) -> str:
        """The name of the kind of queue."""
        return type(self).__name__

    def _parts(self, vals: Any, many: bool) -> list[Any]:
        if isinstance(vals, dict):
            if self.names is None:
                raise ArgumentError("Queue must have names to enqueue a dictionary", site=here())
            vals = [vals[name] for name in self.names]
        elif not isinstance(vals, list | tuple):
            vals = [vals]
        if len(vals) != len(self.dtypes):
            raise ArgumentError(
                f"Received {len(vals)} tensors for the {len(self.dtypes)} components of the queue.",
                site=here(),
            )
        made = [self._held(one, dtype) for one, dtype in zip(vals, self.dtypes, strict=True)]
        for number, one in enumerate(made):
            shape = tuple(one.shape)[1:] if many else tuple(one.shape)
            if self.shapes is not None and not self.shapes[number].is_compatible_with(shape):
                raise ArgumentError(f"Shapes {shape} and {self.shapes[number]} are incompatible", site=here())
        return made

    @staticmethod
    def _held(value: Any, dtype: Any) -> Any:
        if dtype.name == "string":
            return leaves.leaf(value)
        return tensor_of(value, np.dtype(dtype.as_numpy_dtype))

    def _put(self, element: list[Any]) -> None:
        self._waiting.append(element)

    def _take(self) -> list[Any]:
        return self._waiting.pop(0)  # type: ignore[no-any-return]

    def _given(self, parts: list[Any]) -> Any:
        if self.names is not None:
            return dict(zip(self.names, parts, strict=True))
        return parts[0] if self._single else list(parts)

    def enqueue(self, vals: Any, name: Any = None) -> None:
        """Puts an element at the end."""
        self._add([self._parts(vals, False)])

    def enqueue_many(self, vals: Any, name: Any = None) -> None:
        """Puts each slice along the first axis at the end."""
        parts = self._parts(vals, True)
        counts = {int(one.shape[0]) for one in parts}
        if len(counts) != 1:
            raise ArgumentError(f"The parts have {sorted(counts)} elements.", site=here())
        self._add([[one[i] for one in parts] for i in range(counts.pop())])

    def _add(self, elements: list[list[Any]]) -> None:
        if self._closed:
            raise CancelledError(f"{self.name} is closed.", site=here())
        for one in elements:
            if self._capacity is not None and len(self._waiting) >= self._capacity:
                self._would_wait(f"is full: it holds {self._capacity} elements")
            self._put(one)

    def _would_wait(self, why: str) -> NoReturn:
        raise OutOfRangeError(
            f"{self.name} {why}.",
            why="TensorFlow would wait here for another thread, and there is none.",
            remedy="Use a tf.data.Dataset for what is read while the program trains.",
            site=here(),
        )

    def _least(self) -> int:
        return 0

    def _ask(self, count: int) -> None:
        left = len(self._waiting) - (0 if self._closed else self._least())
        if left < count:
            if self._closed:
                raise OutOfRangeError(
                    f"{self.name} is closed and has insufficient elements (requested {count}, current size "
                    f"{len(self._waiting)})",
                    site=here(),
                )
            self._would_wait(f"has {max(left, 0)} elements to give, and {count} are asked for")

    def dequeue(self, name: Any = None) -> Any:
        """Returns the next element."""
        self._ask(1)
        return self._given(self._take())

    def dequeue_many(self, n: Any, name: Any = None) -> Any:
        """Returns the next n elements as one, along a new first axis."""
        self._ask(int(n))
        return self._given(self._stacked([self._take() for _ in range(int(n))]))

    def dequeue_up_to(self, n: Any, name: Any = None) -> Any:
        """Returns the next n elements as one, or fewer of a closed queue."""
        count = min(int(n), len(self._waiting)) if self._closed else int(n)
        self._ask(max(count, 1))
        return self._given(self._stacked([self._take() for _ in range(count)]))

    def _stacked(self, elements: list[list[Any]]) -> list[Any]:
        from penstock.tensorflow import _arrays

        columns = zip(*elements, strict=True)
        return [
            StringTensor(np.stack([np.asarray(one) for one in column]))
            if isinstance(column[0], StringTensor)
            else _arrays.stack(list(column))
            for column in columns
        ]

    def close(self, cancel_pending_enqueues: bool = False, name: Any = None) -> None:
        """Lets no more in. `cancel_pending_enqueues` does nothing: none is waiting."""
        self._closed = True

    def is_closed(self, name: Any = None) -> Any:
        """Returns whether it has been closed."""
        return constant(self._closed)

    def size(self, name: Any = None) -> Any:
        """Returns how many elements wait."""
        return constant(np.int32(len(self._waiting)))


@named("tf.queue.FIFOQueue")
class FIFOQueue(QueueBase):
    """Gives elements in the order in which they came; `shared_name` and `name` do nothing.

    >>> from penstock import tensorflow as tf
    >>> queue = tf.queue.FIFOQueue(3, tf.int32)
    >>> queue.enqueue(1)
    >>> queue.enqueue(2)
    >>> print(queue.dequeue().numpy(), queue.size().numpy())
    1 1
    """

    def __init__(
        self, capacity: Any, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: Any = None,
        name: Any = "fifo_queue",
    ) -> None:  # fmt: skip
        super().__init__(capacity, dtypes, shapes, names)


@named("tf.queue.PaddingFIFOQueue")
class PaddingFIFOQueue(FIFOQueue):
    """Gives elements in order, and fills those that are given together up with zeros to the longest."""

    def _stacked(self, elements: list[list[Any]]) -> list[Any]:
        found = []
        for column in zip(*elements, strict=True):
            arrays = [np.asarray(one.numpy()) for one in column]
            shape = tuple(max(lengths) for lengths in zip(*(one.shape for one in arrays), strict=True))
            made = np.zeros((len(arrays), *shape), arrays[0].dtype)
            for number, one in enumerate(arrays):
                place: Any = (number, *map(slice, one.shape))
                made[place] = one
            found.append(constant(made))
        return found


@named("tf.queue.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """Gives elements in random order, and keeps `min_after_dequeue` back until it is closed.

    `shared_name` and `name` do nothing.
    """

    def __init__(
        self, capacity: Any, min_after_dequeue: Any, dtypes: Any, shapes: Any = None, names: Any = None,
        seed: Any = None, shared_name: Any = None, name: Any = "random_shuffle_queue",
    ) -> None:  # fmt: skip
        super().__init__(capacity, dtypes, shapes, names)
        from penstock.tensorflow._graphs.graph import mode
        from penstock.tensorflow._words import Words, some_seeds

        graph = mode.building()
        seeds = seeds_of(seed) if graph is None else graph.seeds_of(whole_seed(seed))
        self._kept, self._seeds = int(min_after_dequeue), seeds
        self._words = Words(*(seeds or some_seeds()))

    def _anew(self) -> RandomShuffleQueue:
        from penstock.tensorflow._words import Words, some_seeds

        made = super()._anew()
        made._words = Words(*(self._seeds or some_seeds()))
        return made

    def _least(self) -> int:
        return self._kept

    def _take(self) -> list[Any]:
        place = self._words.next() % len(self._waiting)
        last = self._waiting.pop()
        if place == len(self._waiting):
            return last  # type: ignore[no-any-return]
        chosen, self._waiting[place] = self._waiting[place], last
        return chosen  # type: ignore[no-any-return]


@named("tf.queue.PriorityQueue")
class PriorityQueue(QueueBase):
    """Gives the element with the smallest priority first; the priority, int64, is the first part of each.

    `shared_name` and `name` do nothing.
    """

    def __init__(
        self, capacity: Any, types: Any, shapes: Any = None, names: Any = None, shared_name: Any = None,
        name: Any = "priority_queue",
    ) -> None:  # fmt: skip
        several = list(types) if isinstance(types, list | tuple) else [types]
        own = None if shapes is None else [(), *shapes]
        super().__init__(capacity, ["int64", *several], own, names)
        self._came = 0

    def _put(self, element: list[Any]) -> None:
        if tuple(element[0].shape):
            raise CallableError("The priority of an element is one number.", site=here())
        self._came += 1
        heapq.heappush(self._waiting, (int(element[0]), self._came, element))

    def _take(self) -> list[Any]:
        return heapq.heappop(self._waiting)[2]  # type: ignore[no-any-return]


__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]
