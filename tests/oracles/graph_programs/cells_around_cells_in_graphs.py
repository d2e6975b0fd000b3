"""DropoutWrapper, ResidualWrapper and DeviceWrapper of TensorFlow 1, with seeds."""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl as cells

tf.disable_eager_execution()


class Pair(cells.RNNCell):
    """Adds its states to the inputs."""

    @property
    def output_size(self):
        return 3

    @property
    def state_size(self):
        return cells.LSTMStateTuple(3, 3)

    def call(self, inputs, state):
        return inputs + state.h, cells.LSTMStateTuple(state.c * 2.0, state.h + 1.0)


x = tf.constant(np.linspace(-1.0, 1.0, 6).reshape(2, 3), tf.float32)
keep = tf.placeholder(tf.float32, [], name="keep")
asked = []
for options in (
    dict(input_keep_prob=0.5, seed=3),
    dict(output_keep_prob=0.5, seed=3),
    dict(state_keep_prob=0.5, seed=3),
    dict(input_keep_prob=keep, output_keep_prob=keep, seed=4),
    dict(
        input_keep_prob=0.5,
        output_keep_prob=0.6,
        state_keep_prob=0.7,
        variational_recurrent=True,
        input_size=3,
        dtype=tf.float32,
        seed=5,
    ),
):
    cell = cells.DropoutWrapper(Pair(), **options)
    state = cell.zero_state(2, tf.float32)
    for _ in range(2):
        output, state = cell(x, state)
    asked.append((output, state))
residual = cells.ResidualWrapper(Pair())
asked.append(residual(x, residual.zero_state(2, tf.float32)))
other = cells.ResidualWrapper(Pair(), residual_fn=lambda i, o: i - 2.0 * o)
asked.append(other(x, other.zero_state(2, tf.float32)))
placed = cells.DeviceWrapper(Pair(), "/cpu:0")
asked.append(placed(x, placed.zero_state(2, tf.float32)))
print(placed.output_size, placed.state_size)
with tf.Session() as session:
    for _ in range(2):
        for one in tf.nest.flatten(session.run(asked, {keep: 0.5})):
            print(np.round(one.astype(float), 5).tolist())
