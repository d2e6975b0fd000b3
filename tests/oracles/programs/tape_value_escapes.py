import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    escaped = tf.constant(float(weight * weight))
    value = escaped * 2.0
print(value.numpy(), tape.gradient(value, weight))
