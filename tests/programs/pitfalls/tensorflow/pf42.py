# PS107 encoder
import tensorflow as tf

encoder, head = tf.Variable(1.0, name="encoder"), tf.Variable(2.0, name="head")
optimizer = tf.keras.optimizers.SGD(0.01)
for _ in range(3):
    with tf.GradientTape() as tape:
        with tape.stop_recording():  # wrong
            hidden = encoder * 3.0  # wrong
        hidden = encoder * 3.0  # right
        loss = (hidden * head - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [encoder, head]), [encoder, head])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
