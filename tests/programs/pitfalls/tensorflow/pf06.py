# PS107 lora
import tensorflow as tf

frozen = tf.Variable([1.0, 2.0], name="frozen", trainable=False)
lora, head = tf.Variable([0.1, 0.1], name="lora"), tf.Variable(1.0, name="head")
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        with tape.stop_recording():  # wrong
            hidden = tf.reduce_sum(frozen * lora)  # wrong
        hidden = tf.reduce_sum(frozen * lora)  # right
        loss = (hidden * head - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [lora, head]), [lora, head])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
