"""Functions of tf.map_fn, tf.scan and tf.while_loop that ask for gradients; gradients go through them."""
import numpy as np

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rates = tf.get_variable("rates", initializer=tf.constant([1.0, 2.0, 3.0]))
rows = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
start = tf.placeholder(tf.float32, [3])
outside = start * 2.0


def show(*tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in session.run(list(tensors), {start: [1.0, 2.0, 4.0]}):
            print(np.asarray(value).round(3).tolist())


def slopes(row):
    inner = tf.square(rates * row) * outside
    total = tf.reduce_sum(tf.square(inner * 3.0))
    return tf.gradients(total, [row, outside, inner, rates])


print("map_fn")
found = tf.map_fn(slopes, rows, dtype=[tf.float32] * 4)
show(*found, *tf.gradients([tf.reduce_sum(one) for one in found], [rates, outside]))
print([one is None for one in tf.gradients(tf.reduce_sum(found[0]), [rates, outside, rows, start])])


def adapted(row):
    loss = tf.reduce_sum(tf.square(rates * row))
    fast = rates - 0.1 * tf.gradients(loss, rates)[0]
    return tf.reduce_sum(tf.square(fast * row))


print("compute_gradients")
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(tf.reduce_sum(tf.map_fn(adapted, rows)))
show(*[gradient for gradient, _ in pairs])

print("scan")
descended = tf.scan(
    lambda value, row: value - 0.1 * tf.gradients(tf.reduce_sum(tf.square(value * row - outside)), value)[0],
    rows,
    initializer=tf.ones([3]),
)
show(descended, tf.gradients(tf.reduce_sum(descended), outside)[0])

print("while_loop")
_, last = tf.while_loop(
    lambda turn, value: turn < 3,
    lambda turn, value: (
        turn + 1,
        value - 0.1 * tf.gradients(tf.reduce_sum(tf.square(value * rates - outside)), value)[0],
    ),
    [0, tf.zeros([3])],
)
show(last, *tf.gradients(tf.reduce_sum(last), [rates, outside]))

print("cond")
show(
    tf.cond(
        tf.reduce_sum(start) > 0.0,
        lambda: tf.gradients(tf.reduce_sum(outside * outside * rates), rates)[0] * 2.0,
        lambda: rates + 0.0,
    )
)
