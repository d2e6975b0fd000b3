"""The layers that are being called in each thread, with their `training` arguments."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Calls(threading.local):
    """The layers that are being called in this thread, outermost first, with the `training` of each."""

    def __init__(self) -> None:
        self.layers: list[Any] = []
        self.training: list[Any] = []


calls = _Calls()


@contextlib.contextmanager
def without_losses(function: Any) -> Iterator[None]:
    """Drops the losses that a call of `function` on inputs without values adds, as these have no values.

    Inside another layer's call, which lists them, the losses that this call has added before are kept.
    """
    outer = calls.layers[0] if calls.layers else None
    count = 0 if outer is None else len(outer._lossy)
    before = {} if outer is None else {id(one): len(one._losses) for one in outer._lossy}
    yield
    lossy = getattr(function if outer is None else outer, "_lossy", [])
    for one in lossy[count:]:
        del one._losses[before.get(id(one), 0) :]
    del lossy[count:]


__all__ = ["calls", "without_losses"]
