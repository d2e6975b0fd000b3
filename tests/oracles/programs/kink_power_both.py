import tensorflow as tf

base = tf.Variable([0.0, 0.0, 1.0, 2.0])
exponent = tf.Variable([0.0, 2.0, 0.0, -1.0])
with tf.GradientTape() as tape:
    value = tf.pow(base, exponent)
by_base, by_exponent = tape.gradient(value, [base, exponent])
print(value.numpy(), by_base.numpy(), [round(float(slope), 5) for slope in by_exponent])
