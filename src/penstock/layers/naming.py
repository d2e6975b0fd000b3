"""Names of unnamed layers: the word for their class, and a number from the second one on."""

from __future__ import annotations

import re

counts: dict[str, int] = {}
"""How many layers have been named after each word."""


def snake_case(name: str) -> str:
    """Returns a class's name as a word of a path: Conv2D is conv2d, MyLayer is my_layer."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def automatic_name(kind: type) -> str:
    """Returns a name for an unnamed layer: dense, dense_1, dense_2."""
    word = snake_case(kind.__name__)
    count = counts.get(word, 0)
    counts[word] = count + 1
    return f"{word}_{count}" if count else word


__all__ = ["automatic_name", "counts", "snake_case"]
