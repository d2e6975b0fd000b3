"""Memory of long loops: it grows with the number of turns only by the values that the user keeps."""

import contextlib
import gc
import itertools
import tracemalloc
import weakref

import numpy as np
import pytest

import penstock as ps
from memory import ALLOWED, WINDOWS, bounded, grown, linux, resident
from penstock.capture import steps
from penstock.testing import use_engine
from penstock.tiers import program
from penstock.tiers.program import programs
from penstock.tiers.reference import interpret
from penstock.trace import tree as trees
from penstock.trace.budget import budget
from penstock.trace.local import local
from penstock.trace.tree import tree


def two_scalars():
    """A loop of training steps that never looks at a value."""
    x, y = ps.Variable(0.0), ps.Variable(1.0)
    optimizer = ps.optimizers.SGD(0.1)

    def turns(count):
        for _ in range(count):
            with ps.GradientTape() as tape:
                loss = (x - 2.0) ** 2 + (y - 3.0) ** 2
            gradients = tape.gradient(loss, [x, y])
            optimizer.apply_gradients(zip(gradients, [x, y]))

    return turns


def one_long_tape():
    x, y = ps.Variable(0.0), ps.Variable(1.0)

    def turns(count):
        with ps.GradientTape(persistent=True) as tape:
            for _ in range(count):
                tape.reset()
                loss = (x - 2.0) ** 2 + (y - 3.0) ** 2
                by_x, by_y = tape.gradient(loss, [x, y])
                x.assign_sub(0.1 * by_x)
                y.assign_sub(0.1 * by_y)

    return turns


def only_writes():
    x, y = ps.Variable(0.0), ps.Variable([1.0, 2.0])

    def turns(count):
        for _ in range(count):
            x.assign_add(0.001)
            y.assign(y * 0.999)

    return turns


def writes_of_varying_numbers():
    x = ps.Variable(0.0)

    def turns(count):
        for i in range(count):
            x.assign(x * 0.5 + i * 0.125)

    return turns


def varying_numbers():
    x = ps.Variable(0.0)
    optimizer = ps.optimizers.Adam(0.1)

    def turns(count):
        for i in range(count):
            optimizer.learning_rate = 0.1 / (i + 1)
            with ps.GradientTape() as tape:
                loss = (x * (i * 0.001) - 2.0) ** 2
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])

    return turns


def computing_without_looking():
    x = ps.Variable(1.0)

    def turns(count):
        for i in range(count):
            (x * i) + 1.0

    return turns


def a_value_carried_on():
    state = [ps.asarray(1.0)]

    def turns(count):
        for _ in range(count):
            state[0] = state[0] * 0.5 + 1.0

    return turns


def persistent_tapes():
    x = ps.Variable(1.0)

    def turns(count):
        for _ in range(count):
            with ps.GradientTape(persistent=True) as tape:
                y = x * x
                z = y * x
            tape.gradient(y, x)
            x.assign_sub(0.001 * tape.gradient(z, x))

    return turns


def tapes_never_asked():
    x = ps.Variable(1.0)

    def turns(count):
        for _ in range(count):
            with ps.GradientTape():
                y = x * x
            x.assign(y * 0.5)

    return turns


def new_data():
    x = ps.Variable(np.zeros(10, np.float32))
    rng = np.random.default_rng(0)
    data = rng.standard_normal((7, 10)).astype(np.float32)

    def turns(count):
        for i in range(count):
            x.assign(x * 0.5 + ps.asarray(data[i % 7]))

    return turns


def new_variables():
    def turns(count):
        for i in range(count):
            x = ps.Variable(float(i))
            x.assign_add(1.0)

    return turns


def new_optimizers():
    x = ps.Variable(1.0)

    def turns(count):
        for _ in range(count):
            with ps.GradientTape() as tape:
                y = x * x
            ps.optimizers.Adam(0.01).apply_gradients([(tape.gradient(y, x), x)])

    return turns


def new_lines():
    x = ps.Variable(1.0)
    names = {"x": x}

    def turns(count):
        for i in range(count // 20):
            exec(compile(f"x.assign_add(x * {i}.25)\nx.assign_sub(x)", f"<cell {i}>", "exec"), names)

    return turns


def cells_run_again():
    x = ps.Variable([1.0, 2.0])
    names = {"x": x, "ps": ps}
    source = """
def loss(x):
    return ps.sum(ps.square(x) * 0.5)

for turn in range(2):
    with ps.GradientTape() as tape:
        value = loss(x)
    x.assign_sub(0.001 * tape.gradient(value, x))
"""

    def turns(count):
        for _ in range(count):
            exec(compile(source, "<cell>", "exec"), names)

    return turns


def lengths():
    """Lengths that never come back; downwards, so that data itself takes less and less."""
    return itertools.count(9_000, -1)


def plain_of_other_lengths():
    weights, optimizer, length = ps.Variable([1.0, 2.0]), ps.optimizers.Adam(0.001), lengths()

    def turns(count):
        for _ in range(count):
            x = np.ones((next(length), 2), np.float32)
            with ps.GradientTape() as tape:
                loss = ps.mean(ps.square(ps.sum(x * weights, axis=1)))
            optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])

    return turns


