"""Docstrings as Markdown: examples become code to copy, which mkdocstrings would take for quotes."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?m)^(?P<margin> *)>>> (?:.*\n?)(?:(?P=margin)\S.*\n?|(?P=margin) +\S.*\n?)*")


def fenced(text: str) -> str:
    """Returns a docstring whose examples stand between fences."""
    return EXAMPLE.sub(
        lambda found: f"{found['margin']}```pycon\n{found.group().rstrip()}\n{found['margin']}```\n", text
    )


class Fences(griffe.Extension):
    """Puts fences around the examples of every docstring that is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
