"""Tracebacks end at the user's line: frames of Penstock are left out above one of its own messages."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType
from typing import Any

from penstock import errors
from penstock.errors import PenstockError
from penstock.trace.source_site import PACKAGE, is_library

TRACEBACK = "PENSTOCK_TRACEBACK"
"""The environment variable that keeps tracebacks whole, where it is "full"."""


def shorten(error: BaseException, kind: type[BaseException] = PenstockError) -> None:
    """Removes the frames of Penstock from the tracebacks of errors of a kind: this one, causes and context.

    Frames of the standard library go with them where Penstock called it, and so does the import machinery.
    """
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, kind):
            one.__traceback__ = _of_user(one.__traceback__)
        waiting += [one.__cause__, one.__context__]


def _of_user(traceback: TracebackType | None) -> TracebackType | None:
    """Returns a traceback with the entries of the user's program, or None if it has none."""
    entries, ours = [], False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename.startswith(PACKAGE):
            ours = True
        elif not (is_library(code) if ours else code.co_filename.startswith("<frozen importlib")):
            entries.append(traceback)
            ours = False
        traceback = traceback.tb_next
    kept = None
    for entry in reversed(entries):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def install() -> None:
    """Makes Python, its threads and IPython print errors of Penstock without the frames of Penstock.

    Other errors are printed as before: they may be a fault of Penstock. A debugger
    still finds all frames in `sys.last_traceback`.
    """
    asked = os.environ.get(TRACEBACK, "")
    if asked == "full":
        return
    if asked:
        raise PenstockError(f"{TRACEBACK} is {asked!r}.", remedy='Set it to "full", or unset it.')
    printed, printed_by_thread = sys.excepthook, threading.excepthook

    def show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        shorten(error)
        printed(kind, error, error.__traceback__ if isinstance(error, PenstockError) else traceback)

    def show_by_thread(arguments: Any) -> None:
        error = arguments.exc_value
        if error is not None:
            shorten(error)
            if isinstance(error, PenstockError):
                given = arguments.exc_type, error, error.__traceback__, arguments.thread
                arguments = type(arguments)(given)
        printed_by_thread(arguments)

    sys.excepthook, threading.excepthook = show, show_by_thread
    errors.rendered = rendered


def rendered(error: PenstockError) -> list[str]:
    """Returns the lines that IPython prints of an error, in the mode that the user has chosen for it."""
    shorten(error)
    shell: Any = sys.modules["IPython"].get_ipython()
    lines: list[str] = shell.InteractiveTB.structured_traceback(
        type(error), error, error.__traceback__, tb_offset=1
    )
    return lines


__all__ = ["install", "rendered", "shorten"]
