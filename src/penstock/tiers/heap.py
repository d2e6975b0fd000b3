"""Giving memory back to the system: a compilation takes hundreds of MiB, which the heap would keep."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def give_back() -> None:
    """Returns what has been freed to the system, where its C library can (glibc); does nothing elsewhere.

    It takes about a millisecond, or more after a large compilation: a small part of what that took.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], Any] | None:
    import ctypes

    try:
        found: Callable[[int], Any] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return found
