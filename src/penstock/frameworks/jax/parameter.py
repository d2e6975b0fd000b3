"""Parameters of JAX programs: the leaves of differentiated arguments, and the arrays that replace them."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from penstock.flow.observed import Variable
from penstock.flow.words import Words
from penstock.frameworks.jax.words import JAX
from penstock.trace.source_site import Site

_uids = itertools.count()
UNKNOWN = Site("unknown", 0, "")
"""Represents the unknown line of creation of arrays made before the watch began."""


class Parameter(Variable):
    """A leaf of a differentiated argument, whatever array holds its value at present.

    `loose` says that its gradient is a constant of the program, which has no identity. `stopped_at` is the
    line whose stop_gradient takes the parameter itself: that freezes it. `zeroed` says
    that an optimizer has given it zeros that do not depend on its gradient. `live` says that a gradient has
    reached it, or was cut elsewhere; `written` that an update has moved it.
    """

    __slots__ = (
        "__weakref__", "array", "dtype", "live", "loose", "path", "replaced", "shape", "site", "stopped_at",
        "uid", "unregistered", "written", "zeroed",
    )  # fmt: skip

    def __init__(self, path: str, site: Site | None, shape: tuple[int, ...], dtype: str) -> None:
        self.uid = next(_uids)
        self.path, self.site = path, site or UNKNOWN
        self.shape, self.dtype = shape, dtype
        self.replaced: Site | None = None
        self.unregistered = ""
        self.stopped_at: Site | None = None
        self.zeroed = self.live = self.written = self.loose = False
        self.array: weakref.ref[Any] | None = None

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether the program trains it: it does not if it stops each use, or zeroes each update."""
        return not self.zeroed and (self.live or self.stopped_at is None)

    @property
    def flag(self) -> str:
        if self.stopped_at is not None and not self.live:
            return f"jax.lax.stop_gradient at {self.stopped_at} takes the parameter itself"
        return "its updates are zeros, whatever its gradient is"

    @property
    def words(self) -> Words:
        return JAX

    @property
    def data(self) -> bool:
        return not self.written

    @property
    def by_hand(self) -> bool:
        return not self.written

    def is_there(self) -> Callable[[], bool]:
        reference = self.array
        return lambda: reference is None or reference() is not None


__all__ = ["UNKNOWN", "Parameter"]
