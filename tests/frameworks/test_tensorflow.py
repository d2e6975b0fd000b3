"""Programs that run in TensorFlow itself: the report on wrong ones, and no finding on right ones.

These need TensorFlow: `make test-frameworks` makes an environment that has it.
"""

import json
import pickle
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed: make test-frameworks")

from frameworks import tensorflow_kinds as kinds  # noqa: E402
from frameworks.tensorflow_programs import FAILING, HEAD, RIGHT, WRONG  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.report.data import as_data  # noqa: E402
from penstock.frameworks.tensorflow.source import TensorFlow  # noqa: E402
from penstock.running import run_script  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

KEEP = """
import pickle


def values(thing):
    if isinstance(thing, tf.keras.layers.Layer):
        return [np.asarray(one) for one in thing.weights]
    return [np.asarray(thing)] if isinstance(thing, tf.Tensor | tf.Variable) else None


kept = {key: values(thing) for key, thing in list(globals().items()) if values(thing) is not None}
kept["random"] = [tf.random.uniform([2]).numpy(), np.random.rand(2)]
with open(KEPT, "wb") as file:
    pickle.dump(kept, file)
"""


@pytest.fixture
def check(tmp_path):
    """Runs a program under inspection; returns the report."""

    def run(text, limit=None):
        tf.keras.backend.clear_session()
        file = tmp_path / "train.py"
        file.write_text(HEAD + dedent(text))
        return inspect(str(file), lambda: run_script(str(file), None, []), limit, source=TensorFlow())

    return run


def line_of(text, mark="# here"):
    """The line number of a mark in the program, with its head."""
    whole = HEAD + dedent(text)
    return next(number for number, line in enumerate(whole.splitlines(), 1) if mark in line)


def found(report):
    """What is said, notes left out: code, variables, line."""
    assert report.error is None, report.error
    return [
        (one.code, one.variables, one.site and one.site.line)
        for one in report.findings
        if one.severity != "note"
    ]


@pytest.mark.parametrize("name", WRONG | kinds.WRONG)
def test_a_mistake_is_named_with_its_variables_and_its_line(check, name):
    text, code, variables = (WRONG | kinds.WRONG)[name]
    said = found(check(text))
    assert (code, variables, line_of(text)) in said
    assert {one for one, _, _ in said} <= {code, "PS302"}


@pytest.mark.parametrize("name", RIGHT | kinds.RIGHT)
def test_right_programs_get_no_findings_and_end_with_the_same_bits(tmp_path, check, name):
    kept = tmp_path / "kept"
    text = dedent((RIGHT | kinds.RIGHT)[name]) + KEEP.replace("KEPT", repr(str(kept)))
    file = tmp_path / "train.py"
    file.write_text(HEAD + text)
    tf.keras.backend.clear_session()
    assert run_script(str(file), None, []) is None
    plain = pickle.loads(kept.read_bytes())
    kept.unlink()
    report = check(text)
    assert report.error is None, report.error
    watched = pickle.loads(kept.read_bytes())
    assert plain.keys() == watched.keys()
    for key, values in plain.items():
        for before, after in zip(values, watched[key], strict=True):
            assert np.asarray(before).tobytes() == np.asarray(after).tobytes(), key
    assert [(one.code, one.message) for one in report.findings if one.severity != "note"] == []


@pytest.mark.parametrize("name", FAILING)
def test_a_function_that_fails_while_it_is_traced_is_analysed_up_to_there(tmp_path, check, name):
    text, names = FAILING[name]
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(text))
    tf.keras.backend.clear_session()
    alone = run_script(str(file), None, [])
    report = check(text)
    assert str(report.error) == str(alone) and "No gradients provided" in str(alone)
    (stopped,) = [one for one in report.findings if one.code == "PS106"]
    assert stopped.variables == names
    (stop,) = report.barriers
    assert stop.site.line == line_of(text)


def test_the_steps_of_a_function_are_counted_with_their_amounts(check):
    report = check(RIGHT["a step in a function"])
    assert report.steps == 30
    (writer,) = report.variables[0].writers.values()
    assert (writer.by, writer.times) == ("Adam", 30) and writer.mean > 0.0


