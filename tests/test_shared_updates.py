"""Updates of shared variables by threads: none is lost, and value, version, ledger and counts agree."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf
from penstock.errors import ContractBroken, RangeError
from penstock.testing import use_engine
from penstock.trace import fast_path
from penstock.trace.engine import engine
from together import in_a_thread, in_threads, many_switches  # noqa: F401

THREADS, TURNS = 4, 60
UPDATES = THREADS * TURNS


@pytest.fixture(params=["numpy", "xla", "auto"])
def everywhere(request):
    """Run the test on each tier, and on both in turn as programs get hot."""
    with use_engine(request.param):
        yield


def by_all(*functions, turns=TURNS):
    """Call each function this many times, in one thread per function."""

    def repeated(function):
        def loop():
            for turn in range(turns):
                function(turn)

        return loop

    in_threads(*map(repeated, functions))


# -- one variable --------------------------------------------------------------------------------------------

ADDITIONS = {
    "numbers": lambda x: x.assign_add(1.0),
    "arrays": lambda x: x.assign_add(np.float32(1.0)),
    "tensors": lambda x: x.assign_add(ps.asarray(0.5) * 2.0),
    "itself": lambda x: x.assign_add(x * 0.0 + 1.0),
    "subtracted": lambda x: x.assign_sub(-1.0),
    "in a tape": lambda x: _in_a_tape(x),
}


def _in_a_tape(x):
    with ps.GradientTape() as tape:
        y = x * 2.0
    x.assign_add(tape.gradient(y, x) * 0.5)


@pytest.mark.parametrize("look", [0, 1, 7])
@pytest.mark.parametrize("way", ADDITIONS)
def test_every_addition_counts(everywhere, way, look):
    x = ps.Variable(0.0, name="x")

    def add(turn):
        ADDITIONS[way](x)
        if look and turn % look == 0:
            assert x.numpy() >= 1.0

    by_all(*[add] * THREADS)
    assert x.numpy() == UPDATES == x.version


def test_the_ledger_tells_each_of_them_once(everywhere):
    x = ps.Variable(0.0, name="x")
    with ps.ledger(values=True) as entries:
        by_all(*[lambda turn: x.assign_add(1.0)] * THREADS)
        # Updates left pending by finished threads are reported when a thread reads the variable.
        assert float(x) == UPDATES
    assert [(float(one.before), float(one.after)) for one in entries] == [
        (k, k + 1.0) for k in range(UPDATES)
    ]
    assert x.version == UPDATES


def test_ways_that_are_mixed(everywhere):
    x = ps.Variable(0.0, name="x", dtype="float64")
    optimizer = ps.optimizers.SGD(1.0)

    @ps.step
    def captured():
        x.assign_add(1.0)
        return x * 2.0

    @ps.step
    def applied():
        optimizer.apply_gradients([(ps.asarray(np.float64(-1.0)), x)])

    captured()
    applied()
    ten = ps.repeat(captured, 10)
    by_all(
        lambda turn: captured(),
        lambda turn: x.assign_add(1.0),
        lambda turn: applied(),
        lambda turn: (x.assign_add(1.0), float(x)) if turn % 2 else optimizer.apply_gradients(
            [(ps.asarray(np.float64(-1.0)), x)]
        ),
        lambda turn: ten() if turn < 5 else None,
    )  # fmt: skip
    assert float(x) == 2 + UPDATES + 50 == x.version
    assert optimizer.applied == 1 + TURNS + TURNS // 2


def test_a_step_that_is_recorded_is_not_yet_done(tier):
    """The writes of a recording belong to its replay: no other thread sees them or makes them final."""
    x = ps.Variable(1.0, name="x")
    seen = []

    @ps.step
    def double():
        x.assign(x * 2.0)
        seen.append(in_a_thread(lambda: (float(x), x.version)))
        in_a_thread(lambda: x.assign_add(10.0))
        x.assign_add(1.0)

    double()
    # Recorded at 1, while another thread adds 10; replayed at 11.
    assert seen == [(1.0, 0)]
    assert (float(x), x.version) == (23.0, 3)


def test_a_value_read_by_hand_is_as_old_as_the_read(tier):
    """Documented: a line that reads, computes and assigns does not see writes in between."""
    x = ps.Variable(1.0)
    sum = x + 1.0
    in_a_thread(lambda: x.assign(10.0))
    x.assign(sum)
    assert float(x) == 2.0


def test_a_write_that_fails_elsewhere_counts_no_version(tier):
    x = ps.Variable([1.0, 2.0])
    in_a_thread(lambda: x.assign(ps.take(x, ps.asarray([0, 7]), axis=0)))
    with pytest.raises(RangeError):
        x.numpy()
    assert x.version == 0
    x.assign_add([1.0, 1.0])
    assert (x.numpy().tolist(), x.version) == ([2.0, 3.0], 1)


# -- optimizers ----------------------------------------------------------------------------------------------

OPTIMIZERS = {
    "sgd": lambda: ps.optimizers.SGD(0.125),
    "momentum": lambda: ps.optimizers.SGD(0.125, momentum=0.5),
    "adam": lambda: ps.optimizers.Adam(0.01),
    "adamw": lambda: ps.optimizers.AdamW(0.01, weight_decay=0.1),
    "rmsprop": lambda: ps.optimizers.RMSprop(0.01),
    "averaged": lambda: ps.optimizers.SGD(0.125, use_ema=True),
    "accumulated": lambda: ps.optimizers.Adam(0.01, gradient_accumulation_steps=4),
    "clipped": lambda: ps.optimizers.Adagrad(0.1, global_clipnorm=1.0),
    "scheduled": lambda: ps.optimizers.SGD(lambda step: 0.1 / (1.0 + step)),
}


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_an_optimizer_that_threads_share(everywhere, kind, rounding):
    """With equal gradients the order of updates does not matter: threads give the result of one thread."""

    def trained(threads):
        optimizer = OPTIMIZERS[kind]()
        x, y = ps.Variable([1.0, -2.0], dtype="float64"), ps.Variable(0.5, dtype="float64")
        slopes = ps.asarray(np.array([0.25, -1.0])), ps.asarray(np.float64(2.0))

        def step(turn):
            optimizer.apply_gradients(zip(slopes, (x, y)))
            if turn % 5 == 0:
                float(y)

        by_all(*[step] * threads, turns=UPDATES // threads)
        state = [cell.numpy() for cell in optimizer.variables]
        window = 4 if kind == "accumulated" else 1
        assert int(np.asarray(optimizer.iterations)) == UPDATES // window
        assert optimizer.applied == UPDATES
        assert x.version == y.version == UPDATES
        return [x.numpy(), y.numpy(), *state]

    for alone, together in zip(trained(1), trained(THREADS), strict=True):
        assert np.allclose(alone, together, rtol=1e-9 + rounding, atol=1e-12)


def test_an_optimizer_that_many_meet_first_at_once(tier):
    """The state kept for a variable is created once, by whichever thread comes first."""
    for _ in range(10):
        optimizer = ps.optimizers.Adam(0.5)
        x = ps.Variable(1.0, name="x", dtype="float64")
        slope = ps.asarray(np.float64(1.0))
        by_all(*[lambda turn: optimizer.apply_gradients([(slope, x)])] * THREADS, turns=1)  # noqa: B023
        assert len(optimizer.variables) == len(optimizer.slots(x)) + ("adam/step" in _paths(optimizer))
        assert optimizer.applied == x.version == THREADS


def _paths(optimizer):
    return [one.path.rpartition("/")[0] + "/" + one.path.rpartition("/")[2] for one in optimizer.variables]


def test_rows_that_threads_update(tier):
    table = ps.Variable(np.zeros((6, 2), np.float32))
    optimizer = ps.optimizers.SGD(1.0)

    def step(turn):
        with ps.GradientTape() as tape:
            loss = -ps.sum(ps.take(table, ps.asarray([turn % 6, 0]), axis=0))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    by_all(*[step] * THREADS)
    expected = np.full((6, 2), UPDATES / 6)
    expected[0] += UPDATES
    assert np.array_equal(table.numpy(), expected)


def test_gradients_that_one_thread_has_unscaled(tier):
    """`unscale` applies to the next update of its own thread."""
    optimizer = ps.optimizers.SGD(1.0, loss_scale_factor=4.0)
    x = ps.Variable(0.0)
    (divided,) = optimizer.unscale([ps.asarray(-4.0)])
    in_a_thread(lambda: optimizer.apply_gradients([(ps.asarray(-4.0), x)]))
    optimizer.apply_gradients([(divided, x)])
    assert float(x) == 2.0


# -- state of layers -----------------------------------------------------------------------------------------


def test_statistics_that_threads_move(everywhere):
    def moved(threads):
        layer = ps.layers.BatchNormalization(momentum=0.75)
        batch = ps.asarray(np.array([[1.0, 2.0], [3.0, 6.0]], np.float32))
        layer(batch)
        by_all(*[lambda turn: layer(batch, training=True)] * threads, turns=UPDATES // threads // 4)
        assert layer.moving_mean.version == UPDATES // 4
        return layer.moving_mean.numpy(), layer.moving_variance.numpy()

    for alone, together in zip(moved(1), moved(THREADS), strict=True):
        assert np.allclose(alone, together, rtol=1e-6)


# -- the dialects --------------------------------------------------------------------------------------------


def test_variables_of_tensorflow(everywhere):
    x, table = tf.Variable(0.0), tf.Variable(np.zeros((4, 2), np.float32))
    rows = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([2]))

    def step(turn):
        x.assign_add(2.0)
        x.assign_sub(1.0)
        table.scatter_add(rows)
        table.scatter_nd_add([[1]], [[1.0, 1.0]])
        table[0].assign(table[0] * 0.0)
        if turn % 7 == 0:
            x.numpy()

    by_all(*[step] * THREADS)
    assert x.numpy() == UPDATES
    assert table.numpy().tolist() == [[0.0] * 2, [UPDATES] * 2, [UPDATES] * 2, [0.0] * 2]


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_optimizers_of_keras(everywhere, kind):
    def trained(threads):
        optimizer = getattr(tf.keras.optimizers, kind)(0.125)
        x = tf.Variable(1.0)
        slope = tf.constant(0.5)
        by_all(*[lambda turn: optimizer.apply_gradients([(slope, x)])] * threads, turns=UPDATES // threads)
        assert int(optimizer.iterations) == UPDATES
        return x.numpy()

    assert np.isclose(trained(1), trained(THREADS), rtol=1e-5)


def test_an_optimizer_of_keras_that_another_thread_builds_in_between():
    class Late(tf.keras.optimizers.SGD):
        def _asks_schedule(self):
            in_a_thread(lambda: self.built or self.build([x]))
            return super()._asks_schedule()

    x = tf.Variable(1.0)
    Late(0.5).apply([tf.constant(1.0)], [x])
    assert x.numpy() == 0.5


def test_metrics_of_keras(everywhere):
    metric = tf.keras.metrics.Mean()
    by_all(*[lambda turn: metric.update_state([1.0, 3.0])] * THREADS)
    assert float(metric.result()) == 2.0
    assert float(metric.count) == 2 * UPDATES


def test_functions_and_sessions_of_tensorflow(everywhere):
    x = tf.Variable(0.0)

    @tf.function
    def add():
        x.assign_add(1.0)

    by_all(lambda turn: add(), lambda turn: add(), lambda turn: x.assign_add(1.0), lambda turn: add())
    assert x.numpy() == UPDATES


def test_tensors_of_paddle(everywhere):
    x = paddle.zeros([3])
    count = paddle.to_tensor(0.0)
    weight = paddle.create_parameter([1], "float32")
    weight.set_value(np.zeros(1, np.float32))

    def step(turn):
        x.add_(paddle.ones([3]))
        paddle.increment(count)
        with paddle.no_grad():
            weight.add_(paddle.ones([1]))
        if turn % 5 == 0:
            count.numpy()

    by_all(*[step] * THREADS)
    assert x.numpy().tolist() == [UPDATES] * 3
    assert count.numpy() == UPDATES == weight.numpy()[0]


def test_items_that_threads_of_paddle_write(everywhere):
    x = paddle.zeros([THREADS])

    def writes(place):
        def step(turn):
            x[place] = float(turn + 1)

        return step

    by_all(*map(writes, range(THREADS)))
    assert x.numpy().tolist() == [TURNS] * THREADS


@pytest.mark.filterwarnings("ignore:When training, we now always track")
def test_a_batch_norm_of_paddle(everywhere):
    def moved(threads):
        layer = paddle.nn.BatchNorm1D(2, momentum=0.75)
        batch = paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]])
        by_all(*[lambda turn: layer(batch)] * threads, turns=UPDATES // threads // 4)
        return layer._mean.numpy()

    assert np.allclose(moved(1), moved(THREADS), rtol=1e-6)


# -- the hot path --------------------------------------------------------------------------------------------

PROGRAM = """
import sys, threading
import numpy as np
import penstock as ps
from penstock.trace import fast_path
sys.setswitchinterval(1e-5)
assert fast_path.accelerated is (sys.argv[1] == "C")
x = ps.Variable(0.0, dtype="float64")
y = ps.Variable(0.0, dtype="float64")
optimizer = ps.optimizers.SGD(1.0, momentum=0.0)
start = threading.Barrier(4)
def work(number):
    start.wait()
    for turn in range(150):
        one = ps.asarray(np.float64(1.0))
        x.assign_add(one * 1.0)
        optimizer.apply_gradients([(-one, y)])
        if turn % 11 == number:
            float(x), float(y)
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for one in threads: one.start()
for one in threads: one.join()
print(float(x), x.version, float(y), y.version, optimizer.applied)
"""


@pytest.mark.parametrize("name", ["numpy", "auto"])
@pytest.mark.parametrize("language", ["C", "Python"])
def test_the_hot_path_in_both_languages(name, language):
    if language == "C" and not fast_path.accelerated:
        pytest.skip("the hot path was not built")
    settings = {"PENSTOCK_ENGINE": name, "PENSTOCK_PURE": "" if language == "C" else "1"}
    command = [sys.executable, "-c", PROGRAM, language]
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["600.0", "600", "600.0", "600", "600"]


def test_a_thread_that_comes_while_another_writes(tier):
    """The first thread takes its shortest path until a second one exists."""
    for _ in range(30):
        x = ps.Variable(0.0)
        begun = threading.Event()
        one = ps.asarray(1.0)

        def writes(x=x, begun=begun, one=one):
            for turn in range(40):
                x.assign_add(one)
                if turn == 5:
                    begun.set()

        def comes(x=x, begun=begun, one=one):
            begun.wait()
            for _ in range(20):
                x.assign_add(one)

        first = threading.Thread(target=writes)
        second = threading.Thread(target=comes)
        second.start()
        first.start()
        first.join()
        second.join()
        assert float(x) == 60.0 == x.version


# -- contracts -----------------------------------------------------------------------------------------------


def test_a_contract_is_about_its_own_thread(tier):
    a, b = ps.Variable(0.0, name="a"), ps.Variable(0.0, name="b")
    opened, closed = threading.Event(), threading.Event()

    def first():
        with ps.contract(updates="a"):
            opened.set()
            a.assign_add(1.0)
            closed.wait(60)
            a.assign_add(1.0)

    def second():
        opened.wait(60)
        b.assign_add(1.0)
        with ps.contract(updates="b"):
            b.assign_add(1.0)
        assert float(b) == 2.0
        with pytest.raises(ContractBroken), ps.contract(updates="b"):
            a.assign_add(100.0)
        closed.set()

    in_threads(first, second)
    assert (float(a), float(b)) == (2.0, 2.0)


def test_contracts_of_many_turns_leave_nothing(tier):
    a, b = ps.Variable(0.0, name="a"), ps.Variable(0.0, name="b")

    def under_contract(variable):
        def step(turn):
            with ps.contract(updates=variable.path):
                variable.assign_add(1.0)
                float(variable)

        return step

    by_all(under_contract(a), under_contract(b), turns=300)
    assert (float(a), float(b)) == (300.0, 300.0)
    assert not any(trace.guards for trace in engine.traces)
    assert not any(engine.observers.values())


def test_no_other_thread_reads_writes_that_a_contract_refuses(tier):
    """A block that will be refused has written nothing, for those who read in the middle of it either."""
    a, b = ps.Variable(1.0, name="a"), ps.Variable(1.0, name="b")
    seen = []
    with pytest.raises(ContractBroken), ps.contract(locked="a", updates=["a", "b"]):
        b.assign_add(1.0)
        seen.append(in_a_thread(lambda: float(b)))
        a.assign_add(1.0)
        b.assign_add(1.0)
        seen.append(in_a_thread(lambda: (float(a), float(b))))
    assert seen == [2.0, (1.0, 2.0)]
    assert (float(a), float(b), a.version, b.version) == (1.0, 2.0, 0, 1)
