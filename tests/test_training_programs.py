"""Random training programs: the tiers agree, whatever is held, overwritten, reset or compiled with what."""

import pytest

import training_programs
from penstock.tiers import choice, executables, one_pass, plan, run, storing
from training_programs import TrainingWriter, shrink, source

pytestmark = pytest.mark.xla


def check(seeds, tier, turns=5):
    """Runs a program for each seed; shows the first on which a tier differs from NumPy, made small."""
    for seed in seeds:
        program = TrainingWriter(seed).program(turns)
        if found := training_programs.difference(program, tier, seed):

            def wrong(less, seed=seed, begins=found[:8]):
                return (training_programs.difference(less, tier, seed) or "").startswith(begins)

            pytest.fail(f"seed {seed}: {found}\n\n{source(shrink(program, wrong))}", pytrace=False)


def test_training_programs_that_change_tiers_on_the_way(monkeypatch):
    monkeypatch.setattr(choice, "HOT_RUNS", 2)
    check(range(8), "auto")


def test_training_programs_in_which_little_is_much(monkeypatch):
    """All programs are heavy, arguments of a few bytes large, and loans few."""
    for module, name, value in [
        (choice, "HOT_RUNS", 2), (choice, "HEAVY", 60), (plan, "HEAVY", 60),
        (executables, "HEAVY", 60), (executables, "LENT", 32), (executables, "LOANS", 5),
        (one_pass, "SMALL", 1), (one_pass, "CHEAP", 0), (storing, "LARGE", 400), (storing, "MANY", 3),
    ]:  # fmt: skip
        monkeypatch.setattr(module, name, value)
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", "")
    check(range(50, 58), "auto")


def test_the_comparison_notices_arguments_in_another_order(monkeypatch):
    program = [("for i in range(3):", ["a.assign_sub(b * 0.5)", "see(a)"])]
    assert training_programs.difference(program, "xla") is None
    monkeypatch.setattr(run, "lent", lambda program, hot, arguments, own: list(arguments)[::-1])
    assert training_programs.difference(program, "xla") is not None
