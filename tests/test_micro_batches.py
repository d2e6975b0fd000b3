"""Gradients that are collected over micro-batches: mistakes are named, and right programs are left alone."""

import pytest

import micro_batches
import micro_batches_elsewhere as elsewhere
from checking import DIALECTS

HERE = [key for key in elsewhere.WRONG if key[0] in DIALECTS]
RIGHT = [key for key in elsewhere.RIGHT if key[0] in DIALECTS]


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
    findings = check(text, DIALECTS[vocabulary]).findings
    assert said(findings) == [(code, *lines_of(text))]
    assert findings[0].variables == variables and findings[0].fix


@pytest.mark.parametrize("vocabulary", ["native", "tensorflow"])
@pytest.mark.parametrize("name", micro_batches.RIGHT)
def test_a_right_program_with_held_gradients_is_left_alone(name, vocabulary, check):
    text = micro_batches.in_words(vocabulary, micro_batches.RIGHT[name])
    assert check(text, DIALECTS[vocabulary]).findings == []


@pytest.mark.parametrize("key", HERE, ids=" ".join)
def test_a_mistake_in_other_words_is_named(key, check):
    text, code = elsewhere.WRONG[key]
    text = elsewhere.program(key[0], text)
    assert said(check(text, DIALECTS[key[0]]).findings) == [(code, *lines_of(text))]


@pytest.mark.parametrize("key", RIGHT, ids=" ".join)
def test_a_right_program_in_other_words_is_left_alone(key, check):
    assert check(elsewhere.program(key[0], elsewhere.RIGHT[key]), DIALECTS[key[0]]).findings == []
