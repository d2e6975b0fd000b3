# PS424 w
import tensorflow as tf

w = tf.Variable(1.0, name="w")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    total = tf.constant(0.0)
    for share in ([1.0, 2.0], [3.0, 4.0]):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * tf.constant(share) - 1.0) ** 2)
        total = total + tape.gradient(loss, w)
    optimizer.apply_gradients([(total, w)])  # wrong
    optimizer.apply_gradients([(total / 2.0, w)])  # right
