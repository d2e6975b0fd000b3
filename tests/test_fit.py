"""Keras' `fit` is the loop that a user would write: the same numbers, events, launches and lines."""

import json
import sys
import warnings

import numpy as np
import pytest

from counting import launches
from penstock import cli, errors
from penstock import tensorflow as tf
from penstock.testing import use_engine
from penstock.trace.engine import engine

keras = tf.keras


def data_of(rng, rows, classes=None):
    x = rng.standard_normal((rows, 4)).astype("float32")
    if classes:
        return x, rng.integers(0, classes, rows)
    return x, rng.standard_normal((rows, 1)).astype("float32")


def net(outputs=1, activation=None):
    tf.keras.utils.set_random_seed(3)
    return keras.Sequential(
        [
            keras.Input((4,)), keras.layers.Dense(6, "tanh"), keras.layers.BatchNormalization(),
            keras.layers.Dense(outputs, activation),
        ]
    )  # fmt: skip


def written(model, optimizer, loss, x, y, size, epochs, seen=None, metric=None):
    """Trains by a loop that is written out; returns the mean loss of each epoch."""
    mean, found = keras.metrics.Mean(), []
    for _ in range(epochs):
        mean.reset_state()
        if metric is not None:
            metric.reset_state()
        for start in range(0, len(x), size):
            a, b = tf.constant(x[start : start + size]), tf.constant(y[start : start + size])
            with tf.GradientTape() as tape:
                p = model(a, training=True)
                value = loss(b, p)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(value, variables), variables))
            mean.update_state(value, sample_weight=float(len(a)))
            if metric is not None:
                metric.update_state(b, p)
        found.append(float(mean.result()))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_fit_trains_as_a_written_loop_does(seed):
    rng = np.random.default_rng(seed)
    word, outputs, activation, classes = [
        ("mse", 1, None, None), ("mae", 1, None, None),
        ("sparse_categorical_crossentropy", 3, "softmax", 3), ("binary_crossentropy", 1, "sigmoid", 2),
    ][rng.integers(4)]  # fmt: skip
    x, y = data_of(rng, int(rng.integers(5, 40)), classes)
    size, epochs = int(rng.integers(1, 20)), int(rng.integers(1, 4))
    kind = [keras.optimizers.SGD, keras.optimizers.Adam, keras.optimizers.RMSprop][rng.integers(3)]
    model, other = net(outputs, activation), net(outputs, activation)
    other.set_weights(model.get_weights())
    with use_engine("numpy"):
        model.compile(kind(0.05), word)
        history = model.fit(x, y, batch_size=size, epochs=epochs, shuffle=False, verbose=0)
        loss = keras.losses.get(word)
        by_hand = written(other, kind(0.05), lambda t, p: tf.reduce_mean(loss(t, p)), x, y, size, epochs)
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)
    assert history.history["loss"] == pytest.approx(by_hand, rel=2e-5)


def events(monkeypatch, run):
    """The number of events of each step that a run completed."""
    found, real = [], engine.run

    def counted(trace, reset):
        found.append(trace.node.depth)
        return real(trace, reset)

    monkeypatch.setattr(engine, "run", counted)
    run()
    monkeypatch.undo()
    return found


def test_a_step_of_fit_records_what_a_written_step_does(monkeypatch):
    x, y = data_of(np.random.default_rng(0), 64, 3)
    model, other = net(3, "softmax"), net(3, "softmax")
    loss = keras.losses.SparseCategoricalCrossentropy()
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    optimizer, metric = keras.optimizers.Adam(0.01), keras.metrics.SparseCategoricalAccuracy()

    def by_fit():
        model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)

    def by_hand():
        written(other, optimizer, loss, x, y, 8, 2, metric=metric)

    with use_engine("numpy"):
        by_fit(), by_hand()
        by_fit, by_hand = events(monkeypatch, by_fit), events(monkeypatch, by_hand)
    assert max(by_fit) <= max(by_hand)
    assert len(by_fit) <= len(by_hand) + 1


def test_a_quiet_fit_launches_once_a_step():
    x, y = data_of(np.random.default_rng(0), 80)
    model = net()
    model.compile("sgd", "mse", metrics=["mae"])
    with use_engine("numpy"):
        model.fit(x, y, batch_size=8, verbose=0)
        before = launches()
        model.fit(x, y, batch_size=8, epochs=3, verbose=0)
        assert launches() - before <= 3 * (10 + 2)
        before = launches()
        for _ in range(5):
            model.train_on_batch(x[:8], y[:8])
        assert launches() - before <= 5 + 1


# -- reports -----------------------------------------------------------------------------------------------

