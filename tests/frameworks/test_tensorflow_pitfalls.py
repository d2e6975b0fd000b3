"""Mistakes in TensorFlow itself, from the catalogue, the pairs and the manual, and their repairs."""

import sys
from fnmatch import fnmatch
from pathlib import Path
from textwrap import dedent

import pytest

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed: make test-frameworks")
sys.path.insert(0, str(Path(__file__).parents[1]))

import pitfalls  # noqa: E402
import test_pairs as pairs  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.report.data import as_data  # noqa: E402
from penstock.flow.tensorflow_pages import TENSORFLOW_PAGES, TENSORFLOW_PROGRAMS  # noqa: E402
from penstock.frameworks.tensorflow.source import TensorFlow  # noqa: E402
from penstock.running import run_script  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Programs run in TensorFlow, with Keras' names as in a new process."""
    monkeypatch.setattr(pitfalls, "DIALECTS", dict.fromkeys(pitfalls.DIALECTS))
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(0)


# -- the catalogue ----------------------------------------------------------------------------------------


IN_TENSORFLOW = {
    "05": "nothing",  # A note: the gradient belongs to a value from before an update.
    "14": "nothing",  # A layer that a model calls without listing it.
    "28": "nothing",  # Ties between layers are not followed.
    "34": "nothing",  # A gradient that goes missing within the recorded steps.
    "35": "refused: ValueError",  # Keras does not make an optimizer in a second trace.
    "66": "nothing",  # A note: the barrier before a constant.
}
"""What is said in TensorFlow itself, where it differs from what is said on Penstock."""


@pytest.mark.parametrize("program", pitfalls.programs("tensorflow"))
def test_the_mistake_is_named_and_its_repair_is_not(program, tmp_path, monkeypatch):
    other = IN_TENSORFLOW.get(program.partition("/")[2])
    if other is not None:
        monkeypatch.setattr(pitfalls, "claims", lambda _: [other])
    pitfalls.check_wrong(program, *pitfalls.report_on(program, "wrong", tmp_path, TensorFlow()))
    tf.keras.backend.clear_session()
    pitfalls.check_right(*pitfalls.report_on(program, "right", tmp_path, TensorFlow()))


# -- pairs ------------------------------------------------------------------------------------------------

PAIRS = [one for one in pairs.PAIRS if one.vocabulary == "tensorflow" and "compat.v1" not in one.wrong]


@pytest.fixture
def check(tmp_path):
    """Runs a program under inspection; returns the report."""

    def run(text):
        tf.keras.backend.clear_session()
        file = tmp_path / "program.py"
        file.write_text(text, encoding="utf-8")
        report = inspect(str(file), lambda: run_script(str(file), None, []), source=TensorFlow())
        assert report.error is None, report.error
        return report

    return run


@pytest.mark.parametrize("pair", PAIRS, ids=lambda one: one.name)
def test_a_wrong_program_is_named_and_its_right_twin_is_left_alone(pair, check):
    found = [one for one in as_data(check(pair.wrong))["findings"] if one["code"] == pair.code]
    hits = [one for one in found if pair.guilty in (one["line"], one["cause_line"])]
    assert hits and all(one["fix"] for one in hits)
    names = [name for one in hits for name in one["variables"]]
    assert all(any(fnmatch(name, want) for want in pair.variables) for name in names)
    assert pairs.tool.without_notes(as_data(check(pair.right))["findings"]) == []


# -- the manual -------------------------------------------------------------------------------------------

PROGRAMS = {code: page[2:4] for code, page in TENSORFLOW_PAGES.items()} | TENSORFLOW_PROGRAMS


@pytest.mark.parametrize("code", PROGRAMS)
def test_the_manuals_programs_are_wrong_and_right(check, code):
    wrong, right = (check(dedent(one).lstrip()) for one in PROGRAMS[code])
    (said,) = {one for one in wrong.findings if one.code == code}
    assert said.fix and said.message.endswith(".")
    assert right.findings == []
