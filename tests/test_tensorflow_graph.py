"""Graphs and sessions: counts of launches and compilations, sites, reports, and memory of sessions."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
import penstock.tensorflow.compat.v1 as tf
from counting import count_compilations, launches
from penstock.errors import NoGradientsError, PenstockError
from penstock.tensorflow._graphs.functions import forget
from penstock.testing import use_engine

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as one:
        yield one
    forget()


def started():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


class TwoScalars:
    def __init__(self):
        x, y = tf.Variable(0.0), tf.Variable(1.0, trainable=False)
        self.loss = (x - 2.0) ** 2 + (y - 3.0) ** 2
        train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.step = tf.group(train, y.assign(y - 0.1 * (2.0 * (y - 3.0))))
        self.feed = None


class Perceptron:
    def __init__(self):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.int32, [None])
        hidden = tf.layers.dense(x, 7, tf.nn.relu)
        logits = tf.layers.dense(hidden, 3)
        self.loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
        count = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.05, count, 3, 0.9)
        self.step = tf.train.AdamOptimizer(rate).minimize(self.loss, global_step=count)
        draws = np.random.default_rng(0)
        self.feed = {x: draws.standard_normal((8, 5)), y: draws.integers(0, 3, 8)}


@pytest.mark.parametrize("make", [TwoScalars, Perceptron])
def test_a_run_is_one_launch_and_nothing_is_compiled_again(make):
    with use_engine("xla"):
        program = make()
        session = started()
        for _ in range(3):
            session.run([program.step, program.loss], program.feed)
        before, compiled = launches(), count_compilations()
        for _ in range(10):
            session.run([program.step, program.loss], program.feed)
        assert launches() - before == 10
        assert count_compilations() == compiled


def test_a_run_without_a_feed_is_one_launch_too():
    with use_engine("xla"):
        program = TwoScalars()
        session = started()
        session.run(program.step)
        before = launches()
        for _ in range(5):
            session.run(program.step)
        assert launches() - before == 5


def test_a_program_that_looks_at_values_is_replayed():
    size = tf.placeholder(tf.int32, [])
    w = tf.Variable(1.0)
    total = tf.reduce_sum(tf.ones([size]) * w)
    train = tf.train.GradientDescentOptimizer(1.0).minimize(total)
    session = started()
    for count in (2, 3, 2, 5):
        session.run(train, {size: count})
    assert session.run(w) == 1.0 - (2 + 3 + 2 + 5)


def test_both_tiers_train_alike():
    losses = []
    for engine in ("numpy", "xla"):
        with use_engine(engine), tf.Graph().as_default():
            tf.set_random_seed(5)
            program = Perceptron()
            session = started()
            losses.append([session.run([program.loss, program.step], program.feed)[0] for _ in range(20)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert losses[0][-1] < losses[0][0] / 2


def test_a_seed_starts_every_session_alike():
    tf.set_random_seed(1)
    w = tf.get_variable("w", [3])
    noise = tf.random_normal([2])
    first, second = started(), None
    drawn = first.run([w, noise]), first.run(noise)
    second = started()
    again = second.run([w, noise]), second.run(noise)
    assert np.array_equal(drawn[0][0], again[0][0])
    assert np.array_equal(drawn[1], again[1])
    assert not np.array_equal(drawn[0][1], drawn[1])


def test_a_run_that_fails_changes_nothing():
    table = tf.Variable(np.zeros((3, 2), np.float32))
    count = tf.Variable(0.0)
    ids = tf.placeholder(tf.int32, [None])
    step = tf.group(count.assign_add(1.0), table.assign_sub(table * 0.0 + 1.0), tf.gather(table, ids))
    chosen = tf.gather(table, ids)
    session = started()
    session.run([step, chosen], {ids: [1]})
    with pytest.raises(PenstockError) as caught:
        session.run([step, chosen], {ids: [7]})
    assert "7" in str(caught.value)
    assert caught.value.site.line == chosen.op.site.line
    assert session.run(count) == 1.0
    assert session.run(table).tolist() == [[-1.0, -1.0]] * 3


def test_data_that_was_fed_may_change_afterwards():
    x = tf.placeholder(tf.float32, [3])
    kept = tf.Variable(tf.zeros([3]))
    write = tf.assign(kept, x)
    session = started()
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            data = np.ones(3, np.float32)
            session.run(write, {x: data})
            data[:] = 7.0
            assert session.run(kept).tolist() == [1.0, 1.0, 1.0]


def test_fetched_values_belong_to_the_reader():
    w = tf.Variable(tf.zeros([3]))
    more = w.assign_add(tf.ones([3]))
    with use_engine("xla"):
        session = started()
        first = session.run(w)
        session.run(more)
        assert first.tolist() == [0.0, 0.0, 0.0]
        mine = session.run(more)
        mine[0] = 50.0
        assert session.run(w).tolist() == [2.0, 2.0, 2.0]


def test_errors_name_the_line_that_built():
    x = tf.placeholder(tf.float32, [None, None])
    product = tf.matmul(x, tf.ones([3, 2]))
    session = tf.Session()
    with pytest.raises(PenstockError) as caught:
        session.run(product, {x: np.ones((2, 4))})
    assert caught.value.site.line == product.op.site.line
    assert caught.value.site.file == __file__


def test_a_missing_gradient_has_a_reason_before_any_run():
    w = tf.get_variable("w", [2])
    wall = tf.stop_gradient(w)
    with pytest.raises(NoGradientsError) as caught:
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(wall))
    assert "'w': stopped" in str(caught.value)
    assert f":{wall.op.site.line}" in str(caught.value)


def test_a_tensor_of_unknown_length_takes_the_lengths_it_is_fed():
    x = tf.placeholder(tf.float32, [None, 4])
    total = tf.reduce_sum(x, axis=0)
    session = tf.Session()
    assert [session.run(total, {x: np.ones((n, 4))}).tolist() for n in (1, 2, 0)] == [
        [n] * 4 for n in (1, 2, 0)
    ]


@pytest.mark.parametrize(
    ("shapes", "join", "wanted"),
    [
        (([None], [10]), lambda a, b: a + b, [10]),
        (([None, None], [5, 3]), tf.matmul, [None, 3]),
        (([None, 784], [784, 10]), tf.matmul, [None, 10]),
        (([None, 3], [3]), lambda a, b: a * b, [None, 3]),
        (([None, 2, 3], [None, 2, 3]), lambda a, b: tf.concat([a, b], 1), [None, 4, 3]),
        (([None, 28, 28], [1]), lambda a, b: tf.reshape(a, [-1, 784]) + b, [None, 784]),
        (([None, 1], [1, None]), lambda a, b: a + b, [None, None]),
    ],
)
def test_shapes_that_are_known_in_part(shapes, join, wanted):
    operands = [tf.placeholder(tf.float32, shape) for shape in shapes]
    assert join(*operands).shape.as_list() == wanted


def test_plain_names_build_while_a_graph_is_the_default():
    from penstock import tensorflow as plain

    total = plain.constant(1.0) + plain.reduce_sum(plain.ones([3]))
    assert plain.Variable(2.0).graph is tf.get_default_graph()
    assert str(total).startswith('Tensor("add:0"')
    assert tf.Session().run(total) == 4.0


def test_plain_names_compute_again_afterwards():
    from penstock import tensorflow as plain

    forget()
    with tf.Graph().as_default():
        assert not plain.executing_eagerly()
    assert plain.executing_eagerly()
    assert (plain.constant(1.0) + 1.0).numpy() == 2.0
    assert type(plain.Variable(1.0)).__name__ == "ResourceVariable"


def test_a_name_that_is_not_there_says_so():
    with pytest.raises(AttributeError, match=r"\(yet\)"):
        tf.train.SyncReplicasOptimizer  # noqa: B018
    with pytest.raises(AttributeError, match=r"\(yet\)"):
        tf.SparseConditionalAccumulator  # noqa: B018
    from penstock import tensorflow as plain

    forget()
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.placeholder"):
        plain.placeholder  # noqa: B018


EAGER = """import tensorflow as tf

