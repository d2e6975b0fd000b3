"""Deep Q-learning: minimize lists nobody, and the target network's answers are fed."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)
rng = np.random.default_rng(0)


def network(x, scope):
    with tf.variable_scope(scope):
        w1 = tf.get_variable("w1", [4, 8])
        b1 = tf.get_variable("b1", [8], initializer=tf.zeros_initializer())
        w2 = tf.get_variable("w2", [8, 2])
        return tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2)


state = tf.placeholder(tf.float32, [None, 4])
action = tf.placeholder(tf.int32, [None])
goal = tf.placeholder(tf.float32, [None])
q, q_target = network(state, "online"), network(state, "target")
chosen = tf.reduce_sum(q * tf.one_hot(action, 2), axis=1)
loss = tf.reduce_mean(tf.square(goal - chosen))
train = tf.train.AdamOptimizer(1e-2).minimize(loss)
pairs = zip(
    tf.get_collection("trainable_variables", "target"), tf.get_collection("trainable_variables", "online")
)
sync = [tf.assign(a, b) for a, b in pairs]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(12):
        if step % 5 == 0:
            session.run(sync)
        s, s2 = rng.standard_normal((8, 4)), rng.standard_normal((8, 4))
        following = session.run(q_target, {state: s2}).max(axis=1)
        fed = {state: s, action: rng.integers(0, 2, 8), goal: rng.standard_normal(8) + 0.9 * following}
        cost, _ = session.run([loss, train], fed)
    print(cost)
