# PS424 w
import tensorflow as tf

w = tf.Variable(1.0, name="w")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    total = tf.constant(0.0)
    for part in ([0.5, 1.5], [1.0, 2.0], [0.0, 1.0], [2.0, 1.0]):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * tf.constant(part) - 1.0) ** 2)
        total = total + tape.gradient(loss, w)  # wrong
        total = total + tape.gradient(loss, w) / 4.0  # right
    optimizer.apply_gradients([(total, w)])
