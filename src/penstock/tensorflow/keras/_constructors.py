"""Constructors written from fields, as dataclasses write theirs."""

from __future__ import annotations

import inspect
from typing import Any


def fields_of(kind: type) -> tuple[dict[str, str], dict[str, Any]]:
    """Takes the fields out of a class: their annotations, and the defaults of those that have one."""
    found = inspect.get_annotations(kind)
    words = {name: word for name, word in found.items() if not word.startswith("ClassVar")}
    defaults = {name: kind.__dict__[name] for name in words if name in kind.__dict__}
    for name in defaults:
        delattr(kind, name)
    return words, defaults


def construct(kind: type, words: dict[str, str], defaults: dict[str, Any], body: str, **space: Any) -> None:
    """Gives a class a constructor of its fields, then `**options` if the body, its lines, reads them."""
    # A separate function: Python's error for a wrong call names the class and counts its arguments.
    given = "".join(
        f", {name}: {word}{f' = _{name}' if name in defaults else ''}" for name, word in words.items()
    )
    more = ", **options: Any" if "**options" in body else ""
    text = f"from __future__ import annotations\ndef __init__(self{given}{more}) -> None:\n{body}"
    space.update({f"_{name}": value for name, value in defaults.items()})
    # Under the name of this file, so that errors point to the calling line.
    exec(compile(text, __file__, "exec"), space)
    made = space["__init__"]
    made.__qualname__, made.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    setattr(kind, "__init__", made)  # noqa: B010 - written at run time
