"""The workers of a DataLoader: they take turns in this process, each with random numbers of its own.

Paddle loads in processes, whose generators start from a number that is drawn for each pass. What they draw,
and the order of what they load, is the same here; what one of them changes in a data set, the others see.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.functions import keys
from penstock.paddle import _seeded


class WorkerInfo:
    """What a data set can know of the worker that loads from it: `id`, `num_workers`, `dataset`, `seed`."""

    def __init__(self, id: int, num_workers: int, dataset: Any, seed: int) -> None:
        self.id, self.num_workers, self.dataset, self.seed = id, num_workers, dataset, seed


class _Present(threading.local):
    info: WorkerInfo | None = None


present = _Present()
"""The worker whose turn it is in this thread, if any."""


class _Numbers:
    """Where the generators stand: NumPy's, Python's and Paddle's."""

    def __init__(self) -> None:
        self.numpy, self.python = np.random.get_state(), random.getstate()
        sequence, own = _seeded.sequence, keys.generator
        self.paddle = sequence.engine, sequence.seed, own.seed, own.number

    def restore(self) -> None:
        """Goes back there. Paddle's engine itself is exchanged, and not copied."""
        np.random.set_state(self.numpy)
        random.setstate(self.python)
        sequence, own = _seeded.sequence, keys.generator
        sequence.engine, sequence.seed, own.seed, own.number = self.paddle


class _Worker:
    """One of the workers: what it has drawn from, and what it loads."""

    def __init__(self, number: int, count: int, loader: Any, base: int) -> None:
        self.info = WorkerInfo(number, count, loader.dataset, base)
        self.items: Iterator[Any] | None = None
        outside = _Numbers()
        seed = base + number
        try:
            random.seed(seed)
            _seeded.start(seed)
            words = [number, base & 0xFFFFFFFF, base >> 32, 0]
            np.random.seed(np.random.SeedSequence(words).generate_state(4))
            self.numbers = _Numbers()
        finally:
            outside.restore()
        if loader.worker_init_fn is not None:
            with self.turn():
                loader.worker_init_fn(number)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Has what is loaded draw from this worker's generators."""
        outside, before = _Numbers(), present.info
        self.numbers.restore()
        present.info = self.info
        try:
            yield
        finally:
            self.numbers, present.info = _Numbers(), before
            outside.restore()


def passing(loader: Any) -> Iterator[Any]:
    """Returns the batches of one pass, in the order of Paddle's: each worker loads in its turn."""
    workers = loader._kept_workers
    if workers is None:
        base, count = int(np.random.randint(0, sys.maxsize)), loader.num_workers
        workers = [_Worker(i, count, loader, base) for i in range(count)]
        if loader.persistent_workers:
            loader._kept_workers = workers
    if loader.iterates:
        for one in workers:
            with one.turn():
                one.items = iter(loader.dataset)
        return _from_streams(loader, workers)
    source = iter(range(len(loader.dataset)) if loader.batch_sampler is None else loader.batch_sampler)
    # The sampler is asked ahead of the batches: as many as the workers may have in hand.
    ahead = deque(itertools.islice(source, loader.prefetch_factor * len(workers)))
    return _from_places(loader, workers, source, ahead)


def _from_places(
    loader: Any, workers: list[_Worker], source: Iterator[Any], ahead: deque[Any]
) -> Iterator[Any]:
    for worker in itertools.cycle(workers):
        if not ahead:
            return
        places = ahead.popleft()
        with worker.turn():
            found = loader._loaded(places)
        ahead.extend(itertools.islice(source, 1))
        yield found


def _from_streams(loader: Any, workers: list[_Worker]) -> Iterator[Any]:
    active = deque(workers)
    while active:
        worker = active.popleft()
        with worker.turn():
            batch = loader._next_of(worker.items)
        if batch is not None:
            active.append(worker)
            yield batch[0]
