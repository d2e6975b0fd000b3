# PS410 target/w
import tensorflow as tf

online, target = tf.Variable([1.0, 2.0], name="online/w"), tf.Variable([1.0, 2.0], name="target/w", trainable=False)
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(4):
    goal = 1.0 + 0.9 * tf.reduce_sum(target)
    with tf.GradientTape() as tape:
        loss = (tf.reduce_sum(online * tf.constant([0.5, 1.0])) - goal) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, online), online)])
    target.assign(target)  # wrong
    target.assign(0.9 * target + 0.1 * online)  # right
