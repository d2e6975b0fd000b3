"""The README proves itself: each Python program in it runs and prints the block below it."""

import importlib
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import penstock as ps
from penstock import Absence

README = Path(__file__).parents[1] / "README.md"
PROGRAM = r"(?ms)^```python\n(?P<code>.*?)^```\n\s*(?:```text\n(?P<output>.*?)^```)?"
PROGRAMS = list(re.finditer(PROGRAM, README.read_text(encoding="utf-8")))

NUMBERS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip


def line_of(program: re.Match[str]) -> str:
    """Where in the README a program starts, to name its test."""
    return f"line{program.string.count(chr(10), 0, program.start()) + 1}"


def test_there_is_a_program():
    assert PROGRAMS


def test_each_reason_for_a_missing_gradient_is_listed():
    (listed,) = re.findall(
        r"(?s)in one of (\w+)\s+words: (.*?)\.\s+\[Each", README.read_text(encoding="utf-8")
    )
    assert re.findall(r"`(\w+)`", listed[1]) == [absence.value for absence in Absence]
    assert listed[0] == NUMBERS[len(Absence)]


def test_the_number_of_optimizers_is_right():
    kinds = [getattr(ps.optimizers, name) for name in ps.optimizers.__all__]
    rules = [one for one in kinds if inspect.isclass(one) and issubclass(one, ps.optimizers.Optimizer)]
    own = len(rules) - 1  # without the class that they all are
    assert f"{NUMBERS[own]} optimizers" in README.read_text(encoding="utf-8")


def tool():
    sys.path.insert(0, str(README.parent / "tools"))
    try:
        return importlib.import_module("write_speed")
    finally:
        sys.path.remove(str(README.parent / "tools"))


def test_the_tables_of_speed_are_what_was_measured():
    """Else: python tools/write_speed.py."""
    known = tool().records()
    for page in tool().PAGES:
        text = page.read_text(encoding="utf-8")
        assert text == tool().written(page, text, known), page.name


def test_a_table_of_speed_follows_the_record():
    def record(**medians):
        rows = [
            {
                "framework": "penstock",
                "mode": "loop",
                "runs": [{"median": 2.0}, {"median": 3.0}],
                "failure": None,
            },
            *(
                {"framework": name, "mode": "eager", "runs": [{"median": one}], "failure": None}
                for name, one in medians.items()
            ),
        ]
        return {"about": {"rounds": 2, "cores": 2, "date": "a day"}, "workloads": {"two_scalars": rows}}

    known = {"latest": record(torch=20.0), "small_steps": record(torch=1.0, paddle=1.0)}
    lines = tool().table(known, short=False).splitlines()
    assert "| two scalars, plain loop | PyTorch eager | 0.125 | 1/4 |" in lines
    assert "|  | PaddlePaddle eager | 2.50 (missed)\\* | 1/4 |" in lines
    assert "measured apart: [small_steps](../benchmarks/results/small_steps.md)" in " ".join(lines)
    assert not [line for line in lines if "TensorFlow" in line or "import" in line]
    assert "PaddlePaddle" not in tool().table(known, short=True)


@pytest.mark.parametrize("program", PROGRAMS, ids=line_of)
def test_program_prints_what_the_readme_shows(program, tmp_path):
    (tmp_path / "example.py").write_text(program["code"], encoding="utf-8")
    command = [sys.executable, "example.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Lines of the user's file are shown relative to the folder in which the program was started.
    assert done.stdout.replace(f"{tmp_path}/", "") == (program["output"] or "")


def test_outside_of_the_repository_no_link_is_relative(monkeypatch):
    pytest.importorskip("setuptools")
    given = {}
    monkeypatch.setattr("setuptools.setup", given.update)
    elsewhere = runpy.run_path(str(README.parent / "setup.py"))["elsewhere"]
    shown = given["long_description"]
    assert [target for target in re.findall(r"\]\(([^)]*)\)", shown) if "://" not in target] == []
    assert "]" not in re.sub(r"(?s)```.*?```|`[^`]*`", "", shown)
    assert "devices" in shown and len(shown) > 0.8 * len(README.read_text(encoding="utf-8"))
    # Once the project has an address, in the one place that has addresses.
    whole = elsewhere(
        "[a](docs/x.md#y) [b](https://c)", {"version": "1.2", "urls": {"Source": "https://d/e/"}}
    )
    assert whole == "[a](https://d/e/blob/v1.2/docs/x.md#y) [b](https://c)"
