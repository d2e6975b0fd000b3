# PS420 b
import tensorflow as tf

a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
optimizer = tf.keras.optimizers.Adam(0.1)
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = (a * a + b * b) if turn < 2 else a * a
    slopes = tape.gradient(loss, [a, b], unconnected_gradients=tf.UnconnectedGradients.ZERO)  # wrong
    slopes = tape.gradient(loss, [a, b] if turn < 2 else [a])  # right
    optimizer.apply_gradients(zip(slopes, [a, b]))
