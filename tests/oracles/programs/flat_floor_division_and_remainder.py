import tensorflow as tf

numerator = tf.Variable([7.0, -7.0, 7.5])
divisor = tf.Variable([2.0, 2.0, -2.0])
with tf.GradientTape(persistent=True) as tape:
    quotient = numerator // divisor
    remainder = numerator % divisor
print(quotient.numpy(), tape.gradient(quotient, [numerator, divisor]))
print(remainder.numpy())
for part in tape.gradient(remainder, [numerator, divisor]):
    print(part.numpy())
