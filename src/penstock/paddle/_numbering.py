"""The names that Paddle makes up, with their numbers: generated_tensor_0, linear_0.w_0."""

from __future__ import annotations

import itertools
from typing import ClassVar


class Names:
    """Numbers made-up names, for each word from 0."""

    _counts: ClassVar[dict[str, itertools.count[int]]] = {}

    @classmethod
    def next(cls, word: str) -> str:
        """Returns a word with its next number."""
        found = cls._counts.get(word)
        if found is None:
            found = cls._counts[word] = itertools.count()
        return f"{word}_{next(found)}"

    @classmethod
    def restart(cls) -> None:
        """Numbers from 0 again, as in a process of its own."""
        cls._counts.clear()
