"""Feature columns give what real TensorFlow gave."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import tensorflow as tf
from penstock.testing import use_engine
from test_tensorflow_expressions import agrees, outcome

ORACLES = Path(__file__).parent / "oracles"
sys.path.insert(0, str(ORACLES))
from expressions_of_columns import COLUMNS, SETUP  # noqa: E402

sys.path.remove(str(ORACLES))
RECORD = json.loads((ORACLES / "tensorflow_columns.json").read_text(encoding="utf-8"))["expressions"]
v1 = tf.compat.v1


def test_expressions_give_what_tensorflow_gives():
    assert list(RECORD) == COLUMNS
    names = {"tf": tf}
    with use_engine("numpy"):
        exec(SETUP, names)
        given = {text: outcome(text, names) for text in COLUMNS}
    found = [
        f"{text}: {one!r}; TensorFlow: {RECORD[text]!r}"
        for text, one in given.items()
        if not agrees(one, RECORD[text])
    ]
    assert not found, "\n".join(found)


def test_categories_of_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("red\ngreen\nblue\n")
    whole = tf.feature_column.categorical_column_with_vocabulary_file("colour", str(path))
    part = tf.feature_column.categorical_column_with_vocabulary_file("colour", str(path), 1)
    given = {"colour": [["blue"], ["red"], ["grey"]]}
    assert (whole.num_buckets, part.num_buckets) == (3, 1)
    rows = v1.feature_column.input_layer(given, [tf.feature_column.indicator_column(whole)])
    assert rows.numpy().tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    rows = v1.feature_column.input_layer(given, [tf.feature_column.indicator_column(part)])
    assert rows.numpy().tolist() == [[0], [1], [0]]


def test_an_embedding_learns():
    kind = tf.feature_column.categorical_column_with_identity("kind", 3)
    made = {}
    column = tf.feature_column.embedding_column(kind, 2, initializer=tf.compat.v1.ones_initializer())
    with tf.GradientTape() as tape:
        rows = v1.feature_column.input_layer({"kind": [[0, 2], [2, 2]]}, [column], cols_to_vars=made)
        loss = tf.reduce_sum(rows * [[1.0, 2.0], [4.0, 8.0]])
    gradient = tf.convert_to_tensor(tape.gradient(loss, made[column][0]))
    np.testing.assert_allclose(gradient, [[0.5, 1.0], [0.0, 0.0], [4.5, 9.0]])


def test_a_placeholder_of_categories_is_refused_by_name():
    kind = tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_identity("kind", 3))
    with v1.Graph().as_default():
        fed = v1.placeholder(tf.int64, [None, 1])
        with pytest.raises(ValueError, match=r"'kind'.*whose values.*\n.*\n?.*outside of a graph"):
            v1.feature_column.input_layer({"kind": fed}, [kind])
