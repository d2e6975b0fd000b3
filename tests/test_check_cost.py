"""What a check costs: a path is judged once, and a step that comes again costs the same few calls."""

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from counting import calls_of
from penstock.cli import main
from penstock.flow import conservation, sampling
from penstock.flow.inspection import Inspection
from penstock.flow.laps import Laps
from penstock.flow.recorder import Recorder
from penstock.flow.report.moved import verdict
from penstock.flow.steps import Steps
from penstock.trace.source_site import Site

ROOT = Path(__file__).parents[1]


def training():
    weights = [ps.Variable([1.0, 2.0], name=f"w{k}") for k in range(3)]
    optimizer = ps.optimizers.Adam(0.01)

    def step():
        with ps.GradientTape() as tape:
            loss = sum(ps.sum(ps.square(w - 3.0)) for w in weights)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    return step


@pytest.mark.parametrize("split", [False, True])
def test_steps_that_come_again_cost_the_same_and_judge_nothing(split):
    stretch = 4 * sampling.RARE
    with Inspection(Recorder(split)):
        step = training()
        for _ in range(64 * sampling.RARE + 40):
            step()

        def some():
            for _ in range(stretch):  # a whole number of the periods in which one write is measured
                step()

        # Under a profiler handles live longer, which makes another path.
        _, _, first, second = (calls_of(some) for _ in range(4))
    assert first == second
    for word in ("PathFacts", "_build", "term_facts", "barrier_facts", "judge", "_worked_out"):
        assert not [name for name in first if word in name.split(".")], word
    if not split:
        per_step = sum(first.values()) / stretch
        plain = training()
        for _ in range(100):
            plain()
        bare = sum(calls_of(lambda: [plain() for _ in range(stretch)]).values()) / stretch
        # Three variables, and seven that Adam keeps: less than thirteen calls for each, sizes included.
        assert per_step - bare < 13 * 10


class Write:
    def __init__(self, site, uid, event, numbers_steps=True):
        self.site, self.uid, self.event, self.numbers_steps, self.step = site, uid, event, numbers_steps, 0


@pytest.mark.parametrize("seed", range(60))
def test_steps_are_numbered_as_if_nothing_were_remembered(seed):
    draw = random.Random(seed)
    sites = [Site("train.py", line, "") for line in range(1, 5)]
    runs = []
    for _ in range(4):
        events = [
            (draw.choice(sites), draw.sample(range(4), draw.randint(1, 3))) for _ in range(draw.randint(1, 4))
        ]
        runs.append([
            (site, uid, number, draw.random() < 0.9)
            for number, (site, uids) in enumerate(events)
            for uid in uids
        ])  # fmt: skip
    told, expected = [], []
    quick, slow = (
        Steps(lambda keys, step: told.append((keys, step))),
        Steps(lambda keys, step: expected.append((keys, step))),
    )
    for turn in range(60):
        run = draw.choice(runs) if turn > 30 else runs[turn % 2]
        one, other = [Write(*write) for write in run], [Write(*write) for write in run]
        slow._turns.clear()
        assert [it.step for it in quick.along(one)] == [it.step for it in slow.along(other)]
        assert (quick.count, quick._present, quick._past) == (slow.count, slow._present, slow._past)
        if draw.random() < 0.05:
            quick.forget(0)
            slow.forget(0)
    assert told == expected


def test_changes_that_are_not_measured_are_stood_for(monkeypatch):
    with Inspection(Recorder()) as seen:
        w, large = ps.Variable(0.0, name="w"), ps.Variable(ps.zeros((sampling.LARGE + 1,)), name="large")
        for turn in range(1000):
            # Early changes are measured more often, and must not weigh more.
            w.assign_add(4.0 if turn < 500 else 2.0)
            large.assign(large + 1.0)
        seen.finish()
    report = seen.report("train.py", None)
    by_path = {one.path: next(iter(one.writers.values())) for one in report.subjects}
    assert by_path["w"].times == by_path["large"].times == 1000
    assert by_path["w"].mean == pytest.approx(3.0, rel=0.02)
    assert by_path["w"].total == pytest.approx(3000.0, rel=0.02)
    assert by_path["large"].mean == pytest.approx((sampling.LARGE + 1) ** 0.5)


