# PS105: kernel
import tensorflow as tf

tf.random.set_seed(1)
kernel = tf.Variable(tf.random.normal([3, 1]), name="kernel")
features = tf.random.normal([8, 3])
label = tf.cast(features[:, :1] > 0, tf.float32)
for _ in range(3):
    with tf.GradientTape() as tape:
        sure = tf.sigmoid(tf.matmul(features, kernel))
        hits = tf.math.count_nonzero(tf.equal(tf.round(sure), label))  # wrong, guilty
        hits = tf.reduce_sum(1.0 - tf.abs(sure - label))  # right
        loss = 1.0 - tf.cast(hits, tf.float32) / 8.0
    slope = tape.gradient(loss, kernel)
    if slope is not None:
        kernel.assign_sub(0.1 * slope)
