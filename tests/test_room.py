"""Compiled programs are released before the operating system runs out of room for another."""

import numpy as np
import pytest

import penstock as ps
from counting import count_compilations
from memory import linux
from penstock.testing import use_engine
from penstock.tiers import executable_limits as module
from penstock.tiers.executable_limits import Room, is_full
from penstock.trace.budget import budget
from penstock.trace.tree import tree
from together import in_threads, many_switches  # noqa: F401


def mappings():
    with module.MAPS.open("rb") as file:
        return sum(1 for _ in file)


@pytest.fixture
def little(tmp_path, monkeypatch):
    """A system that grants few more mappings than exist now; returns how many are left."""
    with use_engine("xla"):
        # XLA starts its threads with the first program.
        float(ps.sum(ps.asarray(np.ones(7, np.float32))))
    budget.clear()
    allowed = mappings() + 60
    most = tmp_path / "most"
    most.write_text(str(int(allowed / module.SHARE)))
    monkeypatch.setattr(module, "MOST", most)
    monkeypatch.setattr(module, "STEPS", 20)
    return allowed


def turn(weights, optimizer, rows):
    x = np.linspace(0.0, 1.0, rows * 3, dtype=np.float32).reshape(rows, 3)
    with ps.GradientTape() as tape:
        loss = ps.mean(ps.square(ps.sum(ps.asarray(x) * weights, axis=1) - 1.0))
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
    return loss


def trained(engine):
    """The weights after steps with a new shape each, in alternation with the first shape."""
    with use_engine(engine):
        weights = ps.Variable(np.zeros(3, np.float32))
        optimizer = ps.optimizers.Adam(0.1)
        for rows in range(2, 14):
            turn(weights, optimizer, rows)
            turn(weights, optimizer, 2)
        return weights.numpy()


@linux
def test_a_loop_whose_shapes_always_change_continues(little):
    found = trained("xla")
    # What is compiled between two looks comes on top.
    assert mappings() < little + 120
    np.testing.assert_allclose(found, trained("numpy"), rtol=1e-4)


@linux
def test_a_captured_step_whose_shapes_always_change_continues(little):
    def trained(engine):
        weights, optimizer = ps.Variable(np.zeros(3, np.float32)), ps.optimizers.SGD(0.1)

        @ps.step
        def step(x):
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.square(ps.sum(x * weights, axis=1) - 1.0))
            optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])

        with use_engine(engine):
            for rows in range(2, 16):
                step(ps.asarray(np.full((rows, 3), 0.5, np.float32)))
                ps.repeat(step, 2)(ps.asarray(np.full((rows, 3), 0.1, np.float32)))
            # What the step holds would be gone with it.
            taken.append(mappings())
            return weights.numpy()

    taken = []
    found = trained("xla")
    assert taken[0] < little + 120
    np.testing.assert_allclose(found, trained("numpy"), rtol=1e-4)


def test_a_dropped_program_is_compiled_again_with_the_same_result():
    def runs():
        x = ps.asarray([1.0, 2.0, 3.0])
        return (ps.exp(x) * x).numpy()

    with use_engine("xla"):
        first = runs()
        compiled, paths = count_compilations(), tree.count
        for _ in range(9):
            # Half of the compiled programs go each time, the oldest first; the newest stays.
            budget.now += 1
            budget.press()
            budget.tidy()
        assert count_compilations() <= 1 < compiled
        assert np.array_equal(runs(), first)
        assert tree.count == paths, "the path itself is still known"


def test_it_is_looked_only_after_much_was_compiled(monkeypatch):
    looks = []
    monkeypatch.setattr(module, "is_full", lambda: bool(looks.append(1)))
    with use_engine("xla"):
        float(ps.sum(ps.asarray(np.ones(77, np.float32))))
    assert not looks


def test_executables_may_come_while_others_are_weighed(monkeypatch):
    """A thread compiles without the lock under which another examines the programs."""
    monkeypatch.setattr(type(budget), "take", lambda *given: None)
    own, size = Room(), 500

    class Tenant:
        size_of_compiled, last_used = size, 0

    weighed, enough = [0], 300_000

    def enter():
        kept = []
        while weighed[0] < enough:
            kept.append(Tenant())
            own.entered(kept[-1], size)
            del kept[:-1000]

    def weigh():
        try:
            while weighed[0] < enough:
                weighed[0] += sum(1 for _ in own.weigh())
        finally:
            weighed[0] = enough

    in_threads(enter, weigh)
    assert not list(own.weigh()), "nobody holds them any more"


def test_systems_without_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", tmp_path / "none")
    assert not is_full()
