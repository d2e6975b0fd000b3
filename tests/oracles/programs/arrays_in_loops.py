"""tf.while_loop with a tf.TensorArray among its variables, outside and inside of functions."""

import tensorflow as tf

x = tf.constant([[1.0, -2.0], [3.0, 0.5], [-1.0, 2.0]])
w = tf.Variable([[0.5, -0.25], [1.0, 0.75]])


def collected(x):
    def body(i, rows, state):
        state = tf.tanh(x[i][None] @ w + state)
        return i + 1, rows.write(i, state[0]), state

    rows = tf.TensorArray(tf.float32, size=3)
    i, rows, state = tf.while_loop(lambda i, *_: i < 3, body, (0, rows, tf.zeros([1, 2])))
    return rows.stack(), state, i


def growing(limit):
    found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    _, found = tf.while_loop(
        lambda i, _: i < limit, lambda i, a: [i + 1, a.write(i, i * i)], [tf.constant(0), found]
    )
    return found.stack(), found.size()


for run in (collected, tf.function(collected)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows, state, count = run(x)
        loss = tf.reduce_sum(rows**2)
    print(rows.numpy().round(5).tolist(), state.numpy().round(5).tolist(), count.numpy())
    print([one.numpy().round(5).tolist() for one in tape.gradient(loss, [w, x])])
for run in (growing, tf.function(growing)):
    for limit in (4, 2):
        print([one.numpy().tolist() for one in run(tf.constant(limit))])


@tf.function
def decoded(start):
    tokens = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    step, token = tf.constant(0), start

    def keep(step, token, _):
        return tf.logical_and(step < 6, token != 7)

    def turn(step, token, tokens):
        token = (token * 3 + 1) % 11
        return step + 1, token, tokens.write(step, token)

    step, token, tokens = tf.while_loop(keep, turn, [step, token, tokens], maximum_iterations=5)
    return tokens.stack(), step


for start in (0, 2, 5):
    print([one.numpy().tolist() for one in decoded(tf.constant(start))])
