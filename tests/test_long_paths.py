"""Loops that read nothing for long: they are cut at the ends of iterations, into programs that recur."""

import numpy as np
import pytest

import penstock as ps
from counting import calls_of
from memory import forget_paths
from penstock import paddle
from penstock import tensorflow as tf
from penstock.testing import use_engine
from penstock.tiers.program import programs
from penstock.trace import recorder, recurrence
from penstock.trace.local import local
from penstock.trace.recorder import IDLE_DEPTH, SHORT_DEPTH, STRAIGHT_DEPTH
from penstock.trace.tree import tree

BLOCKS = 6
"""How many blocks of three operations a model has. An iteration has 20 events: 256 is no multiple of it."""


@pytest.fixture(autouse=True)
def numpy_only():
    with use_engine("numpy"):
        ps.wait()
        # The tape that Paddle's autograd keeps open stays for one more step of another vocabulary.
        local.trace.standing = None
        yield
        ps.wait()


@pytest.fixture
def heavy(monkeypatch):
    """Every path counts as heavy."""
    monkeypatch.setattr(recurrence, "HEAVY", 0)
    forget_paths()
    yield
    forget_paths()


def weights():
    rng = np.random.default_rng(0)
    return [rng.standard_normal((3, 3)).astype(np.float32) * 0.4 for _ in range(BLOCKS)]


def batches(count):
    return [np.random.default_rng(i).standard_normal((4, 3)).astype(np.float32) for i in range(count)]


class Native:
    def __init__(self):
        self.weights = [ps.Variable(one) for one in weights()]

    def loss(self, x):
        x = ps.asarray(x)
        for one in self.weights:
            x = ps.tanh(x @ one + 0.1)
        return ps.mean(x * x)

    def evaluate(self, data):
        return [self.loss(x) for x in data]

    def total(self, data):
        total = 0.0
        for x in data:
            total = total + self.loss(x)
        return total


class TensorFlow(Native):
    def __init__(self):
        self.weights = [tf.Variable(one) for one in weights()]

    def loss(self, x):
        x = tf.constant(x)
        for one in self.weights:
            x = tf.tanh(tf.matmul(x, one) + 0.1)
        return tf.reduce_mean(x * x)


class Paddle(Native):
    def __init__(self):
        self.weights = [paddle.to_tensor(one, stop_gradient=False) for one in weights()]

    def loss(self, x):
        x = paddle.to_tensor(x)
        for one in self.weights:
            x = paddle.tanh(paddle.matmul(x, one) + 0.1)
        return (x * x).mean()

    def evaluate(self, data):
        with paddle.no_grad():
            return super().evaluate(data)

    def total(self, data):
        with paddle.no_grad():
            return super().total(data)


VOCABULARIES = [Native, TensorFlow, Paddle]


class Runs:
    """What a block has run: how many programs, how often, and the operations of the largest."""

    def __enter__(self):
        ps.wait()
        self.before = {id(one): one.runs for one in programs.values()}
        return self

    def __exit__(self, *error):
        found = [(one, one.runs - self.before.get(id(one), 0)) for one in list(programs.values())]
        found = [(one, runs) for one, runs in found if runs]
        self.programs = len(found)
        self.times = sum(runs for _, runs in found)
        self.largest = max(one.operations for one, _ in found)


def expected(data):
    found = []
    for x in data:
        for one in weights():
            x = np.tanh(x @ one + np.float32(0.1))
        found.append(np.mean(x * x))
    return found


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("what", ["evaluate", "total"])
def test_a_long_loop_is_cut_where_an_iteration_ends(vocabulary, what):
    made, data = vocabulary(), batches(120)
    body = len(made.loss(data[0])._trace.node.path()) if vocabulary is not Paddle else 3 * BLOCKS + 3
    ps.wait()
    with Runs() as runs:
        found = getattr(made, what)(data)
        float(found if what == "total" else found[-1])
    # The first piece reads the weights, and begins the sum; the last one is shorter.
    assert runs.programs <= 3
    assert runs.largest <= IDLE_DEPTH + 2 * body
    assert runs.times <= 2 + 120 * (3 * BLOCKS + 2) // IDLE_DEPTH
    values = [float(one) for one in (found if what == "evaluate" else [found])]
    assert np.allclose(values, expected(data) if what == "evaluate" else [sum(expected(data))], rtol=1e-5)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("what", ["evaluate", "total"])
