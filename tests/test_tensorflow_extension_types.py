"""Extension types do what real TensorFlow did."""

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
from expressions_of_extension_types import SETUP, TYPES  # noqa: E402

sys.path.remove(str(ORACLES))
RECORD = json.loads((ORACLES / "tensorflow_extension_types.json").read_text(encoding="utf-8"))["expressions"]

WORDS = "the type is the same, the words are others"
DIFFERENT = dict.fromkeys(
    (
        "tf.add(masked, masked)",
        "tf.convert_to_tensor(masked)",
        "tf.stack([own, tf.constant([1.0, 2.0])])",
        "tf.reduce_sum(own)",
        "doubled(Masked([1, 2, 3], [True, True, True]))",
    ),
    WORDS,
)
"""Where Penstock means to differ, and why."""


class Node(tf.experimental.ExtensionType):
    value: tf.Tensor
    children: tuple["Node", ...] = ()


class Line(tf.experimental.ExtensionType):
    slope: tf.Tensor
    name: str = "line"

    def at(self, x):
        return self.slope * x


def test_expressions_give_what_tensorflow_gives():
    assert list(RECORD) == TYPES and set(DIFFERENT) <= set(TYPES)
    names = {"tf": tf}
    tf.constant("the first word teaches functions to take words")
    plain = tf.abs, tf.stack, tf.multiply
    with use_engine("numpy"):
        exec(SETUP, names)
        found = []
        for text in TYPES:
            given = outcome(text, names)
            if agrees(given, RECORD[text]) == (text in DIFFERENT):
                found.append(f"{text}: {given!r}; TensorFlow: {RECORD[text]!r}")
        for one in ("one", "two", "stacked"):
            tf.experimental.unregister_dispatch_for(names[one])
    assert not found, "\n".join(found)
    # Nothing is left of what was registered.
    assert (tf.abs, tf.stack, tf.multiply) == plain
    assert not isinstance(outcome("tf.abs(own)", names), str)


def test_a_type_may_have_fields_of_itself():
    tree = Node(3, [Node(5), Node(2, [Node(1)])])
    assert [int(one) for one in tf.nest.flatten(tree, expand_composites=True)] == [3, 5, 2, 1]
    with pytest.raises(TypeError, match=r"children\[0\]: expected 'Node', got 'int'"):
        Node(3, [5])


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated with the class")
def test_a_field_may_name_a_type_that_comes_later():
    class First(tf.experimental.ExtensionType):
        second: Second  # noqa: F821 (an error before Python 3.14)
        number: int = 3

    class Second(tf.experimental.ExtensionType):
        slope: float

    assert repr(First(Second(1.0))) == "First(second=Second(slope=1.0), number=3)"


def test_a_gradient_has_the_form_of_the_type():
    line = Line(tf.constant([1.0, 2.0]))
    with tf.GradientTape() as tape:
        tape.watch(line.slope)
        y = tf.reduce_sum(line.at(3.0) ** 2)
    found = tape.gradient(y, line)
    assert type(found) is Line and found.name == "line"
    np.testing.assert_allclose(found.slope, [18.0, 36.0])


def test_a_field_must_be_set():
    class Half(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

        def __init__(self, a):
            self.a = a

    class More(Half):
        def __init__(self):
            self.a = self.b = self.c = 1

    with pytest.raises(AttributeError, match="'b' was not set by the constructor of Half"):
        Half(1)
    with pytest.raises(AttributeError, match="set c, which no field declares"):
        More()
    with pytest.raises(TypeError, match="y: Unsupported type annotation 'Unknown'"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"y": "Unknown"}})(1)


def test_shapes_that_are_merged():
    shape = tf.TensorShape([None, 3])
    assert shape.merge_with([2, None]) == [2, 3]
    assert tf.TensorShape(None).merge_with([2]) == [2]
    with pytest.raises(ValueError, match=r"Shapes \(None, 3\) and \(2,\) are not compatible"):
        shape.merge_with([2])
