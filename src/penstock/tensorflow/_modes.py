"""Names that ask which mode a program is in: values can be read in all of them."""

from __future__ import annotations

import builtins
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from penstock.declared import named as _named
from penstock.errors import CaptureError
from penstock.trace.tensor import serial_numbers

if TYPE_CHECKING:
    import logging


@_named("tf.compat.v1.init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """A block that runs as it is written, in a function too: `tf.executing_eagerly` is true in it."""
    before, inside.left = inside.left, True
    symbols, inside.symbols = inside.symbols, None
    try:
        yield
    finally:
        inside.left, inside.symbols = before, symbols


class _Inside(threading.local):
    """How many functions of TensorFlow, or steps of `fit`, a thread is in, and how many ran before.

    `left` is true where TensorFlow computes at once in spite of them. `symbols` names the tensors of a
    function that TensorFlow traces now, where one is. `began` is where in the trace the
    outermost function began: the trace, its generation, the size of its record, and the function. `trying`
    is not 0 while a branch that is not taken is tried out: nothing is written or shown then. `other_sides`
    gives the module about such branches, which few programs need; `unnamed` are the notes about those whose
    results have no name. `spoken` takes what such a branch prints, `postponed` is what is printed once the
    branch that is taken has ended, and `turns` counts those of loops over tensors. `begun` are loops that a
    tape watches. `said` takes what the trace of a data set's function prints, which is written if the trace
    succeeds. `programs` counts attempts to record a function which is called if it cannot be recorded.
    """

    depth = 0
    programs = 0
    traced = 0
    left = False
    trying = 0
    other_sides: ClassVar[Any]
    symbols: Any = None
    began: Any = None
    heard: list[Any] | None = None
    unnamed: tuple[Any, ...] = ()
    spoken: list[Any] | None = None
    said: list[Any] | None = None
    postponed: tuple[Any, ...] = ()

    def __init__(self) -> None:
        self.turns: dict[Any, int] = {}
        self.begun: dict[Any, Any] = {}

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1


inside = _Inside()


class _Again:
    """A block that runs what TensorFlow has traced by now: Python's `print` writes nothing in it."""

    def __enter__(self) -> None:
        inside.depth += 1
        inside.traced += 1

    def __exit__(self, *error: object) -> None:
        inside.depth -= 1
        inside.traced -= 1


again = _Again()


@contextlib.contextmanager
def each_time() -> Iterator[None]:
    """A block of Python that TensorFlow runs at every call, within a function too."""
    traced, inside.traced = inside.traced, 0
    try:
        with init_scope():
            yield
    finally:
        inside.traced = traced


@contextlib.contextmanager
def muted(spoken: list[Any]) -> Iterator[None]:
    """A block that is only tried out: it writes and shows nothing, and `spoken` takes what it prints."""
    before, inside.spoken = inside.spoken, spoken
    symbols, inside.symbols = inside.symbols, None
    trying = inside.trying
    inside.traced += 1
    inside.trying = inside.traced
    try:
        yield
    finally:
        inside.symbols, inside.trying, inside.spoken = symbols, trying, before
        inside.traced -= 1


class _Eagerly:
    """Whether functions run as they are written at every call: see `tf.config.run_functions_eagerly`."""

    chosen = False


eagerly = _Eagerly()


def for_each_element() -> None:
    """Raises CaptureError while a function of a data set is traced: what follows happens for each element."""
    if inside.said is not None:
        raise CaptureError("This happens for each element of a data set.")


def _print(write: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(write)
    def print(*values: Any, **options: Any) -> None:
        if inside.spoken is not None:
            inside.other_sides().hear(write, values, options)
            return
        if inside.traced:
            return
        if inside.said is not None:
            inside.said.append(([str(one) for one in values], options))
            return
        if (inside.postponed or inside.turns) and inside.other_sides().is_repeated():
            return
        if inside.heard is not None:
            inside.heard.append((write, [str(one) for one in values], options))
        write(*values, **options)

    return print


def traced_once(
    function: Callable[..., Any], described: Any = None, already: bool = False
) -> Callable[..., Any]:
    """Returns a function in which Python's `print` writes at the first call only, tensors as symbols.

    `described` are the specifications of its arguments, where they are known. A function that has been traced
    `already` writes nothing.
    """
    from penstock.tensorflow._symbols import Symbols

    print_once_per_trace()
    traced = already

    def called(*arguments: Any) -> Any:
        nonlocal traced
        if traced:
            with again:
                return function(*arguments)
        traced = True
        symbols = Symbols(inside)
        symbols.give_numbered(arguments, described)
        with symbols:
            found = function(*arguments)
        if inside.postponed or inside.turns:
            inside.other_sides().ended()
        return found

    return called


@contextlib.contextmanager
def first_call(traced: list[Any]) -> Iterator[None]:
    """The first call of a function: if it creates variables, TensorFlow traces it once more, without them."""
    inside.depth += 1
    outermost = inside.depth == 1
    before = next(serial_numbers) if outermost else 0
    if outermost:
        inside.heard = []
    try:
        yield
        if outermost and next(serial_numbers) > before + 1:
            # Variables were created.
            traced.append(traced[-1])
            for write, values, options in inside.heard or ():
                write(*values, **options)
    finally:
        inside.depth -= 1
        if outermost:
            inside.heard = None


def print_once_per_trace() -> None:
    """Lets Python's `print` write nothing in what TensorFlow would not run again: see docs/decisions/0051."""
    if getattr(builtins.print, "__wrapped__", None) is None:
        builtins.print = _print(builtins.print)


def inside_function() -> bool:
    """Returns whether a function that tf.function has made is running, or a step of `fit`.

    >>> from penstock import tensorflow as tf
    >>> tf.inside_function(), tf.function(tf.inside_function)().numpy().item()
    (False, True)
    """
    return inside.depth > 0 and not eagerly.chosen


def computes_at_once(in_call: bool) -> bool:
    """Returns whether TensorFlow would compute at once; `in_call` if a function of a data set is running."""
    return eagerly.chosen or inside.left or not (inside.depth or in_call)


@_named("tf.compat.v1.get_logger")
def get_logger() -> logging.Logger:
    """Returns the logger named "tensorflow"."""
    import logging

    return logging.getLogger("tensorflow")
