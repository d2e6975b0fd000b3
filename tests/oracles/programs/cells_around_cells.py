"""RNNCellDropoutWrapper, RNNCellResidualWrapper and RNNCellDeviceWrapper around cells of Keras and others."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.linspace(-1.0, 1.0, 6).reshape(2, 3), tf.float32)
layers = tf.keras.layers


def shown(found):
    return [np.round(one.numpy().astype(float), 5).tolist() for one in tf.nest.flatten(found)]


for kind, states in ((layers.LSTMCell, 2), (layers.GRUCell, 1), (layers.SimpleRNNCell, 1)):
    for wrapper in (tf.nn.RNNCellDropoutWrapper, tf.nn.RNNCellResidualWrapper):
        cell = wrapper(kind(3, kernel_initializer="ones", recurrent_initializer="ones"))
        print(shown(cell(x, [tf.ones([2, 3])] * states)), cell.state_size, cell.output_size, cell.name)
        print(len(cell.trainable_variables), len(cell.cell.trainable_variables))
for part in ("input_keep_prob", "output_keep_prob", "state_keep_prob"):
    cell = tf.nn.RNNCellDropoutWrapper(
        layers.GRUCell(3, kernel_initializer="ones", recurrent_initializer="ones"), seed=3, **{part: 0.5}
    )
    for _ in range(2):
        print(part, shown(cell(x, [tf.ones([2, 3])])))


class Plain(tf.Module):
    """Adds its state to the inputs."""

    output_size = 3
    state_size = (3, 3)

    def build(self, shape):
        print("built", shape)

    def call(self, inputs, state):
        return inputs + state[0], (state[0] * 2, state[1] + 1)

    __call__ = call


tf.random.set_seed(5)
variational = tf.nn.RNNCellDropoutWrapper(
    Plain(), 0.5, 0.6, 0.7, variational_recurrent=True, input_size=3, dtype=tf.float32, seed=3
)
state = (tf.ones([2, 3]), tf.zeros([2, 3]))
for _ in range(3):
    output, state = variational(x, state)
    print(shown([output, state]))
chosen = tf.nn.RNNCellDropoutWrapper(
    Plain(),
    state_keep_prob=0.5,
    seed=1,
    dropout_state_filter_visitor=lambda s: (False, True) if isinstance(s, tuple) else True,
)
print(shown(chosen(x, (tf.ones([2, 3]), tf.ones([2, 3])))))
print(shown(tf.nn.RNNCellResidualWrapper(Plain(), lambda i, o: i * o)(x, (tf.ones([2, 3]), tf.ones([2, 3])))))
placed = tf.nn.RNNCellDeviceWrapper(Plain(), "/CPU:0")
print(shown(placed(x, (tf.ones([2, 3]), tf.ones([2, 3])))), placed.name)
print(shown(chosen.get_initial_state(batch_size=2, dtype=tf.float32)))
with tf.GradientTape() as tape:
    cell = tf.nn.RNNCellResidualWrapper(
        layers.GRUCell(3, kernel_initializer="ones", recurrent_initializer="ones")
    )
    loss = tf.reduce_sum(cell(x, [tf.ones([2, 3])])[0] ** 2)
print(shown(tape.gradient(loss, cell.cell.trainable_variables)))
for wrong in (
    lambda: tf.nn.RNNCellDropoutWrapper(Plain(), 1.5),
    lambda: tf.nn.RNNCellDropoutWrapper(Plain(), variational_recurrent=True),
    lambda: tf.nn.RNNCellDropoutWrapper(Plain(), 0.5, variational_recurrent=True, dtype=tf.float32),
    lambda: tf.nn.RNNCellResidualWrapper(layers.GRUCell(2))(x, [tf.zeros([2, 2])]),
    lambda: tf.nn.RNNCellDropoutWrapper(Plain(), dropout_state_filter_visitor=3),
):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        print(isinstance(error, ValueError), str(error).partition("\n")[0][:50])