def steps_of_other_lengths():
    weights, optimizer, length = ps.Variable([1.0, 2.0]), ps.optimizers.Adam(0.001), lengths()

    @ps.step
    def step(x):
        with ps.GradientTape() as tape:
            loss = ps.mean(ps.square(ps.sum(x * weights, axis=1)))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    def turns(count):
        for _ in range(count):
            step(np.ones((next(length), 2), np.float32))

    return turns


def sessions_of_other_lengths():
    import penstock.tensorflow.compat.v1 as tf

    graph, length = tf.Graph(), lengths()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        weights = tf.get_variable("weights", [2], tf.float32)
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * weights, axis=1)))
        train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
        session = tf.Session(graph=graph)
        session.run(tf.global_variables_initializer())

    def turns(count):
        for _ in range(count):
            session.run([train, loss], {x: np.ones((next(length), 2), np.float32)})

    return turns


def failing_steps():
    x = ps.Variable([1.0, 2.0])

    def turns(count):
        for _ in range(count // 10):
            x.assign_add([1.0, 1.0])
            with contextlib.suppress(ps.errors.RangeError):
                ps.take(x, ps.asarray([5]), axis=0).numpy()

    return turns


def refused_writes():
    x = ps.Variable([1.0, 2.0])

    def turns(count):
        for _ in range(count // 10):
            with contextlib.suppress(ps.errors.ShapeError):
                x.assign(x * np.ones((3, 1), np.float32))

    return turns


LOOPS = {
    two_scalars: 30_000,
    one_long_tape: 30_000,
    only_writes: 30_000,
    writes_of_varying_numbers: 10_000,
    varying_numbers: 10_000,
    computing_without_looking: 20_000,
    a_value_carried_on: 20_000,
    persistent_tapes: 10_000,
    tapes_never_asked: 10_000,
    new_data: 10_000,
    new_variables: 10_000,
    new_optimizers: 2_500,
    failing_steps: 10_000,
    refused_writes: 10_000,
}
WARM = {varying_numbers: 1_000, new_optimizers: 1_000}
"""Turns before the first window, for loops whose turns take long; 4,000 of the others."""


@linux
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_memory_is_constant(loop):
    turns = loop()
    # `auto`, so that the measurement includes the switch to XLA and the turns after it.
    with use_engine("auto"):
        turns(WARM.get(loop, 4_000))
        nodes, known = tree.count, len(programs)
        assert grown(turns, LOOPS[loop]) < ALLOWED
        assert tree.count <= nodes + 1
        assert len(programs) <= known + 1
        ps.wait()


@linux
def test_code_that_is_gone_leaves_nothing_behind():
    """A notebook's cell is new code each time it is run: the paths of the old code go with it."""
    turns = cells_run_again()
    with use_engine("numpy"):
        turns(500)
        # A cell takes kilobytes: 200 that stayed would be seen in any window.
        assert grown(turns, 1_000) < ALLOWED
        ps.wait()


VARYING = {
    new_lines: 5_000,
    plain_of_other_lengths: 400,
    steps_of_other_lengths: 400,
    sessions_of_other_lengths: 200,
}


@linux
@pytest.mark.parametrize("loop", VARYING, ids=lambda loop: loop.__name__)
def test_programs_that_never_recur_take_no_more_than_the_budget(loop, monkeypatch):
    for module in (program, steps, trees):
        # Little is remembered of released objects, and their number limits it.
        monkeypatch.setattr(module, "REMEMBERED", 100)
    turns = loop()
    with use_engine("numpy"), bounded(8 << 20):
        turns(VARYING[loop])
        assert grown(turns, VARYING[loop] * 2) < ALLOWED
        # An eighth of the budget, and the recordings made since the last look.
        assert budget.recorded.taken < 1.5 * (1 << 20)
        ps.wait()


@linux
def test_a_long_chain_without_reads_runs_in_parts():
    with use_engine("numpy"):
        x = ps.Variable(np.ones(1000, np.float32))
        chain = [x * 1.0]

        def turns(count):
            for i in range(count):
                chain[0] = chain[0] + i
                assert local.trace.node.depth < 2_000

        assert grown(turns, 20_000) < ALLOWED
        turns_of_each = 20_000 // WINDOWS
        assert np.isclose(chain[0].numpy()[0], WINDOWS * sum(range(turns_of_each)), 1e-3)


@linux
def test_a_history_costs_the_memory_of_its_values():
    x = ps.Variable(np.ones(1000, np.float32))
    optimizer = ps.optimizers.SGD(0.001)
    history = []

    def turns(count):
        for _ in range(count):
            with ps.GradientTape() as tape:
                loss = ps.mean(x * x)
            optimizer.apply_gradients([(tape.gradient(loss, x), x)])
            history.append(loss)

    with use_engine("numpy"):
        turns(1_000)
        held, nodes = resident(), tree.count
        turns(10_000)
        assert tree.count <= nodes + 1
        # A loss, its handle, and a thin record of the step it came from; not the step's arrays of 4 kB each.
        assert resident() - held < 10_000 * 1_500
        assert np.isfinite([float(one) for one in history]).all()


def test_values_without_a_holder_are_dropped():
    """A step keeps only the values that a program can still read."""
    with use_engine("numpy"):
        x = ps.Variable(np.ones(10, np.float32))
        big = ps.asarray(np.ones(10, np.float32))
        kept = weakref.ref(big)
        y = x * big
        y.numpy()
        with ps.GradientTape() as tape:
            z = ps.sum(y * x)
        tape.gradient(z, x).numpy()
        del big, tape
        with ps.GradientTape():
            pass
        ps.wait()
        gc.collect()
        assert kept() is None
        tape_kept = ps.GradientTape()
        with tape_kept:
            z = ps.sum(y * x)
        alive = weakref.ref(tape_kept)
        tape_kept.gradient(z, x).numpy()
        del tape_kept
        x.assign_add(x)
        with ps.GradientTape():
            pass
        gc.collect()
        assert alive() is None


def test_a_tape_that_is_dropped_lets_its_step_go():
    with use_engine("numpy"):
        x = ps.Variable(1.0)
        with ps.GradientTape(persistent=True) as tape:
            data = ps.asarray(np.ones(10, np.float32))
            held = weakref.ref(data)
            y = ps.sum(data * x)
            del data
        x.assign(2.0)
        with ps.GradientTape():
            pass
        assert float(tape.gradient(y, x)) == 10.0
        del tape, y
        x.assign(3.0)
        with ps.GradientTape():
            pass
        gc.collect()
        assert held() is None


def called_once_for_each_shape(call, sizes):
    """Calls with fresh data of these lengths; returns weak references to the arguments of each call."""
    given = []
    for size in sizes:
        x = ps.asarray(np.arange(size, dtype=np.int32))
        call(x)
        given += [weakref.ref(x), weakref.ref(x._value)]
    gc.collect()
    return given


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_a_captured_step_keeps_nothing_of_its_calls(engine):
    """Neither the capture nor the trace, nor the check of the ids, nor a contract."""
    with use_engine(engine):
        table = ps.Variable(np.ones((10, 2), np.float32), name="table")
        optimizer = ps.optimizers.SGD(0.1)

        @ps.step(updates="table")
        def train(ids):
            with ps.GradientTape() as tape:
                loss = ps.sum(ps.take(table, ids, axis=0) * ps.random.normal((ids.shape[0], 2)))
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
            return {"loss": loss, "ids": ids}

        for sizes in ((3,), (4, 5, 4, 3), (3, 3)):
            kept = called_once_for_each_shape(train, sizes)
            assert [one for one in kept if one() is not None] == []
        assert len(train.captures) == 3


def test_many_calls_in_one_keep_none_of_their_arguments():
    with use_engine("xla"):
        total = ps.Variable(0, name="total")
        many = ps.repeat(ps.step(lambda x: total.assign_add(ps.sum(x))), 3)
        kept = called_once_for_each_shape(many, (3, 4, 3))
        assert [one for one in kept if one() is not None] == []


@linux
def test_the_batches_of_many_shapes_do_not_stay():
    """A step that is captured for many shapes holds as much as for one."""
    with use_engine("numpy"):
        total = ps.Variable(0.0, name="total")

        @ps.step
        def add(x):
            total.assign_add(ps.sum(x))

        add(np.ones(10, np.float32))
        before, given = resident(), 0
        for size in range(40):
            batch = np.ones(250_000 + size, np.float32)
            given += batch.nbytes
            add(batch)
        assert resident() - before < given / 4
        assert len(add.captures) > 1


def test_the_interpreter_lets_go_of_values_after_their_last_use():
    x = ps.asarray(np.ones(1 << 18, np.float32))
    x_bytes = 1 << 20

    def chain(length):
        y = x
        for _ in range(length):
            y = ps.sin(y) * 1.5
        return y.numpy()

    with use_engine("numpy"):
        chain(20)
        tracemalloc.start()
        try:
            chain(20)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 4 * x_bytes


def test_a_run_returns_all_values_on_request():
    x = ps.asarray(np.ones(1 << 18, np.float32))
    with use_engine("numpy"):
        ps.exp(ps.sin(ps.cos(x))).numpy()
    (large,) = [
        one
        for one in programs.values()
        if [step.primitive.name for step in one.steps] == ["cos", "sin", "exp"]
    ]
    every: list = []
    assert large.ends and interpret(large, [x.numpy()], every)[0] is every[-1]
    assert [one.shape for one in every] == [(1 << 18,)] * 4


def test_values_read_again_later_are_kept_until_then():
    x = ps.asarray(np.full(1 << 18, 0.5, np.float32))
    with use_engine("numpy"):
        first = ps.sin(x)
        middle = ps.cos(first)
        for _ in range(3):
            middle = middle * 1.5
        (whole, part) = (first + middle, first * 2.0)
        np.testing.assert_allclose(part, np.sin(0.5) * 2 * np.ones(1 << 18), rtol=1e-6)
        np.testing.assert_allclose(whole[0], np.sin(0.5) + np.cos(np.sin(0.5)) * 1.5**3, rtol=1e-6)
