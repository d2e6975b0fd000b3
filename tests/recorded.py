"""Runs programs that a real framework has run, and compares lines, exceptions, warnings and log."""

import contextlib
import io
import json
import logging
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.errors import UpdateWarning
from penstock.running import run_script

ORACLES = Path(__file__).parent / "oracles"


@dataclass(frozen=True)
class Difference:
    """An intended difference from the framework: why, and the text that Penstock prints, by line number.

    `goes_on` says after which line so many more follow, and what stands in them.
    """

    reason: str
    lines: Mapping[int, str] = field(default_factory=dict)
    goes_on: Mapping[int, tuple[int, str]] = field(default_factory=dict)


@dataclass
class Outcome:
    """What a run showed: lines printed, exception, warnings, and messages of the framework's logger."""

    stdout: list[str]
    exception: BaseException | None
    warned: list[tuple[str, str]]
    logged: list[dict[str, str]] = field(default_factory=list)


class LogKeeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.kept: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append({"level": record.levelname, "text": record.getMessage()})


@contextlib.contextmanager
def kept_log(name: str):
    keeper, logger = LogKeeper(), logging.getLogger(name)
    before, level = (logger.handlers[:], logger.propagate), logger.level
    logger.handlers[:], logger.propagate = [keeper], False
    try:
        yield keeper.kept
    finally:
        logger.handlers[:], logger.propagate = before
        # A program may have set it.
        logger.setLevel(level)


def record_in(file: str) -> dict[str, dict[str, Any]]:
    """The record of each program, by its name, from a file among the oracles."""
    return json.loads((ORACLES / file).read_text(encoding="utf-8"))["programs"]


def last_line(exception: BaseException, path: Path) -> int | None:
    frames = [
        one.lineno for one in traceback.extract_tb(exception.__traceback__) if one.filename == str(path)
    ]
    return frames[-1] if frames else None


@dataclass
class Recorded:
    """Programs, the framework's record of each (by name), and Penstock's intended differences.

    `core` gives the part of an exception's message that is about the program, `plain` the text in which it
    is looked for; `same` says whether two printed texts are the same. `different` and `reworded` list what
    is meant to differ.
    """

    dialect: str
    programs: Path
    record: Mapping[str, dict[str, Any]]
    core: Callable[[str], str]
    different: Mapping[str, Difference]
    reworded: Mapping[str, str]
    plain: Callable[[str], str] = str
    same: Callable[[list[str], list[str]], bool] = list.__eq__

    def run(self, path: Path) -> Outcome:
        printed = io.StringIO()
        with (
            kept_log(self.dialect) as logged,
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")
            exception = run_script(str(path), self.dialect, [])
        # The frameworks warn of it in the general category.
        kinds = [UserWarning if one.category is UpdateWarning else one.category for one in caught]
        warned = [(kind.__name__, str(one.message)) for kind, one in zip(kinds, caught)]
        return Outcome(printed.getvalue().splitlines(), exception, warned, logged)

    def complaints(self, name: str, outcome: Outcome) -> list[str]:
        """The unintended differences from the record."""
        wanted = self.record[name]
        found = []
        lines, printed = list(wanted["stdout"]), list(outcome.stdout)
        if name in self.different:
            for number, line in self.different[name].lines.items():
                assert line != lines[number], f"{name}: line {number} does not differ any more"
                lines[number] = line
            for number, (count, words) in self.different[name].goes_on.items():
                more = printed[number + 1 : number + 1 + count]
                del printed[number + 1 : number + 1 + count]
                if words not in "\n".join(more):
                    found.append(f"printed {more} after line {number}, which does not say {words!r}")
        if not self.same(printed, lines):
            found.append(f"printed {printed}, not {lines}")
        if wanted["exception"] is None:
            if outcome.exception is not None:
                found.append(f"raised {outcome.exception!r}")
        elif outcome.exception is None:
            found.append(f"did not raise {wanted['exception']['type']}")
        else:
            found += self.exception_complaints(name, outcome.exception, wanted["exception"])
        warned = [(one["category"], one["text"]) for one in wanted["warnings"]]
        if len(outcome.warned) != len(warned) or any(
            category != expected_category or not text.startswith(expected)
            for (category, text), (expected_category, expected) in zip(outcome.warned, warned)
        ):
            found.append(f"warned {outcome.warned}, not {warned}")
        if outcome.logged != wanted.get("logged", []):
            found.append(f"logged {outcome.logged}, not {wanted.get('logged', [])}")
        return found

    def exception_complaints(self, name: str, exception: BaseException, wanted: dict[str, Any]) -> list[str]:
        found = []
        kind = wanted["type"].rpartition(".")[2]
        if kind not in [one.__name__ for one in type(exception).__mro__]:
            found.append(f"raised {type(exception).__name__}, which is no {kind}")
        words = self.reworded.get(name, self.core(wanted["message"]))
        if words not in self.plain(str(exception)):
            found.append(f"said {self.plain(str(exception))!r}, not {words!r}")
        line = last_line(exception, self.programs / f"{name}.py")
        if line != wanted["line"]:
            found.append(f"raised in line {line}, not {wanted['line']}")
        return found
