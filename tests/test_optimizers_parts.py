"""Every move is a sum of named parts, and replaying them gives the new value bit for bit."""

import functools

import numpy as np
import pytest

import penstock as ps
from penstock.optimizers.attribution import completed, replay, split
from penstock.testing import use_engine
from penstock.trace.engine import engine
from test_optimizers_properties import ALL, WHOLE, data, gradients_for


def watched(act):
    """Runs `act` and returns, for each write of a variable by an optimizer, (before, parts, after)."""
    found = []

    def note(commit):
        before = {id(v): np.asarray(old) for v, old, _ in commit.writes}
        after = {id(v): np.asarray(new) for v, _, new in commit.writes}
        for node in commit.node.path():
            if node.event.kind == "apply":
                details = node.event.details
                stages = details["application"].stages
                for parts, index in zip(
                    split(node, commit.arguments, commit.known), details["variables"][: details["count"]]
                ):
                    variable = id(commit.variables[index])
                    whole = completed(before[variable], parts, after[variable], stages.overwrite is not None)
                    found.append((before[variable], whole, after[variable]))

    engine.commits.add(note)
    try:
        act()
    finally:
        engine.commits.remove(note)
    return found


OPTIONS = [
    {}, {"weight_decay": 0.1}, {"clipnorm": 0.3, "weight_decay": 0.05}, {"global_clipnorm": 0.3},
    {"clipvalue": 0.2}, {"gradient_accumulation_steps": 2}, {"loss_scale_factor": 8.0}, {"finite": "skip"},
    {"use_ema": True, "ema_overwrite_frequency": 2},
]  # fmt: skip


TURNS = 4


@functools.cache
def found_by_all(name, tier, dtype):
    """The parts of an optimizer's writes, for each set of options.

    The optimizers of all sets move separate variables in one step, which is compiled once.
    """
    with use_engine(tier):
        pairs = [[ps.Variable(data(dtype=dtype)), ps.Variable(data(1, (3,), dtype))] for _ in OPTIONS]
        made = [ALL[name](**options) for options in OPTIONS]

        def train():
            for turn in range(TURNS):
                for variables, optimizer in zip(pairs, made):
                    optimizer.learning_rate = optimizer.learning_rate * 0.9
                    optimizer.apply_gradients(zip(gradients_for(turn, variables), variables))
                ps.wait()

        found = watched(train)
    assert len(found) == TURNS * len(OPTIONS) * 2
    return [[found[i] for i in range(len(found)) if i // 2 % len(OPTIONS) == n] for n in range(len(OPTIONS))]


@pytest.mark.parametrize("number", range(len(OPTIONS)), ids=map(str, OPTIONS))
@pytest.mark.parametrize("name", ALL)
@pytest.mark.filterwarnings("ignore:.*scale_loss")
def test_replaying_the_parts_gives_the_new_value(name, number):
    options = OPTIONS[number]
    for tier, dtype in (("numpy", np.float32), ("xla", np.float32), ("numpy", np.float64)):
        found = found_by_all(name, tier, dtype)[number]
        assert len(found) == 2 * TURNS
        for before, parts, after in found:
            assert replay(before, parts).tobytes() == after.tobytes()
            # Rounding adds little, compared with the causes.
            size = sum(
                np.abs(part).max() for cause, part in parts.items() if cause not in ("rounding", "state")
            )
            small = 1e-5 if dtype == np.float32 else 1e-13
            assert np.abs(parts.get("rounding", 0.0)).max() <= small * (size + np.abs(before).max()), parts
            # Muon leaves the bias to Adam, which has a separate decay.
            decays = "weight_decay" in options and (name != "muon" or before.ndim == 2)
            wanted = {"gradient", "decay"} if decays else {"gradient"}
            assert wanted <= set(parts)


def test_the_parts_are_what_their_names_say():
    x = ps.Variable([1.0, 2.0], dtype="float64")
    optimizer = ps.optimizers.SGD(0.1, momentum=0.5, weight_decay=0.2, clipvalue=1.0)

    def train():
        for slope in ([0.5, 4.0], [0.5, 4.0]):
            optimizer.apply_gradients([(ps.asarray(np.asarray(slope)), x)])
            ps.wait(x)

    (_, first, after), (_, second, _) = watched(train)
    assert np.allclose(first["gradient"], [-0.05, -0.4]) and np.allclose(first["clip"], [0.0, 0.3])
    assert np.allclose(first["decay"], [-0.02, -0.04]) and np.allclose(first["momentum"], 0.0)
    assert np.allclose(second["momentum"], [-0.025, -0.05])
    assert np.allclose(second["decay"], after * -0.02)


@pytest.mark.parametrize("rows", ["exact", "lazy"])
@pytest.mark.parametrize("name", ALL)
def test_parts_of_rows(name, rows):
    if name in WHOLE and rows == "lazy":
        pytest.skip("refused")
    table = ps.Variable(data(5, (6, 3), np.float64))
    optimizer = ALL[name](rows=rows, global_clipnorm=1.0, weight_decay=0.1)

    def train():
        for ids in ([1, 1, 4], [2, 1]):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ps.asarray(ids), axis=0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
            ps.wait(table)

    found = watched(train)
    for before, parts, after in found:
        assert replay(before, parts).tobytes() == after.tobytes()
        size = sum(np.abs(part).max() for part in parts.values()) + np.abs(before).max()
        assert np.abs(parts.get("rounding", 0.0)).max() <= 1e-13 * size
    if rows == "lazy":
        assert (
            not found[0][1]["gradient"][[0, 2, 3, 5]].any() and not found[0][1]["decay"][[0, 2, 3, 5]].any()
        )


def test_nothing_is_recorded_for_those_who_do_not_ask():
    from penstock.trace.local import local

    x, optimizer = ps.Variable([1.0]), ps.optimizers.Adam(0.1)
    optimizer.apply_gradients([(ps.asarray([1.0]), x)])
    node = local.trace.node
    ps.wait(x)
    assert "parts" not in node.facts
