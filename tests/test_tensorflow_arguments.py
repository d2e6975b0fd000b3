"""Every argument of the dialect of TensorFlow is read, or declared to do nothing."""

import ast
from pathlib import Path

import numpy as np
import pytest

import penstock.tensorflow as tf
import penstock.tensorflow.compat.v1 as v1
from penstock.tensorflow._nothing import NOTHING, NOTHING_IN

ROOM = Path(tf.__file__).parent


def unread():
    """Yields (file, function, argument, docstring) for each argument that its function never reads."""
    for path in sorted(ROOM.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from _in(path.relative_to(ROOM).as_posix(), tree, (), "")


def _in(file, parent, around, about):
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _in(file, node, (*around, node.name), ast.get_docstring(node) or "")
        elif isinstance(node, ast.FunctionDef):
            yield from _of_function(file, node, around, about)


def _of_function(file, node, around, about):
    documented = ast.get_docstring(node) is not None
    body = node.body[1:] if documented else node.body
    does_nothing = not body or (len(body) == 1 and isinstance(body[0], ast.Raise | ast.Pass))
    if does_nothing or (node.name.startswith("_") and node.name not in ("__init__", "__new__", "__call__")):
        return
    every = node.args
    names = [one.arg for one in (*every.posonlyargs, *every.args, *every.kwonlyargs)]
    names += [one.arg for one in (every.vararg, every.kwarg) if one is not None]
    read = {one.id for part in node.body for one in ast.walk(part) if isinstance(one, ast.Name)}
    for name in names:
        if name not in read and name not in ("self", "cls", "name") and not name.startswith("_"):
            yield file, ".".join((*around, node.name)), name, f"{ast.get_docstring(node) or ''} {about}"


def says_so(text, name):
    """Whether a docstring says that an argument does nothing."""
    sentences = " ".join(text.split()).replace(": ", ". ").split(". ")
    return any(f"`{name}`" in one and ("does nothing" in one or "do nothing" in one) for one in sentences)


def test_every_argument_is_read_or_declared_to_do_nothing():
    found = list(unread())
    own = [one for one in found if one[2] not in NOTHING and one[1:3] not in NOTHING_IN]
    silent = [one[:3] for one in own if not says_so(one[3], one[2])]
    assert not silent, "\n".join(map(str, silent))
    assert len(own) > 30
    names = {one[2] for one in found}
    assert set(NOTHING) <= names, set(NOTHING) - names
    assert set(NOTHING_IN) <= {one[1:3] for one in found}
    assert all(NOTHING.values()) and all(NOTHING_IN.values())


def test_a_docstring_that_only_names_an_argument_declares_nothing():
    assert says_so("Returns x. `seed` and `k` do nothing: why not.", "k")
    assert says_so("Returns x; here\n`seed` does\nnothing.", "seed")
    assert not says_so("Returns x times `seed`. It does nothing else.", "seed")


ROWS = tf.data.Dataset.range(1, 4, output_type=tf.int32).map(lambda n: tf.fill([n], n))


@pytest.mark.parametrize("shape", [5, [5], (5,), tf.TensorShape([5])])
def test_padded_shapes_say_how_long_rows_become(shape):
    (batch,) = ROWS.padded_batch(3, padded_shapes=shape)
    assert batch.numpy().tolist() == [[1, 0, 0, 0, 0], [2, 2, 0, 0, 0], [3, 3, 3, 0, 0]]


@pytest.mark.parametrize("shape", [None, [None], [-1]])
def test_unknown_padded_shapes_are_those_of_the_longest(shape):
    (batch,) = ROWS.padded_batch(3, padded_shapes=shape, padding_values=-1)
    assert batch.numpy().tolist() == [[1, -1, -1], [2, 2, -1], [3, 3, 3]]


def test_padded_shapes_of_parts():
    pairs = ROWS.map(lambda row: (row, row))
    first, second = next(iter(pairs.padded_batch(2, padded_shapes=([4], [None]))))
    assert first.shape == (2, 4) and second.shape == (2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller size than the input element"):
        list(ROWS.padded_batch(3, padded_shapes=[2]))
    with pytest.raises(ValueError, match="2 padded shapes are given for 1"):
        list(ROWS.padded_batch(3, padded_shapes=([2], [3])))


@pytest.mark.parametrize(
    ("value", "hint", "dtype"),
    [(1, tf.float32, "float32"), ([1, 2], "float64", "float64"), (1.5, tf.int32, "float32"),
     (np.array([1], np.int64), tf.int64, "int64"), (tf.constant(1), tf.float32, "int32")],
)  # fmt: skip
def test_a_hint_is_taken_where_the_value_can_have_it(value, hint, dtype):
    assert tf.convert_to_tensor(value, dtype_hint=hint).dtype == dtype


FLOATS = tf.TensorSpec([2], tf.float32)


class Scaled(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def __call__(self, rows, count):
        return rows * tf.cast(count, tf.float32)


def test_arguments_become_tensors_of_the_input_signature():
    doubled = tf.function(lambda x: x * 2, input_signature=[FLOATS])
    assert doubled([1, 2]).dtype == tf.float32
    assert Scaled()([1.0, 2.0], 3).numpy().tolist() == [3.0, 6.0]
    assert Scaled()(rows=[1.0, 2.0], count=3).numpy().tolist() == [3.0, 6.0]


@pytest.mark.parametrize("wrong", [tf.ones([3]), tf.ones([2], tf.int32)])
def test_arguments_that_do_not_fit_the_input_signature_are_refused(wrong):
    doubled = tf.function(lambda x: x * 2, input_signature=[FLOATS])
    with pytest.raises(
        TypeError, match=r"(?s)Binding inputs to tf.function failed.*TensorSpec\(shape=\(2,\)"
    ):
        doubled(wrong)


class Untrained(tf.keras.layers.Layer):
    def call(self, x):
        return x


REFUSED = {
    "Input(ragged=True)": lambda: tf.keras.Input((3,), ragged=True),
    "Input(optional=True)": lambda: tf.keras.Input((3,), optional=True),
    "Input(tensor=)": lambda: tf.keras.Input(tensor=tf.ones([2, 3])),
    "add_weight": lambda: tf.keras.metrics.Mean().add_weight(shape=(), trainable=True),
    "compute_output_shape": lambda: Untrained().compute_output_shape((2, 3), (2, 4)),
    "apply_gradients": lambda: tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD()
    ).apply_gradients([], global_step=1),
    "seed is 1.5": lambda: tf.random.normal([2], seed=1.5),
}


@pytest.mark.parametrize("words", REFUSED)
def test_arguments_that_cannot_be_honoured_are_refused(words):
    with pytest.raises((TypeError, ValueError)) as caught:
        REFUSED[words]()
    assert words in str(caught.value)


def test_averages_take_the_place_of_the_variables_that_the_optimizer_knows():
    first, second = tf.Variable(1.0), tf.Variable(2.0)
    optimizer = tf.keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    optimizer.apply_gradients([(tf.constant(1.0), first), (tf.constant(1.0), second)])
    with pytest.raises(ValueError, match=r"model variables \(1\).*stored in the optimizer \(2\)"):
        optimizer.finalize_variable_values([first])
    optimizer.finalize_variable_values([first, second])


def test_a_check_shows_its_message_and_data():
    with pytest.raises(ValueError, match="data: which batch"):
        tf.debugging.assert_shapes([(tf.ones([2]), ("N",)), (tf.ones([3]), ("N",))], data=["which batch"])


class TestGraphs:
    """Arguments of TensorFlow 1."""

    def test_elements_of_a_graph_are_of_the_kinds_allowed(self):
        with v1.Graph().as_default() as graph:
            total = v1.constant(1.0, name="total")
        assert graph.as_graph_element("total:0", allow_operation=False) is total
        assert graph.as_graph_element("total", allow_tensor=False) is total.op
        with pytest.raises(ValueError, match="'total:0' appears to refer to a Tensor, not a Operation"):
            graph.as_graph_element("total:0", allow_tensor=False)
        with pytest.raises(ValueError, match="'total' refers to an Operation, not a Tensor"):
            graph.as_graph_element("total", allow_operation=False)
        with pytest.raises(TypeError, match="Can not convert a Operation into a Tensor"):
            graph.as_graph_element(total.op, allow_operation=False)
        with pytest.raises(ValueError, match="can't both be False"):
            graph.as_graph_element(total, False, False)

    def test_the_shape_of_a_variable_is_checked(self):
        with v1.Graph().as_default():
            assert v1.Variable(np.zeros(3, np.float32), shape=[None]).shape == (3,)
            with pytest.raises(ValueError, match="not compatible with the explicitly supplied `shape`"):
                v1.Variable(np.zeros(3, np.float32), shape=[2])

    def test_a_summary_of_several_is_in_its_collections(self):
        with v1.Graph().as_default() as graph:
            merged = v1.summary.merge([v1.summary.scalar("loss", v1.constant(1.0))], collections=["own"])
            assert graph.get_collection("own") == [merged]
            assert [one.name for one in merged.control_inputs] == ["loss"]

    def test_the_activity_of_a_layer_is_regularized_by_example(self):
        with v1.Graph().as_default(), v1.Session() as session:
            x = v1.constant([[1.0, 2.0], [3.0, 4.0]])
            v1.layers.dense(
                x, 1, kernel_initializer=v1.ones_initializer(), activity_regularizer=v1.reduce_sum
            )
            session.run(v1.global_variables_initializer())
            (loss,) = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
            assert session.run(loss) == (3.0 + 7.0) / 2
