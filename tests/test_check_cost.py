"""What a check costs: a path is judged once, and a step that comes again costs the same few calls."""

import random
import sys
from collections import Counter

import pytest

import penstock as ps
from penstock.flow import conservation, inspection
from penstock.flow.inspection import Inspection
from penstock.flow.recorder import Recorder
from penstock.flow.report.moved import verdict
from penstock.flow.steps import Steps
from penstock.trace.site import Site


def training():
    weights = [ps.Variable([1.0, 2.0], name=f"w{k}") for k in range(3)]
    optimizer = ps.optimizers.Adam(0.01)

    def step():
        with ps.GradientTape() as tape:
            loss = sum(ps.sum(ps.square(w - 3.0)) for w in weights)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    return step


def calls_of(steps):
    """How often each function of Penstock's is called."""
    found = Counter()

    def note(frame, event, argument):
        if event == "call" and "penstock" in frame.f_code.co_filename:
            found[frame.f_code.co_qualname] += 1

    sys.setprofile(note)
    try:
        steps()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("split", [False, True])
def test_steps_that_come_again_cost_the_same_and_judge_nothing(split):
    with Inspection(Recorder(split)):
        step = training()
        for _ in range(inspection.OFTEN + 40):
            step()

        def some():
            for _ in range(64):  # a whole number of the stretches in which one write is measured
                step()

        # Under a profiler handles live longer, which makes another path.
        _, _, first, second = (calls_of(some) for _ in range(4))
    assert first == second
    for word in ("PathFacts", "_build", "term_facts", "barrier_facts", "judge", "_worked_out"):
        assert not [name for name in first if word in name.split(".")], word
    if not split:
        per_step = sum(first.values()) / 64
        plain = training()
        for _ in range(100):
            plain()
        bare = sum(calls_of(lambda: [plain() for _ in range(64)]).values()) / 64
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
        w, large = ps.Variable(0.0, name="w"), ps.Variable(ps.zeros((inspection.LARGE + 1,)), name="large")
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
    assert by_path["large"].mean == pytest.approx((inspection.LARGE + 1) ** 0.5)


def test_a_split_takes_few_passes_apart_and_still_sees_a_change_that_nobody_has_recorded():
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
