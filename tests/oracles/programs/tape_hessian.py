import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        value = weight[0] ** 2 * weight[1]
    slope = inner.gradient(value, weight)
print(slope.numpy())
print(outer.jacobian(slope, weight).numpy().tolist())
