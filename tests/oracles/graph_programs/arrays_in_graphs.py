"""tf.TensorArray in a graph: written in loops and choices, read, joined, and differentiated."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3], name="x")
n = tf.shape(x)[0]
weights = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(np.arange(6.0).reshape(3, 2) / 10))
source = tf.TensorArray(tf.float32, size=n).unstack(x)


def body(i, kept, h):
    h = tf.tanh(tf.matmul(source.read(i)[None], weights) + h)
    return i + 1, kept.write(i, h[0]), h


turns, kept, last = tf.while_loop(
    lambda i, *_: i < n, body, [0, tf.TensorArray(tf.float32, n), tf.zeros([1, 2])]
)
stacked = kept.stack()
print(isinstance(kept, tf.TensorArray), kept.dtype, kept.element_shape, stacked.shape, kept.dynamic_size)
slopes = tf.gradients(tf.reduce_sum(stacked**2), [weights, x])
growing = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
_, growing = tf.while_loop(
    lambda i, _: i < 2 * n, lambda i, a: (i + 2, a.write(a.size(), i * i)), [1, growing]
)
squares = growing.stack()
print(squares.shape, growing.size().shape)
by_hand = tf.TensorArray(tf.float32, 3, infer_shape=False)
by_hand = by_hand.write(0, [1.0]).write(1, x[0]).write(2, [2.0, 3.0])
joined, second = by_hand.concat(), by_hand.read(1)
parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(tf.range(5.0), [2, 3])
scattered = tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], x[:3])
picked = scattered.gather([0, 2])
print(picked.shape, scattered.stack().shape)
both = tf.cond(n > 3, lambda: kept.write(0, [9.0, 9.0]), lambda: kept.identity())
chosen = both.stack() if isinstance(both, tf.TensorArray) else both
chosen_slope = tf.gradients(tf.reduce_sum(chosen * chosen), weights)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for rows in (3, 4):
        feeds = {x: np.linspace(-1.0, 1.0, 3 * rows).reshape(rows, 3)}
        asked = [stacked, turns, last, kept.size(), *slopes, squares, growing.size(), joined, second]
        for one in session.run(
            [*asked, parts.read(1), picked, scattered.stack(), chosen, *chosen_slope], feeds
        ):
            print(np.asarray(one).dtype, np.round(np.asarray(one, np.float64), 5).tolist())
try:
    tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0])
except ValueError as error:
    print(str(error).strip())
small = tf.TensorArray(tf.float32, 1)
for make in (lambda: small.write(3, 1.0).stack(), lambda: small.write(0, 1.0).read(2)):
    with tf.Session() as session:
        try:
            session.run(make())
        except (tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError) as error:
            print("refused")
