"""Gradients that are collected over micro-batches: mistakes are named, and right programs are left alone."""

import contextlib
import io
import linecache
import warnings

import pytest

import micro_batches
import micro_batches_elsewhere as elsewhere
from penstock.flow.check import inspect
from penstock.running import run_script

DIALECTS = {"native": None, "tensorflow": "tensorflow", "tensorflow1": "tensorflow", "paddle": "paddle"}
HERE = [key for key in elsewhere.WRONG if key[0] in DIALECTS]
RIGHT = [key for key in elsewhere.RIGHT if key[0] in DIALECTS]


@pytest.fixture
def check(tmp_path):
    """Checks a program given as text; returns its findings."""

    def run(text, vocabulary):
        file = tmp_path / "train.py"
        file.write_text(text)
        linecache.clearcache()
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            report = inspect(str(file), lambda: run_script(str(file), DIALECTS[vocabulary], []))
        assert report.error is None, report.error
        return report.findings

    return run


def marked(text, mark):
    """The number of the line with a mark; None without one."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if mark in line), None)


def lines_of(text):
    """The lines of the finding and of its cause that a program announces."""
    here = marked(text, "# here")
    return here, marked(text, "# cause") or here


def said(findings):
    return [(one.code, one.site.line, one.cause.line) for one in findings]


@pytest.mark.parametrize("vocabulary", ["native", "tensorflow"])
@pytest.mark.parametrize("name", micro_batches.WRONG)
def test_a_mistake_with_held_gradients_is_named(name, vocabulary, check):
    text, code, variables = micro_batches.WRONG[name]
    text = micro_batches.in_words(vocabulary, text)
    findings = check(text, vocabulary)
    assert said(findings) == [(code, *lines_of(text))]
    assert findings[0].variables == variables and findings[0].fix


@pytest.mark.parametrize("vocabulary", ["native", "tensorflow"])
@pytest.mark.parametrize("name", micro_batches.RIGHT)
def test_a_right_program_with_held_gradients_is_left_alone(name, vocabulary, check):
    assert check(micro_batches.in_words(vocabulary, micro_batches.RIGHT[name]), vocabulary) == []


@pytest.mark.parametrize("key", HERE, ids=" ".join)
def test_a_mistake_in_other_words_is_named(key, check):
    text, code = elsewhere.WRONG[key]
    text = elsewhere.program(key[0], text)
    assert said(check(text, key[0])) == [(code, *lines_of(text))]


@pytest.mark.parametrize("key", RIGHT, ids=" ".join)
def test_a_right_program_in_other_words_is_left_alone(key, check):
    assert check(elsewhere.program(key[0], elsewhere.RIGHT[key]), key[0]) == []
