"""Captured steps and sessions that several threads call at once: each call is its own."""

import gc
import threading
import weakref

import numpy as np
import pytest

import penstock as ps
import penstock.tensorflow.compat.v1 as tf
from penstock.capture import recording
from penstock.tensorflow._graphs.functions import forget
from penstock.tensorflow._graphs.infer import scratch
from penstock.testing import use_engine
from together import in_a_thread, in_threads, many_switches  # noqa: F401

THREADS = 4


def in_four(function):
    """The results of a function of the thread's number in each of this many threads."""
    return in_threads(*[lambda number=number: function(number) for number in range(THREADS)])


def together(function):
    """What a function that returns lists has returned in all of the threads."""
    return [one for several in in_four(function) for one in several]


# -- arguments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("warm", [False, True])
def test_each_call_has_its_own_arguments(tier, warm):
    @ps.step
    def doubled(x, rate):
        return {"x": x, "sum": ps.sum(x * rate)}

    def calls(number):
        x = np.full(50, number + 1.0, np.float32)
        found = [doubled(x, float(number)) for _ in range(300)]
        return {(float(one["sum"]), float(one["x"][0])) for one in found}

    if warm:
        for _ in range(20):
            doubled(np.ones(50, np.float32), 1.0)
    assert in_four(calls) == [{(50.0 * (n + 1) * n, n + 1.0)} for n in range(THREADS)]
    assert len(doubled.recordings) == 1


def test_each_call_of_many_has_its_own_arguments():
    total = ps.Variable(0.0, name="total", dtype="float64")

    @ps.step
    def add(x):
        total.assign_add(x)
        return x

    def calls(number):
        return {float(ps.repeat(add, 3)(np.float64(number))) for _ in range(50)}

    with use_engine("xla"):
        assert in_four(calls) == [{float(n)} for n in range(THREADS)]
    assert float(total) == 3 * 50 * sum(range(THREADS))


def test_each_run_of_a_session_has_its_own_feeds():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3])
        total = tf.get_variable("total", initializer=0.0)
        added, doubled = tf.assign_add(total, 1.0), tf.reduce_sum(x * 2.0)
        session = tf.Session()
        session.run(tf.global_variables_initializer())

        def runs(number):
            feed = {x: np.full(3, number, np.float32)}
            return {float(session.run([doubled, added], feed)[0]) for _ in range(100)}

        assert in_four(runs) == [{6.0 * n} for n in range(THREADS)]
        assert session.run(total) == 100.0 * THREADS
    forget()


# -- the first call ----------------------------------------------------------------------------------------


def test_a_first_call_made_by_several_threads_is_recorded_once_and_done_once_each(tier):

    def once():
        x, other = ps.Variable(0.0, dtype="float64"), ps.Variable(0.0, dtype="float64")
        optimizer = ps.optimizers.SGD(1.0)
        turns = []

        @ps.step
        def add():
            turns.append(1)
            x.assign_add(1.0)
            optimizer.apply_gradients([(ps.asarray(np.float64(-1.0)), other)])
            return x * 1.0

        found = sorted(together(lambda number: [float(add()) for _ in range(3)]))
        assert found == [float(one) for one in range(1, 3 * THREADS + 1)], "no two calls found the same"
        assert (x.version, other.version, optimizer.applied) == (3 * THREADS,) * 3
        assert len(turns) == len(add.recordings) == 1

    for _ in range(10):
        once()


def test_a_recording_is_not_seen_by_who_reads_meanwhile(tier):
    """A step writes when it is replayed, not when another thread looks at its recording."""
    x = ps.Variable(1.0, name="x")
    seen = []

    @ps.step
    def write():
        x.assign(x * 2.0)
        seen.append(in_a_thread(lambda: (float(x), x.version)))
        in_a_thread(lambda: x.assign(10.0))
        x.assign(x + 1.0)
        return x * 1.0

    assert float(write()) == 21.0
    assert seen == [(1.0, 0)] and x.version == 3
    assert [float(write()), float(write())] == [43.0, 87.0]


def test_a_call_goes_on_in_a_thread_while_another_one_records():
    """The lock of a step is held while it records, and the engine's is not."""
    recording, done = threading.Event(), threading.Event()
    x = ps.Variable(0.0)

    @ps.step
    def slow():
        recording.set()
        assert done.wait(30), "the other thread waits"
        return x * 1.0

    @ps.step
    def quick():
        x.assign_add(1.0)

    def other():
        assert recording.wait(30)
        for _ in range(3):
            quick()
        done.set()
        return float(x)

    assert in_threads(lambda: float(slow()), other) == [3.0, 3.0]