PROGRAM = """import numpy as np
import tensorflow as tf


class Mine(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.head(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


x, y = np.ones((8, 2), "float32"), np.ones((8, 1), "float32")
plain = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)], name="plain")
plain.compile("sgd", "mse")
plain.fit(x, y, batch_size=4, epochs=2, verbose=0)
mine = Mine()
mine.compile("sgd")
mine.fit(x, y, batch_size=4, epochs=2, verbose=0)
"""


def checked(tmp_path, capsys, text):
    path = tmp_path / "program.py"
    path.write_text(text)
    status = cli.main(["check", str(path), "--as", "tensorflow", "--format", "json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_report_names_the_line_of_fit_and_those_of_a_train_step(tmp_path, capsys):
    status, report = checked(tmp_path, capsys, PROGRAM)
    assert status == 0 and report["findings"] == []
    lines = {
        one["path"].split("/")[0]: {write["line"] for write in one["writes"]}
        for one in report["variables"]
        if one["path"].endswith("kernel")
    }
    fit = PROGRAM.splitlines().index("plain.fit(x, y, batch_size=4, epochs=2, verbose=0)") + 1
    own = next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if "apply_gradients" in line)
    assert lines == {"plain": {fit}, "mine": {own}}


def test_the_first_step_fixes_the_trained_variables(tmp_path):
    x, y = np.ones((8, 2), "float32"), np.ones((8, 1), "float32")
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, y, verbose=0)
    model.layers[0].trainable = False
    before = model.layers[0].get_weights()[0]
    with pytest.warns(UserWarning, match=r"kernel.*are trained all the same(.|\n)*compile\(\) again") as told:
        model.fit(x, y, verbose=0)
    assert told[0].filename == __file__
    assert (before != model.layers[0].get_weights()[0]).any()
    model.compile("sgd", "mse")
    before = model.layers[0].get_weights()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(x, y, verbose=0)
    assert (before == model.layers[0].get_weights()[0]).all()


# -- bad input ---------------------------------------------------------------------------------------------


def line_of(error):
    return error.value.site.file == __file__


def ready(**options):
    model = net()
    model.compile("sgd", options.pop("loss", "mse"), **options)
    return model


X, Y = data_of(np.random.default_rng(0), 12)


def ended():
    yield from ()


BAD = {
    "not compiled": (lambda: net().fit(X, Y), r"compile\(\)"),
    "loss": (lambda: net().compile("sgd", "mean_square_error"), "'mean_squared_error'"),
    "metric": (lambda: net().compile("sgd", "mse", metrics=["acuracy"]), "'accuracy'"),
    "metric without a list": (lambda: net().compile("sgd", "mse", metrics="mae"), r"metrics=\['mae'\]"),
    "losses": (lambda: ready(loss=["mse", "mae"]).fit(X, Y, verbose=0), "has 2 entries"),
    "weights": (lambda: ready(loss_weights=[1.0, 2.0]).fit(X, Y, verbose=0), "1 losses and 2 weights"),
    "empty": (lambda: ready().fit(X[:0], Y[:0], verbose=0), "no examples"),
    "no data": (lambda: ready().fit(verbose=0), "x is None"),
    "no targets": (lambda: ready().fit(X, verbose=0), "there are no targets"),
    "lengths": (lambda: ready().fit(X, Y[:5], verbose=0), "'x' sizes: 12"),
    "shape": (lambda: ready().fit(X[:, :3], Y, verbose=0), r"input with shape \(12, 3\)"),
    "batch size": (lambda: ready().fit(X, Y, batch_size=0.5, verbose=0), "whole number"),
    "list": (lambda: ready().fit([1.0, 2.0], Y, verbose=0), r"np.array\(x\)"),
    "generator": (lambda: ready().fit(ended(), verbose=0), "must yield at least one batch"),
    "generator of lists": (lambda: ready().fit(iter_of([X, Y]), verbose=0), "must return a tuple"),
    "class weights": (
        lambda: ready().fit(X, Y, sample_weight=np.ones(12), class_weight={0: 1.0}, verbose=0),
        "at the same time",
    ),
    "split": (lambda: ready().fit(X[:1], Y[:1], validation_split=0.5, verbose=0), "1 samples"),
    "frequency": (
        lambda: ready().fit(X, Y, validation_data=(X, Y), validation_freq="all", verbose=0), "list or int"
    ),
    "monitor": (
        lambda: ready(metrics=[lambda a, b: a]).fit(
            X, Y, verbose=0, callbacks=[keras.callbacks.EarlyStopping("lambda")]
        ),
        "mode='max'",
    ),
    "weights file": (
        lambda: keras.callbacks.ModelCheckpoint("a.h5", save_weights_only=True), r"\.weights\.h5"
    ),
    "output": (
        lambda: two_outputs({"price": "mse", "kid": "mse"}), r"\['price', 'kind'\]"
    ),
    "dictionary": (lambda: ready().fit(X, {"a": Y, "b": Y}, verbose=0), "structures"),
}  # fmt: skip


