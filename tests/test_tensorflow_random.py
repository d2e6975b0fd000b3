"""Random expressions give the values and gradients here that TensorFlow gave."""

import json

import pytest

from oracles import random_expressions
from penstock import tensorflow as tf
from penstock.testing import use_engine
from recorded import ORACLES

RECORD = json.loads((ORACLES / "random_expressions.json").read_text(encoding="utf-8"))["seeds"]


def same(one, other):
    """Whether two summaries say the same, rounding apart."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=2e-3, abs=2e-3)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def differences(seed, in_function=False):
    found = random_expressions.outcomes(int(seed), tf, in_function)
    texts = random_expressions.expressions(int(seed))
    return [
        f"{text}\n  gives {mine}\n  not   {wanted}"
        for text, mine, wanted in zip(texts, found, RECORD[seed], strict=True)
        if wanted is not None and not same(mine, wanted)
    ]


@pytest.mark.parametrize("seed", sorted(RECORD, key=int))
def test_random_expressions_are_those_of_tensorflow(seed):
    with use_engine("numpy"):
        wrong = differences(seed)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", sorted(RECORD, key=int)[::20])
def test_random_expressions_are_the_same_on_the_compiled_tier(seed):
    with use_engine("xla"):
        wrong = differences(seed)
    assert not wrong, "\n".join(wrong)


def test_most_expressions_are_compared():
    every = [one for seed in RECORD.values() for one in seed]
    assert sum(one is not None for one in every) > 0.8 * len(every)
