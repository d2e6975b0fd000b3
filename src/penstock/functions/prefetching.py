"""Reading ahead: batches are made in a thread while the program computes with those before."""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from penstock.errors import ArgumentError
from penstock.ops.validation import shown
from penstock.trace.source_site import Site, exactly_here, here

T = TypeVar("T")


class prefetch(Generic[T]):
    """Iterates over an iterable in a separate thread, up to `count` elements ahead of the consumer.

    The order is kept. Each `for` over it starts over, as over the iterable itself. What the iterable raises
    is raised where the element is requested, with the traceback that leads to its cause. Leaving a loop
    early ends the thread: nothing is read any more, and an element that is being made is thrown away. A
    thread helps where elements wait for a disk, a network or another library; Python code that computes
    takes turns with the program.

    `iterable` is any iterable of batches; `count`, at least 1, is how many elements wait at most. Raises
    ArgumentError for anything else.

    Args:
        iterable: any iterable of batches.
        count: how many elements wait at most, an int from 1.

    Raises:
        ArgumentError: if `iterable` or `count` is invalid.

    >>> import penstock as ps
    >>> for batch in ps.prefetch([[1.0, 2.0], [3.0, 4.0]], count=1):
    ...     print(ps.sum(ps.asarray(batch)).numpy())
    3.0
    7.0
    """

    def __init__(self, iterable: Iterable[T], count: int = 2) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ArgumentError(
                f"prefetch: count is {shown(count)}.",
                why="It is the number of elements to read ahead.",
                remedy="Give a whole number of at least 1; 2 is usual.",
                site=here(),
            )
        if not hasattr(type(iterable), "__iter__") and not hasattr(type(iterable), "__getitem__"):
            remedy = "Call it: prefetch(batches())." if callable(iterable) else "Give an iterable of batches."
            raise ArgumentError(
                f"prefetch: {shown(iterable)} (of type {type(iterable).__name__}) cannot be iterated over.",
                remedy=remedy,
                site=here(),
            )
        self.iterable, self.count = iterable, count
        self.site: Site = exactly_here()

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[T]:
        return _Reader(self.iterable, self.count, str(self.site))

    def __repr__(self) -> str:
        return f"prefetch({shown(self.iterable)}, count={self.count})"


class _Shared:
    """The state shared by a reader and its thread; the thread holds nothing else of the reader."""

    def __init__(self, count: int) -> None:
        self.made: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.room = threading.Semaphore(count)
        self.closed = threading.Event()

    def close(self) -> None:
        self.closed.set()
        self.room.release()


class _Reader(Iterator[T]):
    """One pass over an iterable."""

    def __init__(self, iterable: Iterable[T], count: int, where: str) -> None:
        self.shared = _Shared(count)
        self.done = False
        self.thread = threading.Thread(
            target=_read, args=(iterable, self.shared), name=f"penstock.prefetch at {where}", daemon=True
        )
        # A loop that is left drops this reader without calling it.
        self.finalizer = weakref.finalize(self, self.shared.close)
        self.thread.start()

    def __next__(self) -> T:
        if self.done:
            raise StopIteration
        kind, value = self.shared.made.get()
        if kind == "element":
            self.shared.room.release()
            return value  # type: ignore[no-any-return]
        self.close()
        if kind == "error":
            try:
                raise value
            finally:
                del value
        raise StopIteration

    def close(self) -> None:
        """Stops reading, and waits until the thread is over."""
        self.done = True
        self.finalizer()
        if self.thread is not threading.current_thread():
            self.thread.join()


def _read(iterable: Iterable[Any], shared: _Shared) -> None:
    iterator: Any = None
    try:
        iterator = iter(iterable)
        while True:
            shared.room.acquire()
            if shared.closed.is_set():
                break
            try:
                element = next(iterator)
            except StopIteration:
                break
            shared.made.put(("element", element))
            del element
    except BaseException as error:
        shared.made.put(("error", error))
    else:
        shared.made.put(("end", None))
    finally:
        # A generator is closed in the thread that has run it.
        close = getattr(iterator, "close", None)
        if shared.closed.is_set() and close is not None and hasattr(iterator, "gi_frame"):
            close()


__all__ = ["prefetch"]
