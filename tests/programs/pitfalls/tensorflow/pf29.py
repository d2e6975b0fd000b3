# PS202 w
import tensorflow as tf

w = tf.Variable(1.0, name="w")
first, second = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = w * w
    gradient = tape.gradient(loss, w)
    first.apply_gradients([(gradient, w)])
    second.apply_gradients([(gradient, w)])  # wrong
