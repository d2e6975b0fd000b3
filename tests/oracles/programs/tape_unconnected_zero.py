import tensorflow as tf

used = tf.Variable([1.0, 2.0])
unused = tf.Variable([[3.0, 4.0, 5.0]])
whole = tf.Variable([1, 2])
with tf.GradientTape(persistent=True) as tape:
    total = tf.reduce_sum(used * used)
print(tape.gradient(total, [used, unused]))
zero = tf.UnconnectedGradients.ZERO
for part in tape.gradient(total, [used, unused, whole], unconnected_gradients=zero):
    print(part)
print(tape.gradient(total, unused, unconnected_gradients="zero"))
print(tape.gradient(total, unused, unconnected_gradients="none"))
