"""Programs about Keras that real TensorFlow has run do the same here: lines, exceptions, warnings."""

from types import ModuleType

import pytest

from penstock.testing import use_engine
from recorded import ORACLES, Difference, record_in
from test_tensorflow_programs import NUMBER, by_tensorflow, core, run_program

PROGRAMS = ORACLES / "keras_programs"
RECORD = record_in("keras_programs.json")
for _one in RECORD.values():
    # TensorFlow's own: it does not know the newest NumPy's way of asking for arrays.
    _one["warnings"] = [each for each in _one["warnings"] if "__array__ implementation" not in each["text"]]

DIFFERENT: dict[str, Difference] = {}
REWORDED: dict[str, str] = {
    "conv2d_weights_refused": "layer.trainable = False to keep them unchanged",
    "functional_not_connected_refused": "is an input that is not listed",
    "keras_tensor_in_function_refused": "Wrap the computation",
    "preparing_numbers_and_words": "The repeated terms are: ['a']",
    "model_without_call_refused": "Model 'model' has no `call()` method",
}
"""Exceptions of the same type that say the same in other words, or say more."""


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PROGRAMS.glob("*.py"))
    assert len(RECORD) >= 60


def test_the_lists_name_programs():
    assert {*DIFFERENT, *REWORDED} <= set(RECORD)


def test_reworded_exceptions_still_differ():
    for name, words in REWORDED.items():
        assert words not in core(RECORD[name]["exception"]["message"]), name


@pytest.mark.parametrize("name", sorted(RECORD))
def test_program_does_what_keras_does(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    monkeypatch.setenv("COLUMNS", "80")
    with use_engine("numpy"):
        outcome = run_program(PROGRAMS / f"{name}.py")
    found = by_tensorflow(PROGRAMS, RECORD, DIFFERENT, REWORDED).complaints(name, outcome)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [name for name in sorted(RECORD) if name.startswith("train_")])
def test_training_is_the_same_on_the_compiled_tier(name):
    with use_engine("xla"):
        outcome = run_program(PROGRAMS / f"{name}.py")
    lines = RECORD[name]["stdout"]
    assert [NUMBER.sub("#", line) for line in outcome.stdout] == [NUMBER.sub("#", line) for line in lines]
    printed, wanted = ([float(n) for n in NUMBER.findall("\n".join(o))] for o in (outcome.stdout, lines))
    assert printed == pytest.approx(wanted, abs=2e-4)
    assert outcome.exception is None


def test_every_namespace_names_its_missing_names():
    from penstock import tensorflow as tf

    keras = tf.keras
    spaces = [one for one in (getattr(keras, name) for name in keras.__all__) if isinstance(one, ModuleType)]
    assert len(spaces) >= 13
    for space in (keras, keras.optimizers.schedules, *spaces):
        with pytest.raises(AttributeError, match=r"has no attribute 'NotAName'(.|\n)*this name \(yet\)"):
            space.NotAName  # noqa: B018
    for name in ("fit", "compile", "evaluate", "predict", "predict_on_batch", "train_on_batch"):
        with pytest.raises(AttributeError, match=rf"Dense has no {name}\(\)(.|\n)*Sequential"):
            getattr(keras.layers.Dense(1), name)(tf.ones((1, 1)))
    with pytest.raises(ValueError, match="has not yet been built"):
        keras.Sequential([keras.layers.Dense(1)]).save_weights("a.weights.h5")