# -- draws -------------------------------------------------------------------------------------------------


def distinct(draw, times=100):
    """Whether no two calls in several threads have the same numbers."""
    found = together(lambda number: [np.asarray(draw()).tobytes() for _ in range(times)])
    return len(set(found)) == len(found) == THREADS * times


def test_no_two_calls_draw_with_one_key(tier):
    assert distinct(ps.step(lambda: ps.random.normal((4,))))


def test_no_two_calls_draw_with_one_key_of_a_layer(tier):
    layer = ps.layers.GaussianNoise(1.0, seed=3)
    x = np.zeros((2, 8), np.float32)
    assert distinct(lambda: layer(x, training=True))
    assert distinct(ps.step(lambda: layer(x, training=True)))


def test_no_two_runs_of_a_session_draw_with_one_key():
    with tf.Graph().as_default():
        size = tf.placeholder(tf.int32, [])
        drawn, sized = tf.random.normal([4]), tf.random.normal([size])
        session = tf.Session()
        assert distinct(lambda: session.run(drawn), 50)
        # Its shape depends on a value: it cannot be captured, and is replayed at each run.
        assert distinct(lambda: session.run(sized, {size: 5}), 20)
    forget()


def test_draws_of_a_trial_for_a_graph_belong_to_it_alone():
    ps.random.seed(5)
    with scratch():
        tried = ps.random.key().numpy().tolist()
        others = in_a_thread(lambda: ps.random.key().numpy().tolist())
    assert tried not in (others, own := ps.random.key().numpy().tolist())
    assert (others, own) == ([0, 5, 0], [0, 5, 1])


# -- numbers that are read ---------------------------------------------------------------------------------


def test_each_update_has_the_rate_for_its_number(tier):
    """A rate by a Python function is right for its update, even if other threads made updates meanwhile."""
    x = ps.Variable(0.0, dtype="float64")
    optimizer = ps.optimizers.SGD(lambda step: float(int(step) + 1))

    @ps.step
    def descend():
        optimizer.apply_gradients([(ps.asarray(np.float64(-1.0)), x)])

    descend()
    in_four(lambda number: [descend() for _ in range(50)])
    calls = 50 * THREADS + 1
    assert (optimizer.applied, x.version) == (calls, calls)
    assert float(x) == calls * (calls + 1) / 2
    assert len(descend.recordings) == 1


def test_a_rate_may_wait_for_a_lock_under_which_others_call_the_step():
    lock = threading.Lock()
    x = ps.Variable(0.0, dtype="float64")

    def rate(step):
        with lock if threading.current_thread().name == "waits" else threading.Lock():
            return float(int(step) < 1000)

    optimizer = ps.optimizers.SGD(rate)

    @ps.step
    def descend():
        optimizer.apply_gradients([(ps.asarray(np.float64(-1.0)), x)])

    descend()

    def waits():
        threading.current_thread().name = "waits"
        for _ in range(30):
            descend()

    def holds():
        for _ in range(30):
            with lock:
                descend()

    in_threads(waits, holds)
    assert float(x) == 61.0


def test_a_flag_that_is_changed_while_flags_are_looked_at_is_noticed(monkeypatch):
    first, second = ps.Variable(1.0, name="first"), ps.Variable(1.0, name="second")

    @ps.step
    def total():
        with ps.GradientTape() as tape:
            loss = first * 2.0 + second * 3.0
        gradients = tape.gradient(loss, [first, second])
        return [one is not None for one in gradients]

    assert total() == [True, True]
    look = recording.flags_of

    def change(variable):
        found = look(variable)
        if variable is second and first.trainable:
            first.trainable = False
        return found

    ps.Variable(1.0, name="other")
    monkeypatch.setattr(recording, "flags_of", change)
    total()
    assert total() == [False, True]


# -- memory ------------------------------------------------------------------------------------------------


def test_nothing_of_a_call_is_kept_for_the_next_thread(tier):
    @ps.step
    def doubled(x):
        return x * 2.0

    def calls(number):
        kept = []
        for size in (3, 5, 3):
            x = ps.asarray(np.full(size, number, np.float32))
            float(ps.sum(doubled(x)))
            kept.append(weakref.ref(x._value))
        return kept

    kept = together(calls)
    gc.collect()
    assert [one for one in kept if one() is not None] == []
