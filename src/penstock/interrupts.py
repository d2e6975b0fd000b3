"""Work that an interrupt must not leave half done: the interrupt is raised after it."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class HeldInterrupts:
    """Holds back signals that arrive inside a `with` block, and handles them at the end of the block.

    Those are the signals that the program handles in Python, Ctrl-C first of all: their handlers may raise. A
    second one is handled at once, since the block may be waiting for a blocked terminal; not if `all` are
    held. There is nothing to hold back outside the main thread, or if the program ignores interrupts.
    """

    def __init__(self, all: bool = False) -> None:
        self.all = all
        self._before: dict[int, Any] = {}
        self._held: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                before = signal.getsignal(number)
                if callable(before):
                    self._before[number] = before
                    signal.signal(number, self._hold)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        before, self._before = self._before, {}
        for number, handler in before.items():
            # The block itself may have set another.
            if signal.getsignal(number) == self._hold:
                signal.signal(number, handler)
        held, self._held = self._held, []
        for number, frame in held:
            before[number](number, frame)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self._held and not self.all and number in self._before:
            self._before[number](number, frame)
        self._held.append((number, frame))


__all__ = ["HeldInterrupts"]
