"""The callback for Keras' fit, Keras on another backend, and training in a thread that is not watched."""

from textwrap import dedent

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed: make test-frameworks")

from penstock import callbacks  # noqa: E402
from penstock.errors import PenstockError  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.frameworks.tensorflow import backends, source  # noqa: E402
from penstock.frameworks.tensorflow.source import TensorFlow  # noqa: E402
from penstock.running import run_script  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

X, Y = np.random.default_rng(0).random((64, 3), "float32"), np.ones((64, 1), "float32")


class Stopped(tf.keras.layers.Layer):
    def call(self, x):
        return tf.stop_gradient(x)


def model(*between):
    tf.keras.utils.set_random_seed(0)
    layers = [tf.keras.layers.Dense(4, name="first"), *between, tf.keras.layers.Dense(1, name="second")]
    made = tf.keras.Sequential([tf.keras.Input([3]), *layers], name="net")
    made.compile("sgd", "mse")
    return made


def test_the_first_steps_are_reported_once_and_the_run_goes_on(capsys):
    plain, watched = model(), model()
    plain.fit(X, Y, batch_size=4, epochs=2, verbose=0)
    callback = callbacks.for_keras(steps=5)
    watched.fit(X, Y, batch_size=4, epochs=2, verbose=0, callbacks=[callback])
    report = callback.first.report
    assert report.steps == 5 and report.findings == []
    names = [f"net/{layer}/{part}" for layer in ("first", "second") for part in ("kernel", "bias")]
    assert [one.path for one in report.variables] == names
    assert capsys.readouterr().out.count("No problems found.") == 1
    for mine, other in zip(plain.get_weights(), watched.get_weights(), strict=True):
        assert mine.tobytes() == other.tobytes()


def test_a_short_run_is_reported_at_its_end():
    callback = callbacks.for_keras(steps=50)
    model().fit(X, Y, batch_size=16, verbose=0, callbacks=[callback])
    assert callback.first.report.steps == 4


def test_a_run_with_findings_is_stopped_if_that_is_asked_for():
    with pytest.raises(PenstockError, match="after 3 steps: the report on them has PS106"):
        model(Stopped()).fit(
            X, Y, batch_size=4, verbose=0, callbacks=[callbacks.for_keras(steps=3, fail=True)]
        )


def test_a_run_with_findings_goes_on_otherwise():
    callback = callbacks.for_keras(steps=3)
    history = model(Stopped()).fit(X, Y, batch_size=4, epochs=2, verbose=0, callbacks=[callback])
    assert len(history.history["loss"]) == 2
    assert "PS106" in [one.code for one in callback.first.report.findings]


def test_nothing_is_left_behind():
    from keras.src.optimizers import base_optimizer
    from tensorflow.python.eager import backprop, context

    def present():
        kinds = backprop.GradientTape, base_optimizer.BaseOptimizer
        return [dict(vars(kind)) for kind in kinds], list(context.context().op_callbacks)

    before = present()
    model().fit(X, Y, batch_size=4, verbose=0, callbacks=[callbacks.for_keras(steps=2)])
    assert present() == before


@pytest.mark.parametrize("steps", [0, 1.5, True])
def test_steps_are_whole_numbers(steps):
    with pytest.raises(PenstockError, match=f"steps={steps}"):
        callbacks.for_keras(steps)


# -- what a report cannot see -----------------------------------------------------------------------------


def test_updates_in_another_thread_are_named(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(
        dedent("""
        import threading
        import tensorflow as tf

        w, optimizer = tf.Variable([1.0, 2.0], name="w"), tf.keras.optimizers.SGD(0.1)

        def train():
            for _ in range(3):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(w**2)
                optimizer.apply_gradients([(tape.gradient(loss, w), w)])

        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
        """)
    )
    report = inspect(str(file), lambda: run_script(str(file), None, []), source=TensorFlow())
    assert report.error is None and report.findings == []
    (remark,) = report.remarks
    assert remark.startswith("SGD has also worked in another thread") and "train.py:11" in remark


def test_keras_on_another_backend_is_refused_with_what_to_type(tmp_path, monkeypatch):
    for module in (backends, source):
        monkeypatch.setattr(module, "backend", lambda: "torch")
    file = tmp_path / "train.py"
    file.write_text("import keras\nkeras.optimizers.SGD(0.1)\n")
    report = inspect(str(file), lambda: run_script(str(file), None, []), source=TensorFlow())
    said = str(report.error)
    assert "Keras runs on its backend 'torch' here" in said and "train.py:2" in said
    assert "KERAS_BACKEND=tensorflow penstock check --with tensorflow SCRIPT" in said
    with pytest.raises(PenstockError, match="backend 'torch'"):
        callbacks.for_keras()
    monkeypatch.undo()
    assert tf.keras.optimizers.SGD(0.1).name.startswith("sgd")
