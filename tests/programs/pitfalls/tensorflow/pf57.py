# PS202 w
import tensorflow as tf

w = tf.Variable(5.0, name="w")
optimizer = tf.keras.optimizers.Adam(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    w.assign_add(0.5)  # wrong
