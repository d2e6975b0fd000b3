"""Micro-batches in PyTorch itself: mistakes are named, and right programs are left alone."""

import sys
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")
sys.path.insert(0, str(Path(__file__).parents[1]))

import micro_batches_elsewhere as elsewhere  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402
from penstock.running import run_script  # noqa: E402

WRONG = [name for vocabulary, name in elsewhere.WRONG if vocabulary == "torch"]
RIGHT = [name for vocabulary, name in elsewhere.RIGHT if vocabulary == "torch"]


@pytest.fixture
def check(tmp_path):
    """Checks a program given as text; returns code, line and line of the cause of each finding."""

    def run(text):
        file = tmp_path / "train.py"
        file.write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
        assert report.error is None, report.error
        return [(one.code, one.site.line, one.cause.line) for one in report.findings]

    return run


def marked(text, mark):
    """The number of the line with a mark; None without one."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if mark in line), None)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named(name, check):
    text, code = elsewhere.WRONG["torch", name]
    text = elsewhere.program("torch", text)
    here = marked(text, "# here")
    assert check(text) == [(code, here, marked(text, "# cause") or here)]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_left_alone(name, check):
    assert check(elsewhere.program("torch", elsewhere.RIGHT["torch", name])) == []
