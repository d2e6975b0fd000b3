# PS201 w
import tensorflow as tf

w = tf.Variable(5.0, name="w")
optimizer = tf.keras.optimizers.Adam(0.1)  # right
for _ in range(4):
    optimizer = tf.keras.optimizers.Adam(0.1)  # wrong
    with tf.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
