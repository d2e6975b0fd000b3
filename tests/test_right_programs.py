"""Right programs of many kinds, as users write them: a check runs them and finds nothing."""

from pathlib import Path

import pytest

from checking import DIALECTS, report_on

RIGHT = Path(__file__).parent / "programs" / "right"
FILES = [file for folder in DIALECTS for file in sorted((RIGHT / folder).glob("*.py"))]
UNWRITTEN = {"functional_training", "evaluate_only"}
"""Programs that hold no variable, or only read them."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_there_is_nothing_to_say_of_a_right_program(file, capsys):
    report = report_on(file, DIALECTS[file.parent.name], warns=True)
    assert [(one.code, one.severity, one.variables, str(one.site)) for one in report.findings] == []
    assert report.status == 0
    # The program was watched: there are writes, unless it has none.
    assert report.steps >= 3 or file.stem in UNWRITTEN


def test_there_are_forty():
    assert len(FILES) >= 40
    assert all(sum(one.parent.name == folder for one in FILES) >= 6 for folder in DIALECTS)
