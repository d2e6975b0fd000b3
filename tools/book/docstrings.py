"""Docstrings as Markdown: examples become code to copy, which mkdocstrings would take for quotes."""

from __future__ import annotations

import inspect
import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?m)^(?P<margin> *)>>> (?:.*\n?)(?:(?P=margin)\S.*\n?|(?P=margin) +\S.*\n?)*")

BORROWED = {inspect.getdoc(kind) for kind in (bool, int, float, str, tuple, list, dict, type, type(None))}
"""What inspection takes for the docstring of an attribute: that of its value."""


def fenced(text: str) -> str:
    """Returns a docstring whose examples stand between fences."""
    return EXAMPLE.sub(
        lambda found: f"{found['margin']}```pycon\n{found.group().rstrip()}\n{found['margin']}```\n", text
    )


class Fences(griffe.Extension):
    """Puts fences around the examples of every docstring that is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring of an object."""
        if obj.docstring is None:
            return
        if obj.is_attribute and obj.docstring.value in BORROWED:
            obj.docstring = None
        else:
            obj.docstring.value = fenced(obj.docstring.value)
