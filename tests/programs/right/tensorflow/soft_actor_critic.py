"""Two critics, their slow copies, a squashed Gaussian policy and a learned temperature."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)


def mlp(name, out):
    return tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(out)], name=name
    )


actor = mlp("actor", 2)
critics, targets = [mlp(f"q{i}", 1) for i in range(2)], [mlp(f"target{i}", 1) for i in range(2)]
actor.build((None, 3))
for net in critics + targets:
    net.build((None, 4))
for net, slow in zip(critics, targets):
    slow.set_weights(net.get_weights())
log_alpha = tf.Variable(0.0, name="log_alpha")
actor_opt, alpha_opt = tf.keras.optimizers.Adam(1e-3), tf.keras.optimizers.Adam(1e-3)
critic_opts = [tf.keras.optimizers.Adam(1e-3) for _ in critics]


def act(s):
    mean, log_std = tf.split(actor(s), 2, axis=-1)
    log_std = tf.clip_by_value(log_std, -5.0, 2.0)
    noise = tf.random.normal(tf.shape(mean))
    a = tf.tanh(mean + tf.exp(log_std) * noise)
    log_p = -0.5 * noise**2 - log_std - 0.919 - tf.math.log(1.0 - a**2 + 1e-6)
    return a, tf.reduce_sum(log_p, axis=-1, keepdims=True)


for step in range(5):
    s, s2 = (tf.constant(rng.standard_normal((16, 3)).astype(np.float32)) for _ in range(2))
    a = tf.constant(rng.uniform(-1, 1, (16, 1)).astype(np.float32))
    r = tf.reduce_sum(s, axis=1, keepdims=True) * a
    a2, log_p2 = act(s2)
    q2 = tf.minimum(*[t(tf.concat([s2, a2], 1)) for t in targets])
    goal = tf.stop_gradient(r + 0.9 * (q2 - tf.exp(log_alpha) * log_p2))
    for net, opt in zip(critics, critic_opts):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(tf.concat([s, a], 1)) - goal) ** 2)
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    with tf.GradientTape() as tape:
        new, log_p = act(s)
        q = tf.minimum(*[net(tf.concat([s, new], 1)) for net in critics])
        actor_loss = tf.reduce_mean(tf.stop_gradient(tf.exp(log_alpha)) * log_p - q)
    grads = tape.gradient(actor_loss, actor.trainable_variables)
    actor_opt.apply_gradients(zip(grads, actor.trainable_variables))
    with tf.GradientTape() as tape:
        alpha_loss = -tf.reduce_mean(log_alpha * tf.stop_gradient(log_p - 1.0))
    alpha_opt.apply_gradients([(tape.gradient(alpha_loss, log_alpha), log_alpha)])
    for net, slow in zip(critics, targets):
        for w, t in zip(net.variables, slow.variables):
            t.assign(0.95 * t + 0.05 * w)
print(float(actor_loss))
