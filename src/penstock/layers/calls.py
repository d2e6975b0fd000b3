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


def tells_other(training: Any) -> bool:
    """Returns whether `training` was given to a `call` that no layer's own call has made."""
    return training is not None and (not calls.layers or calls.training[-1] is not training)


@contextlib.contextmanager
def inside(layer: Any, training: Any) -> Iterator[None]:
    """Calls layers as a layer does that is called with this `training`."""
    calls.layers.append(layer)
    calls.training.append(training)
    try:
        yield
    finally:
        calls.layers.pop()
        calls.training.pop()


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Calls layers as from outside of all others."""
    before = calls.layers, calls.training
    calls.layers, calls.training = [], []
    try:
        yield
    finally:
        calls.layers, calls.training = before


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


__all__ = ["alone", "calls", "inside", "tells_other", "without_losses"]
