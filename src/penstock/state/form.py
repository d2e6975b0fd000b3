"""Checks the form of plain data read from a file before anything uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Form = Any
"""A type or a union of types, a predicate, `[form]`, `(form, form)`, `{"name": form}` or `Each(form)`.

A name that begins with `?` is optional; names that a dictionary does not list are allowed.
"""


class Each:
    """Dictionaries from any string to values of one form."""

    def __init__(self, form: Form) -> None:
        self.form = form


def whole(low: int, high: int) -> Callable[[Any], bool]:
    """Returns the form of integers from `low` up to, but not including, `high`."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value < high


count = whole(0, 2**53)
word = whole(0, 2**32)
seed = whole(-(2**64), 2**64)


def number(value: Any) -> bool:
    """The form of a Python number of ordinary size, or a boolean."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**63)


def misfit(value: Any, form: Form, where: str = "") -> str:
    """Returns the place of the first part that does not have the form, with that part; "" if there is none.

    >>> misfit({"steps": [3, -1]}, {"steps": [count]})
    'steps[1] is -1'
    """
    match form:
        case list():
            inside = (
                [(f"{where}[{i}]", one, form[0]) for i, one in enumerate(value)] if _is(value, list) else None
            )
        case tuple():
            paired = _is(value, list) and len(value) == len(form)
            inside = [(f"{where}[{i}]", value[i], form[i]) for i in range(len(form))] if paired else None
        case Each(form=each):
            inside = (
                [(_below(where, name), one, each) for name, one in value.items()]
                if _is(value, dict)
                else None
            )
        case dict():
            inside = None
            if _is(value, dict) and all(name[0] == "?" or name in value for name in form):
                wanted = {name.removeprefix("?"): one for name, one in form.items()}
                inside = [
                    (_below(where, name), value[name], wanted[name]) for name in wanted if name in value
                ]
        case _:
            fits = isinstance(value, form) if isinstance(form, type) or not callable(form) else form(value)
            inside = [] if fits else None
    if inside is None:
        text = repr(value)
        return f"{where} is {text if len(text) <= 60 else text[:57] + '...'}"
    return next((found for place, one, part in inside if (found := misfit(one, part, place))), "")


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind)


def _below(where: str, name: str) -> str:
    return f"{where}/{name}" if where else name


__all__ = ["Each", "count", "misfit", "number", "seed", "whole", "word"]
