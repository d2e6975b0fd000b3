"""Values and derivatives against PyTorch, JAX and TensorFlow: they agree, or the difference is declared."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as ps
from penstock.testing import use_engine

from oracles.vocabulary import CASES  # isort: skip
from oracles.vocabulary_differences import DIFFERENCES  # isort: skip

ORACLES = Path(__file__).parent / "oracles"
FRAMEWORKS = ("torch", "jax", "tensorflow")
RECORDS = {
    one: json.loads((ORACLES / f"vocabulary_{one}.json").read_text(encoding="utf-8"))["cases"]
    for one in FRAMEWORKS
}
RECORDED = [(f, name) for f in FRAMEWORKS for name in CASES if CASES[name][1].get(f)]


def read(entry):
    return None if entry is None else np.asarray(entry, np.float64)


def ours(name, engine):
    operands = {k: ps.Variable(np.asarray(v, np.float64)) for k, v in CASES[name][0].items()}
    with use_engine(engine):
        with ps.GradientTape() as tape:
            y = eval(name, {"ps": ps, **operands})
        found = tape.gradient(y, list(operands.values()))
        return y.numpy(), [None if one is None else one.numpy() for one in found]


def differing(name, framework):
    """Which results differ: "value", and the numbers of operands by which derivatives do."""
    value, gradients = ours(name, "numpy")
    record = RECORDS[framework][name]
    pairs = {"value": (value, read(record["value"]))}
    pairs |= {i: (g, read(r)) for i, (g, r) in enumerate(zip(gradients, record["gradients"], strict=True))}
    found = []
    for key, (got, want) in pairs.items():
        # The other frameworks do not agree on whether a missing derivative is None or zeros.
        got, want = (np.zeros(()) if one is None else one for one in (got, want))
        if not np.allclose(got, want, rtol=1e-6, atol=1e-9, equal_nan=True):
            found.append(key)
    return found


@pytest.mark.parametrize(("framework", "name"), RECORDED)
def test_results_agree_or_the_difference_is_declared(framework, name):
    assert name in RECORDS[framework], "record it: python tools/record/vocabulary.py"
    declared = DIFFERENCES.get(name, {}).get(framework)
    found = differing(name, framework)
    assert found == (declared[0] if declared else []), (found, ours(name, "numpy"), RECORDS[framework][name])


def test_every_declared_difference_is_recorded():
    for name, frameworks in DIFFERENCES.items():
        assert {(one, name) for one in frameworks} <= set(RECORDED)
