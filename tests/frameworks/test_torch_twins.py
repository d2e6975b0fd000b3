"""What is said of mistakes that take a second look to see, and that nothing is said of programs like them."""

from textwrap import dedent

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from frameworks.torch_twins import HEAD, RIGHT, WRONG  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402
from penstock.running import run_script  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor", "ignore:Detected call of")


@pytest.fixture
def check(tmp_path):
    """Runs a program under inspection; returns the report."""

    def run(text):
        file = tmp_path / "train.py"
        file.write_text(HEAD + dedent(text))
        return inspect(str(file), lambda: run_script(str(file), None, []), None, source=Torch())

    return run


def marked(text, mark):
    """The line number of a mark in the program, with its head; None without one."""
    lines = (HEAD + dedent(text)).splitlines()
    return next((number for number, line in enumerate(lines, 1) if mark in line), None)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_with_its_line_and_its_cause(check, name):
    text, code, variables = WRONG[name]
    report = check(text)
    assert report.error is None, report.error
    said = [
        (one.code, one.variables, one.site.line, one.cause.line)
        for one in report.findings
        if one.severity != "note"
    ]
    here = marked(text, "# here")
    assert said == [(code, variables, here, marked(text, "# cause") or here)]


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_get_no_findings(check, name):
    report = check(RIGHT[name])
    assert report.error is None, report.error
    assert [(one.code, one.message) for one in report.findings if one.severity != "note"] == []
