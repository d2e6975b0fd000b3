"""Programs with Keras' `fit` that real TensorFlow has run do the same here: histories, weights, errors."""

import functools

import pytest

from comparing import same_texts
from penstock.testing import use_engine
from recorded import ORACLES, Difference, Recorded, record_in
from test_tensorflow_programs import core, plain

PROGRAMS = ORACLES / "fit_programs"
RECORD = record_in("fit_programs.json")
UNSAID = ("__array__ implementation", "Your input ran out of data")
"""Warnings that are not about the program: NumPy's, and the one about an exhausted generator."""
for _one in RECORD.values():
    _one["warnings"] = [
        each for each in _one["warnings"] if not any(words in each["text"] for words in UNSAID)
    ]
    # TensorFlow's own: it traces a function for each model.
    _one["logged"] = [each for each in _one["logged"] if "tf.function retracing" not in each["text"]]

DIFFERENT: dict[str, Difference] = {}
REWORDED = {
    "fit_split_refused": "incompatible type in the input: [<class 'penstock.tensorflow._dataset.Dataset'>]"
}
"""Exceptions of the same type that say the same in other words, or say more."""


same = functools.partial(same_texts, rel=2e-4, abs=2e-4)
"""Whether texts are equal except for the rounding of numbers after many steps."""


PEER = Recorded("tensorflow", PROGRAMS, RECORD, core, DIFFERENT, REWORDED, plain, same)


def run_program(name: str):
    from penstock import tensorflow as tf

    tf.keras.backend.clear_session()
    return PEER.run(PROGRAMS / f"{name}.py")


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PROGRAMS.glob("*.py"))
    assert len(RECORD) >= 30


@pytest.mark.parametrize("name", sorted(RECORD))
def test_program_does_what_keras_does(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    with use_engine("numpy"):
        outcome = run_program(name)
    found = PEER.complaints(name, outcome)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["fit_history", "fit_classifier_adam", "fit_own_train_step", "fit_gan"])
def test_training_is_the_same_on_the_compiled_tier(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    with use_engine("xla"):
        outcome = run_program(name)
    found = PEER.complaints(name, outcome)
    assert not found, "\n".join(found)
