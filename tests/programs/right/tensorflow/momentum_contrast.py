"""Contrast with a queue of keys that a slow encoder has made."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
query = tf.keras.Sequential(
    [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(4)], name="query"
)
key = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(4)], name="key")
query.build((None, 5))
key.build((None, 5))
key.set_weights(query.get_weights())
key.trainable = False
queue = tf.Variable(tf.math.l2_normalize(tf.random.normal([16, 4]), axis=1), trainable=False, name="queue")
place = tf.Variable(0, trainable=False, name="place")
opt = tf.keras.optimizers.SGD(0.1, momentum=0.9)
for step in range(5):
    x = rng.standard_normal((4, 5)).astype(np.float32)
    one = tf.constant(x + 0.1 * rng.standard_normal(x.shape).astype(np.float32))
    two = tf.constant(x + 0.1 * rng.standard_normal(x.shape).astype(np.float32))
    k = tf.math.l2_normalize(key(two), axis=1)
    with tf.GradientTape() as tape:
        q = tf.math.l2_normalize(query(one), axis=1)
        positive = tf.reduce_sum(q * k, axis=1, keepdims=True)
        negative = tf.matmul(q, queue, transpose_b=True)
        logits = tf.concat([positive, negative], axis=1) / 0.1
        labels = tf.zeros([4], tf.int32)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    opt.apply_gradients(zip(tape.gradient(loss, query.trainable_variables), query.trainable_variables))
    for a, b in zip(key.variables, query.variables):
        a.assign(0.9 * a + 0.1 * b)
    rows = (tf.range(4) + place) % 16
    queue.assign(tf.tensor_scatter_nd_update(queue, rows[:, None], k))
    place.assign((place + 4) % 16)
print(float(loss))
