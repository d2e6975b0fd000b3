"""Random programs and their reports: right ones get no finding, and a mistake gets its own code and line."""

import pytest

from checking import DIALECTS, report_on
from reported_programs import MISTAKES, NAMES, WRONG, Drawn

BESIDE = {
    "rebound": {"PS101"},  # the tensor that has taken the name, in a list
    "through NumPy": {"PS102"}, "before the tape": {"PS102"},  # the optimizer refuses the step
    "rounded": {"PS102"}, "stopped": {"PS102"},
}  # fmt: skip
"""By mistake: the codes of what follows from it."""


def findings(text, vocabulary, folder):
    """The findings on a program, and the numbers of its wrong lines."""
    file = folder / "program.py"
    file.write_text(text)
    report = report_on(file, DIALECTS[vocabulary], fails=None)
    return report, {number for number, line in enumerate(text.splitlines(), 1) if line.endswith(WRONG)}


def complaint(seed, vocabulary, mistake, folder):
    """What is wrong with the report on a random program, with its text; or None."""
    text = Drawn(seed, vocabulary, mistake).program()
    report, wrong = findings(text, vocabulary, folder)
    said = [(one.code, one.site and one.site.line, one.cause and one.cause.line) for one in report.findings]
    if mistake is None:
        fine = not said and report.error is None
    else:
        code = MISTAKES[mistake]
        found = [one for one in said if one[0] == code]
        fine = bool(found) and {one[0] for one in said} <= {code, *BESIDE.get(mistake, ())}
        # What runs in a function that is called before the tape is given by its own lines.
        fine = fine and (mistake == "before the tape" or all({*one[1:]} & wrong for one in found))
    return None if fine else f"seed {seed}, {vocabulary}, {mistake}: {said} {report.error}\n\n{text}"


@pytest.mark.parametrize("vocabulary", NAMES)
def test_random_right_programs_get_no_finding(vocabulary, tmp_path):
    for seed in range(12):
        assert (found := complaint(seed, vocabulary, None, tmp_path)) is None, found


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("vocabulary", NAMES)
def test_a_mistake_in_a_random_program_gets_its_own_finding(vocabulary, mistake, tmp_path):
    for seed in range(2):
        assert (found := complaint(seed, vocabulary, mistake, tmp_path)) is None, found
