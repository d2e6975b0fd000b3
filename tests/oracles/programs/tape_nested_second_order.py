import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        cube = weight * weight * weight
    first = inner.gradient(cube, weight)
second = outer.gradient(first, weight)
print(first.numpy(), second.numpy())
