import tensorflow as tf

weight = tf.Variable([2.0, 3.0])
other = tf.Variable(1.0)
with tf.GradientTape(persistent=True) as tape:
    read = weight.read_value()
    copied = tf.identity(weight)
    converted = tf.convert_to_tensor(weight)
print(tape.gradient(read, weight).numpy())
print(tape.gradient(copied, weight).numpy())
print(tape.gradient(converted, weight).numpy())
print(tape.gradient(weight, weight))
print(tape.gradient(weight, other))
