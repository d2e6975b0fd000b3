"""Run programs under the framework they are written for, and write down what they printed and raised.

Each program runs in a process of its own, forked from one that has imported the framework and done nothing
with it. The record of a program holds

    stdout            lines printed
    exception         null, or type (qualified), message and line (of the program, where it was raised)
    warnings          Python warnings: category and text; each place warns once, as Python does by default
    logged            messages of the framework's logger: level and text; left out if it has none
"""

import argparse
import json
import logging
import os
import runpy
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from records import ORACLES, read, write


@dataclass(frozen=True)
class Framework:
    """Where the programs of a framework lie, where their record goes, and the name of its logger.

    Log messages in which `unsaid` stands are not kept; `shortened` leaves out of a message what says nothing
    of the program.
    """

    folder: str
    record: str
    logger: str | None = None
    unsaid: str | None = None
    shortened: Callable[[str], str] = str

    @property
    def programs(self) -> Path:
        """The folder of the programs."""
        return ORACLES / self.folder

    @property
    def answers(self) -> Path:
        """The file of the record."""
        return ORACLES / self.record


class LogKeeper(logging.Handler):
    """Keep log messages in a list instead of showing them."""

    def __init__(self, unsaid: str | None) -> None:
        """Start with nothing kept."""
        super().__init__()
        self.unsaid = unsaid
        self.kept: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one message, unless it only says what is not to be kept."""
        if self.unsaid is not None and self.unsaid in record.getMessage():
            return
        self.kept.append({"level": record.levelname, "text": record.getMessage()})


def describe_exception(
    problem: BaseException, program: Path, shortened: Callable[[str], str]
) -> dict[str, object]:
    """Name the exception's type, its message and the last line of the program that was active."""
    kind = type(problem)
    frames = traceback.extract_tb(problem.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(program)]
    return {
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "message": shortened(str(problem)),
        "line": lines[-1] if lines else None,
    }


def run_here(framework: Framework, program: Path, answer: Path) -> None:
    """Run one program in this process, its standard output going to a file, and write its record."""
    keeper = LogKeeper(framework.unsaid)
    if framework.logger is not None:
        logger = logging.getLogger(framework.logger)
        logger.handlers[:] = [keeper]
        logger.propagate = False
    exception = None
    with tempfile.TemporaryFile() as printed:
        sys.stdout.flush()
        os.dup2(printed.fileno(), sys.stdout.fileno())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                runpy.run_path(str(program), run_name="__main__")
            except Exception as problem:
                exception = describe_exception(problem, program, framework.shortened)
        sys.stdout.flush()
        printed.seek(0)
        stdout = printed.read().decode().splitlines()
    record = {
        "stdout": stdout,
        "exception": exception,
        "warnings": [{"category": one.category.__name__, "text": str(one.message)} for one in caught],
    }
    if framework.logger is not None:
        record["logged"] = keeper.kept
    answer.write_text(json.dumps(record))


def run_apart(framework: Framework, program: Path) -> dict[str, object]:
    """Run one program in a forked process and return its record."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "record.json"
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                run_here(framework, program, answer)
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"{program.name}: the process that ran it ended with status {status}")
        text = answer.read_text()
    for private in (str(Path.home()), sys.prefix, str(ORACLES.parent)):
        if private in text:
            raise SystemExit(f"{program.name}: its record would contain the path {private}")
    return json.loads(text)


def main(framework: Framework, description: str, versions: dict[str, str]) -> int:
    """Record or check the programs named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs to record (without .py); all when none is named")
    parser.add_argument("--check", action="store_true", help="compare with the record instead of writing it")
    chosen = parser.parse_args()

    every = {path.stem: path for path in sorted(framework.programs.glob("*.py"))}
    unknown = [name for name in chosen.names if name not in every]
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}")
    old = read(framework.answers).get("programs", {})
    new = {}
    for name, path in every.items():
        if not chosen.names or name in chosen.names:
            new[name] = run_apart(framework, path)
        elif name in old:
            new[name] = old[name]

    changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    print(f"{len(new)} programs, {len(changed)} differ from the record", *changed, sep="\n  ")
    if chosen.check:
        return 1 if changed else 0
    write(framework.answers, {"versions": versions, "programs": new})
    return 0
