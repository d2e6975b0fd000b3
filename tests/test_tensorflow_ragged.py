"""Ragged tensors: TensorFlow's results, gradients through them, and the record's programs."""

import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from in_a_process import printed
from penstock import tensorflow as tf
from penstock.errors import PenstockError
from penstock.tensorflow import _dispatch
from penstock.testing import use_engine
from test_tensorflow_expressions import agrees, outcome

ORACLES = Path(__file__).parent / "oracles"
sys.path.insert(0, str(ORACLES))
import expressions_of_containers  # noqa: E402
import expressions_of_ragged  # noqa: E402

sys.path.remove(str(ORACLES))


def record(name):
    return json.loads((ORACLES / f"tensorflow_{name}.json").read_text(encoding="utf-8"))["expressions"]


SETS = {
    "ragged": (expressions_of_ragged.SETUP, expressions_of_ragged.RAGGED),
    "containers": (expressions_of_containers.SETUP, expressions_of_containers.CONTAINERS),
}
WORDS = "the type is the same, the words are others"
MORE = "more is taken than TensorFlow takes"
NAMED = "the two results have names in every case; in TensorFlow not in all"
REFUSED = "refused here and there, with another type"
DIFFERENT = {
    "tf.ragged.map_flat_values(tf.add, rows, deep)": WORDS,
    "tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 1, 3])": WORDS,
    "tf.RaggedTensor.from_row_splits([3, 1, 4], [1, 3])": WORDS,
    "tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2])": WORDS,
    "tf.RaggedTensor.from_row_lengths([3, 1, 4], [2, 2])": WORDS,
    "tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 2, 1])": WORDS,
    "tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 1]], [1], [3, 3]))": WORDS,
    "tf.squeeze(rows, 1)": WORDS,
    "tf.unstack(rows)": MORE,
    "tf.repeat(rows, 2, axis=0)": MORE,
    "tf.boolean_mask(rows, [True, False, True, False])": MORE,
    "tf.map_fn(tf.reduce_sum, rows)": WORDS,
    "tf.convert_to_tensor(rows)": WORDS,
    "tf.linalg.matmul(rows, rows)": REFUSED,
    "tf.sort(tf.constant(['b', 'a', 'c']))": REFUSED,
    "rows + 'a'": REFUSED,
    "parts(tf.sparse.map_values(tf.add, sp, sq))": WORDS,
    "closed(filled()).dequeue()": "a queue has no name",
    "closed(filled()).enqueue(1)": "a queue has no name",
    "filled([1, 2], shapes=[(2,)]).dequeue()": WORDS,
    "filled([1, 2, 3], shapes=[(2,)])": WORDS,
    "tf.nn.isotonic_regression(tf.constant([[3.0, 1.0, 2.0]]), decreasing=False)": NAMED,
    "tf.nn.isotonic_regression(tf.constant([[3.0, 1.0], [4.0, 2.0]]), axis=0)": NAMED,
    "tf.quantization.fake_quant_with_min_max_vars([[1.2, -0.3, 0.7], [2.1, 0.5, -1.0]], -0.5, 0.8)": "the "
    "last digit is rounded otherwise",
}
"""Where Penstock means to differ, and why."""


@pytest.mark.parametrize("name", SETS)
def test_expressions_give_what_tensorflow_gives(name):
    setup, texts = SETS[name]
    wanted = record(name)
    assert list(wanted) == texts
    found, names = [], {"tf": tf}
    with use_engine("numpy"):
        exec(setup, names)
        for text in texts:
            given = outcome(text, names)
            if agrees(given, wanted[text]) == (text in DIFFERENT):
                found.append(f"{text}: {given!r}; TensorFlow: {wanted[text]!r}")
    assert not found, "\n".join(found)


def random_rows(draw, depth, numbers):
    """Nested lists of random lengths, with random numbers in the innermost."""
    if depth == 0:
        return numbers()
    return [random_rows(draw, depth - 1, numbers) for _ in range(draw.randint(0, 3))]


