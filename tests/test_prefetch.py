"""Reading ahead in a thread: the order, the errors, and a complete clean-up."""

import gc
import threading
import time
import traceback

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError

EARLIER = set()
"""Threads that were there before the test: other files in this process may read ahead, too."""


def readers():
    return [
        one for one in threading.enumerate()
        if one.name.startswith("penstock.prefetch") and one not in EARLIER
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def no_thread_is_left():
    EARLIER.update(readers())
    yield
    gc.collect()
    until = time.monotonic() + 60
    while readers() and time.monotonic() < until:
        time.sleep(0.005)
    assert not readers()


@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_order_is_kept_and_each_pass_begins_again(count):
    ahead = ps.prefetch(range(20), count=count)
    assert list(ahead) == list(ahead) == list(range(20)) and len(ahead) == 20
    assert list(ps.prefetch([])) == []
    first, second = iter(ahead), iter(ahead)
    assert [next(first), next(first), next(second)] == [0, 1, 0]


def test_it_is_that_far_ahead_and_no_further():
    made = []

    def batches():
        for number in range(10):
            made.append(number)
            yield number

    reader = iter(ps.prefetch(batches(), count=3))
    assert next(reader) == 0
    until = time.monotonic() + 60
    while len(made) < 4 and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(0.02)
    # The batch that was passed on, and three that wait.
    assert made == [0, 1, 2, 3]
    assert list(reader) == list(range(1, 10))


def test_an_error_is_raised_where_the_element_was_asked_for():
    def batches():
        yield 1
        raise OSError("the disk is gone")

    seen = []
    with pytest.raises(OSError, match="the disk is gone") as caught:
        for one in ps.prefetch(batches()):
            seen.append(one)
    assert seen == [1]
    names = [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert names[0] == "test_an_error_is_raised_where_the_element_was_asked_for" and names[-1] == "batches"

    class Unready:
        def __iter__(self):
            raise RuntimeError("not open")

    with pytest.raises(RuntimeError, match="not open"):
        next(iter(ps.prefetch(Unready())))


def test_leaving_early_ends_the_thread_and_the_generator_in_it():
    closed = []

    def batches():
        try:
            while True:
                yield 1
        finally:
            closed.append(threading.current_thread().name)

    for _ in ps.prefetch(batches()):
        break
    gc.collect()
    until = time.monotonic() + 60
    while not closed and time.monotonic() < until:
        time.sleep(0.005)
    assert len(closed) == 1 and closed[0].startswith("penstock.prefetch at ")
    reader = iter(ps.prefetch([1, 2, 3]))
    next(reader)
    reader.close()
    assert list(reader) == [] and not readers()


def test_tensors_that_the_thread_makes_are_whole(tier):
    def batches():
        for number in range(5):
            yield ps.asarray(np.full((3,), number, np.float32)) * 2.0

    total = ps.Variable(np.zeros(3, np.float32), name="total_of_batches")
    for batch in ps.prefetch(batches()):
        total.assign_add(batch)
    assert total.numpy().tolist() == [20.0] * 3


def test_wrong_arguments_are_refused():
    def batches():
        yield 1

    for given, options, words in (
        (batches, {}, r"cannot be iterated over(.|\n)*Call it: prefetch\(batches\(\)\)"),
        (3, {}, "3 .of type int. cannot be iterated"),
        ([1], {"count": 0}, "count is 0"),
        ([1], {"count": 1.5}, "count is 1.5"),
    ):
        with pytest.raises(ArgumentError, match=words):
            ps.prefetch(given, **options)
