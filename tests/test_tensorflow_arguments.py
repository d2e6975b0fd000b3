"""Every argument of the dialect of TensorFlow is read, or declared to do nothing."""

import ast
from pathlib import Path

import numpy as np
import pytest

import penstock.tensorflow as tf
from penstock.tensorflow._nothing import NOTHING, NOTHING_IN

ROOM = Path(tf.__file__).parent
INTERNAL = ("_graphs/build.py", "_graphs/optimizers.py", "_graphs/gradients.py", "_graphs/cond.py",
            "_graphs/variable.py", "_session.py", "_operators.py", "_reductions.py")  # fmt: skip
"""Files whose functions of several arguments are called by Penstock alone: kernels, rules and the like."""

WAITING = {
    "seed": "the draws of all operations come from the one sequence of tf.random.set_seed",
    "inputs": "all summaries are one", "collections": "all summaries are one", "graph": "nothing is drawn",
    "arguments": "summaries are kept nowhere", "more": "refused where a layer is made",
    "activity_regularizer": "TensorFlow 1's dense layer has no such loss here",
    "sparse": "tensors are dense", "tensor": "an input is always a new one", "optional": "inputs are needed",
    "ragged": "tensors are dense", "x": "a hook that a user overrides", "embeddings_metadata": "not written",
    "write_graph": "not written", "write_steps_per_second": "not written", "var_list": "all are finalized",
    "other": "nothing is known of the shape", "allow_tensor": "both are allowed",
    "allow_operation": "both are allowed", "var": "a slice is not assigned to",
    "data": "the new name is used",
}  # fmt: skip
"""What is neither read nor declared yet. What is read must leave this list."""


def unread():
    """Yields (file, function, argument) of what the public functions of the dialect take and never read."""
    for path in sorted(ROOM.rglob("*.py")):
        yield from _in(path.relative_to(ROOM).as_posix(), ast.parse(path.read_text(encoding="utf-8")), ())


def _in(file, parent, around):
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _in(file, node, (*around, node.name))
        elif isinstance(node, ast.FunctionDef):
            yield from _of_function(file, node, around)


def _of_function(file, node, around):
    documented = ast.get_docstring(node) is not None
    body = node.body[1:] if documented else node.body
    does_nothing = not body or (len(body) == 1 and isinstance(body[0], ast.Raise | ast.Pass))
    if does_nothing or (node.name.startswith("_") and node.name not in ("__init__", "__call__")):
        return
    every = node.args
    names = [one.arg for one in (*every.posonlyargs, *every.args, *every.kwonlyargs)]
    names += [one.arg for one in (every.vararg, every.kwarg) if one is not None]
    read = {one.id for part in node.body for one in ast.walk(part) if isinstance(one, ast.Name)}
    for name in names:
        if name not in read and name not in ("self", "cls", "name") and not name.startswith("_"):
            yield file, ".".join((*around, node.name)), name


def test_every_argument_is_read_or_declared_to_do_nothing():
    found = list(unread())
    declared = {one for one in found if one[2] in NOTHING or one[1:] in NOTHING_IN}
    silent = [
        one for one in found if one not in declared and one[2] not in WAITING and one[0] not in INTERNAL
    ]
    assert not silent, "\n".join(map(str, silent))
    names = {one[2] for one in found}
    assert set(NOTHING) <= names, set(NOTHING) - names
    assert set(NOTHING_IN) <= {one[1:] for one in found}
    assert set(WAITING) <= names, set(WAITING) - names
    assert all(WAITING.values()) and all(NOTHING.values()) and all(NOTHING_IN.values())


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
