"""Run every oracle program under TensorFlow and write down what it printed, warned about and raised.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/tensorflow_programs.py                  record all programs
    python tools/record/tensorflow_programs.py tape_used_up ... record these again, keep the others
    python tools/record/tensorflow_programs.py --check          record nothing, report what differs

Programs are `tests/oracles/programs/*.py`; the answer is `tests/oracles/tensorflow_programs.json`, in the
form that `programs.py` describes. oneDNN is off, so that numbers and messages do not depend on the processor.
Messages are kept as TensorFlow words them, with its `{{function_node ...}}` prefixes and `[Op:...] name:`
endings.
"""

<<<<<<< HEAD
import argparse
import json
import logging
import os
import re
import runpy
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from reference import ORACLES, read, versions, write

PROGRAMS = ORACLES / "programs"
RECORD = ORACLES / "tensorflow_programs.json"


class LogKeeper(logging.Handler):
    """Keep log messages in a list instead of showing them."""

    def __init__(self) -> None:
        """Start with nothing kept."""
        super().__init__()
        self.kept: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one message, unless it only says that a name is old, and where TensorFlow lies."""
        if "is deprecated" in record.getMessage():
            return
        self.kept.append({"level": record.levelname, "text": record.getMessage()})


def describe_exception(problem: BaseException, program: Path) -> dict[str, object]:
    """Name the exception's type, its message and the last line of the program that was active."""
    kind = type(problem)
    frames = traceback.extract_tb(problem.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(program)]
    return {
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "message": shortened(str(problem)),
        "line": lines[-1] if lines else None,
    }


def shortened(message: str) -> str:
    """Leave out where in TensorFlow and in this environment an error of a session came from."""
    if not message.startswith("Graph execution error:"):
        return message
    message = message.partition("\n\nOriginal stack trace for")[0]
    return re.sub(r"\AGraph execution error:.*?\nNode: [^\n]*\n", "", message, flags=re.DOTALL)


def run_here(program: Path, answer: Path) -> None:
    """Run one program in this process, its standard output going to a file, and write its record."""
    keeper = LogKeeper()
    logger = logging.getLogger("tensorflow")
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
                exception = describe_exception(problem, program)
        sys.stdout.flush()
        printed.seek(0)
        stdout = printed.read().decode().splitlines()
    record = {
        "stdout": stdout,
        "exception": exception,
        "warnings": [{"category": one.category.__name__, "text": str(one.message)} for one in caught],
        "logged": keeper.kept,
    }
    answer.write_text(json.dumps(record))


def run_apart(program: Path) -> dict[str, object]:
    """Run one program in a forked process and return its record."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "record.json"
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                run_here(program, answer)
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


def main(programs: Path = PROGRAMS, record: Path = RECORD) -> int:
    """Record or check the programs named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs to record (without .py); all when none is named")
    parser.add_argument("--check", action="store_true", help="compare with the record instead of writing it")
    chosen = parser.parse_args()

    every = {path.stem: path for path in sorted(programs.glob("*.py"))}
    unknown = [name for name in chosen.names if name not in every]
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}")
    old = read(record).get("programs", {})
    new = {}
    for name, path in every.items():
        if not chosen.names or name in chosen.names:
            new[name] = run_apart(path)
        elif name in old:
            new[name] = old[name]

    changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    print(f"{len(new)} programs, {len(changed)} differ from the record", *changed, sep="\n  ")
    if chosen.check:
        return 1 if changed else 0
    write(record, {"versions": versions(), "programs": new})
    return 0
=======
import sys
>>>>>>> 519a85f (Record 115 programs in PaddlePaddle and run them here)

from reference import versions

from programs import Framework, main

if __name__ == "__main__":
    sys.exit(main(Framework("programs", "tensorflow_programs.json", "tensorflow"), __doc__, versions()))
