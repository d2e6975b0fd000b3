"""The page on running a check: its programs print the output shown there, and its commands are accepted."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.cli import _parser, _split

PAGE = (Path(__file__).parents[1] / "docs" / "check.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"(?ms)^```python\n((?:(?!^```).)*?)^```\n\s*```text\n(.*?)^```", PAGE)
COMMANDS = re.findall(r"(?m)^(penstock .*?)(?: +#.*| > .*)?$", PAGE)


def test_there_is_something_to_run():
    assert len(PROGRAMS) == 4 and len(COMMANDS) >= 10


@pytest.mark.parametrize(("code", "output"), PROGRAMS)
def test_a_program_prints_what_the_page_shows(code, output, tmp_path):
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == (output, 0), done.stderr


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_is_taken(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in re.findall(r"[\w/]+\.(?:py|ipynb)", line):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    own, scripts, passed_on = _split(shlex.split(line)[1:])
    _parser().parse_args(own + scripts)
    assert [one for one in passed_on if one not in ("--epochs", "3")] == []
