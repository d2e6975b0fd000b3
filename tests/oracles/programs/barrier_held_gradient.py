import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        cube = weight * weight * weight
    first = inner.gradient(cube, weight)
    value = tf.stop_gradient(first) * weight
print(value.numpy(), outer.gradient(value, weight).numpy())
