"""Data that a function of a dialect makes on the way is part of the event, of any size."""

import numpy as np
import pytest

import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf
from penstock.functions.composite import composite
from penstock.trace.local import local
from penstock.trace.tree import CALL_BYTES

SIZES = (7, 8, 30)
"""A matrix with this many rows, each of fewer than 64 elements."""


def square(n):
    return np.random.default_rng(n).normal(size=(n, n)).astype(np.float32) + 3 * np.eye(n, dtype=np.float32)


def near(x):
    squares = np.square(x)
    windows = [squares[..., max(i - 5, 0) : i + 6].sum(-1) for i in range(x.shape[-1])]
    return x / np.sqrt(1 + np.stack(windows, -1))


TENSORFLOW = {
    "diag": (lambda x: tf.linalg.diag(x[0]), lambda x: np.diag(x[0])),
    "diag_part": (tf.linalg.diag_part, np.diag),
    "set_diag": (lambda x: tf.linalg.set_diag(x, x[0]), lambda x: x - np.diag(np.diag(x)) + np.diag(x[0])),
    "band_part": (lambda x: tf.linalg.band_part(x, -1, 0), np.tril),
    "inv": (tf.linalg.inv, np.linalg.inv),
    "local_response_normalization": (lambda x: tf.nn.local_response_normalization(x[None, None])[0, 0], near),
    "histogram": (
        lambda x: tf.histogram_fixed_width(x, [-1.0, 1.0], 100),
        lambda x: np.histogram(np.clip(x, -1, 1), 100, (-1, 1))[0],
    ),
    "bincount": (
        lambda x: tf.math.bincount(tf.cast(tf.abs(x), tf.int32)),
        lambda x: np.bincount(np.abs(x).astype(int).ravel()),
    ),
}
PADDLE = {
    "diag": (lambda x: paddle.diag(x[0]), lambda x: np.diag(x[0])),
    "diag_padded": (
        lambda x: paddle.diag(x[0], padding_value=2.0),
        lambda x: np.where(np.eye(len(x)) > 0, np.diag(x[0]), 2.0),
    ),
    "nansum": (paddle.nansum, np.nansum),
    "nan_to_num": (paddle.nan_to_num, np.nan_to_num),
    "softshrink": (paddle.nn.functional.softshrink, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    "index_fill": (
        lambda x: paddle.index_fill(x, paddle.to_tensor([1, 2]), 0, 5.0),
        lambda x: np.concatenate([x[:1], np.full_like(x[1:3], 5.0), x[3:]]),
    ),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TENSORFLOW)
def test_functions_of_tensorflow(tier, name, size):
    function, wanted = TENSORFLOW[name]
    x = square(size)
    for data in (x, x + 1):
        assert function(tf.constant(data)).numpy() == pytest.approx(wanted(data), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PADDLE)
def test_functions_of_paddle(tier, name, size):
    function, wanted = PADDLE[name]
    x = square(size)
    for data in (x, x + 1):
        assert function(paddle.to_tensor(data)).numpy() == pytest.approx(wanted(data), rel=1e-4, abs=1e-5)


@composite(1)
def rising(x):
    return x * ps.asarray(np.arange(1000.0, dtype=np.float32)) + ps.ones((1000,))


def test_an_array_made_on_the_way_has_its_weight_in_the_budget_and_its_slope():
    x = ps.Variable(np.ones(1000, np.float32))
    with ps.GradientTape() as tape:
        y = rising(x)
        made = local.trace.node
        assert made.size_in_memory > 4000 + CALL_BYTES
    assert np.array_equal(np.asarray(y), np.arange(1000) + 1.0)
    assert np.array_equal(np.asarray(tape.gradient(y, x)), np.arange(1000))


@composite(1)
def filled(x):
    return x + ps.ones((100_000,))


def test_an_array_of_one_value_is_kept_as_that_value():
    x = ps.Variable(1.0)
    with ps.GradientTape():
        y = filled(x)
        assert local.trace.node.size_in_memory < 100_000
    assert float(y[-1]) == 2.0
