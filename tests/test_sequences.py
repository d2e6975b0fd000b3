"""Connectionist temporal classification, against the sum over all alignments written out."""

import itertools

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, DTypeError, RangeError, ShapeError
from penstock.testing import check_grads, use_engine

RNG = np.random.default_rng(0)
LOGITS = np.round(RNG.standard_normal((3, 5, 4)), 2)
LABELS = np.asarray([[1, 2, 2], [3, 1, 0], [2, -1, 9]])
TIMES, LENGTHS = np.asarray([5, 4, 3]), np.asarray([3, 2, 1])


def by_hand(logits, labels, blank):
    """-log of the probability of a label sequence, by a look at every alignment."""
    logs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    total = 0.0
    for path in itertools.product(range(logits.shape[1]), repeat=logits.shape[0]):
        kept = [one for one, _ in itertools.groupby(path) if one != blank]
        if kept == list(labels):
            total += np.exp(sum(logs[time, one] for time, one in enumerate(path)))
    return -np.log(total) if total else np.inf


@pytest.mark.parametrize("blank", [0, 2, -1])
def test_the_loss_is_the_sum_over_alignments(blank, tier):
    labels = np.where(np.equal(LABELS, blank % 4), (blank + 1) % 4, LABELS)
    want = [by_hand(LOGITS[i, : TIMES[i]], labels[i, : LENGTHS[i]], blank % 4) for i in range(3)]
    got = ps.losses.ctc(LOGITS, labels, TIMES, LENGTHS, blank=blank).numpy()
    assert np.allclose(got, want, rtol=1e-12)
    turned = ps.losses.ctc(LOGITS.transpose(1, 0, 2), labels, TIMES, LENGTHS, blank=blank, time_major=True)
    assert np.array_equal(turned.numpy(), got)


def test_slopes_and_curvature():
    with use_engine("numpy"):
        check_grads(lambda x: ps.losses.ctc(x, LABELS, TIMES, LENGTHS), LOGITS, order=2)


def test_labels_longer_than_their_time_are_impossible_and_train_nothing(tier):
    x = ps.Variable(np.zeros((2, 2, 3)))
    with ps.GradientTape() as tape:
        loss = ps.losses.ctc(x, np.asarray([[1, 1], [1, 2]]))
        total = ps.sum(loss)
    assert np.allclose(loss.numpy(), [np.inf, -np.log(1 / 9)])
    gradient = tape.gradient(total, x).numpy()
    assert np.isfinite(gradient).all() and not gradient[0].any() and gradient[1].any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_logits_are_added_up_in_float32(dtype, tier):
    logits = ps.asarray(np.zeros((1, 300, 3)), dtype=dtype)
    got = ps.losses.ctc(logits, np.ones((1, 5), np.int32))
    want = ps.losses.ctc(np.zeros((1, 300, 3)), np.ones((1, 5), np.int32))
    assert got.dtype.name == dtype and float(got[0]) == pytest.approx(float(want[0]), rel=1e-2)


def test_empty_batches_empty_labels_and_a_single_time(tier):
    assert ps.losses.ctc(np.zeros((0, 2, 3)), np.zeros((0, 1), int)).shape == (0,)
    none = ps.losses.ctc(np.zeros((1, 2, 3)), np.zeros((1, 0), int)).numpy()
    assert np.allclose(none, -np.log(1 / 9))
    one = ps.losses.ctc(np.zeros((2, 1, 3)), np.asarray([[1], [1]]), None, np.asarray([1, 0])).numpy()
    assert np.allclose(one, np.log(3.0))


def test_infinite_and_missing_logits(tier):
    logits = LOGITS.copy()
    logits[0, 0, 3] = -np.inf
    logits[1, 0, 0] = np.nan
    x = ps.Variable(logits)
    with ps.GradientTape() as tape:
        loss = ps.losses.ctc(x, LABELS, TIMES, LENGTHS)
    assert np.isfinite(loss.numpy()[[0, 2]]).all() and np.isnan(loss.numpy()[1])
    assert np.isfinite(tape.gradient(loss, x).numpy()[0]).all()


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ShapeError, "logits float64", lambda: ps.losses.ctc(LOGITS[0], LABELS)),
        (DTypeError, "labels integer class numbers", lambda: ps.losses.ctc(LOGITS, LABELS * 1.0)),
        (ShapeError, "one sequence of labels", lambda: ps.losses.ctc(LOGITS, LABELS[:2])),
        (ArgumentError, "blank is 4, the logits have 4", lambda: ps.losses.ctc(LOGITS, LABELS, blank=4)),
        (ShapeError, "logit_lengths is", lambda: ps.losses.ctc(LOGITS, LABELS, TIMES[:2])),
        (RangeError, r"a label is 9 at \[2, 2\]; it must lie in 0 .. 3",
         lambda: ps.losses.ctc(LOGITS, np.abs(LABELS)).numpy()),
        (RangeError, r"logit_lengths is 6 at \[0\]",
         lambda: ps.losses.ctc(LOGITS, LABELS, TIMES + 1).numpy()),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused_on_their_line(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    assert caught.value.site.file == __file__
