"""Schedules: their values against Keras and Optax, and that they follow the optimizer's own counter."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from counting import count_compilations
from memory import forget_paths
from penstock import tensorflow as tf
from penstock.errors import CaptureError, PenstockError
from penstock.optimizers import SGD, Adam, schedules
from penstock.testing import use_engine

ORACLES = Path(__file__).parent / "oracles"
KERAS = json.loads((ORACLES / "optimizers_schedules.json").read_text())
OPTAX = json.loads((ORACLES / "optimizers_schedules_optax.json").read_text())
NAMES = [f"{one['name']}{number}" for number, one in enumerate(KERAS["schedules"])]


@pytest.mark.parametrize("case", KERAS["schedules"], ids=NAMES)
def test_keras_agrees(tier, case):
    ours = getattr(schedules, case["name"])(**case["arguments"])
    theirs = getattr(tf.keras.optimizers.schedules, case["name"])(**case["arguments"])
    for step, rate in zip(KERAS["steps"], case["rates"]):
        # Keras counts in float32: at a restart the part of the cycle that is over has lost its last digits.
        assert abs(float(ours(step)) - rate) <= 2e-6 * abs(rate) + 2e-6, step
        assert abs(float(theirs(tf.constant(step))) - rate) <= 2e-6 * abs(rate) + 2e-6, step


def test_optax_agrees(tier):
    first, second, third = (case["rates"] for case in OPTAX["schedules"])
    made = [
        schedules.WarmUp(1.0, steps=5, start=0.125),
        schedules.WarmUp(schedules.ExponentialDecay(1.0, 6, 0.5), steps=4),
        # Optax counts the rise among the steps of the fall.
        schedules.WarmUp(schedules.CosineDecay(1.0, 10, alpha=0.1), steps=5, start=0.25),
    ]
    for ours, rates in zip(made, (first, second, third)):
        assert np.allclose([float(ours(step)) for step in OPTAX["steps"]], rates, rtol=1e-12)


EVERY = {
    "constant": schedules.Constant(0.1),
    "exponential": schedules.ExponentialDecay(0.1, 3, 0.5),
    "cosine": schedules.CosineDecay(0.1, 10),
    "restarts": schedules.CosineDecayRestarts(0.1, 3),
    "polynomial": schedules.PolynomialDecay(0.1, 10, cycle=True),
    "piecewise": schedules.PiecewiseConstantDecay([2, 4], [0.1, 0.05, 0.01]),
    "inverse": schedules.InverseTimeDecay(0.1, 3, 0.5),
    "warmup": schedules.WarmUp(schedules.CosineDecay(0.1, 10), 4),
    "recorded function": lambda step: 0.1 / (ps.astype(step, "float64") + 1.0),
    "function that looks": lambda step: 0.1 if step < 3 else 0.01,
    "function of math": lambda step: 0.1 * math.exp(-0.1 * step),
}


@pytest.mark.parametrize("name", EVERY)
def test_the_rate_is_that_of_the_step(tier, name):
    schedule = EVERY[name]
    x, optimizer = ps.Variable(0.0, dtype="float64"), SGD(schedule)
    expected = 0.0
    for turn in range(7):
        optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])
        expected -= float(schedule(turn))
        assert np.isclose(float(x), expected, rtol=1e-12)
    assert optimizer.variables[0].path == "sgd/step" and int(optimizer.iterations) == 7


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_compiled_after_the_second_pass(name):
    with use_engine("xla"):
        x, optimizer = ps.Variable([0.0, 1.0]), Adam(EVERY[name])
        compiled = []
        for _ in range(8):
            with ps.GradientTape() as tape:
                loss = ps.sum((x - 3.0) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
            ps.wait(x)
            compiled.append(count_compilations())
        # A rate that Python computes is bound once it is seen to vary, which these do by the fourth turn.
        assert compiled[4] == compiled[-1], compiled
        if name != "function that looks":
            assert compiled[2] == compiled[-1], compiled


@pytest.mark.parametrize("name", EVERY)
def test_a_captured_step_follows_the_schedule(tier, name):
    schedule = EVERY[name]
    x, optimizer = ps.Variable(0.0, dtype="float64"), SGD(schedule)

    @ps.step
    def train():
        optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])

    expected = 0.0
    for turn in range(7):
        train()
        expected -= float(schedule(turn))
        assert np.isclose(float(x), expected, rtol=1e-12), turn


@pytest.fixture
def unknown():
    """No path is known: numbers that varied in other tests are constants again."""
    forget_paths()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("options", [{}, {"gradient_accumulation_steps": 3}], ids=["plain", "window"])
def test_captured_and_repeated_steps_do_what_the_plain_ones_do(unknown, tier, name, options):
    def make():
        x = ps.Variable(0.0, dtype="float64")
        optimizer = SGD(EVERY[name], **options)

        def train():
            # Twice: the second rate is that of one update more.
            optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])
            optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])

        return x, train

    plain, train = make()
    captured, captured_train = make()
    step = ps.step(captured_train)
    for turn in range(6):
        train()
        step()
        assert np.isclose(float(captured), float(plain), rtol=1e-12), turn
    repeated, repeated_train = make()
    ps.repeat(repeated_train, 6)()
    assert np.isclose(float(repeated), float(plain), rtol=1e-12)


@pytest.mark.parametrize("name", ["exponential", "function of math"])
def test_an_update_that_a_captured_step_leaves_out_does_not_count(unknown, tier, name):
    x, optimizer = ps.Variable(0.0, dtype="float64"), SGD(EVERY[name], finite="skip")

    @ps.step
    def train(gradient):
        optimizer.apply_gradients([(gradient, x)])

    expected, turn = 0.0, 0
    for gradient in (1.0, np.inf, 1.0, np.nan, 1.0):
        train(ps.asarray(np.asarray(gradient)))
        if np.isfinite(gradient):
            expected -= float(EVERY[name](turn))
            turn += 1
        assert np.isclose(float(x), expected, rtol=1e-12), turn


def test_a_second_rate_that_depends_on_skipped_updates_is_refused():
    x, optimizer = ps.Variable(1.0), SGD(EVERY["function of math"], finite="skip")

    @ps.step
    def train():
        optimizer.apply_gradients([(ps.asarray(1.0), x)])
        optimizer.apply_gradients([(ps.asarray(1.0), x)])

    with pytest.raises(CaptureError, match="captured step 'train' after its count of updates was written"):
        train()
    assert float(x) == 1.0 and optimizer.applied == 0


@pytest.mark.parametrize("name", ["exponential", "function that looks"])
def test_a_counter_that_is_loaded_goes_on_where_it_was(tier, name):
    schedule = EVERY[name]
    x, optimizer = ps.Variable(0.0, dtype="float64"), SGD(schedule)
    optimizer.build([x])
    optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])
    optimizer.variables[0].assign(6)
    for turn in (6, 7):
        before = float(x)
        optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])
        assert np.isclose(before - float(x), float(schedule(turn)))


def test_updates_are_counted_not_calls(tier):
    x = ps.Variable(0.0, dtype="float64")
    optimizer = SGD(schedules.PiecewiseConstantDecay([0], [1.0, 0.5]), gradient_accumulation_steps=2)
    for _ in range(4):
        optimizer.apply_gradients([(ps.asarray(np.asarray(1.0)), x)])
    assert float(x) == -1.5 and int(optimizer.iterations) == 2


def test_a_group_may_have_its_own_schedule(tier):
    head, body = ps.Variable(0.0, name="head/w"), ps.Variable(0.0, name="body/w")
    optimizer = SGD(0.5, groups={"head/*": {"learning_rate": schedules.ExponentialDecay(1.0, 1, 0.5)}})
    for _ in range(3):
        optimizer.apply_gradients([(ps.asarray(1.0), head), (ps.asarray(1.0), body)])
    assert (float(head), float(body)) == (-1.75, -1.5)


def test_a_schedule_may_take_the_place_of_a_number_and_back(tier):
    x, optimizer = ps.Variable(0.0), SGD(1.0)
    optimizer.apply_gradients([(ps.asarray(1.0), x)])
    optimizer.learning_rate = schedules.PiecewiseConstantDecay([1], [0.5, 0.25])
    optimizer.apply_gradients([(ps.asarray(1.0), x)])
    optimizer.apply_gradients([(ps.asarray(1.0), x)])
    optimizer.learning_rate = 2.0
    optimizer.apply_gradients([(ps.asarray(1.0), x)])
    assert float(x) == -1.0 - 0.5 - 0.25 - 2.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: schedules.ExponentialDecay(0.1, 0, 0.5), "decay_steps is 0"),
        (lambda: schedules.WarmUp(0.1, steps=-1), "steps is -1"),
        (lambda: schedules.PiecewiseConstantDecay([1, 2], [0.1]), "2 boundaries and 1 values"),
        (lambda: schedules.PiecewiseConstantDecay([2, 1], [0.1, 0.2, 0.3]), "are not increasing"),
    ],
)
def test_bad_arguments(make, words):
    with pytest.raises(PenstockError, match=words) as caught:
        make()
    assert caught.value.site.file == __file__


@pytest.mark.parametrize("wrong", [lambda step: -0.1, lambda step: "fast", lambda step: float("nan")])
def test_a_function_that_gives_no_rate(wrong):
    x, optimizer = ps.Variable(0.0), SGD(0.5)
    optimizer.learning_rate = wrong
    with pytest.raises(PenstockError, match="the schedule gave"):
        optimizer.apply_gradients([(ps.asarray(1.0), x)])
    assert float(x) == 0.0


@pytest.mark.parametrize("captured", [False, True])
def test_a_schedule_without_a_hash_is_read_at_each_update(tier, captured):
    """A mutable dataclass has no hash: it cannot identify a recording."""

    @dataclasses.dataclass
    class Rising:
        base: float

        def __call__(self, step):
            return self.base * ps.minimum((step + 1) / 4.0, 1.0)

    schedule, weight = Rising(0.5), ps.Variable(0.0)
    optimizer = ps.optimizers.SGD(schedule)

    def train():
        optimizer.apply_gradients([(ps.asarray(1.0), weight)])

    step = ps.step(train) if captured else train
    for _ in range(6):
        step()
    assert np.isclose(float(weight), -0.5 * (0.25 + 0.5 + 0.75 + 1.0 + 1.0 + 1.0))
    schedule.base = 2.0
    before = float(weight)
    step()
    assert np.isclose(float(weight), before - 2.0)
