# PS301
import tensorflow as tf

table, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([1.0, 1.0], name="w")
optimizer = tf.keras.optimizers.SGD(0.01)
for _ in range(3):
    with tf.GradientTape() as tape:
        row = tf.stop_gradient(tf.gather(table, 1))  # wrong
        row = tf.gather(table, 1)  # right
        loss = tf.reduce_sum((row * w - 1.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
