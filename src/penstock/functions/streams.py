"""Streams of keys: a separate seed that determines a sequence of draws independent of `ps.random`."""

from __future__ import annotations

import threading

import numpy as np

from penstock.functions.keys import DrawKey
from penstock.ops import random as draws

_drawing = threading.Lock()
"""Held while a stream counts a draw. It belongs to all streams together, so that each can be copied."""


class Stream:
    """The keys of one sequence of draws: a seed, and how many draws there have been."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = seed, 0

    def key(self) -> StreamKey:
        """Returns the key of the next draw."""
        with _drawing:
            number, self.drawn = self.drawn, (self.drawn + 1) & 0xFFFFFFFF
        value = np.asarray([self.seed >> 32 & 0xFFFFFFFF, self.seed & 0xFFFFFFFF, number], np.uint32)
        value.flags.writeable = False
        made = StreamKey()
        made._trace = None
        made._past = None
        made._slot = -1
        made._spec = draws.KEY
        made._value = value
        made.stream = self
        return made


class StreamKey(DrawKey):
    """A key that knows which stream the next one comes from."""

    __slots__ = ("stream",)
    stream: Stream

    def next(self) -> DrawKey:
        """Returns the key of the stream's next draw."""
        return self.stream.key()


__all__ = ["Stream", "StreamKey"]
