import tensorflow as tf

base = tf.Variable([-2.0, 0.0, 4.0])
for exponent in (0, 1, 2, 3, -1, 0.5, 2.0, 0.0):
    with tf.GradientTape() as tape:
        value = base**exponent
    print(exponent, value.numpy(), tape.gradient(value, base).numpy())
