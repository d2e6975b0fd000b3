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
    """Returns the outputs of a graph, and its variables by name, all set to waves."""
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


def test_states_of_cells_side_by_side_are_those_in_a_tuple():
    cells, x = tf.nn.rnn_cell, wave(2, 3, 4)

    def build(x, together):
        several = [cells.LSTMCell(3, state_is_tuple=not together), cells.GRUCell(2)]
        stack = cells.MultiRNNCell(several, state_is_tuple=not together)
        if together:
            assert stack.state_size == 8 and stack.zero_state(2, tf.float32).shape == (2, 8)
        return tf.nn.dynamic_rnn(stack, x, dtype=tf.float32)

    (outputs, apart), _ = run(lambda x: build(x, False), x)
    (same, joined), _ = run(lambda x: build(x, True), x)
    np.testing.assert_allclose(same, outputs, rtol=1e-6)
    np.testing.assert_allclose(joined, np.concatenate([*apart[0], apart[1]], 1), rtol=1e-6)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="flag state_is_tuple is not set"):
        cells.MultiRNNCell([cells.LSTMCell(3)], state_is_tuple=False)


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


def test_a_fused_normalization_has_exact_second_derivatives():
    """A bias before it changes nothing, nor does it by how weights are adapted; tf.nn.moments loses that."""
    x = wave(3, 4, 4, 2) + 0.5
    with tf.Graph().as_default(), tf.Session() as session:
        kernel, bias = tf.get_variable("kernel", [2, 2]), tf.get_variable("bias", [2])
        weights = tf.constant(wave(3, 4, 4, 2)[::-1].copy())

        def loss(kernel):
            mixed = tf.tensordot(tf.constant(x), kernel, 1) + bias
            normal = tf.layers.batch_normalization(mixed, training=True, name="normal", reuse=tf.AUTO_REUSE)
            return tf.reduce_sum(tf.sin(normal * 3.0) * weights)

        adapted = kernel - 0.1 * tf.gradients(loss(kernel), kernel)[0]
        (second,) = tf.gradients(loss(adapted), bias)
        session.run(tf.global_variables_initializer())
        kernel.load(np.array([[1.0, 0.5], [-0.3, 2.0]], np.float32), session)
        np.testing.assert_allclose(session.run(second), np.zeros(2), atol=1e-3)


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


# -- layers of Keras in a graph ----------------------------------------------------------------------------


