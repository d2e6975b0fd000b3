import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    result = weight.assign(weight * 3.0)
    value = result * result
print(result.numpy(), isinstance(result, tf.Variable))
print(value.numpy(), tape.gradient(value, weight).numpy())
