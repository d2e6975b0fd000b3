"""Layers and recurrent cells of TensorFlow 1, which newer versions do not have: they agree with those of
Keras."""

import numpy as np
import pytest

import penstock.tensorflow as tf2
import penstock.tensorflow.compat.v1 as tf

layers = tf2.keras.layers


def wave(*shape):
    return np.sin(np.arange(np.prod(shape)) * 0.7).reshape(shape).astype(np.float32)


def run(build, *feeds):
    """Returns what a graph gives, and its variables by name, all set to waves."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(tf.float32, [None, *one.shape[1:]]) for one in feeds]
        outputs = build(*inputs)
        session.run(tf.global_variables_initializer())
        variables = {one.name.removesuffix(":0"): wave(*one.shape) / 2 for one in tf.trainable_variables()}
        for one in tf.trainable_variables():
            one.load(variables[one.name.removesuffix(":0")], session)
        return session.run(outputs, dict(zip(inputs, feeds, strict=True))), variables


def test_an_lstm_cell_computes_what_the_layer_of_keras_does():
    x = wave(2, 4, 3)
    (outputs, state), variables = run(
        lambda x: tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(5), x, dtype=tf.float32), x
    )
    kernel, bias = variables["rnn/basic_lstm_cell/kernel"], variables["rnn/basic_lstm_cell/bias"]
    order = np.concatenate([np.arange(5) + 5 * part for part in (0, 2, 1, 3)])
    forget = np.repeat([0.0, 1.0, 0.0, 0.0], 5).astype(np.float32)
    layer = layers.LSTM(5, return_sequences=True, return_state=True)
    layer(x)
    layer.set_weights([kernel[:3][:, order], kernel[3:][:, order], bias[order] + forget])
    wanted, h, c = layer(x)
    np.testing.assert_allclose(outputs, wanted, atol=1e-6)
    np.testing.assert_allclose(state.h, h, atol=1e-6)
    np.testing.assert_allclose(state.c, c, atol=1e-6)


def test_a_gru_cell_computes_what_the_layer_of_keras_does():
    x = wave(2, 4, 3)
    (outputs, _), variables = run(
        lambda x: tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), x, dtype=tf.float32), x
    )
    gates, inner = variables["rnn/gru_cell/gates/kernel"], variables["rnn/gru_cell/candidate/kernel"]
    both = np.concatenate([gates[:, 2:], gates[:, :2], inner], 1)
    first = variables["rnn/gru_cell/gates/bias"]
    bias = np.concatenate([first[2:], first[:2], variables["rnn/gru_cell/candidate/bias"]])
    layer = layers.GRU(2, return_sequences=True, reset_after=False)
    layer(x)
    layer.set_weights([both[:3], both[3:], bias])
    np.testing.assert_allclose(outputs, layer(x), atol=1e-6)


def test_steps_past_the_end_of_an_example_give_zeros_and_keep_the_state():
    x = wave(2, 4, 3)
    cell = tf.nn.rnn_cell.BasicRNNCell
    (outputs, state), _ = run(lambda x: tf.nn.dynamic_rnn(cell(2), x, [2, 4], dtype=tf.float32), x)
    assert not outputs[0, 2:].any() and outputs[1].all()
    np.testing.assert_array_equal(state, [outputs[0, 1], outputs[1, 3]])
    (several, last), _ = run(lambda x: tf.nn.static_rnn(cell(2), tf.unstack(x, 4, 1), dtype=tf.float32), x)
    np.testing.assert_allclose(np.stack(several, 1)[1], outputs[1], atol=1e-6)
    np.testing.assert_allclose(last, several[-1])


def test_both_directions_are_one_layer_of_keras():
    x = wave(2, 3, 2)
    cell = tf.nn.rnn_cell.BasicRNNCell
    ((there, back), _), variables = run(
        lambda x: tf.nn.bidirectional_dynamic_rnn(cell(2), cell(2), x, dtype=tf.float32), x
    )
    layer = layers.Bidirectional(layers.SimpleRNN(2, return_sequences=True))
    layer(x)
    weights = []
    for way in ("fw", "bw"):
        kernel = variables[f"bidirectional_rnn/{way}/basic_rnn_cell/kernel"]
        weights += [kernel[:2], kernel[2:], variables[f"bidirectional_rnn/{way}/basic_rnn_cell/bias"]]
    layer.set_weights(weights)
    np.testing.assert_allclose(np.concatenate([there, back], 2), layer(x), atol=1e-6)


def test_cells_stand_above_one_another_and_names_are_those_of_tensorflow():
    cells = tf.nn.rnn_cell

    def build(x):
        several = [cells.DropoutWrapper(cells.LSTMCell(3), output_keep_prob=1.0), cells.GRUCell(2)]
        return tf.nn.dynamic_rnn(cells.MultiRNNCell(several), x, dtype=tf.float32)

    (outputs, state), variables = run(build, wave(2, 3, 4))
    assert outputs.shape == (2, 3, 2) and state[0].c.shape == (2, 3) and state[1].shape == (2, 2)
    assert sorted(variables)[0] == "rnn/multi_rnn_cell/cell_0/lstm_cell/bias"
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"number of steps(.|\n)*\[None, steps"):
        tf.nn.dynamic_rnn(cells.GRUCell(2), tf.placeholder(tf.float32, [2, None, 3]), dtype=tf.float32)


LAYERS = {
    "conv2d": (
        lambda: layers.Conv2D(3, 2, padding="same", strides=2),
        {"padding": "same", "strides": 2},
        (2,),
    ),
    "conv2d_transpose": (lambda: layers.Conv2DTranspose(3, 3, strides=2), {"strides": 2}, (3,)),
    "conv1d": (lambda: layers.Conv1D(3, 2, dilation_rate=2), {"dilation_rate": 2}, (2,)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_convolution_computes_what_the_layer_of_keras_does(name):
    make, options, size = LAYERS[name]
    x = wave(2, 6, 2) if name == "conv1d" else wave(2, 5, 4, 2)
    found, variables = run(lambda x: getattr(tf.layers, name)(x, 3, *size, **options), x)
    layer = make()
    layer(x)
    layer.set_weights([variables[f"{name}/kernel"], variables[f"{name}/bias"]])
    np.testing.assert_allclose(found, layer(x), atol=1e-5)


def test_windows_of_pictures():
    x = wave(2, 6, 6, 2)
    found, _ = run(
        lambda x: [tf.layers.max_pooling2d(x, 2, 2), tf.layers.average_pooling2d(x, 3, 1, "same")], x
    )
    np.testing.assert_allclose(found[0], layers.MaxPooling2D()(x))
    np.testing.assert_allclose(found[1], layers.AveragePooling2D(3, 1, "same")(x), atol=1e-6)


@pytest.mark.parametrize("shape", [(8, 3), (2, 3, 3, 2)])
def test_batch_normalization_updates_its_averages_when_the_program_says_so(shape):
    x = wave(*shape) + 2.0
    layer = layers.BatchNormalization(momentum=0.9)
    training, inference = layer(x, training=True), layer(x, training=False)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, flag = tf.placeholder(tf.float32, shape), tf.placeholder(tf.bool, [])
        made = tf.layers.batch_normalization(inputs, momentum=0.9, training=flag, fused=False)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        assert [one.name for one in tf.trainable_variables()] == [
            "batch_normalization/gamma:0", "batch_normalization/beta:0"
        ]  # fmt: skip
        np.testing.assert_allclose(session.run(made, {inputs: x, flag: True}), training, atol=1e-5)
        session.run(updates, {inputs: x, flag: False})
        before = session.run(tf.global_variables()[2:])
        assert not before[0].any() and before[1].all()
        session.run(updates, {inputs: x, flag: True})
        np.testing.assert_allclose(session.run(made, {inputs: x, flag: False}), inference, atol=1e-5)


def test_sampled_losses_come_near_those_over_all_classes():
    weights, rows = wave(6, 4), wave(3, 4)

    def build(rows):
        labels = tf.constant([[0], [3], [5]])
        every = (tf.constant(np.arange(6)), tf.ones([3, 1]), tf.ones([6]))
        return tf.nn.sampled_softmax_loss(
            tf.constant(weights), tf.zeros([6]), labels, rows, 6, 6, sampled_values=every
        )

    found, _ = run(build, rows)
    logits = rows @ weights.T
    labels = [0, 3, 5]
    wanted = np.log(np.exp(logits).sum(1)) - logits[np.arange(3), labels]
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    classes = tf.nn.nce_loss
    drawn, _ = run(
        lambda x: classes(tf.constant(weights), tf.zeros([6]), tf.constant([[1]] * 3), x, 4, 6), rows
    )
    assert drawn.shape == (3,) and (drawn > 0).all()
