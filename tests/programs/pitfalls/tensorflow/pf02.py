# PS108 w
import tensorflow as tf

import numpy as np

w, b = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        square = w * w
        again = tf.constant(np.square(float(square)), tf.float32)  # wrong
        again = tf.square(square)  # right
        loss = again * b
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, [w, b]) if g is not None])