def iter_of(one):
    yield one


def two_outputs(loss):
    inputs = keras.Input((4,))
    ends = [keras.layers.Dense(1, name=name)(inputs) for name in ("price", "kind")]
    model = keras.Model(inputs, ends)
    model.compile("sgd", loss)
    return model.fit(X, [Y, Y], verbose=0)


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_on_the_users_line(name):
    run, words = BAD[name]
    with pytest.raises(ValueError, match=rf"(?s){words}") as error:
        run()
    assert isinstance(error.value, errors.PenstockError)
    assert line_of(error)


def test_a_generator_that_ends_early_is_reported():
    def batches():
        yield X[:4], Y[:4]
        yield X[4:8], Y[4:8]

    with pytest.warns(UserWarning, match="ran out of data") as told:
        history = ready().fit(batches(), steps_per_epoch=5, verbose=0, shuffle=False)
    assert told[0].filename == __file__
    assert len(history.history["loss"]) == 1


def test_nothing_is_written_without_the_library_for_event_files(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.warns(UserWarning, match="pip install tensorboardX"):
        ready().fit(X, Y, verbose=0, callbacks=[keras.callbacks.TensorBoard(str(tmp_path))])
    assert list(tmp_path.iterdir()) == []


def test_an_array_may_be_changed_after_a_step_was_recorded():
    class Wiping(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            x[:] = 0

    x = X.copy()
    model, other = net(), net()
    model.compile("sgd", "mse")
    other.compile("sgd", "mse")
    model.fit(x, Y, batch_size=12, verbose=0, shuffle=False, callbacks=[Wiping()])
    other.fit(X, Y, batch_size=12, verbose=0, shuffle=False)
    assert (x == 0).all()
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_model_takes_words_from_its_input_on():
    words = keras.Input((1,), dtype="string")
    numbers = keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["cat", "dog"])
    rows = keras.layers.Embedding(4, 2)(numbers(words))
    model = keras.Model(words, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling1D()(rows)))
    x, y = np.array([["a cat"], ["dog"], ["cat dog"]]), np.array([1.0, 0.0, 1.0], np.float32)
    table = model.layers[2].embeddings
    before = table.numpy()
    model.compile("sgd", "mse")
    model.fit(x, y, batch_size=2, shuffle=False, verbose=0)
    assert (table.numpy() != before).any(axis=1).tolist() == [True, True, True, True]
    wanted = model.predict(x, verbose=0)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(3)
    assert np.allclose(model.predict(tf.constant(x), verbose=0), wanted)
    assert np.allclose(model.predict(data, verbose=0), wanted)
    assert words.dtype == "string" and numbers(words).shape == (None, 3)
    with pytest.raises(errors.PenstockError, match="StringLookup"):
        keras.layers.Dense(1)(words)


def test_a_model_encodes_its_inputs_with_look_up_layers():
    given = {"word": keras.Input((), dtype="string"), "kind": keras.Input((), dtype="int64")}
    found = {
        "word": keras.layers.StringLookup(vocabulary=["a", "b"])(given["word"]),
        "kind": keras.layers.CategoryEncoding(3, output_mode="one_hot")(given["kind"]),
        "count": keras.layers.IntegerLookup(vocabulary=[7, 5], output_mode="one_hot")(given["kind"]),
    }
    model = keras.Model(given, found)
    made = model({"word": tf.constant(["b", "z"]), "kind": tf.constant([2, 5 - 5])})
    assert made["word"].numpy().tolist() == [2, 0]
    assert made["kind"].numpy().tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert made["count"].numpy().tolist() == [[1.0, 0.0, 0.0]] * 2
    counts = keras.layers.CategoryEncoding(4, output_mode="count", sparse=True)([[1, 3, 1]])
    assert tf.sparse.to_dense(counts).numpy().tolist() == [[0.0, 2.0, 0.0, 1.0]]
    assert keras.layers.Dense(2)(counts).shape == (1, 2)


def test_layers_that_take_no_sparse_tensor_say_what_to_type():
    x = tf.sparse.from_dense([[1.0, 0.0, 2.0]])
    given = keras.Input((3,), sparse=True)
    for layer in (keras.layers.Flatten(), keras.layers.Activation("relu"), keras.layers.Dropout(0.5)):
        for one in (x, given):
            with pytest.raises(ValueError, match=r"tf\.sparse\.to_dense"):
                layer(one, **({"training": True} if isinstance(layer, keras.layers.Dropout) else {}))
    values = keras.layers.Lambda(lambda one: tf.reduce_sum(one.values), output_shape=())
    assert float(values(x)) == 3.0
