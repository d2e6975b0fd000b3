import tensorflow as tf
import numpy as np

weight = tf.Variable(np.array([1.0, -2.0]))
print(weight.dtype)
descent = tf.keras.optimizers.SGD(learning_rate=0.1)
for turn in range(3):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(weight * weight)
    slopes = tape.gradient(total, [weight])
    descent.apply_gradients(zip(slopes, [weight]))
    print(weight.numpy().tolist())
