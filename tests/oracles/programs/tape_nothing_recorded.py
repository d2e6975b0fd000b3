import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    pass
print(tape.gradient(tf.constant(1.0), weight))
print(tape.gradient(weight, weight))
print(tape.watched_variables())
