"""Work that an interrupt must not leave half done: the interrupt is raised after it."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class HeldInterrupts:
    """Holds back an interrupt that arrives inside a `with` block, and raises it at the end of the block.

    A second one is raised at once: the block may be waiting for a blocked terminal. There is nothing to hold
    back outside the main thread, or if the program ignores interrupts.
    """

    def __init__(self) -> None:
        self._before: Any = None
        self._held: tuple[int, FrameType | None] | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                signal.signal(signal.SIGINT, self._hold)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        before, self._before = self._before, None
        if before is None:
            return
        # The block itself may have set another.
        if signal.getsignal(signal.SIGINT) == self._hold:
            signal.signal(signal.SIGINT, before)
        if self._held is not None:
            before(*self._held)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self._held is not None and self._before is not None:
            self._before(number, frame)
        self._held = number, frame


__all__ = ["HeldInterrupts"]