@pytest.mark.parametrize("count", [300, 700, 1500])
def test_the_mean_of_changes_that_fall_is_near_the_true_one(count):
    with Inspection(Recorder()) as seen:
        w = ps.Variable(0.0, name="w")
        for turn in range(count):
            w.assign_add(0.995**turn)
        seen.finish()
    (subject,) = seen.report("train.py", None).subjects
    (writer,) = subject.writers.values()
    assert writer.mean == pytest.approx((1 - 0.995**count) / 0.005 / count, rel=0.02)


def test_a_split_examines_few_passes_and_still_sees_an_unrecorded_change():
    with Inspection(Recorder(True)) as seen:
        step = training()
        w = ps.Variable([0.0], name="mine")
        for turn in range(200):
            step()
            w.assign_add([1.0])
            if turn == 150:
                w.numpy()
                w._value = w._value + 5.0
        seen.finish()
    report = seen.report("train.py", None)
    law = report.conservation
    assert law.passed_over > law.writes > conservation.WHOLE
    assert [one.subject.path for one in law.unrecorded] == ["mine"]
    assert f"Replayed {law.writes} of {law.writes + law.passed_over} writes" in verdict(law)
    (writer,) = next(one for one in report.subjects if one.path == "mine").writers.values()
    assert writer.means["assign"] == pytest.approx(1.0)


