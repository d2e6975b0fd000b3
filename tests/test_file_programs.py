"""Programs about files that real TensorFlow has run do the same here: data sets, pictures, records,
weights."""

import importlib.util

import pytest

from penstock.testing import use_engine
from recorded import ORACLES, Difference, Recorded, record_in
from test_fit_programs import same
from test_tensorflow_programs import core, plain

PROGRAMS = ORACLES / "file_programs"
RECORD = record_in("file_programs.json")
UNSAID = {
    "warnings": ("__array__ implementation", "scipy.ndimage"),
    "logged": (
        "tf.function retracing",
        "being deleted with unrestored values",
        "Value in checkpoint could not",
    ),
}
"""Warnings of other libraries about each other, and warnings when an object is collected."""
for _one in RECORD.values():
    for _kind, _words in UNSAID.items():
        _one[_kind] = [each for each in _one[_kind] if not any(one in each["text"] for one in _words)]

NEEDS = {"pictures": "PIL", "keras_file": "h5py"}
"""What programs need that may not be installed, by how their names begin."""
DIFFERENT: dict[str, Difference] = {}
REWORDED: dict[str, str] = {}
"""Exceptions of the same type that say the same in other words, or say more."""
PEER = Recorded("tensorflow", PROGRAMS, RECORD, core, DIFFERENT, REWORDED, plain, same)


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PROGRAMS.glob("*.py"))


@pytest.mark.parametrize("name", sorted(RECORD))
def test_program_does_what_tensorflow_does(name, monkeypatch):
    for head, library in NEEDS.items():
        if name.startswith(head) and importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    from penstock import tensorflow as tf
    from penstock.tensorflow.keras import _settings

    tf.keras.backend.clear_session()
    monkeypatch.setitem(_settings._flags, "unsafe", None)
    monkeypatch.chdir(ORACLES.parents[1])
    monkeypatch.delenv("KERAS_HOME", raising=False)
    with use_engine("numpy"):
        outcome = PEER.run(PROGRAMS / f"{name}.py")
    found = PEER.complaints(name, outcome)
    assert not found, "\n".join(found)
