import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    values = tf.stack([weight[0] * weight[1], weight[0] * weight[0], weight[1] * 3.0])
print(tape.jacobian(values, weight).numpy().tolist())
print(tape.jacobian(values[0], weight))
