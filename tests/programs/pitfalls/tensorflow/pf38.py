# nothing
import tensorflow as tf

a, b = tf.Variable([3.0, 4.0], name="a"), tf.Variable([0.5], name="b")
optimizer = tf.keras.optimizers.SGD(0.1, clipvalue=1.0)  # wrong
optimizer = tf.keras.optimizers.SGD(0.1, global_clipnorm=1.0)  # right
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = (tf.reduce_sum(a * a) + tf.reduce_sum(b * b)) / 2.0
    optimizer.apply_gradients(zip(tape.gradient(loss, [a, b]), [a, b]))
