"""The names that Paddle makes up, with their numbers: generated_tensor_0, linear_0.w_0."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import ClassVar


class Names:
    """Numbers made-up names, for each word from 0."""

    _counts: ClassVar[dict[str, itertools.count[int]]] = {}
    _prefix: ClassVar[str] = ""

    @classmethod
    def next(cls, word: str) -> str:
        """Returns a word with its next number."""
        found = cls._counts.get(word)
        if found is None:
            found = cls._counts[word] = itertools.count()
        return f"{cls._prefix}{word}_{next(found)}"

    @classmethod
    @contextlib.contextmanager
    def anew(cls, prefix: str) -> Iterator[None]:
        """Numbers from 0 inside, and continues after it as if it had numbered nothing."""
        before = cls._counts, cls._prefix
        cls._counts, cls._prefix = {}, prefix
        try:
            yield
        finally:
            cls._counts, cls._prefix = before

    @classmethod
    def restart(cls) -> None:
        """Numbers from 0 again, as in a new process."""
        cls._counts.clear()
