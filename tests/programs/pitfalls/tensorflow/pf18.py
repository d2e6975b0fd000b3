# nothing
import tensorflow as tf

x = tf.Variable([0.0, 1.0], name="x")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        root = tf.where(x > 0.0, tf.sqrt(x), 0.0)  # wrong
        root = tf.where(x > 0.0, tf.sqrt(tf.where(x > 0.0, x, 1.0)), 0.0)  # right
        loss = tf.reduce_sum((root - 2.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
