"""raw_rnn, dynamic_rnn and static_state_saving_rnn, with a cell of the program's own."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class Cell:
    """tanh([inputs, state] @ kernel), with a second state that counts."""

    output_size = 3
    state_size = (3, 1)

    def zero_state(self, batch_size, dtype):
        return tf.zeros([batch_size, 3], dtype), tf.zeros([batch_size, 1], dtype)

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope("cell", reuse=tf.AUTO_REUSE):
            kernel = tf.get_variable(
                "kernel", [5, 3], initializer=tf.constant_initializer(np.linspace(-0.6, 0.7, 15))
            )
        output = tf.tanh(tf.matmul(tf.concat([inputs, state[0]], 1), kernel))
        return output, (output, state[1] + 1.0)


def shown(values):
    for one in tf.nest.flatten(values):
        print(np.asarray(one).shape, np.round(np.asarray(one, np.float64), 5).tolist())


x = tf.placeholder(tf.float32, [None, None, 2], name="x")
lengths = tf.placeholder(tf.int32, [None], name="lengths")
steps, batch = tf.shape(x)[1], tf.shape(x)[0]
rows = tf.TensorArray(tf.float32, size=steps).unstack(tf.transpose(x, [1, 0, 2]))
cell = Cell()


def loop(time, output, state, memory):
    following = cell.zero_state(batch, tf.float32) if output is None else state
    finished = time >= lengths
    last = tf.reduce_all(finished)
    given = tf.cond(last, lambda: tf.zeros([batch, 2]), lambda: rows.read(time))
    given.set_shape([None, 2])
    return finished, given, following, output, None


emitted, state, memory = tf.nn.raw_rnn(cell, loop)
outputs = emitted.stack()
print(outputs.shape, memory, emitted.dtype)
loss = tf.reduce_sum(outputs**2)
slopes = tf.gradients(loss, [*tf.trainable_variables(), x])


def decoding(time, output, state, kept):
    if output is None:
        kept = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
        finished = tf.zeros([batch], tf.bool)
        return finished, tf.ones([batch, 2]), cell.zero_state(batch, tf.float32), tf.zeros([2]), kept
    with tf.variable_scope("projected", reuse=tf.AUTO_REUSE):
        matrix = tf.get_variable(
            "matrix", [3, 2], initializer=tf.constant_initializer(np.linspace(0.5, -0.4, 6))
        )
    values = tf.matmul(output, matrix)
    return time >= 4, values, state, values, kept.write(time - 1, tf.reduce_sum(values, 1))


found, _, sums = tf.nn.raw_rnn(cell, decoding, scope="decoder")
decoded = found.stack()
print(decoded.shape, [one.name for one in tf.trainable_variables()])
decoded_slopes = tf.gradients(tf.reduce_sum(decoded), tf.trainable_variables("decoder"))
whole, end = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32, scope="again")
print(whole.shape, [one.shape for one in end])
plain, last = tf.nn.dynamic_rnn(
    cell, tf.transpose(x, [1, 0, 2]), dtype=tf.float32, time_major=True, scope="plain"
)
whole_slopes = tf.gradients(tf.reduce_sum(whole), [x])


class Saver:
    """The states of a sequence between runs, in variables."""

    def __init__(self):
        self.kept = {
            one: tf.Variable(tf.ones(shape) * 0.5, trainable=False, name=one)
            for one, shape in (("h", [2, 3]), ("n", [2, 1]))
        }

    def state(self, name):
        return self.kept[name].read_value()

    def save_state(self, name, value):
        return tf.assign(self.kept[name], value)


saver = Saver()
parts = [tf.constant([[0.1, 0.2], [0.3, -0.4]]), tf.constant([[1.0, -1.0], [0.5, 0.25]])]
following, final = tf.nn.static_state_saving_rnn(cell, parts, saver, ("h", "n"), scope="saved")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number, ends in ((3, [3, 1]), (5, [2, 5])):
        feeds = {x: np.linspace(-1.0, 1.0, 4 * number).reshape(2, number, 2), lengths: ends}
        shown(session.run([outputs, state, loss], feeds))
        shown(session.run(slopes, feeds))
        shown(session.run([whole, end, plain, last], feeds))
        shown(session.run(whole_slopes, feeds))
    feeds = {x: np.zeros([2, 1, 2])}
    shown(session.run([decoded, sums.stack()], feeds))
    shown(session.run(decoded_slopes, feeds))
    for _ in range(2):
        shown(session.run([following[-1], final]))
        shown(session.run(saver.kept["n"]))
for wrong in (
    lambda: tf.nn.raw_rnn(cell, 3),
    lambda: tf.nn.raw_rnn(object(), loop),
    lambda: tf.nn.static_state_saving_rnn(cell, parts, saver, "h"),
    lambda: tf.nn.static_state_saving_rnn(cell, parts, saver, ("h",)),
):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(isinstance(error, ValueError), str(error).partition(".")[0][:40])
