"""How much memory a loop takes for each further turn, independent of the rest of the process."""

import gc
import itertools
from contextlib import contextmanager
from pathlib import Path

import pytest

from penstock.tiers.heap import give_back
from penstock.trace.budget import budget
from penstock.trace.tree import tree

WINDOWS = 5
STATUS = Path("/proc/self/statm")
PAGE = 4096
ALLOWED = 64_000
"""Bytes by which a process may grow even in its quietest window; without a leak it is 0 nearly always."""

linux = pytest.mark.skipif(not STATUS.exists(), reason="reads Linux's account of memory")


def forget_paths():
    """Lets a test begin with no path, nor any number that has been seen to vary."""
    for known in (tree.root.edges, tree.root.places, tree.root.plans):
        known.clear()
    for source in tree.sources.values():
        source.varying.clear()


@contextmanager
def bounded(size):
    """Keeps no more than `size` bytes for the length of a `with` block, beginning with nothing."""
    before = budget.limit
    budget.clear()
    budget.limit = size
    try:
        yield
    finally:
        budget.limit = before


def resident():
    """Bytes of memory this process holds, without those that its heap only has not given back yet.

    A compilation gives back what the heap does not use. What is used again after it would count as growth.
    """
    gc.collect()
    give_back()
    return int(STATUS.read_text().split()[1]) * PAGE


def grown(turns, count):
    """By how many bytes the process grew in the quietest of the windows into which `count` turns are cut.

    What a loop keeps, it keeps in every window. What the rest of the process takes, such as what threads of
    earlier tests give back late, comes at its own times.
    """
    sizes = [resident()]
    for _ in range(WINDOWS):
        turns(count // WINDOWS)
        sizes.append(resident())
    return min(after - before for before, after in itertools.pairwise(sizes))