def test_a_heavy_loop_is_cut_into_few_iterations(vocabulary, what, heavy):
    made, data = vocabulary(), batches(41)
    with Runs() as runs:
        found = getattr(made, what)(data)
        float(found if what == "total" else found[-1])
    assert runs.programs <= 3
    assert runs.largest <= 2 * SHORT_DEPTH
    values = [float(one) for one in (found if what == "evaluate" else [found])]
    assert np.allclose(values, expected(data) if what == "evaluate" else [sum(expected(data))], rtol=1e-5)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_second_epoch_is_recorded_on_the_paths_of_the_first(vocabulary, heavy):
    made, data = vocabulary(), batches(50)

    def epoch():
        return float(sum(made.evaluate(data)))

    values = [epoch() for _ in range(3)]
    count = tree.count
    with Runs() as runs:
        values += [epoch() for _ in range(2)]
    assert tree.count == count
    # Those of the losses, and of their sum.
    assert runs.programs <= 4
    assert len(set(values)) == 1


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_code_without_a_loop_is_one_launch(vocabulary):
    """Events that do not recur are run together, up to a bound."""
    made = vocabulary()
    x = made.weights[0] * 1.0 if vocabulary is not Paddle else made.weights[0].detach()
    lines = "\n".join(f"x = x * {1.0 + i / 1000} + x" for i in range(IDLE_DEPTH))
    with Runs() as runs:
        scope = {"x": x}
        exec(compile(lines, "straight.py", "exec"), scope)
        scope["x"].numpy()
    assert 2 * IDLE_DEPTH < STRAIGHT_DEPTH
    assert runs.times == 1


def test_without_any_recurrence_pending_work_is_bounded():
    x = ps.asarray(np.float32(1.0))
    scope = {"x": x}
    exec(compile("\n".join(["x = x + 1.0"] * (2 * STRAIGHT_DEPTH + 5)), "straight.py", "exec"), scope)
    assert local.trace.node.depth <= 20
    assert float(scope["x"]) == 2 * STRAIGHT_DEPTH + 6


def test_a_loop_that_turns_recording_off_in_each_iteration_is_cut_where_one_ends():
    """The events around an iteration are no operations: it is cut beside them."""
    x, w = paddle.to_tensor([0.5, 0.1]), paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with Runs() as runs:
        for _ in range(500):
            with paddle.no_grad():
                x = x * 0.999 + paddle.tanh(w) * 0.01
        x.numpy()
    assert runs.programs <= 3
    assert runs.largest <= IDLE_DEPTH
    assert runs.times >= 500 * 6 // (IDLE_DEPTH + 10)


@pytest.mark.parametrize("count", [16, 64, 200])
def test_accumulated_gradients_are_cut_after_a_backward_pass(count):
    """Nothing of an earlier piece is replayed: each backward pass is in the piece of its loss."""
    made, data = Paddle(), batches(count)
    optimizer = paddle.optimizer.SGD(0.0, parameters=made.weights)

    def turn():
        for x in data:
            (made.loss(x) / count).backward()
        gradients = [one.grad.numpy() for one in made.weights]
        optimizer.step()
        optimizer.clear_grad()
        return gradients

    turn()
    with Runs() as runs:
        gradients = turn()
    # The first piece, the next ones, the rest with what is read, and the update.
    assert runs.programs <= 5
    assert runs.largest <= 6 * (IDLE_DEPTH + 30)
    native = Native()
    total = [0.0] * BLOCKS
    for x in data:
        with ps.GradientTape() as tape:
            loss = native.loss(x) / count
        total = [a + g for a, g in zip(total, tape.gradient(loss, native.weights), strict=True)]
    for one, other in zip(gradients, total, strict=True):
        assert np.allclose(one, other.numpy(), rtol=1e-4, atol=1e-7)


def test_heavy_accumulation_is_cut_into_few_backward_passes(heavy):
    made, data = Paddle(), batches(30)
    optimizer = paddle.optimizer.SGD(0.01, parameters=made.weights)
    largest = []
    for _ in range(3):
        with Runs() as runs:
            for x in data:
                (made.loss(x) / 30).backward()
            optimizer.step()
            optimizer.clear_grad()
        largest.append(runs.largest)
        assert runs.programs <= 4
    assert max(largest) <= 6 * 2 * SHORT_DEPTH


