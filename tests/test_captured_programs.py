"""Captured and repeated steps against an engine that calls the same function anew each time."""

import pytest

import random_programs
from captured_programs import StepWriter
from memory import forget_paths
from penstock.capture import steps
from penstock.testing import use_engine
from test_recorder import check_programs, wrong


def afresh(program):
    """Returns the defect of a program that finds no path of an earlier program."""
    forget_paths()
    return wrong(program)


@pytest.mark.parametrize("block", range(2))
def test_captured_programs_in_numpy(block):
    with use_engine("numpy"):
        check_programs(StepWriter, range(block * 120, block * 120 + 120), 6, afresh)


def test_captured_programs_in_xla():
    with use_engine("xla"):
        check_programs(StepWriter, range(10), 6, afresh)


def test_the_comparison_notices_a_step_that_does_not_look_again(monkeypatch):
    """A capture that ignores numbers and flags which have changed since must be found."""
    monkeypatch.setattr(steps, "as_captured", lambda capture: True)
    with use_engine("numpy"):
        programs = [StepWriter(seed).program(6) for seed in range(60)]
        found = [program for program in programs if afresh(program)]
        assert len(found) > 5
        small = random_programs.shrink(found[0], afresh)
        assert len(random_programs.source(small).splitlines()) <= 20