class Drawn:
    """A program of some loops over some lines, the same however it is watched."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.weights = [ps.Variable([1.0, 2.0 + k], name=f"w{k}") for k in range(3)]
        self.count = ps.Variable(0.0, name="count", trainable=False)
        self.table = ps.Variable(ps.ones((6, 2)), name="table")
        self.optimizers = [ps.optimizers.Adam(0.01), ps.optimizers.SGD(0.01)]

    def one(self, weights, optimizer):
        with ps.GradientTape() as tape:
            loss = sum(ps.sum(ps.square(w - 3.0)) for w in weights)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    def rows(self, _):
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.square(ps.take(self.table, ps.asarray([0, 2, 2]), axis=0)))
        self.optimizers[1].apply_gradients([(tape.gradient(loss, [self.table])[0], self.table)])

    def counted(self, _):
        self.one(self.weights[:2], self.optimizers[0])
        self.count.assign_add(1.0)

    def looked(self, turn):
        loss = self.one(self.weights[:2], self.optimizers[0])
        if not turn % 3:
            float(loss)

    def turns(self, _):
        self.one(self.weights[:1], self.optimizers[0])
        self.one(self.weights[1:], self.optimizers[1])

    def back(self, _):
        before = self.weights[2].numpy()
        self.one(self.weights, self.optimizers[1])
        self.weights[2].assign(before)

    def evaluated(self, _):
        ps.sum(self.weights[0]).numpy()

    def made(self, turn):
        if not turn % 50:
            self.weights[2] = ps.Variable([0.5, 0.5], name="w2")
        self.one(self.weights[2:], self.optimizers[1])

    def run(self):
        loops = [self.rows, self.counted, self.looked, self.turns, self.back, self.evaluated, self.made]
        for _ in range(4):
            chosen = self.draw.sample(loops, self.draw.randint(1, 2))
            for turn in range(self.draw.randint(30, 400)):
                for loop in chosen:
                    loop(turn)


@pytest.mark.parametrize(("seed", "split"), [(seed, seed % 2 > 0) for seed in range(10)])
def test_a_report_is_the_same_whether_passes_are_described_or_counted(seed, split, monkeypatch):
    found = []
    for often in (3, 3):
        monkeypatch.setattr(sampling, "OFTEN", often)
        if found:
            monkeypatch.setattr(Laps, "begin", lambda *arguments: None)
        with Inspection(Recorder(split)) as seen:
            Drawn(seed).run()
            seen.finish()
        report = seen.report("train.py", None)
        told = [one.message for one in report.findings], [one.rows for one in report.unread]
        found.append(
            [report.steps, *told]
            + [
                (
                    one.path, one.bits, one.gradient, one.gone, one.trained_last, one.owner,
                    [(by.by, by.times, by.idle, by.last, by.undone) for by in one.writers.values()],
                    {(first[1].line, second[1].line): many for (first, second), many in one.together.items()},
                )
                for one in report.subjects
            ]
            + [sorted(seen.measuring._counts.values())]
        )  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.parametrize("at", [3, 300, 333, 400])
def test_the_step_that_lost_a_value_is_found_though_it_was_only_counted(at):
    with Inspection(Recorder()) as seen:
        weight, data = ps.Variable([1.0, 2.0], name="weight"), ps.Variable(1.0, name="data", trainable=False)
        optimizer = ps.optimizers.SGD(0.001)
        for turn in range(1, 401):
            if turn in (at, at + 1):
                data._value = data._value * 0 + (-1.0 if turn == at else 1.0)
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.log(data) * ps.square(weight))
            optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        seen.finish()
    (found,) = [one for one in seen.report("train.py", None).findings if one.code == "PS407"]
    assert f"step {at}" in found.message and "log" in found.message, found.message


def test_a_lap_costs_the_same_however_many_variables_are_written():
    def extra(count):
        def training():
            weights = [ps.Variable([1.0, 2.0], name=f"w{k}") for k in range(count)]
            optimizer = ps.optimizers.Adam(0.01)

            def step():
                with ps.GradientTape() as tape:
                    loss = sum(ps.sum(ps.square(w - 3.0)) for w in weights)
                optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

            return step

        def calls():
            step = training()
            for _ in range(sampling.OFTEN + 40):
                step()
            return calls_of(lambda: [step() for _ in range(64)])

        bare = calls()
        with Inspection(Recorder()):
            seen = calls()
        return Counter({name: (seen[name] - bare[name]) / 64 for name in seen if seen[name] > bare[name]})

    few, many = extra(2), extra(12)
    assert sum(few.values()) < 60
    # A look at each weight, whether it is finite, and in one step of 16 the account of what it and its two
    # moments wrote.
    assert (sum(many.values()) - sum(few.values())) / 10 < 8


def test_the_help_states_the_measured_cost(capsys):
    rows = json.loads((ROOT / "benchmarks/results/check.json").read_text())["microseconds"].values()
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    for kind in ("split", "deep"):
        ratios = [row[kind] / row["plain"] for row in rows]
        assert f"{min(ratios):.1f} to {max(ratios):.1f} times as long as in the plain run" in said


def test_deep_takes_costly_measurements_as_often_as_a_plain_check(monkeypatch):
    def measured(step, variable):
        with Inspection(Recorder(), deep=True) as inspection:
            for _ in range(20):
                step()
            ps.wait(variable)
            (size,) = inspection.measuring.sizes.values()
        return size.times

    small, large = ps.Variable(np.ones(4)), ps.Variable(np.ones(5))

    def descend(variable):
        with ps.GradientTape() as tape:
            loss = ps.sum(variable * variable)
        variable.assign_sub(0.01 * tape.gradient(loss, variable))

    monkeypatch.setattr(sampling, "HUGE", 4)
    assert measured(lambda: descend(small), small) == 20
    assert 1 < measured(lambda: descend(large), large) < 10


def described(step, times):
    """How many of these runs the recorder describes, which costs memory of its own for each written value."""
    with Inspection(Recorder()) as seen, pytest.MonkeyPatch.context() as patch:
        passed, count = Inspection.passed, []
        patch.setattr(Inspection, "passed", lambda *given: count.append(1) or passed(*given))
        for _ in range(times):
            step()
        seen.finish()
    return len(count)


def test_rows_of_a_large_table_are_updated_in_place_under_a_check():
    table = ps.Variable(np.ones((sampling.HUGE // 4 + 1, 4), np.float32), name="table")
    optimizer, ids = ps.optimizers.SGD(0.1), ps.asarray([1, 2, 2])

    def step():
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.square(ps.take(table, ids, axis=0)))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    assert described(step, 40) < 8


@pytest.mark.parametrize("elements, least, most", [(4, 256, 300), (20, 32, 80)])
def test_collected_gradients_of_large_weights_are_followed_for_few_runs(monkeypatch, elements, least, most):
    monkeypatch.setattr(sampling, "LARGE", 1)
    monkeypatch.setattr(sampling, "HUGE", 10)
    weight = ps.Variable(np.ones((elements,), np.float32), name="weight")
    held = ps.Variable(np.zeros((elements,), np.float32), name="held", trainable=False)
    optimizer = ps.optimizers.SGD(0.1)

    def step():
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.square(weight))
        held.assign_add(tape.gradient(loss, weight))
        ps.wait()
        optimizer.apply_gradients([(held, weight)])
        held.assign(ps.zeros_like(held))
        ps.wait()

    assert least <= described(step, 200) <= most


def test_the_statistics_of_a_layer_are_not_computed_again(monkeypatch):
    asked = []
    monkeypatch.setattr("penstock.flow.writes.Written.settles", lambda self: asked.append(self.uid))
    layer, w = ps.layers.BatchNormalization(), ps.Variable([1.0, 2.0], name="w")
    optimizer, x = ps.optimizers.SGD(0.1), ps.asarray([[1.0, 2.0], [3.0, 5.0]])
    with Inspection(Recorder()) as seen:
        for _ in range(4):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.square(layer(x * w, training=True)))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            w.assign(ps.clip(w, 0.0, 1.0))
        seen.finish()
    assert asked == [w._uid] * 4


@pytest.mark.xla
@pytest.mark.parametrize("heavy", [False, True])
def test_gradients_are_measured_in_the_same_steps_whichever_tier_runs_them(monkeypatch, heavy):
    from penstock.flow import recording
    from penstock.testing import use_engine

    def measured(name):
        with use_engine(name), Inspection(Recorder()) as seen:
            step = training()
            for _ in range(20):
                step()
            seen.finish()
        return [(one.subject.path, sorted(one.steps)) for one in seen.measuring.sizes.values()]

    # More work than a path of three small weights has, or less.
    monkeypatch.setattr(recording, "HEAVY", 10 if heavy else 10**6)
    by_numpy, by_xla, by_counts = (measured(name) for name in ("numpy", "xla", "auto"))
    assert by_numpy == by_xla == by_counts
    assert {tuple(steps) for _, steps in by_numpy} == {(1, 2, 4) if heavy else (1, 2, 3, 4, 8, 16)}


@pytest.mark.xla
@pytest.mark.parametrize("heavy", [False, True])
def test_heavy_parts_are_computed_again_by_the_tier_of_the_run(monkeypatch, heavy):
    from penstock.flow import recomputed
    from penstock.testing import use_engine

    by_numpy, interpret = [], recomputed.interpret
    monkeypatch.setattr(recomputed, "HEAVY", 0 if heavy else 10**9)
    monkeypatch.setattr(recomputed, "interpret", lambda *given: by_numpy.append(1) or interpret(*given))
    with use_engine("xla"), Inspection(Recorder()) as seen:
        w = ps.Variable(np.full((3, 3), 0.5, np.float32), name="w")
        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.square(w @ w))
            w.assign(w - 0.01 * tape.gradient(loss, w))
            ps.wait(w)
        seen.finish()
    (size,) = seen.measuring.sizes.values()
    assert bool(by_numpy) == (not heavy)
    # 2 (w @ w) w' + 2 w' (w @ w): nine elements of 4.5.
    assert size.times > 1 and size.first == pytest.approx(13.5, rel=1e-5)
