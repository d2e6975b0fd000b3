"""Memory of a compilation goes back to the system; memory of a step is kept for the next step."""

import gc
import os
import sys

import numpy as np
import pytest

import penstock as ps
import processes
from penstock.testing import use_engine
from penstock.tiers import heap, xla

pytest.importorskip("jax")


class Made:
    """An executable that takes this many bytes while it runs, or does not tell."""

    def __init__(self, size):
        self.temp_size_in_bytes = size

    def memory_analysis(self):
        return None if self.temp_size_in_bytes is None else self


def test_each_compilation_returns_its_freed_memory(monkeypatch):
    calls = []
    monkeypatch.setattr(heap, "_function", {"malloc_trim": calls.append}.get)
    monkeypatch.setattr(heap, "kept", heap.Kept())
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", "")
    x = ps.asarray(np.ones(7, np.float32))
    with use_engine("xla"):
        for _ in range(2):
            ps.wait(x * 3.25 + 0.125)
    assert calls == [0]
    # Where the heap keeps what a step takes, that goes before, so that the two are not held together, and
    # once more after the first run, which leaves it in pieces.
    monkeypatch.setattr(heap.kept, "block", 1)
    with use_engine("xla"):
        for _ in range(2):
            ps.wait(x * 3.75 + 0.125)
    assert calls == [0, 0, 0, 0]


@pytest.mark.parametrize("library", [object(), None])
def test_a_c_library_that_cannot_is_left_alone(monkeypatch, library):
    import ctypes

    def loaded(name):
        if library is None:
            raise OSError("no such library")
        return library

    heap._function.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", loaded)
    monkeypatch.setattr(heap, "kept", heap.Kept())
    try:
        assert heap._function("malloc_trim") is None
        heap.give_back()
        heap.keep_room(Made(heap.ADAPTED + 1))
        assert heap.kept.block == 0
    finally:
        heap._function.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_freed_memory_is_not_resident_any_more():
    import platform

    if platform.libc_ver()[0] != "glibc":
        pytest.skip("another C library")

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])

    # Small pieces, as a compiler takes them, with one at the end that keeps the heap from shrinking.
    pieces = [bytes(600) for _ in range(100_000)]
    last = bytes(600)
    full = resident()
    del pieces
    heap.give_back()
    assert resident() < full - 5_000, last[:0]


@pytest.mark.parametrize(
    ("sizes", "blocks"),
    [
        ([None, 0, heap.ADAPTED], []),
        ([heap.ADAPTED + 8, heap.ADAPTED + 16], [heap.ADAPTED + 8]),
        ([100 << 20, 40 << 20, 300 << 20, heap.MOST + 1], [100 << 20, 300 << 20]),
    ],
    ids=["small", "alike", "growing"],
)
def test_the_heap_keeps_as_much_as_the_largest_executable_takes(monkeypatch, sizes, blocks):
    """And a little more; never less than before, and nothing that is very large."""
    calls = []
    monkeypatch.setattr(heap, "_function", lambda name: lambda *given: calls.append((name, *given)) or 1)
    monkeypatch.setattr(heap, "kept", heap.Kept())
    for name in (heap.HEAP, "GLIBC_TUNABLES", *heap.THEIRS):
        monkeypatch.delenv(name, raising=False)
    for size in sizes:
        heap.keep_room(Made(size))
    kept = [size + size // 8 for size in blocks]
    assert calls == [
        ("mallopt", setting, times * size)
        for size in kept
        for setting, times in ((heap.MMAP_THRESHOLD, 1), (heap.TRIM_THRESHOLD, 2))
    ]
    assert heap.kept.block == (kept[-1] if kept else 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [(heap.HEAP, "system"), ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"), ("MALLOC_TOP_PAD_", "0")],
)
def test_a_heap_that_the_user_has_set_is_left_alone(monkeypatch, name, value):
    monkeypatch.setattr(heap, "_function", lambda name: pytest.fail)
    monkeypatch.setattr(heap, "kept", heap.Kept())
    monkeypatch.setenv(name, value)
    heap.keep_room(Made(100 << 20))
    assert heap.kept.block == 0


def test_a_c_library_that_refuses_is_asked_once_for_each_size(monkeypatch):
    """Older ones take no more than 32 MiB."""
    monkeypatch.setattr(heap, "_function", lambda name: lambda *given: 0)
    monkeypatch.setattr(heap, "kept", heap.Kept())
    heap.keep_room(Made(100 << 20))
    assert heap.kept.block == 0


COUNTED = """
import resource
import numpy as np
import penstock as ps

rows, columns = ps.asarray(np.ones((8960, 4), np.float32)), ps.asarray(np.ones((4, 1024), np.float32))

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    ps.wait(ps.tanh(rows @ columns) @ ps.permute_dims(columns, (1, 0)))
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first = [faults() for _ in range(4)]
print(max(first), min(faults() for _ in range(3)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="page faults are counted as Linux does")
def test_a_step_is_not_given_new_memory_each_time():
    """The pages of 35 MiB are made at the first steps and used by those that follow.

    In a process of its own: what other tests hold at the end of the heap decides which pages are given back.
    """
    import platform

    if platform.libc_ver()[0] != "glibc" or not heap._may_set():
        pytest.skip("another C library, or a heap that is set")
    environment = {**os.environ, "PENSTOCK_ENGINE": "xla"}
    ran = processes.run(["-c", COUNTED], env=environment)
    assert not ran.returncode, ran.stderr
    first, later = map(int, ran.stdout.split())
    assert later < 500 < first


@pytest.mark.parametrize("on", [True, False])
def test_no_garbage_is_looked_for_while_a_program_is_lowered(monkeypatch, on):
    """Nothing is garbage there, and Python would go through all that JAX has; the user's choice stays."""
    lower, seen = xla.lower, []

    def watched(*arguments):
        seen.append(gc.isenabled())
        return lower(*arguments)

    monkeypatch.setattr(xla, "lower", watched)
    was = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        with use_engine("xla"):
            ps.wait(ps.cos(ps.asarray(np.ones(7))) * (1.375 + on))
        after = gc.isenabled()
        with pytest.raises(ZeroDivisionError), heap.uncollected():
            _ = 1 / 0
        assert gc.isenabled() == on
    finally:
        (gc.enable if was else gc.disable)()
    assert seen == [False] and after == on
