"""TensorFlow 1 programs that real TensorFlow has run do the same here, under both names of the module."""

import re
import sys
from pathlib import Path

import pytest

from penstock.running import speaks_tensorflow_1
from penstock.tensorflow import _registered_gradients
from penstock.tensorflow.compat.v1 import flags
from penstock.testing import use_engine
from recorded import ORACLES, Difference, record_in
from test_tensorflow_programs import NUMBER, by_tensorflow, run_program

PROGRAMS = ORACLES / "graph_programs"
RECORD = record_in("tensorflow_graph_programs.json")

DIFFERENT = {
    "eager_is_off": Difference("a variable is an instance of tf.Variable", {1: "True True"}),
    "feed_any_tensor": Difference(
        "a scalar that was fed comes back as a NumPy scalar, as any other does",
        {0: "7.0 11.0 [np.float32(10.0), np.float32(11.0)]"},
    ),
}
REWORDED = {
    "fetch_names": "The operation, 'five', does not exist in the graph.",
    "graphs_apart": 'must be from the same graph as Tensor("Const:0", shape=(), dtype=float32) (graphs are ',
    "keras_training_fed": "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.",
    "symbolic_bool": "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.",
    "symbolic_iteration": "Iterating over a symbolic `tf.Tensor` is not allowed.",
    "variable_uninitialized": "In TF1, it can also mean the variable is uninitialized.",
    "variables_initializer_some": "In TF1, it can also mean the variable is uninitialized.",
}
"""Exceptions of TensorFlow's type that begin as its own do, and go on in other words."""
GRAPH = by_tensorflow(PROGRAMS, RECORD, DIFFERENT, REWORDED)


def test_every_program_has_a_record():
    assert sorted(RECORD) == sorted(path.stem for path in PROGRAMS.glob("*.py"))
    assert len(RECORD) >= 60
    assert set(DIFFERENT) | set(REWORDED) <= set(RECORD)


@pytest.mark.parametrize("name", sorted(RECORD))
def test_program_does_what_tensorflow_does(name, monkeypatch):
    monkeypatch.chdir(ORACLES.parents[1])
    with use_engine("numpy"):
        found = GRAPH.complaints(name, run_program(PROGRAMS / f"{name}.py"))
    assert not found, "\n".join(found)


@pytest.fixture(autouse=True)
def nothing_defined():
    """Each program defines its own flags and registers its own gradients, and neither may be there before."""
    flags.FLAGS.__dict__["_flags"].clear()
    _registered_gradients._registered.clear()


def as_in_its_time(source: str) -> str:
    """The program as it was written for TensorFlow 1, line for line, with variables as recorded."""
    source = source.replace("import tensorflow.compat.v1 as tf", "import tensorflow as tf")
    newer = "tf.Session, tf.enable_resource_variables(), tf.enable_v2_tensorshape()"
    source = source.replace("tf.disable_eager_execution()", newer)
    return source.replace("tf.disable_v2_behavior()", "tf.Session")


@pytest.mark.parametrize("name", sorted(RECORD))
def test_program_runs_under_the_plain_name(name, tmp_path, monkeypatch):
    """A name that only TensorFlow 1 has is enough: no compat.v1, no word about eager execution."""
    monkeypatch.chdir(ORACLES.parents[1])
    path = tmp_path / f"{name}.py"
    path.write_text(as_in_its_time((PROGRAMS / f"{name}.py").read_text()))
    assert speaks_tensorflow_1(path)
    with use_engine("numpy"):
        found = by_tensorflow(tmp_path, RECORD, DIFFERENT, REWORDED).complaints(name, run_program(path))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", sorted(name for name in RECORD if name.startswith(("train_", "assign_"))))
def test_training_does_the_same_on_the_compiled_tier(name):
    """XLA joins a product and a sum into one rounding, so the last digit may be another."""
    with use_engine("xla"):
        outcome = run_program(PROGRAMS / f"{name}.py")
    wanted = RECORD[name]["stdout"]
    printed = outcome.stdout
    if name in DIFFERENT:
        wanted = [DIFFERENT[name].lines.get(number, line) for number, line in enumerate(wanted)]
    assert [NUMBER.sub("#", line) for line in printed] == [NUMBER.sub("#", line) for line in wanted]
    numbers = [[float(n) for n in NUMBER.findall("\n".join(lines))] for lines in (printed, wanted)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    ("source", "old"),
    [
        ("import tensorflow as tf\nx = tf.placeholder(tf.float32)", True),
        ("import tensorflow\ntensorflow.train.AdamOptimizer()", True),
        ("from tensorflow import placeholder", True),
        ("import tensorflow as tf\ntf.app.run()", True),
        ("import tensorflow as tf\ntf.python_io.TFRecordWriter('a')", True),
        ("import tensorflow as tf\ntf.compat.v1.placeholder", False),
        ("import tensorflow as tf\ntf.Variable(0.0)\ntf.keras.optimizers.SGD(0.1)", False),
        ("import numpy as tf\ntf.placeholder", False),
        ("import tensorflow.compat.v1 as tf\ntf.placeholder", False),
        ("import tensorflow as tf\ntf.constant(1)\nimport tensorflow.compat.v1 as tf\ntf.Session()", False),
        ("import tensorflow.compat.v1 as old\nimport tensorflow as tf\ntf.Session()", True),
        ("def (", False),
    ],
)
def test_the_age_of_a_program(source: str, old: bool, tmp_path: Path):
    path = tmp_path / "program.py"
    path.write_text(source)
    assert speaks_tensorflow_1(path) is old


@pytest.mark.parametrize(
    ("beside", "line"),
    [
        ("model", "from model import ask"),
        ("6-model", "ask = __import__('6-model').ask"),
        ("model", "import importlib; ask = importlib.import_module('model').ask"),
    ],
)
def test_the_age_of_a_program_may_show_beside_it(beside: str, line: str, tmp_path: Path, monkeypatch):
    monkeypatch.delitem(sys.modules, beside, raising=False)
    (tmp_path / f"{beside}.py").write_text("import tensorflow as tf\ndef ask(x): return tf.Session().run(x)")
    path = tmp_path / "program.py"
    path.write_text(f"import tensorflow as tf\n{line}\nprint(ask(tf.constant(2.0) * 3.0))")
    outcome = run_program(path)
    assert outcome.exception is None
    assert outcome.stdout == ["6.0"]


def test_nothing_of_a_graph_is_left_behind():
    from penstock import tensorflow as tf

    run_program(PROGRAMS / "add_names.py")
    assert tf.executing_eagerly()
    assert re.match("3.0", str((tf.constant(1.0) + tf.constant(2.0)).numpy()))
    assert not hasattr(tf.add, "_eager")
