"""The README proves itself: each Python program in it runs and prints the block that stands under it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock import Absence

README = Path(__file__).parents[1] / "README.md"
PROGRAM = r"(?ms)^```python\n(?P<code>.*?)^```\n\s*(?:```text\n(?P<output>.*?)^```)?"
PROGRAMS = list(re.finditer(PROGRAM, README.read_text(encoding="utf-8")))


def line_of(program: re.Match[str]) -> str:
    """Where in the README a program starts, to name its test."""
    return f"line{program.string.count(chr(10), 0, program.start()) + 1}"


def test_there_is_a_program():
    assert PROGRAMS


def test_each_reason_for_a_missing_gradient_is_listed():
    listed = re.findall(r"(?m)^\| `(\w+)` \| ", README.read_text(encoding="utf-8"))
    assert listed == [absence.value for absence in Absence]


@pytest.mark.parametrize("program", PROGRAMS, ids=line_of)
def test_program_prints_what_the_readme_shows(program, tmp_path):
    (tmp_path / "example.py").write_text(program["code"], encoding="utf-8")
    command = [sys.executable, "example.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Lines of the user's file are shown relative to where the program was started.
    assert done.stdout.replace(f"{tmp_path}/", "") == (program["output"] or "")