def test_a_fitted_model_names_the_line_of_fit(check):
    text = RIGHT["a compiled model that is fitted"]
    report = check(text)
    lines = {key[1].line for one in report.variables for key in one.writers}
    assert lines == {line_of(text, "model.fit(")} and report.steps == 9


def test_a_strategy_names_the_line_of_fit_and_each_variable_once(check):
    text = RIGHT["a model that a strategy mirrors"]
    report = check(text)
    assert report.steps == 8 and len(report.variables) == 4
    assert {key[1].line for one in report.variables for key in one.writers} == {line_of(text, "model.fit(")}


@pytest.mark.parametrize("name", ["a moving average of weights", "a compiled model that is fitted"])
def test_writes_by_lines_and_layers_are_measured(check, name):
    writers = [one for subject in check(RIGHT[name]).variables for one in subject.writers.values()]
    assert {"assign", "batch_normalization"} & {one.by for one in writers}
    assert all(one.mean > 0.0 for one in writers)


def test_the_steps_before_a_limit_are_analysed(check):
    report = check(WRONG["a step in a function, with a stop"][0].replace("range(4)", "range(40)"), 8)
    assert report.steps == 8 and report.stopped
    assert [one.code for one in report.findings if one.severity != "note"] == ["PS106"]


def test_the_command_reports_on_a_script_that_runs_in_tensorflow(tmp_path):
    text, code, _ = WRONG["a body outside of the tape"]
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(text))
    command = [
        sys.executable,
        "-m",
        "penstock",
        "check",
        "--with",
        "tensorflow",
        "--format",
        "json",
        str(file),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    said = json.loads(done.stdout)
    assert said["framework"] == {"name": "tensorflow", "version": tf.__version__}
    assert [one["code"] for one in said["findings"]] == [code]


def test_programs_of_keras_2_are_seen_too(check):
    pytest.importorskip("tf_keras", reason="tf_keras is not installed: make test-frameworks")
    text = """
        import tf_keras

        x = np.random.rand(32, 4).astype("float32")
        model = tf_keras.Sequential([tf_keras.layers.Dense(4), tf_keras.layers.BatchNormalization()])
        model.compile(tf_keras.optimizers.Adam(), "mse")
        model.fit(x, x, batch_size=8, verbose=0)  # here
        optimizer = tf_keras.optimizers.legacy.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - x) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        """
    report = check(text)
    assert report.error is None and found(report) == [] and report.steps == 7
    paths = [one.path.removeprefix("model/") for one in report.variables]
    names = ("gamma", "beta", "moving_mean", "moving_variance")
    assert paths == ["dense/kernel", "dense/bias", *(f"batch_normalization/{one}" for one in names)]
    assert [(key[0], one.times) for key, one in report.variables[0].writers.items()] == [
        ("Adam", 4),
        ("SGD", 3),
    ]
    assert next(iter(report.variables[0].writers))[1].line == line_of(text)


def test_a_block_is_watched_with_models_made_before_it():
    import penstock as ps

    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    optimizer = tf.keras.optimizers.SGD(0.1)
    with ps.watch(model, optimizer) as report:
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.stop_gradient(model(tf.ones([1, 3]))))
            assert tape.gradient(loss, model.trainable_variables) == [None, None]
    assert "PS106" in [one.code for one in report.report.findings]
    assert [one.path for one in report.report.variables] == ["model/dense/kernel", "model/dense/bias"]


def test_nothing_is_left_behind(check):
    from tensorflow.python.eager import backprop, context
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import resource_variable_ops as variables

    def present():
        kinds = backprop.GradientTape, variables.BaseResourceVariable, ops._EagerTensorBase
        return [dict(vars(kind)) for kind in kinds], list(context.context().op_callbacks), list(sys.meta_path)

    before = present()
    as_data(check(RIGHT["a frozen base"]))
    assert present() == before


def test_a_session_of_tensorflow_1_is_refused_with_what_to_type(check):
    report = check("""
        with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
            session.run(tf.constant(1.0))
    """)
    assert "--as tensorflow" in str(report.error)
