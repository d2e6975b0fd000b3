"""The catalogue of mistakes: each wrong program is named, each repaired one is not; and the table of both."""

import subprocess
import sys
from pathlib import Path

import pytest

import pitfalls

HERE = Path(__file__).parents[1]


@pytest.mark.parametrize("program", pitfalls.programs("native", "tensorflow", "paddle"))
def test_the_mistake_is_named_and_its_repair_is_not(program, tmp_path):
    pitfalls.check_wrong(program, *pitfalls.report_on(program, "wrong", tmp_path))
    pitfalls.check_right(*pitfalls.report_on(program, "right", tmp_path))


def test_every_entry_has_a_program_or_a_reason():
    written = {one.split("/")[1] for one in pitfalls.programs(*pitfalls.DIALECTS)}
    for entry, told in pitfalls.ENTRIES.items():
        silent = all(
            "nothing" in pitfalls.claims(f"{where}/{entry}")
            for where in pitfalls.DIALECTS
            if f"{where}/{entry}" in pitfalls.programs(where)
        )
        assert entry in written or told.get("why"), f"{entry} has neither a program nor a reason"
        assert not silent or told.get("why"), f"{entry} is passed over in silence, without a reason"
    assert written <= pitfalls.ENTRIES.keys()


def test_the_table_is_that_of_the_programs():
    command = [sys.executable, str(HERE / "tools" / "write_pitfalls.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