def padded(rows, shape, fill):
    made = np.full(shape, fill)
    for place, value in places(rows, ()):
        made[place] = value
    return made


def places(rows, before):
    if not isinstance(rows, list):
        yield before, rows
        return
    for number, one in enumerate(rows):
        yield from places(one, (*before, number))


@pytest.mark.parametrize("seed", range(4))
def test_random_rows_do_what_lists_of_them_do(seed):
    draw = random.Random(seed)
    with use_engine("numpy"):
        for _ in range(12):
            depth = draw.choice((2, 3))
            rows = [
                random_rows(draw, depth - 1, lambda: draw.uniform(-2, 2)) for _ in range(draw.randint(1, 4))
            ]
            x = tf.ragged.constant(rows, tf.float64, ragged_rank=depth - 1)
            shape = tuple(int(n) for n in x.bounding_shape())
            assert x.to_list() == rows
            assert np.array_equal(x.to_tensor(7.0).numpy(), padded(rows, shape, 7.0))
            assert tf.concat([x, x], 0).to_list() == rows + rows
            assert tf.concat([x, x], 1).to_list() == [one + one for one in rows]
            assert tf.reverse(x, [1]).to_list() == [one[::-1] for one in rows]
            assert x[:, 1:].to_list() == [one[1:] for one in rows]
            assert x[:, ::-2].to_list() == [one[::-2] for one in rows]
            assert x[:, -2:].to_list() == [one[-2:] for one in rows]
            picked = [draw.randrange(len(rows)) for _ in range(3)]
            assert tf.gather(x, picked).to_list() == [rows[n] for n in picked]
            assert tf.ragged.boolean_mask(x, x > 0).to_list() == kept(rows)
            for axis in range(depth):
                total = tf.reduce_sum(x, axis)
                dense = padded(rows, shape, 0.0).sum(axis)
                found = total.to_tensor().numpy() if isinstance(total, tf.RaggedTensor) else total.numpy()
                # The longest row differs between the two: the elements after it are 0.
                assert np.allclose(found, dense[tuple(map(slice, found.shape))])


def kept(rows):
    if not isinstance(rows, list):
        return rows
    return [kept(one) for one in rows if isinstance(one, list) or one > 0]


def test_gradients_through_rows_are_those_of_differences():
    values, step = np.array([0.3, -1.2, 0.7, 2.0, -0.4]), 1e-6

    def loss(flat):
        x = tf.RaggedTensor.from_row_lengths(flat, [2, 0, 3])
        y = tf.concat([x * x, tf.reverse(x, [1])[:, :2], tf.sin(x)], axis=1)
        z = tf.nn.softmax(y) * y + tf.expand_dims(tf.reduce_mean(x[:3:2], axis=0)[:1], 0)
        return tf.reduce_sum(z.to_tensor(1.0) * tf.reshape(tf.range(24.0, dtype=tf.float64), (3, 8)))

    with use_engine("numpy"):
        x = tf.Variable(values)
        with tf.GradientTape() as tape:
            found = loss(x)
        slope = tape.gradient(found, x)
        slope = np.asarray(tf.convert_to_tensor(slope))
        for number in range(5):
            moved = step * (np.arange(5) == number)
            wanted = (loss(values + moved).numpy() - loss(values - moved).numpy()) / (2 * step)
            assert slope[number] == pytest.approx(wanted, rel=1e-6)


def test_both_tiers_and_both_ways_to_write_it_train_alike():
    rows = [[3, 1, 2], [0], [2, 2, 1, 3]]

    def trained(engine, embedded):
        with use_engine(engine):
            table = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2) / 8)
            optimizer = tf.keras.optimizers.SGD(0.1)
            for _ in range(6):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(embedded(table)))
                optimizer.apply_gradients([(tape.gradient(loss, table), table)])
            return table.numpy()

    def ragged(table):
        return tf.reduce_mean(tf.nn.embedding_lookup(table, tf.ragged.constant(rows)), axis=1)

    def by_row(table):
        return tf.stack([tf.reduce_mean(tf.gather(table, row), 0) for row in rows])

    wanted = trained("numpy", by_row)
    assert np.allclose(trained("numpy", ragged), wanted, rtol=1e-6)
    assert np.allclose(trained("auto", ragged), wanted, rtol=1e-5)


