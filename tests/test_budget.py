"""The budget of recorded and compiled programs: how many stay, which go first, and results stay the same."""

import gc
import os
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import penstock as ps
from counting import count_compilations
from memory import bounded, forget_paths
from penstock.errors import PenstockError
from penstock.testing import use_engine
from penstock.tiers import choice, xla
from penstock.tiers.executable_limits import room
from penstock.tiers.program import _runs_before, programs
from penstock.trace.budget import DEFAULT, budget, read_limit
from penstock.trace.engine import engine
from penstock.trace.recorder import tidy
from penstock.trace.tree import tree

LITTLE = 64_000


def data(length, width=2):
    return ps.asarray(np.linspace(0.0, 1.0, length * width, dtype=np.float32).reshape(length, width))


def scaled(length):
    return (ps.exp(data(length)) * 0.5).numpy()


def trained(lengths, captured=False, rates=True):
    """The weights, bit for bit, after steps of these lengths, each with its own learning rate."""
    weights, optimizer = ps.Variable([0.5, -0.5]), ps.optimizers.Adam(0.1)

    def step(x):
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.square(ps.sum(x * weights, axis=1) - 1.0))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    step = ps.step(step) if captured else step
    losses = []
    for turn, length in enumerate(lengths):
        if rates:
            optimizer.learning_rate = 0.1 / (turn + 1)
        losses.append(step(data(length)))
    return [weights.numpy().tobytes(), *(loss.numpy().tobytes() for loss in losses)]


# -- how much ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"), [("1000", 1000), ("64KiB", 64 << 10), (" 3 MiB ", 3 << 20), (DEFAULT, 1 << 30)]
)
def test_a_limit_is_read(text, size):
    assert read_limit(text) == size


@pytest.mark.parametrize("text", ["", "much", "-5MiB", "3MB", "1.5GiB"])
def test_a_limit_that_is_none_is_refused_by_name(text):
    with pytest.raises(PenstockError, match="PENSTOCK_CACHE") as caught:
        read_limit(text)
    assert repr(text) in str(caught.value) and DEFAULT in str(caught.value)


def test_the_environment_sets_the_limit_and_statistics_tell_it():
    program = "import penstock as ps; print(ps.trace_statistics().limit_bytes)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PENSTOCK_CACHE": "48MiB"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == 48 << 20


@pytest.mark.parametrize("captured", [False, True], ids=["plain", "captured"])
def test_recordings_are_about_as_large_as_they_say(captured):
    trained(range(1, 5), captured)
    with use_engine("numpy"), bounded(1 << 30):
        tracemalloc.start()
        try:
            gc.collect()
            kept, before = budget.recorded.taken, tracemalloc.get_traced_memory()[0]
            trained(range(5, 105), captured, rates=False)
            gc.collect()
            said, taken = budget.recorded.taken - kept, tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
    assert 0.5 * taken < said < 2.0 * taken


def test_recordings_stay_within_the_limit():
    with use_engine("numpy"), bounded(16 << 20):
        for length in range(1, 300):
            trained([length], rates=False)
        statistics = ps.trace_statistics()
        assert statistics.limit_bytes == 16 << 20
        assert 1 << 20 < statistics.recorded_bytes < 3 << 20
        assert 10 < len(programs) < 200


