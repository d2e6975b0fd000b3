"""Higher derivatives and control flow give what TensorFlow and JAX give for the same small programs."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock import tensorflow as tf
from scripts import module_in

ORACLES = Path(__file__).parent / "oracles"


programs = module_in(ORACLES / "higher.py")
TENSORFLOW, JAX = (
    json.loads((ORACLES / f"higher_{name}.json").read_text(encoding="utf-8"))["programs"]
    for name in ("tensorflow", "jax")
)


def compare(found, want):
    assert len(found) == len(want)
    for number, (one, other) in enumerate(zip(found, want)):
        assert (one is None) == (other is None), (number, one, other)
        if one is None:
            continue
        value, expected = np.asarray(one), np.asarray(other)
        assert value.shape == expected.shape, (number, value.shape, expected.shape)
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6, err_msg=str(number))


def test_every_program_has_an_answer():
    assert TENSORFLOW.keys() == programs.TENSORFLOW.keys()
    assert JAX.keys() == programs.JAX.keys()
    assert len(TENSORFLOW) + len(JAX) >= 40


@pytest.mark.parametrize("name", programs.TENSORFLOW)
def test_as_tensorflow(tier, name):
    compare(programs.run(programs.TENSORFLOW[name], {"tf": tf, "np": np}), TENSORFLOW[name])


@pytest.mark.parametrize("name", programs.JAX)
def test_as_jax(tier, name):
    compare(programs.run(programs.JAX[name][1], {"ps": ps, "np": np}), JAX[name])
