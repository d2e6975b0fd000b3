# PS110: mean
import tensorflow as tf

tf.random.set_seed(1)
kernel = tf.Variable(tf.random.normal([3, 1]), name="kernel")
mean = tf.Variable(tf.zeros([3]), trainable=False, name="mean")
asked = [kernel, mean]  # wrong
asked = [one for one in (kernel, mean) if one.trainable]  # right
features, wanted = tf.random.normal([8, 3]), tf.random.normal([8, 1])
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(features - mean, kernel) - wanted) ** 2)
    slopes = tape.gradient(loss, asked)  # guilty
    kernel.assign_sub(0.1 * slopes[0])
    mean.assign(0.9 * mean + 0.1 * tf.reduce_mean(features, 0))
