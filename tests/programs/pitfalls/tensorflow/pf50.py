# PS101 decay/w
import tensorflow as tf

w = tf.Variable([1.0, 2.0], name="w")
optimizer = tf.keras.optimizers.SGD(0.1)
decay = tf.Variable(3.0, name="decay/w")
for _ in range(3):
    with tf.GradientTape() as tape:
        fit = tf.reduce_sum((w - 1.0) ** 2)
        penalty = 0.5 * tf.reduce_sum(decay**2)  # here
        loss = fit  # wrong
        loss = fit + penalty  # right
    pairs = zip(tape.gradient(loss, [w, decay]), [w, decay])  # here
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
