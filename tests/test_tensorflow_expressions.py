"""Expressions give the values and exceptions that real TensorFlow gave for them."""

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock import tensorflow as tf

ORACLES = Path(__file__).parent / "oracles"
sys.path.insert(0, str(ORACLES))
from expressions import EXPRESSIONS, SETUP, mixtures  # noqa: E402

sys.path.remove(str(ORACLES))

RECORD: dict[str, Any] = json.loads((ORACLES / "tensorflow_expressions.json").read_text(encoding="utf-8"))[
    "expressions"
]

PREPARE = compile(SETUP, "<setup>", "exec")
STRINGS = "tensors of words are not there yet"
WAITING = {"tf.Variable('a')": STRINGS}
"""What is not there yet. What works as it should must leave this list."""

WORDS = "the type is the same, the words are others"
MORE = "more is taken than TensorFlow takes"
DIFFERENT = {
    "np.zeros(2, tf.float32)": MORE,
    "tf.constant([True, 1])": MORE,
    "tf.constant([pair, pair])": MORE,
    "tf.add(np.array([1.0, 2.0]), pair)": MORE + ": the array takes the tensor's dtype on either side",
    "tf.add(1.5, whole)": "the number is refused, as it is by every other function; TensorFlow refuses "
    "the tensor",
    "tf.constant(pair, tf.float64)": WORDS,
    "tf.constant([1, 2, 3], shape=[2, 2])": WORDS,
    "tf.concat([], 0)": WORDS,
    "tf.py_function(lambda x: x * 2, [pair], tf.float64)": WORDS,
    "list(tf.data.Dataset.range(2).map(lambda x: "
    "tf.numpy_function(lambda x: x * 2.0, [x], tf.float32)))": WORDS,
    "tf.gather(pair, 5)": WORDS,
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5], logits=[[1.0, 2.0]])": WORDS,
    "tf.einsum('ij,jk', matrix, spd)": WORDS,
    "tf.linalg.solve(spd, pair)": WORDS,
    "tf.TensorArray(tf.float32, 1).write(3, 1.0)": WORDS,
    "tf.debugging.assert_positive([1.0, -1.0], message='below')": WORDS,
    "tf.debugging.assert_near([1.0], [1.1], message='far')": WORDS,
    "tf.debugging.assert_shapes([(matrix, ('N', 'D')), (pair, ('D',))]) or 0": WORDS,
    "matrix[whole > 1, 0]": "the message does not look at the mask",
    "tf.reshape(matrix, [2.0, 3.0])": "a list of fractions is no shape: ValueError",
    "[1, 2, 3][tf.constant(1.0)]": "NumPy says that a fraction is no index: TypeError",
    "truths * 'a'": "a word is refused with TypeError",
    **{
        f"truths / {value}": "truth values are not divided; TensorFlow lets NumPy divide them"
        for value in ("np.float64(1.5)", "np.array([1.5, 2.5])", "np.array([3, 4])")
    },
}
"""Where Penstock means to differ, and why."""

FLOAT = re.compile(r"(?<![\w.])-?\d+\.\d*(?:e[-+]?\d+)?|(?<![\w.])-?\d+e[-+]?\d+")


def outcome(text: str, names: dict[str, Any]) -> Any:
    """What an expression gives, as a text; or the exception it raises."""
    try:
        return repr(eval(text, names))
    except Exception as problem:
        return problem


def same_value(found: str, wanted: str) -> bool:
    """Whether two texts agree, numbers with a point to the sixth digit: kernels round differently."""
    if FLOAT.sub("#", found) != FLOAT.sub("#", wanted):
        return " ".join(found.split()) == " ".join(wanted.split())
    numbers = zip(FLOAT.findall(found), FLOAT.findall(wanted))
    return all(math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-7) for a, b in numbers)


def agrees(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, str):
        return isinstance(found, str) and same_value(found, wanted)
    kind, message = wanted
    if isinstance(found, str) or kind not in [one.__name__ for one in type(found).__mro__]:
        return False
    # Which dtypes a kernel takes depends on how TensorFlow was built.
    return re.split(" allowed values| Expected one of", message)[0] in str(found)


def complaints(texts: list[str]) -> list[str]:
    found = []
    for text in texts:
        names: dict[str, Any] = {"tf": tf}
        exec(PREPARE, names)
        given = outcome(text, names)
        if agrees(given, RECORD[text]) == (text in WAITING or text in DIFFERENT):
            found.append(f"{text}: {given!r}; TensorFlow: {RECORD[text]!r}")
    return found


def test_every_expression_has_a_record():
    assert [*EXPRESSIONS, *mixtures()] == list(RECORD)
    assert set(WAITING) | set(DIFFERENT) <= set(RECORD)
    assert not set(WAITING) & set(DIFFERENT)


def test_expressions_give_what_tensorflow_gives():
    found = complaints(EXPRESSIONS)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("tensor", ["pair", "whole", "double", "truths"])
def test_operators_mix_what_tensorflow_mixes(tensor):
    found = complaints([text for text in mixtures() if tensor in text])
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("found", "wanted", "same"),
    [
        ("[1.0000001, 2.]", "[1.0, 2.]", True),
        ("[1.001, 2.]", "[1.0, 2.]", False),
        ("int32 [1, 2]", "int64 [1, 2]", False),
        ("array([1.,  2.])", "array([1., 2.])", True),
        ("1e-07", "2e-07", True),
        ("1e-05", "2e-05", False),
    ],
)
def test_the_definition_of_equal_values(found, wanted, same):
    assert same_value(found, wanted) is same
