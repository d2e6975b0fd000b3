"""Resizing by TensorFlow's smoothing methods, against TensorFlow's numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock.testing import check_grads, gradients, use_engine

RECORD = json.loads((Path(__file__).parent / "oracles" / "resize.json").read_text(encoding="utf-8"))
IMAGE = np.asarray(RECORD["image"]).reshape(2, 5, 6, 1)
ROUNDING = 3e-6
"""Of float32, the dtype of TensorFlow's weights, relative to the largest number."""


def named(case):
    return f"{case['method']}-{case['size']}{'-antialias' * case['antialias']}"


@pytest.mark.parametrize("case", RECORD["cases"], ids=named)
def test_values_and_gradients_are_those_of_tensorflow(case):
    def resized(x):
        return ps.nn.resize(x, case["size"], case["method"], antialias=case["antialias"])

    with use_engine("numpy"):
        y = resized(IMAGE).numpy()
        weights = (np.arange(y.size) % 7).astype(np.float64).reshape(y.shape)
        (gradient,) = gradients(resized, [ps.asarray(IMAGE)], [0], [weights])
        for got, want in ((y, case["result"]), (gradient.numpy(), case["gradient"])):
            want = np.reshape(want, got.shape)
            assert abs(got - want).max() < ROUNDING * abs(want).max()


def test_derivatives_against_differences():
    with use_engine("numpy"):
        for method in ("gaussian", "mitchellcubic"):
            check_grads(lambda x: ps.nn.resize(x, (3, 6), method, antialias=True), IMAGE, order=2)  # noqa: B023


def test_tiers_agree_and_the_weights_of_an_element_add_up_to_one():
    found = {}
    for engine in ("numpy", "xla"):
        with use_engine(engine), ps.GradientTape() as tape:
            x = ps.asarray(IMAGE)
            tape.watch(x)
            several = [ps.nn.resize(x, (4, 9), method) for method in ("gaussian", "mitchellcubic")]
            ones = ps.nn.resize(ps.ones((1, 5, 6, 1), dtype="float64"), (3, 8), "gaussian", antialias=True)
            found[engine] = [one.numpy() for one in (*several, tape.gradient(several, x), ones)]
    for got, want in zip(found["xla"], found["numpy"], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["numpy"][3], 1.0, rtol=1e-15)


def test_nothing_is_smoothed_where_nothing_is_resized():
    # TensorFlow returns the image; with one axis resized, the other is smoothed too.
    import penstock.tensorflow as tf

    assert np.array_equal(ps.nn.resize(IMAGE, (5, 6), "gaussian").numpy(), IMAGE)
    assert np.array_equal(tf.image.resize(IMAGE, (5, 6), tf.image.ResizeMethod.GAUSSIAN).numpy(), IMAGE)
    row = ps.nn.resize(IMAGE, (5, 12), "mitchellcubic").numpy()[:, :, :1]
    assert not np.allclose(row, ps.nn.resize(IMAGE, 12, "mitchellcubic", axes=(2,)).numpy()[:, :, :1])


def test_arguments_of_other_methods_are_refused():
    for options in ({"align_corners": True}, {"cubic": -0.75}):
        with pytest.raises(ps.errors.PenstockError, match="method 'gaussian'"):
            ps.nn.resize(IMAGE, 4, "gaussian", **options)
