import tensorflow as tf

critic = tf.Variable([1.0, -2.0])
sample = tf.constant([2.0, 1.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(sample)
        score = tf.reduce_sum(critic * sample * sample)
    slope = inner.gradient(score, sample)
    penalty = (tf.reduce_sum(slope * slope) - 1.0) ** 2
print(slope.numpy(), penalty.numpy())
print(outer.gradient(penalty, critic).numpy())
