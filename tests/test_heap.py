"""What a compilation has taken and freed goes back to the system."""

import sys

import numpy as np
import pytest

import penstock as ps
from penstock.testing import use_engine
from penstock.tiers import heap

pytest.importorskip("jax")


def test_each_compilation_gives_back_what_it_has_freed(monkeypatch):
    calls = []
    monkeypatch.setattr(heap, "_trim", lambda: calls.append)
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", "")
    x = ps.asarray(np.ones(7, np.float32))
    with use_engine("xla"):
        for _ in range(2):
            ps.wait(x * 3.25 + 0.125)
    assert calls == [0]


@pytest.mark.parametrize("library", [object(), None])
def test_a_c_library_that_cannot_is_left_alone(monkeypatch, library):
    import ctypes

    def loaded(name):
        if library is None:
            raise OSError("no such library")
        return library

    heap._trim.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", loaded)
    try:
        assert heap._trim() is None
        heap.give_back()
    finally:
        heap._trim.cache_clear()


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