def test_programs_are_bounded_where_nothing_else_of_the_engine_is_loaded():
    program = """
import numpy as np
import penstock as ps
from penstock.tiers.program import programs
from penstock.trace.budget import budget
x = ps.Variable([1.0, 2.0])
for length in range(1, 400):
    with ps.GradientTape() as tape:
        loss = ps.sum(ps.exp(ps.asarray(np.ones((length, 2), np.float32)) * x))
    x.assign(x * 0.5 + 0.0 * tape.gradient(loss, x))
print(len(programs), budget.recorded.taken)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PENSTOCK_CACHE": "8MiB"},
        capture_output=True,
        text=True,
        check=True,
    )
    kept, taken = map(int, done.stdout.split())
    assert kept < 100
    assert taken < 2 << 20


# -- the order of eviction -----------------------------------------------------------------------------------


def test_the_least_recently_used_executable_goes_first():
    with use_engine("xla"), bounded(1 << 30):
        for length in (5, 6, 7):
            scaled(length)
        scaled(5)
        size = budget.compiled.taken // count_compilations()
        budget.limit = int((2.7 * size) / budget.compiled.part)
        budget.due = True
        tidy()
        before = ps.trace_statistics().compilations
        scaled(7), scaled(5)
        assert ps.trace_statistics().compilations == before
        scaled(6)
        assert ps.trace_statistics().compilations == before + 1


def test_programs_that_a_loop_uses_are_never_released():
    with use_engine("xla"), bounded(24 << 20):
        scaled(3)
        before = ps.trace_statistics().compilations
        for length in range(10, 60):
            with use_engine("numpy"):
                trained([length], rates=False)
            scaled(3)
        assert ps.trace_statistics().compilations == before


def test_paths_of_code_that_is_gone_go_first(monkeypatch):
    monkeypatch.setattr("penstock.trace.budget.LOOK", 10_000)
    source = "for turn in range(2):\n    (ps.exp(x) * 0.5).numpy()"
    names = {"ps": ps, "x": data(3)}
    with use_engine("numpy"), bounded(1 << 30):
        scaled(4)
        known = len(tree.sources)
        for _ in range(200):
            exec(compile(source, "<cell>", "exec"), names)
        assert len(tree.sources) < known + 30
        nodes = ps.trace_statistics().nodes
        scaled(4)
        assert ps.trace_statistics().nodes == nodes, "the path of code that is still there is known"


# -- results stay the same -----------------------------------------------------------------------------------


@pytest.mark.parametrize("captured", [False, True], ids=["plain", "captured"])
@pytest.mark.parametrize("tier", ["numpy", "auto"])
def test_results_are_the_same_bit_for_bit(captured, tier, monkeypatch):
    """Numbers that vary stay arguments and runs stay counted, so that no step is computed in another tier."""
    monkeypatch.setattr(choice, "HOT_RUNS", 2)
    lengths = [3, 3, 4, 4, 5, 5, 6, 6] * 4
    with use_engine(tier):
        found = []
        for limit in (1 << 30, LITTLE):
            forget_paths()
            with bounded(limit):
                programs.clear()
                _runs_before.clear()
                found.append(trained(lengths, captured))
        assert found[0] == found[1]


@pytest.mark.xla
def test_a_program_that_was_dropped_goes_on_counting(monkeypatch):
    monkeypatch.setattr(choice, "HOT_RUNS", 4)
    with use_engine("auto"), bounded(1 << 30):
        x = ps.Variable(np.ones(41, np.float32))
        before = ps.trace_statistics().compilations
        for turn in range(5):
            (ps.exp(x) * 0.25).numpy()
            assert ps.trace_statistics().compilations == before + (turn == 4)
            if turn == 2:
                budget.clear()


def test_a_recording_goes_on_when_everything_is_dropped():
    with use_engine("numpy"):
        x = ps.Variable([1.0, 2.0])
        for _ in range(3):
            with ps.GradientTape() as tape:
                y = x * x
                budget.clear()
                z = ps.sum(y * x)
            budget.clear()
            assert tape.gradient(z, x).numpy().tolist() == [3.0, 12.0]
            tape = None
        step = ps.step(lambda rate: x.assign(x * rate))
        for rate in (2.0, 0.5, 1.0):
            step(rate)
            budget.clear()
        assert x.numpy().tolist() == [1.0, 2.0]


def test_everything_is_dropped_in_the_middle_of_a_run():
    with use_engine("xla"):
        x = ps.Variable([1.0, 2.0])
        step = ps.step(lambda: x.assign(x * 2.0))
        with engine.commits.joined_by(lambda commit: budget.clear()):
            for _ in range(3):
                step()
                x.assign(x - 1.0)
                assert np.isfinite(x.numpy()).all()
        step()
    assert x.numpy().tolist() == [2.0, 18.0]


@pytest.mark.parametrize("captured", [False, True], ids=["plain", "captured"])
def test_a_program_that_is_dropped_right_after_its_compilation_counts_nevertheless(captured, monkeypatch):
    """While no thread holds the lock, another may release the program that this one is about to launch."""
    made = xla.executable

    def executable(program, donated, *more):
        found = made(program, donated, *more)
        budget.clear()
        return found

    with use_engine("xla"):
        x = ps.Variable([1.0, 2.0])

        def triple():
            x.assign(x * 3.0)
            return x + 1.0

        run = ps.step(triple) if captured else triple
        budget.clear()
        monkeypatch.setattr(xla, "executable", executable)
        result = run().numpy()
        assert result.tolist() == [4.0, 7.0]
        assert sum(size for _, size, _ in room.weigh()) > 0


def test_threads_that_release_each_others_paths_compute_the_same():
    wanted = {length: scaled(length).tobytes() for length in range(2, 30)}
    wrong = []

    def work(first):
        for turn in range(60):
            length = 2 + (first + turn) % 28
            if scaled(length).tobytes() != wanted[length]:
                wrong.append(length)

    with use_engine("numpy"), bounded(LITTLE):
        threads = [threading.Thread(target=work, args=(7 * i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not wrong
