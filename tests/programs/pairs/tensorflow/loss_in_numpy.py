# PS108: kernel
import tensorflow as tf

tf.random.set_seed(1)
kernel = tf.Variable(tf.random.normal([3, 1]), name="kernel")
features, wanted = tf.random.normal([8, 3]), tf.random.normal([8, 1])


def own_loss(wanted, found):
    found = found.numpy()  # wrong, guilty
    return tf.reduce_mean(tf.convert_to_tensor((found - wanted) ** 2))


for _ in range(3):
    with tf.GradientTape() as tape:
        loss = own_loss(wanted, tf.matmul(features, kernel))
    slope = tape.gradient(loss, kernel)
    if slope is not None:
        kernel.assign_sub(0.1 * slope)
