"""tf.experimental.numpy gives what real TensorFlow gave, and its behaviour of tensors goes away again."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import tensorflow as tf
from penstock.tensorflow._numpy import behaviour
from penstock.testing import use_engine
from test_tensorflow_expressions import agrees, outcome

ORACLES = Path(__file__).parent / "oracles"
sys.path.insert(0, str(ORACLES))
from expressions_of_numpy import NUMPY, SETUP  # noqa: E402

sys.path.remove(str(ORACLES))
RECORD = json.loads((ORACLES / "tensorflow_numpy.json").read_text(encoding="utf-8"))["expressions"]

MORE = "more is taken than TensorFlow takes"
REFUSED = "refused here and there, with another type or in other words"
DIFFERENT = {
    **dict.fromkeys(
        [f"tnp.{name}(truths)" for name in ("conj", "conjugate", "real", "sort", "argsort")]
        + [f"tnp.{name}({pair})" for name in ("logaddexp", "logaddexp2")
           for pair in ("[1, 2], [2.0, 5.0]", "[3, 4], [5, 2]")]
        + [f"tnp.{name}(small, [1, 2])" for name in ("dot", "inner", "vdot", "matmul")]
        + ["tnp.heaviside(truths, [True, True])", "tnp.var(matrix, ddof=1)",
           "slope(lambda x: tnp.var(x, ddof=1), matrix)"],
        MORE,
    ),
    **dict.fromkeys(
        [f"tnp.reciprocal({one})" for one in ("small", "truths", "[2, 3]")]
        + [f"tnp.{name}({pair})" for name in ("vdot", "matmul") for pair in ("pair, 2", "small, 2.5")]
        + ["tnp.cumsum(truths)", "tnp.cumprod(truths)", "tnp.matmul(truths, [True, True])", "tnp.diag(1)",
           "small == 'a'", "matrix.sum()", "matrix[1.5]", "matrix['a']"],
        REFUSED,
    ),
}  # fmt: skip
"""Where Penstock means to differ, and why."""


@pytest.fixture(autouse=True)
def behaviour_goes_away():
    yield
    behaviour.disable()


def close(text):
    """A text without blanks: how many an array is printed with depends on digits that may differ."""
    return re.sub(r"\s+", "", text) if isinstance(text, str) else text


def test_expressions_give_what_tensorflow_gives():
    assert list(RECORD) == NUMPY and set(DIFFERENT) <= set(NUMPY)
    names = {"tf": tf}
    found = []
    with use_engine("numpy"):
        exec(SETUP, names)
        for text in NUMPY:
            if "prefer_float32" in text:
                given = outcome(text, names)
                behaviour.experimental_enable_numpy_behavior()
            else:
                given = outcome(text, names)
            if agrees(close(given), close(RECORD[text])) == (text in DIFFERENT):
                found.append(f"{text}: {given!r}; TensorFlow: {RECORD[text]!r}")
    assert not found, "\n".join(found)


def test_every_name_is_in_an_expression():
    text = "\n".join(NUMPY) + SETUP
    random = [f"random.{name}" for name in tf.experimental.numpy.random.__all__]
    names = [name for name in tf.experimental.numpy.__all__ if name != "random"]
    unseen = [name for name in (*names, *random) if not re.search(rf"\btnp\.{re.escape(name)}\b", text)]
    assert not unseen and len(names) > 220


def test_without_the_behaviour_tensors_are_as_before():
    tnp = tf.experimental.numpy
    tnp.experimental_enable_numpy_behavior(prefer_float32=True)
    assert (tf.constant([1, 2]).astype("int8") + 0.5).dtype == tf.float32
    behaviour.disable()
    with pytest.raises(AttributeError, match=r"tf\.cast\(x, dtype\)"):
        tf.constant([1, 2]).astype("int8")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant([1.0, 2.0])[[1, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not mix dtypes"):
        tf.constant([1, 2]) + 0.5
    # Its functions do not need it.
    assert tnp.add([1, 2], 0.5).dtype == tf.float64 and tnp.sum([True, True]).numpy() == 2


def test_newer_modes_of_conversion_are_refused():
    with pytest.raises(ValueError, match=r"'safe'.*[\s\S]*Leave out dtype_conversion_mode"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")


def test_seeds_and_limits_of_draws():
    draws = tf.experimental.numpy.random
    draws.seed(7)
    first = draws.rand(50).numpy()
    draws.seed(7)
    np.testing.assert_array_equal(first, draws.rand(50).numpy())
    assert first.min() >= 0 and first.max() < 1
    assert set(draws.randint(2, 5, 200).numpy().tolist()) == {2, 3, 4}
    assert 2 <= draws.uniform(2.0, [3.0, 4.0]).numpy().min() < 4
    assert draws.poisson(3.0, 200).numpy().mean() == pytest.approx(3.0, abs=1.0)
    assert abs(draws.randn(400).numpy().mean()) < 0.3


def test_functions_go_into_compiled_steps():
    tnp = tf.experimental.numpy

    @tf.function
    def loss(x):
        return tnp.sum(tnp.where(x > 0, tnp.exp(x), x) * [1, 2, 3])

    x = tf.Variable([1.0, -1.0, 0.5])
    with tf.GradientTape() as tape:
        y = loss(x)
    np.testing.assert_allclose(tape.gradient(y, x), [np.e, 2.0, 3 * np.exp(0.5)], rtol=1e-6)
