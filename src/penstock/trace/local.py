"""The recorder of each thread, and the values of tensors that it has recorded."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any, ClassVar

from penstock.trace.engine import engine
from penstock.trace.source_site import Site, site_of, user_frame
from penstock.trace.tensor import Tensor


class Local(threading.local):
    """Gives each thread its own trace, made by the recorder's class."""

    trace: Any
    made: ClassVar[type | None] = None

    def __init__(self) -> None:
        if self.made is not None:
            self.trace = self.made()

    def begin(self, kind: type) -> None:
        """Sets the class of every thread's trace: the recorder's."""
        type(self).made = kind
        self.trace = kind()


local = Local()


def note_made(thing: Any) -> None:
    """Notes that a variable or an optimizer is created, if a step is being captured."""
    trace = local.trace
    if trace.capturing:
        trace.made.append(thing)


def value_of(tensor: Tensor, how: str = "numpy()", frame: FrameType | None = None) -> Any:
    """Returns the runtime value of a tensor (a NumPy or JAX array); runs pending operations if necessary."""
    value = tensor._value
    if value is None:
        frame = frame or sys._getframe(1)
        recorder: Any = local.trace
        if tensor._trace is recorder:
            assert recorder is not None
            recorder.look(tensor._slot, how, frame)
        elif getattr(tensor._trace, "capturing", None) and getattr(recorder, "nested", None) is not None:
            tensor._trace.look(tensor._slot, how, frame)  # type: ignore[union-attr]
        else:
            engine.peek(tensor)
        value = tensor._value
    if isinstance(value, Exception):
        raise value
    return value


def here_if_known() -> Site | None:
    """Returns the user's line that led here."""
    return site_of(user_frame(1))


__all__ = ["here_if_known", "local", "note_made", "value_of"]