@pytest.mark.parametrize("work", [1, 100])
def test_additions_of_gradients_are_no_iterations_of_a_heavy_loop(work, monkeypatch):
    """They recur by their line, but are next to nothing of what the path computes."""
    x = ps.asarray(np.full((20, 20), 0.05, np.float32))
    gradients = [ps.asarray(np.full(work, i, np.float32)) for i in range(3 * SHORT_DEPTH)]
    monkeypatch.setattr(recurrence, "HEAVY", 10_000)
    forget_paths()
    with Runs() as runs:
        y = x @ x
        sums = [one + one for one in gradients]
        (ps.sum(y) + sums[-1]).numpy()
    # With a hundred elements each they are the larger part of the work, and the path is cut between them.
    assert (runs.times > 1) is (work == 100)


def test_a_result_that_can_be_differentiated_is_not_cut_off():
    """The history of a wanted result stays: its gradient can be differentiated again."""
    w = paddle.to_tensor([0.5], stop_gradient=False)
    y = w
    for _ in range(400):
        y = paddle.tanh(y) + w * 0.01
    (first,) = paddle.grad(y, w, create_graph=True)
    (second,) = paddle.grad(first, w)
    assert np.isfinite(second.numpy()).all()


def test_a_tape_of_an_earlier_piece_still_gives_its_gradient(heavy):
    made, data = Native(), batches(40)
    with ps.GradientTape() as tape:
        kept = made.loss(data[0])
    rest = made.evaluate(data)
    gradient = tape.gradient(kept, made.weights[0])
    fresh = Native()
    with ps.GradientTape() as tape:
        again = fresh.loss(data[0])
    assert np.array_equal(gradient.numpy(), tape.gradient(again, fresh.weights[0]).numpy())
    assert float(rest[0]) == float(again)


@pytest.mark.parametrize("vocabulary", ["paddle", "tensorflow"])
def test_a_read_costs_the_same_however_long_the_history(vocabulary):
    """As an agent chooses actions, with a history that a gradient needs at the end."""
    calls = {}
    w = (
        paddle.to_tensor([0.5, 0.2], stop_gradient=False)
        if vocabulary == "paddle"
        else tf.Variable([0.5, 0.2])
    )
    kept = []

    def act():
        found = paddle.tanh(w * 1.5).sum() if vocabulary == "paddle" else tf.reduce_sum(tf.tanh(w * 1.5))
        kept.append(found)
        float(found)

    with tf.GradientTape() as tape:
        for i in range(200):
            found = calls_of(act)
            calls[i] = found.total()
        total = tf.add_n(kept) if vocabulary == "tensorflow" else None
    assert calls[190] <= 1.1 * calls[30] + 20
    if vocabulary == "paddle":
        paddle.stack(kept).sum().backward()
        gradient = w.grad.numpy()
    else:
        gradient = tape.gradient(total, w).numpy()
    slopes = 1.5 * (1.0 - np.tanh(1.5 * np.array([0.5, 0.2])) ** 2)
    assert np.allclose(gradient, 200 * slopes, rtol=1e-5)


def test_recurrences_follow_from_the_path_alone():
    made, data = Native(), batches(12)
    kept = made.evaluate(data)
    node = local.trace.node
    path = node.path()
    growing, at_once = recurrence.Recurrence(tree.root), recurrence.Recurrence(tree.root)
    one_by_one = [growing.at(one) for one in path]
    assert at_once.at(node) == one_by_one[-1]
    assert recurrence.END in one_by_one and recurrence.INSIDE in one_by_one
    ends = [one.depth for one, found in zip(path, one_by_one, strict=True) if found == recurrence.END]
    reads = {one.event.kind for one in path if one.event.site is None}
    assert reads <= {"read", "enter"}
    # At an end, all that the loop has computed is complete: one loss for each iteration.
    assert len(ends) >= 8
    assert len(kept) == 12


def test_the_bounds_are_in_order():
    assert recorder.SHORT_DEPTH < recorder.IDLE_DEPTH < recorder.STRAIGHT_DEPTH