def test_the_record_names_the_line_of_the_program():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [2, 1]) * 2.0)
    past = tape._record()
    assert past is not None
    files = {str(call.site.file) for call in past[0].program() if call.site is not None and call.inputs}
    assert files == {__file__}
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: tf.linalg.inv(x), "ragged tensor of shape"),
        (lambda x: tf.Variable(x), "ragged tensor of shape"),
        (lambda x: tf.matmul(x, x), "to_tensor"),
        (lambda x: x[:, 0], "inner ragged dimension"),
        (lambda x: x + tf.constant([[1.0, 2.0, 3.0]] * 3), "did not hold"),
        (lambda x: tf.reshape(x, [-1]), "takes a ragged shape"),
        (lambda x: tf.strings.reduce_join(tf.strings.as_string(x), axis=0), "not in penstock.tensorflow yet"),
        (lambda x: tf.gather(x, [0], axis=1), "yet"),
    ],
)
def test_unsupported_functions_are_refused_by_name(call, words):
    with pytest.raises(PenstockError, match=words):
        call(tf.ragged.constant([[1.0, 2.0], [], [3.0]]))


def test_functions_change_once_and_keep_their_names():
    tf.ragged.constant([[1]])
    replaced = dict(_dispatch._replaced)
    assert tf.add is tf.math.add and tf.add in replaced.values()
    assert tf.add.__name__ == "add" and "x + y" in tf.add.__doc__
    tf.ragged.constant([["a"], []])
    assert _dispatch._replaced == replaced
    assert tf.linalg.inv not in replaced.values()


def test_rows_go_through_data_sets():
    rows = tf.ragged.constant([[1, 2], [], [3], [4, 5, 6]])
    data = tf.data.Dataset.from_tensor_slices((rows, tf.constant(["a", "b", "c", "d"])))
    batches = [(x.to_list(), y.numpy().tolist()) for x, y in data.batch(3)]
    assert batches == [([[1, 2], [], [3]], [b"a", b"b", b"c"]), ([[4, 5, 6]], [b"d"])]
    assert [x.numpy().tolist() for x, _ in data.batch(3).unbatch()] == [[1, 2], [], [3], [4, 5, 6]]
    assert data.element_spec[0] == tf.RaggedTensorSpec([None], tf.int32, 0)
    deep = tf.data.Dataset.from_tensors(tf.ragged.constant([[[1], []], [[2, 3]]]))
    (found,) = deep.batch(1)
    assert found.to_list() == [[[[1], []], [[2, 3]]]]
    lengths = tf.data.Dataset.range(1, 4).map(tf.range).ragged_batch(2)
    assert [one.to_list() for one in lengths] == [[[0], [0, 1]], [[0, 1, 2]]]


@pytest.mark.parametrize("name", ["first_ragged_in_a_call", "first_words_in_a_call"])
def test_the_first_value_of_a_kind_may_be_made_among_the_arguments(name, tmp_path):
    program = (ORACLES / "programs" / f"{name}.py").read_text(encoding="utf-8")
    for word in ("import", "from"):
        program = program.replace(f"{word} tensorflow", f"{word} penstock.tensorflow")
    known = json.loads((ORACLES / "tensorflow_programs.json").read_text(encoding="utf-8"))["programs"][name]
    assert printed(program, tmp_path).splitlines() == known["stdout"]


def test_a_function_that_a_program_holds_stays_the_same_object_with_its_signature():
    import inspect

    tf.ragged.constant([[1.0]])
    for one in (tf.concat, tf.reduce_sum, tf.gather):
        held = one._dense_only
        assert _dispatch.current(held) is one
        assert inspect.signature(held) == inspect.signature(one)
        assert held.__name__ == one.__name__ and held.__doc__ == one.__doc__
    assert tf.reduce_sum._dense_only([1.0, 2.0], axis=0).numpy() == 3.0
