# PS108 w
import tensorflow as tf

w, b = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")
optimizer = tf.keras.optimizers.SGD(0.001)
for _ in range(3):
    with tf.GradientTape() as tape:
        y = tf.exp(w)
        y = tf.constant(y.numpy() + 1.0, tf.float32)  # wrong
        y = y + 1.0  # right
        loss = (y * b - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [w, b]), [w, b])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
