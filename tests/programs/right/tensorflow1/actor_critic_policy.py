"""A deterministic policy with soft targets; every optimizer is told whom to train."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(1)
rng = np.random.default_rng(1)
s = tf.placeholder(tf.float32, [None, 3], "s")
s2 = tf.placeholder(tf.float32, [None, 3], "s2")
a = tf.placeholder(tf.float32, [None, 1], "a")
r = tf.placeholder(tf.float32, [None, 1], "r")


def actor(x, name, reuse=None):
    with tf.variable_scope(name, reuse=reuse):
        return tf.tanh(tf.matmul(x, tf.get_variable("w", [3, 1])))


def critic(x, u, name, reuse=None):
    with tf.variable_scope(name, reuse=reuse):
        h = tf.nn.relu(tf.matmul(tf.concat([x, u], 1), tf.get_variable("w", [4, 8])))
        return tf.matmul(h, tf.get_variable("v", [8, 1]))


u = actor(s, "actor")
q, q_of_policy = critic(s, a, "critic"), critic(s, u, "critic", reuse=True)
future = critic(s2, actor(s2, "slow_actor"), "slow_critic")
goal = tf.stop_gradient(r + 0.9 * future)
critic_loss = tf.losses.mean_squared_error(goal, q)
actor_loss = -tf.reduce_mean(q_of_policy)


def named(scope):
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope + "/")


train_critic = tf.train.AdamOptimizer(1e-2).minimize(critic_loss, var_list=named("critic"))
train_actor = tf.train.AdamOptimizer(1e-3).minimize(actor_loss, var_list=named("actor"))
hard = [t.assign(w) for n in ("actor", "critic") for t, w in zip(named("slow_" + n), named(n))]
soft = [
    t.assign(0.9 * t + 0.1 * w) for n in ("actor", "critic") for t, w in zip(named("slow_" + n), named(n))
]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(hard)
    for step in range(6):
        batch = {s: rng.standard_normal((8, 3)), s2: rng.standard_normal((8, 3))}
        batch.update({a: rng.uniform(-1, 1, (8, 1)), r: rng.standard_normal((8, 1))})
        session.run(train_critic, batch)
        session.run(train_actor, batch)
        session.run(soft)
    print(session.run(actor_loss, batch))
