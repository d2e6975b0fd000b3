"""dynamic_rnn over DropoutWrapper, ResidualWrapper, DeviceWrapper and a cell of the program's own.

TensorFlow may draw for several turns at once, so what they drop is shown in no order.
"""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl as cells

tf.disable_eager_execution()
calls = []


class Own(cells.RNNCell):
    """tanh([inputs, state] @ kernel), with a second state that counts."""

    @property
    def output_size(self):
        return 3

    @property
    def state_size(self):
        return [3, 1]

    def call(self, inputs, state):
        calls.append(1)
        kernel = tf.get_variable("kernel", [6, 3], initializer=tf.constant_initializer(np.linspace(-0.6, 0.7, 18)))
        output = tf.tanh(tf.matmul(tf.concat([inputs, state[0]], 1), kernel))
        return output, [output, state[1] + 1.0]


class Passing(cells.RNNCell):
    """Returns the inputs, and a state that no step changes."""

    @property
    def output_size(self):
        return tf.TensorShape([3])

    @property
    def state_size(self):
        return (tf.TensorShape([3]), tf.TensorShape([]))

    def zero_state(self, batch_size, dtype):
        return tf.ones([batch_size, 3], dtype), tf.zeros([], dtype)

    def call(self, inputs, state):
        return inputs, (state[0], state[1] + 1.0)


def shown(values):
    for one in tf.nest.flatten(values):
        print(np.asarray(one).shape, (np.round(np.asarray(one, np.float64), 3) + 0.0).tolist())


x = tf.constant(np.linspace(-1.0, 1.0, 30).reshape(2, 5, 3), tf.float32)
keep = tf.placeholder(tf.float32, [], name="keep")
tf.set_random_seed(7)

# What the turns of a run drop: of inputs, of outputs, by a number or a tensor, with a seed and without.
dropped = []
for part in ("input_keep_prob", "output_keep_prob"):
    for kept, seed in ((0.5, 3), (keep, 3), (0.5, None)):
        cell = cells.DropoutWrapper(Passing(), seed=seed, **{part: kept})
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
        dropped.append(outputs)
count = tf.nn.dynamic_rnn(Passing(), x, [2, 4], dtype=tf.float32)[1][1]

# What does not depend on what is dropped first.
asked = []
for lengths in (None, [2, 4]):
    wrapped = (
        lambda: cells.DropoutWrapper(Own(), 0.5, 0.6, 0.7, True, 3, tf.float32, seed=5),
        lambda: cells.ResidualWrapper(Own()),
        lambda: cells.ResidualWrapper(Own(), lambda inputs, outputs: inputs - 2.0 * outputs),
        lambda: cells.DeviceWrapper(Own(), "/cpu:0"),
        lambda: cells.MultiRNNCell(
            [cells.DropoutWrapper(Own(), state_keep_prob=keep + 0.5), cells.ResidualWrapper(Own())]
        ),
    )
    for number, make in enumerate(wrapped):
        before = len(calls)
        with tf.variable_scope(f"number_{number}_{lengths is None}") as scope:
            outputs, state = tf.nn.dynamic_rnn(make(), x, lengths, dtype=tf.float32)
        print(number, len(calls) - before, type(state).__name__, tf.nest.map_structure(lambda one: one.shape, state))
        variables = tf.trainable_variables(scope.name)
        print([one.name for one in variables])
        asked.append([outputs, state, tf.gradients(tf.reduce_mean(outputs**2), [*variables, x])])

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        for one in session.run(dropped, {keep: 0.5}):
            print(sorted((one[:, turn] != 0).astype(int).ravel().tolist() for turn in range(5)))
        shown(session.run(count))
        shown(session.run(asked, {keep: 0.5}))
