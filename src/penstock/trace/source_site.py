"""Where in the user's program something happened: a file and a line, never one of the library's own."""

from __future__ import annotations

import os
import re
import sys
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FrameType
from weakref import ref

from penstock import errors

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "")
_STANDARD_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")
library_files: dict[str, bool] = {}
"""By file name: whether the file belongs to Penstock or the standard library."""


FILES = 10_000
"""For how many files the answer is remembered."""

Span = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Site:
    """A line of the user's program: `file` (path as Python knows it), `line` (1-based) and `function`.

    `span` is the position in the file, if it was requested: first and last line, first and last column, as
    `ast` counts. `instruction` is a weak reference to the recorded code, and the place in it: when code is
    gone, its recordings can go too.
    """

    file: str
    line: int
    function: str
    span: Span | None = field(default=None, compare=False, repr=False)
    instruction: tuple[ref[CodeType], int] | None = field(default=None, compare=False, repr=False)

    @property
    def position(self) -> Span | None:
        """The columns of the instruction, or None if they are unknown."""
        code = self.instruction[0]() if self.instruction is not None else None
        return _span(code, self.instruction[1]) if code is not None and self.instruction else self.span

    def __reduce__(self) -> tuple[object, ...]:
        # A code object cannot be pickled.
        return Site, (self.file, self.line, self.function, self.span)

    def __str__(self) -> str:
        if not self.line:
            return "an unknown line"
        between = ":" if cell_of(self.file) is None else ", line "
        return f"{display_file(self.file)}{between}{self.line}"


_CELL = re.compile(r"(?P<file>.*\.ipynb) cell (?P<number>\d+)")
"""The file names of cells when a notebook runs as a program: see `penstock.notebooks`."""


def cell_of(file: str) -> tuple[str, int] | None:
    """Returns the notebook and the number of the cell that holds code of this file name, or None.

    In a running notebook the number is that of its input, `In [3]`, and the notebook has no name.
    """
    found = _CELL.fullmatch(file)
    if found is not None:
        return found["file"], int(found["number"])
    running = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = running() if running is not None else None
    number = getattr(getattr(shell, "compile", None), "_filename_map", {}).get(file)
    return None if number is None else ("", number)


def display_file(file: str) -> str:
    """Returns the path a reader would recognise: relative to the working directory if it is below it.

    A cell of a running notebook is known by its number.
    """
    cell = cell_of(file)
    if cell is not None and not cell[0]:
        return f"cell {cell[1]}"
    try:
        below = os.path.join(os.getcwd(), "")
    except OSError:  # the working directory is gone
        return file
    return file.removeprefix(below)


def is_library(code: CodeType) -> bool:
    """Returns whether this code belongs to Penstock or the standard library rather than to the user."""
    return is_library_file(code.co_filename)


def is_library_file(file: str) -> bool:
    """Returns whether a file belongs to Penstock or the standard library."""
    found = library_files.get(file)
    if found is None:
        if len(library_files) >= FILES:
            # Cells of a notebook and generated programs have names of their own.
            library_files.clear()
        inside = file.startswith(PACKAGE) or file.startswith("<frozen")
        standard = file.startswith(_STANDARD_LIBRARY) and "site-packages" not in file
        found = library_files[file] = inside or standard
    return found


def in_folder(code: CodeType, folder: str) -> bool:
    """Returns whether this code is in a folder of this name below Penstock's own."""
    file = code.co_filename
    return file.startswith(PACKAGE) and folder in file[len(PACKAGE) :].split(os.sep)[:-1]


def user_frame(depth: int = 1) -> FrameType:
    """Returns the innermost frame, from `depth` callers up, that is the user's own."""
    frame: FrameType | None = sys._getframe(depth + 1)
    outermost = frame
    while frame is not None:
        if not is_library(frame.f_code):
            return frame
        outermost, frame = frame, frame.f_back
    assert outermost is not None
    return outermost


def site_of(frame: FrameType) -> Site:
    """Returns the site of the line that a frame is running."""
    return Site(frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name)


def recorded_at(frame: FrameType) -> Site:
    """Returns the site of the line that a frame is running, with the instruction."""
    code = frame.f_code
    return Site(code.co_filename, frame.f_lineno or 0, code.co_name, None, (ref(code), frame.f_lasti))


def here(depth: int = 1) -> Site:
    """Returns the site of the user's line that led here."""
    return site_of(user_frame(depth + 1))


def exactly_here(depth: int = 1) -> Site:
    """Returns the site of the user's line that led here, and the columns of the call."""
    return exactly_at(user_frame(depth + 1))


def exactly_at(frame: FrameType) -> Site:
    """Returns the site of the line that a frame is running, and the columns of the call."""
    code = frame.f_code
    return Site(code.co_filename, frame.f_lineno or 0, code.co_name, _span(code, frame.f_lasti))


def warn(text: str, category: type[Warning] = UserWarning, frame: FrameType | None = None) -> None:
    """Warns on the user's line, or on that of `frame`, once for each message and line."""
    frame = frame or user_frame()
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno, registry=registry)


_registry: dict[str | tuple[str, type[Warning], int], int] = {}
"""What `warnings` notes of the texts of `warn_once`, by text, category and line; it empties it itself."""
_lines: dict[tuple[str, type[Warning]], int] = {}
"""The line on which each text was last given to `warn_once`."""


def warn_once(text: str, category: type[Warning] = UserWarning, frame: FrameType | None = None) -> None:
    """Warns on the user's line, or on that of `frame`, unless the text was shown before on any line.

    So a library warns that does it on a line of its own. Filters that are set later, such as those of
    `warnings.catch_warnings`, let a text be shown again, as there.
    """
    frame = frame or user_frame()
    line, known = frame.f_lineno, _lines.get((text, category))
    if known is not None and _registry.get((text, category, known)):
        _registry[text, category, line] = 1
    _lines[text, category] = line
    warnings.warn_explicit(text, category, frame.f_code.co_filename, line, registry=_registry)


@lru_cache(1024)
def _span(code: CodeType, instruction: int) -> Span | None:
    """Returns the position of an instruction's source; a unit of code is two bytes."""
    return _positions(code)[max(instruction, 0) // 2]


@lru_cache(16)
def _positions(code: CodeType) -> list[Span]:
    return list(code.co_positions())


errors.locate = here