def in_graph(layer, x):
    """What a layer of Keras gives in a session, and its weights there, in the order of `weights`."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = layer(tf.placeholder(x.dtype, [None, *x.shape[1:]], name="x"))
        session.run(tf.global_variables_initializer())
        table = {one.op.name: one for one in tf.global_variables()}
        weights = [session.run(table[one.path]) for one in layer.weights]
        return session.run(made, {"x:0": x}), weights


CALLED = [
    ("Dense", lambda: layers.Dense(3, activation="softmax"), (2, 4)),
    ("mixed", lambda: layers.Dense(3, dtype="mixed_float16"), (2, 4)),
    ("EinsumDense", lambda: layers.EinsumDense("abc,cd->abd", (None, 3)), (2, 4, 3)),
    ("Conv1D", lambda: layers.Conv1D(2, 2), (2, 5, 3)),
    ("Conv2D", lambda: layers.Conv2D(2, 2, strides=2), (2, 4, 4, 3)),
    ("SeparableConv2D", lambda: layers.SeparableConv2D(2, 2), (2, 4, 4, 3)),
    ("BatchNormalization", layers.BatchNormalization, (2, 4)),
    ("LayerNormalization", layers.LayerNormalization, (2, 4)),
    ("PReLU", layers.PReLU, (2, 4)),
    ("SimpleRNN", lambda: layers.SimpleRNN(3), (2, 4, 3)),
    ("GRU", lambda: layers.GRU(3, return_sequences=True), (2, 4, 3)),
    ("Bidirectional", lambda: layers.Bidirectional(layers.LSTM(3)), (2, 4, 3)),
    ("TimeDistributed", lambda: layers.TimeDistributed(layers.Dense(2)), (2, 4, 3)),
    ("Sequential", lambda: tf2.keras.Sequential([layers.Dense(3), layers.Flatten()]), (2, 4, 3)),
]


@pytest.mark.parametrize("make, shape", [case[1:] for case in CALLED], ids=[case[0] for case in CALLED])
def test_a_layer_gives_in_a_graph_what_it_gives_at_once(make, shape):
    x = wave(*shape)
    found, weights = in_graph(make(), x)
    layer = make()
    layer(x)
    layer.set_weights(weights)
    np.testing.assert_allclose(found, layer(x).numpy(), atol=1e-6)


def test_masks_reach_the_next_layer_of_a_graph():
    words = np.asarray([[1, 2, 0], [3, 0, 0]], np.int32)
    read = layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones", name="masked_words")
    last = layers.GRU(2, kernel_initializer="ones", recurrent_initializer="ones", name="masked_last")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None, 3])
        made = last(read(x))
        session.run(tf.global_variables_initializer())
        found = session.run(made, {x: words})
    read = layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones")
    last = layers.GRU(2, kernel_initializer="ones", recurrent_initializer="ones")
    np.testing.assert_allclose(found, last(read(words)).numpy(), atol=1e-6)


def test_a_layer_with_values_is_not_part_of_a_graph():
    layer = layers.Dense(2)
    layer.build((None, 3))
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="Attempting to capture") as caught:
        layer(tf.placeholder(tf.float32, [None, 3]))
    assert "tf.Graph().as_default()" in str(caught.value)


def test_a_variable_outside_of_the_graph_is_refused():
    class Offset(layers.Layer):
        def build(self, shape):
            self.offset = tf2.Variable([1.0])

        def call(self, x):
            return x + self.offset

    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="Attempting to capture") as caught:
        Offset()(tf.placeholder(tf.float32, [None, 3]))
    assert "self.add_weight" in str(caught.value)


def test_values_of_a_layer_in_a_graph_are_asked_of_sessions():
    with tf.Graph().as_default():
        layer = layers.Dense(2)
        x = tf.placeholder(tf.float32, [None, 3])
        made = layer(x)
        with pytest.raises(NotImplementedError, match=r"session\.run"):
            layer.get_weights()
        with pytest.raises(NotImplementedError, match="load"):
            layer.set_weights([np.ones((3, 2)), np.ones(2)])
        with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
            session.run(made, {x: np.ones((1, 3))})
        assert layer(x * 2.0).shape.as_list() == [None, 2]
        assert len(tf.global_variables()) == 2
        decay = tf.reduce_sum(layer.kernel * 2.0 - layer.kernel)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            total, kernel = session.run([decay, layer.kernel])
            np.testing.assert_allclose(total, kernel.sum(), rtol=1e-5)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="same graph"):
        layer(tf.placeholder(tf.float32, [None, 3]))


def test_losses_of_layers_in_a_graph_stay_after_a_run():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        layer = layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l2", activity_regularizer="l1")
        made = layer(x)
        session.run(tf.global_variables_initializer())
        session.run(made, {x: np.ones((2, 3))})
        found = session.run(layer.losses, {x: np.ones((2, 3))})
        np.testing.assert_allclose(found, [0.06, 0.06], rtol=1e-5)


def test_a_seed_decides_what_a_layer_of_a_graph_drops():
    def dropped(seed):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.keras.utils.set_random_seed(seed)
            x = tf.placeholder(tf.float32, [None, 64])
            made = [layers.Dropout(0.5)(x, training=True) for _ in range(2)]
            return [one.tolist() for one in session.run(made, {x: np.ones((1, 64))})]

    first, second = dropped(1)
    assert first != second
    assert dropped(1) == [first, second]
    assert dropped(2) != [first, second]


def test_a_model_that_no_graph_has_taken_over_computes_beside_one():
    with tf.Graph().as_default():
        model = tf2.keras.Sequential(
            [layers.Input((3,)), layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l2")]
        )
        model.compile("sgd", "mse")
        history = model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
        np.testing.assert_allclose(history.history["loss"], [4.06], rtol=1e-5)
        assert model.get_weights()[0].shape == (3, 2)
        assert model.predict(np.ones((2, 3)), verbose=0).shape == (2, 2)


def test_dropout_keeps_its_shape_whatever_the_shape_of_training():
    with tf.Graph().as_default(), tf.Session() as session:
        training = tf.placeholder(tf.bool)
        x = tf.placeholder(tf.float32, [None, 4])
        dropped = tf.layers.dropout(x, 0.5, training=training)
        made = tf.layers.dense(dropped, 2)
        assert (dropped.shape.as_list(), made.shape.as_list()) == ([None, 4], [None, 2])
        found = session.run(dropped, {x: np.ones((3, 4)), training: False})
        assert found.tolist() == np.ones((3, 4)).tolist()
        found = session.run(dropped, {x: np.ones((3, 4)), training: True})
        assert {*found.ravel().tolist()} <= {0.0, 2.0}
