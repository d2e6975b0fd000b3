import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        value = weight * 3.0
    first = inner.gradient(value, weight)
print(first.numpy(), outer.gradient(first, weight))
