# PS106 codebook
import tensorflow as tf

codebook, encoder = tf.Variable([[0.0, 1.0], [2.0, 1.5]], name="codebook"), tf.Variable([0.9, 1.2], name="encoder")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        z = encoder * 1.1
        nearest = tf.gather(codebook, tf.argmin(tf.reduce_sum((codebook - z) ** 2, axis=1)), axis=0)
        through = z + tf.stop_gradient(nearest - z)  # here
        fit = tf.reduce_sum((through - 1.0) ** 2)
        commit = tf.reduce_sum((through - tf.stop_gradient(z)) ** 2)  # wrong
        commit = tf.reduce_sum((nearest - tf.stop_gradient(z)) ** 2)  # right
        loss = fit + commit
    pairs = zip(tape.gradient(loss, [encoder, codebook]), [encoder, codebook])  # here
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
