"""Rows of a fixed table are used as they are: what is no variable is not trained."""

import numpy as np
import tensorflow as tf

draw = np.random.default_rng(7)
table = tf.constant(draw.standard_normal((6, 3)).astype("float32"))
weights = tf.Variable(np.zeros((3, 1), "float32"), name="weights")
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
words = tf.constant([0, 1, 2, 3, 4, 5])
scores = tf.matmul(table, tf.constant([[1.0], [-2.0], [0.5]]))
for turn in range(200):
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(table, words)
        cost = tf.reduce_mean(tf.square(tf.matmul(rows, weights) - scores))
    slopes = tape.gradient(cost, [weights])
    adam.apply_gradients(zip(slopes, [weights]))
print(f"cost {cost.numpy():.4f}")
