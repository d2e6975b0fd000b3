"""Axes of length 0: every primitive is tried with one, functions of nothing have a value or refuse it."""

import numpy as np
import pytest

import penstock as ps
from penstock.errors import PenstockError, RangeError, ShapeError
from penstock.ops.table import complete
from penstock.testing import gradients, use_engine

WITHOUT = {
    "fold_in": "a key has three words, the number folded in has no axis, and the result is a key",
}
"""Primitives whose operands and results cannot have an empty axis, and why."""


def has_an_empty_axis(p, sample):
    params = sample[-1] if sample and isinstance(sample[-1], dict) else {}
    operands = sample[:-1] if params else sample
    result = p(*map(ps.asarray, operands), **params)
    return 0 in result.shape or any(0 in np.shape(one) for one in operands)


def test_every_primitive_has_a_sample_with_an_empty_axis_or_a_reason():
    # The samples are what the walk of the table differentiates and compares between the tiers.
    with_one = {
        p.name
        for p in complete().values()
        if any(has_an_empty_axis(p, sample) for sample in p.samples(np.random.default_rng(0)))
    }
    missing = sorted(set(complete()) - with_one - set(WITHOUT))
    assert not missing, f"no sample of {missing} has an empty axis, and WITHOUT gives no reason"
    assert not with_one & set(WITHOUT) and set(WITHOUT) <= set(complete())


TALL, WIDE = np.zeros((0, 2)), np.zeros((2, 0))
NOWHERE = np.zeros((0,), np.int64)
SQUARE = np.zeros((0, 0))

VALUES = {
    **{name: (lambda name=name: getattr(ps, name)(TALL, axis=0), getattr(np, name)(TALL, axis=0))
       for name in ("sum", "prod", "all", "any", "sort", "diff", "count_nonzero")},
    **{name: (lambda name=name: getattr(ps, name)(TALL, axis=0), np.full(2, np.nan))
       for name in ("mean", "var", "std")},
    "max beside": (lambda: ps.max(TALL, axis=1), np.zeros((0,))),
    "matmul": (lambda: ps.matmul(WIDE, TALL), np.zeros((2, 2))),
    "softmax": (lambda: ps.nn.softmax(WIDE), WIDE),
    "log_softmax": (lambda: ps.nn.log_softmax(WIDE), WIDE),
    # SciPy's logsumexp and TensorFlow's reduce_logsumexp return log 0.
    "logsumexp": (lambda: ps.nn.logsumexp(WIDE, axis=1), np.full(2, -np.inf)),
    "attention": (lambda: ps.nn.attention(np.ones((2, 3)), np.ones((0, 3)), TALL), np.zeros((2, 2))),
    "det": (lambda: ps.linalg.det(SQUARE), np.linalg.det(SQUARE)),
    "inv": (lambda: ps.linalg.inv(SQUARE), np.linalg.inv(SQUARE)),
    "cholesky": (lambda: ps.linalg.cholesky(SQUARE), SQUARE),
    "cross entropy": (lambda: ps.losses.softmax_cross_entropy(np.zeros((0, 3)), NOWHERE), np.zeros((0,))),
    "segment_sum": (lambda: ps.segments.segment_sum(TALL, NOWHERE, 3), np.zeros((3, 2))),
    "embedding": (lambda: ps.nn.embedding(TALL, NOWHERE), TALL),
    "pad": (lambda: ps.nn.pad(TALL, ((1, 1), (0, 0))), np.zeros((2, 2))),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_function_of_nothing_has_a_value(name, tier):
    function, want = VALUES[name]
    got = function().numpy()
    assert got.shape == np.shape(want) and got.dtype == np.asarray(want).dtype
    np.testing.assert_array_equal(got, want)


SMOOTH = {
    "mean": lambda x: ps.mean(x, axis=0),
    "softmax": lambda x: ps.nn.softmax(x, axis=0),
    "logsumexp": lambda x: ps.nn.logsumexp(x, axis=0),
    "var": lambda x: ps.var(x, axis=0),
    "norm": lambda x: ps.linalg.vector_norm(x, axis=0),
}


def test_gradients_by_nothing_have_its_shape():
    found = {}
    with use_engine("numpy"):
        for name, function in SMOOTH.items():
            (gradient,) = gradients(function, [ps.asarray(TALL)], [0], [np.ones(function(TALL).shape)])
            found[name] = (gradient.numpy().shape, gradient.dtype)
    assert found == dict.fromkeys(SMOOTH, ((0, 2), np.float64))


REFUSED = {
    **{name: (lambda name=name: getattr(ps, name)(TALL, axis=0), ShapeError, f"{name}: .* .0, 2. is empty")
       for name in ("max", "min", "argmax", "argmin")},
    "take": (lambda: ps.take(TALL, np.asarray([0]), axis=0), RangeError, "take: index 0 .* 0 entries"),
    "index": (lambda: ps.asarray(TALL)[0], RangeError, "Index 0 .* 0 entries"),
    "embedding": (lambda: ps.nn.embedding(TALL, np.asarray([0])), RangeError, "index 0 .* 0 entries"),
    "label": (lambda: ps.losses.softmax_cross_entropy(WIDE, [0, 0]), RangeError, "index 0 .* 0 entries"),
    "top_k": (lambda: ps.segments.top_k(WIDE, 1), ShapeError, r"top_k: 1 .*\(2, 0\)"),
    "choice": (lambda: ps.random.choice(TALL, (2,)), PenstockError, "choice: 2 of 0"),
    "categorical": (lambda: ps.random.categorical(WIDE, (2,)), ShapeError, r"categorical .*\(2, 0\)"),
    "fft": (lambda: ps.fft.fft(np.zeros(0, complex)), ShapeError, "fft: the length is 0"),
    "resize": (lambda: ps.nn.resize(np.zeros((1, 0, 1)), 4), ShapeError, r"resize: .*\(1, 0, 1\)"),
    "pad": (lambda: ps.nn.pad(TALL, ((1, 1), (0, 0)), "reflect"), ShapeError, "pad: axis 0 .* too few"),
    "largest": (lambda: ps.linalg.vector_norm(WIDE, axis=1, ord=np.inf), ShapeError, r"\(2, 0\) is empty"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_function_that_has_no_value_of_nothing_refuses_it(name, tier):
    function, error, words = REFUSED[name]
    with pytest.raises(error, match=words) as caught:
        function().numpy()
    assert "test_empty_axes.py" in str(caught.value.site)
