import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
unused = tf.Variable(1.0)
with tf.GradientTape(persistent=True) as tape:
    value = tf.reduce_sum(weight * weight)
print(tape.jacobian(value, [weight, unused]))
