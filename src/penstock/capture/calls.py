"""Calls that a program writes down and that run later, as if from the line where they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

from penstock.trace.source_site import is_library, user_frame
from penstock.trace.structure import flat, mapped

_CALL = compile("call(*arguments, **options)", "<graph>", "eval")


class Input:
    """Represents the i-th input of an operation among the arguments of its call."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Construction:
    """Represents an object among the arguments of a call, and says how each call constructs it."""

    __slots__ = ("arguments", "call", "options")

    def __init__(self, call: Callable[..., Any], arguments: Any, options: Any) -> None:
        self.call, self.arguments, self.options = call, arguments, options

    def of(self, change: Callable[[Any], Any]) -> Construction:
        """Returns the construction with `change` applied to all its parts."""
        return Construction(
            self.call, mapped(list(self.arguments), change), mapped(dict(self.options), change)
        )


class Held:
    """An object that each run constructs again, according to its Construction."""

    _kind: type
    _construction: Construction


def parts(template: Any) -> Iterator[Any]:
    """Yields the leaves of a structure, including the arguments of Constructions in it."""
    for one in flat(template):
        if isinstance(one, Held):
            one = one._construction
        if type(one) is Construction:
            yield from parts((list(one.arguments), one.options))
        else:
            yield one


def place_of(one: Any, inputs: list[Any]) -> Input:
    """Returns the Input for an operand of a call, and adds the operand to the list if it is new."""
    for number, known in enumerate(inputs):
        if known is one:
            return Input(number)
    inputs.append(one)
    return Input(len(inputs) - 1)


def filled(template: Any, values: Sequence[Any]) -> Any:
    """Returns arguments with each Input replaced by its value, and each Construction by its result."""

    def value(one: Any) -> Any:
        if type(one) is Input:
            return values[one.number]
        if type(one) is Construction:
            own = one.of(value)
            return own.call(*own.arguments, **own.options)
        return one

    return mapped(template, value)


def call_at(
    code: CodeType, call: Callable[..., Any], arguments: Sequence[Any], options: dict[str, Any]
) -> Any:
    """Calls a function as if it were called on the user's line of `code`."""
    return eval(code, {"call": call, "arguments": arguments, "options": options})


def site_code(frame: FrameType, known: dict[Any, CodeType]) -> CodeType:
    """Returns code that calls something from the line that a frame is running.

    Run later, the code makes that line the site of all recordings: the file, the line, and the function's
    name. `known` caches the code of each place.
    """
    if is_library(frame.f_code):
        frame = user_frame(1)
    code = frame.f_code
    key = (code.co_filename, frame.f_lineno, code.co_name)
    found = known.get(key)
    if found is None:
        found = known[key] = code_at(*key, code.co_qualname)
    return found


def code_at(file: str, line: int, function: str, qualified: str) -> CodeType:
    """Returns code that calls something from a line of a file, in a function of this name."""
    return _CALL.replace(co_filename=file, co_firstlineno=line, co_name=function, co_qualname=qualified)


__all__ = ["Construction", "Held", "Input", "call_at", "code_at", "filled", "parts", "place_of", "site_code"]
