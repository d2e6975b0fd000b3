"""The heap around executables: frees the memory of a compilation, keeps the memory that each step needs.

A compilation takes hundreds of MiB, which the heap would keep. The working memory of a large executable is
one block, which the heap would fetch from the system and give back at every step: docs/decisions/0039.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

HEAP = "PENSTOCK_HEAP"
"""The environment variable that leaves the heap's settings alone, where it is "system"."""
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""The numbers of these settings in the C library's `mallopt`."""
ADAPTED = 32 << 20
"""Blocks up to this many bytes are kept by the C library's own choice, once one of them has been freed."""
MOST = 1 << 30
"""A larger block is left to the system: the setting allows up to 2 GiB, and others need memory too."""
THEIRS = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_")
"""Environment variables by which a user has set the heap."""


def give_back() -> None:
    """Returns freed memory to the system, if the C library can (glibc); otherwise does nothing.

    It takes about a millisecond, or more after a large compilation: a small part of what that took.
    """
    trim = _function("malloc_trim")
    if trim is not None:
        trim(0)


@contextmanager
def uncollected() -> Iterator[None]:
    """Pauses garbage collection while long-lived objects are made: a fifth of the time to import JAX."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def make_way() -> None:
    """Frees the memory kept for the next step, before something that needs memory in addition to it."""
    if kept.block:
        give_back()


class Kept:
    """The largest block that the heap keeps when it is freed, in bytes; 0 for the C library's own choice."""

    block = 0


kept = Kept()


def keep_room(made: Any) -> None:
    """Makes the heap keep the working memory of an executable between its runs, if it can (glibc).

    The system fills a new block with zeros, page by page, when it is touched: that takes a quarter of the
    time of a step that needs 180 MiB.
    """
    size = _working_memory(made)
    if size <= max(ADAPTED, kept.block) or size > MOST or not _may_set():
        return
    setting = _function("mallopt")
    # With some slack, so that a slightly larger block, with the heap's overhead, is kept too.
    block = size + (size >> 3)
    if setting is not None and setting(MMAP_THRESHOLD, block):
        # Twice as much, as the C library chooses by itself for smaller blocks.
        setting(TRIM_THRESHOLD, min(2 * block, (1 << 31) - 1))
        kept.block = block


def _working_memory(made: Any) -> int:
    """Returns the bytes that an executable takes while it runs, besides its arguments and outputs."""
    try:
        return int(made.memory_analysis().temp_size_in_bytes)
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError):
        # Not every backend or version of JAX reports it.
        return 0


def _may_set() -> bool:
    """Returns whether the heap has been left to Penstock."""
    if os.environ.get(HEAP) == "system" or any(name in os.environ for name in THEIRS):
        return False
    return "glibc.malloc" not in os.environ.get("GLIBC_TUNABLES", "")


@functools.cache
def _function(name: str) -> Callable[..., Any] | None:
    """Returns a function of the C library that only glibc has."""
    import ctypes

    try:
        found: Callable[..., Any] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
    return found
