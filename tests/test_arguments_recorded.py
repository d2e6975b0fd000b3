"""Each argument, set to a value other than its default, gives the framework's result or is refused."""

import contextlib
import importlib
import io
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

ORACLES = Path(__file__).parent / "oracles"
sys.path.insert(0, str(ORACLES))
from arguments import evaluate, same, signatures, space, text_of  # noqa: E402

sys.path.remove(str(ORACLES))

CROSSED = "where the ends are the wrong way round the upper one wins, as in NumPy"
DIFFERENT: dict[str, dict[str, str]] = {
    "tensorflow": {
        "loss(tf.keras.constraints.MinMaxNorm(min_value=2.0), F)": CROSSED,
        "loss(tf.keras.constraints.min_max_norm(min_value=2.0), F)": CROSSED,
        "tf.linalg.banded_triangular_solve(M, F, lower=False)": "a zero on the diagonal: what is divided by "
        "it is not finite, infinite there and no number here",
    },
    "paddle": {
        "paddle.linalg.cholesky_inverse(S": "one triangle is read of what is not a Cholesky factor",
        "paddle.linalg.ormqr(S, V, S": "Paddle's function changes x, which is y here",
        "paddle.linalg.svd_lowrank(": "the signs of singular vectors are those of a draw",
        "paddle.linalg.pca_lowrank(": "the signs of singular vectors are those of a draw",
        "paddle.linalg.lstsq(F, G, rcond=": "what counts as 0 are small singular values; Paddle leaves out "
        "columns",
    },
}
"""Calls whose results differ on purpose, and why."""


def record_of(dialect: str) -> dict[str, Any]:
    text = (ORACLES / f"arguments_{dialect}.json").read_text(encoding="utf-8")
    return json.loads(text)["calls"]


def outcome(text: str, names: dict[str, Any]) -> Any:
    """The result of a call, or its exception."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            return evaluate(text, names)
        except Exception as problem:
            return problem


def differences(dialect: str) -> tuple[list[str], int, int]:
    """The calls with other results, how many agree, and how many are refused."""
    names = space(dialect, importlib.import_module(f"penstock.{dialect}"))
    found, agree, refused = [], 0, 0
    for label, one in record_of(dialect).items():
        kind, base, gives = one["kind"], one["base"], one["gives"]
        calls = [(text_of(label, kind, base, {}), gives)]
        for name, values in one["others"].items():
            calls += [
                (text_of(label, kind, base, {name: value}), gives if wanted == "as before" else wanted)
                for value, wanted in values.items()
            ]
        for text, wanted in calls:
            given = outcome(text, names)
            if isinstance(given, Exception):
                refused += 1
                if not str(given) or isinstance(given, AttributeError | NameError | AssertionError):
                    found.append(f"{text} raised {given!r}")
            elif same(given, wanted):
                agree += 1
            else:
                found.append(f"{text} gave {given}, not {wanted}")
    return found, agree, refused


@pytest.mark.parametrize("dialect", ["tensorflow", "paddle"])
def test_every_argument_has_the_effect_that_it_has_in_the_framework(dialect):
    found, agree, refused = differences(dialect)
    meant = DIFFERENT[dialect]
    silent = [one for one in found if not any(one.startswith(text) for text in meant)]
    assert not silent, "\n".join(silent)
    assert all(any(one.startswith(text) for one in found) for text in meant)
    assert agree > 8 * refused


@pytest.mark.parametrize("dialect", ["tensorflow", "paddle"])
def test_most_names_and_arguments_have_been_tried(dialect):
    record, asked = record_of(dialect), signatures(dialect)
    known = {label: one["others"] for label, one in asked.items() if label in record}
    assert len(known) > len(asked) / 2
    tried = sum(name in record[label]["others"] for label, others in known.items() for name in others)
    assert tried > sum(map(len, known.values())) / 2
