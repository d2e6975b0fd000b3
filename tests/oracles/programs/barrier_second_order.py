import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        value = weight * tf.stop_gradient(weight) * weight
    first = inner.gradient(value, weight)
print(first.numpy(), outer.gradient(first, weight).numpy())
