# PS106 mean scale; PS302 mean scale
import tensorflow as tf

mean, scale = tf.Variable(0.5, name="mean"), tf.Variable(1.0, name="scale")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        noise = tf.random.normal(())
        sample = tf.stop_gradient(mean + scale * noise)  # wrong
        sample = mean + scale * noise  # right
        loss = (sample - 2.0) ** 2
    pairs = zip(tape.gradient(loss, [mean, scale]), [mean, scale])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None] or [(tf.constant(0.1), mean)])