x = tf.Variable(0.0, name="x")
y = tf.Variable(1.0, name="y", trainable=False)
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = (x - 2.0) ** 2 * tf.stop_gradient(y)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    y.assign_add(0.5)
"""
GRAPH = """import tensorflow as tf

x = tf.Variable(0.0, name="x")
y = tf.Variable(1.0, name="y", trainable=False)
loss = (x - 2.0) ** 2 * tf.stop_gradient(y)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
more = y.assign_add(0.5)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        session.run([train, more])
"""


def test_check_reports_a_graph_as_it_reports_an_eager_program(check):
    forget()
    found = []
    for name, source in (("eager", EAGER), ("graph", GRAPH)):
        report = check(source, "tensorflow")
        assert report.steps == 4
        found.append(
            [
                (one.path, one.bits, one.gradient, one.created.line, [w.times for w in one.writers.values()])
                for one in report.variables
            ]
        )
        written = {
            one.path: [w.site.line for w in one.writers.values()] for one in report.variables if one.writers
        }
        assert written == ({"x": [9], "y": [10]} if name == "eager" else {"x": [6], "y": [7]})
        assert [one.site.line for one in report.barriers] == [8 if name == "eager" else 5]
    assert found[0] == found[1]


def test_check_tells_the_reason_where_no_session_ever_ran(check):
    forget()
    report = check(
        "import tensorflow as tf\n"
        "w = tf.get_variable('w', [2])\n"
        "loss = tf.reduce_sum(tf.stop_gradient(w))\n"
        "tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n",
        "tensorflow",
        fails=True,
    )
    assert isinstance(report.error, ValueError)
    (one,) = report.variables
    assert (one.path, one.gradient, one.cut.line, one.created.line) == ("w", "stopped", 3, 2)


def test_the_example_does_what_it_says():
    command = [sys.executable, "-m", "penstock", "check", "--as", "tensorflow", "--format", "json"]
    done = subprocess.run(
        [*command, "examples/three_weights.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    gradients = {one["path"]: one["gradient"] for one in report["variables"]}
    assert gradients == {"student": "flows", "teacher": "stopped", "helper": "stopped"}
    assert [one["writes"][0]["times"] for one in report["variables"] if one["writes"]] == [200]
    assert "asked directly: [None, None]" in done.stderr
    assert "within 0.00000" in done.stderr
    assert done.stderr.count("stayed as it was") == 2


def test_a_session_inside_a_tape_is_refused():
    total = tf.constant(1.0) + 1.0
    with ps.GradientTape(), pytest.raises(PenstockError, match="inside a tape"):
        tf.Session().run(total)


def test_threads_build_separate_graphs():
    import threading

    names = []

    def build():
        with tf.Graph().as_default():
            names.append(tf.constant(1.0).name)

    threads = [threading.Thread(target=build) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert names == ["Const:0"] * 3


def test_a_captured_step_may_return_nothing_but_its_argument():
    forget()
    given = ps.step(lambda x: [x])
    assert [float(given(value)[0]) for value in (1.0, 2.0)] == [1.0, 2.0]


def test_words_for_dtypes_mean_what_tensorflow_means():
    assert [tf.as_dtype(word).name for word in ("float", "double", "half", "int32", "bool")] == [
        "float32",
        "float64",
        "float16",
        "int32",
        "bool",
    ]


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_only_the_chosen_branch_is_run(engine):
    chosen = tf.placeholder(tf.bool, [])
    left, right = tf.Variable(0.0), tf.Variable(0.0)
    step = tf.cond(chosen, lambda: tf.assign_add(left, 1.0), lambda: tf.assign_add(right, 1.0))
    with use_engine(engine):
        session = started()
        for value in (True, True, False):
            session.run(step, {chosen: value})
        assert session.run([left, right]) == [2.0, 1.0]


def test_a_tensor_that_passes_through_print_is_written_at_each_run(capfd):
    x = tf.placeholder(tf.float32, [None])
    shown = tf.Print(x * 2.0, [x, tf.constant([[1, 2], [3, 4]]), tf.constant(True)], "seen: ", first_n=4)
    slope = tf.gradients(shown, x)[0]
    with tf.Session() as session:
        for number in range(6):
            assert session.run(shown, {x: [number, 1.5]}).tolist() == [2.0 * number, 3.0]
        assert capfd.readouterr().err == "".join(
            # What TensorFlow 2.21 wrote.
            f"seen: [{number} 1.5][[1 2][3...]...][1]\n"
            for number in range(4)
        )
        assert session.run(slope, {x: [1.0]}).tolist() == [2.0]
        everything = tf.Print(x, [x], summarize=-1)
        session.run(everything, {x: [1.0, 2.0, 3.0, 4.0]})
        assert capfd.readouterr().err == "[1 2 3 4]\n"


def test_an_iterator_says_what_is_missing():
    rows = tf.data.Dataset.from_tensor_slices([[1.0], [2.0], [3.0]])
    waiting = rows.make_initializable_iterator()
    x = waiting.get_next()
    with pytest.raises(ValueError, match="does not have an initializer"):
        rows.make_one_shot_iterator().initializer  # noqa: B018
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(x)
        session.run(waiting.initializer)
        assert session.run([x, x])[0].tolist() == [1.0]
        assert session.run(x).tolist() == [2.0]
    assert (waiting.output_shapes.as_list(), waiting.output_types) == ([1], tf.float32)
    word = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(["a"])).get_next()
    with tf.Session() as session:
        assert (word.dtype, session.run(word)) == (tf.string, b"a")


def test_an_element_of_another_shape_than_the_first_is_refused():
    rows = tf.data.Dataset.range(3).map(lambda n: tf.ones([1, 2 if n < 1 else 3]))
    x = tf.data.make_one_shot_iterator(rows).get_next()
    with tf.Session() as session:
        session.run(x)
        with pytest.raises(ValueError, match="its first axis may change"):
            session.run(x)


def test_a_tuple_waits_for_what_it_is_told():
    import penstock.tensorflow as tf2

    v = tf.Variable(0.0)
    with tf.Session() as session:
        session.run(v.initializer)
        (found,) = tf2.tuple([v + 0.0], [tf.group(v.assign_add(1.0))])
        session.run(found)
        assert session.run(v) == 1.0
        (found,) = tf.tuple([v + 0.0], control_inputs=[v.assign_add(1.0)])
        session.run(found)
        assert session.run(v) == 2.0
