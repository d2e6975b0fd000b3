"""Ordinary runs also warn about facts that a path shows: once, in one category, then at no cost."""

import warnings
from pathlib import Path

import pytest

import penstock as ps
import processes
from counting import calls_of
from penstock.errors import UpdateWarning

TESTS = Path(__file__).parent


def training(weights, stopped):
    optimizer, numbers = ps.optimizers.SGD(0.01), [id(one) for one in stopped]

    def step():
        with ps.GradientTape() as tape:
            loss = sum(ps.sum(ps.stop_gradient(w) if id(w) in numbers else w * w) for w in weights)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    return step


@pytest.fixture
def told():
    with warnings.catch_warnings(record=True, action="always") as found:
        yield found


def test_a_gradient_that_is_none_is_reported_once_with_its_reason_on_the_users_line(told):
    weights = [ps.Variable(1.0, name=name) for name in ("good", "held")]
    step = training(weights, weights[1:])
    for _ in range(20):
        step()
    (one,) = told
    assert one.category is UpdateWarning and issubclass(UpdateWarning, UserWarning)
    assert (
        one.filename == __file__
        and "apply_gradients" in Path(__file__).read_text().splitlines()[one.lineno - 1]
    )
    assert "'held': stopped at" in str(one.message)


def test_another_path_and_another_variable_are_told_again(told):
    weights = [ps.Variable(1.0, name=name) for name in ("good", "held", "other")]
    for stopped in (weights[1:2], weights[2:], weights[1:]):
        step = training(weights, stopped)
        step()
        step()
    assert len(told) == 3


def test_a_path_that_was_judged_costs_nothing():
    weights = [ps.Variable(1.0, name=name) for name in ("good", "held")]
    steps = training(weights, []), training(weights, weights[1:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Under a profiler handles live longer, which makes another path: the first calls are not counted.
        counted = [[calls_of(lambda: [step() for _ in range(32)]) for _ in range(3)] for step in steps]  # noqa: B023
    sound, lacking = counted[0][-1], counted[1][-1]
    assert not [name for name in lacking if name.split(".")[-1] in ("reasons", "judge", "explain_value")]
    # That is the stop_gradient itself, and one look-up.
    assert sum(lacking.values()) <= sum(sound.values()) + 12 * 32


def test_a_watched_program_is_told_by_a_finding_alone(told):
    weights = [ps.Variable(1.0, name=name) for name in ("good", "held")]
    with ps.watch(*weights) as report:
        step = training(weights, weights[1:])
        for _ in range(3):
            step()
    assert "PS106" in {one.code for one in report.findings}
    assert not told


def test_it_is_turned_off_by_its_category(told):
    warnings.filterwarnings("ignore", category=UpdateWarning)
    weights = [ps.Variable(1.0, name=name) for name in ("good", "held")]
    training(weights, weights[1:])()
    assert not told


RUN = """
import contextlib, io, sys, traceback, warnings
from pathlib import Path
from penstock.cli import main
from penstock.errors import UpdateWarning

kind, folder = sys.argv[1:]
for path in sorted(Path(folder).glob("*.py")):
    told = []
    with warnings.catch_warnings(record=True) as told, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        with contextlib.suppress(SystemExit):
            main(["run", *(["--as", kind] if kind != "native" else []), str(path)])
    for one in told:
        if issubclass(one.category, UpdateWarning):
            print(path.name, one.message)
"""


# Examples are watched in test_examples.py, which finds the same absences.
@pytest.mark.parametrize("kind", ["native", "tensorflow", "paddle"])
def test_right_programs_are_not_warned_of(kind, tmp_path):
    folder = TESTS / "programs" / "right" / kind
    done = processes.run(["-c", RUN, kind, folder], tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stdout


def test_the_search_for_warnings_finds_one(tmp_path):
    (tmp_path / "wrong.py").write_text(
        "import penstock as ps\n"
        "used, unused = ps.Variable(1.0), ps.Variable(2.0)\n"
        "with ps.GradientTape() as tape:\n    loss = used * used\n"
        "slopes = tape.gradient(loss, [used, unused])\n"
        "ps.optimizers.SGD(0.1).apply_gradients(zip(slopes, [used, unused]))\n"
    )
    done = processes.run(["-c", RUN, "native", tmp_path])
    assert "wrong.py No gradient for 1 of 2 variables" in done.stdout
