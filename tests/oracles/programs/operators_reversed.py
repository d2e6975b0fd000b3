import tensorflow as tf

value = tf.Variable([2.0, 4.0])
print((1 + value).numpy(), (1 - value).numpy(), (3 * value).numpy(), (1 / value).numpy())
print((7 // value).numpy(), (7 % value).numpy(), (2**value).numpy())
print(([1.0, 2.0] + value).numpy(), ((1.0, 2.0) * value).numpy())
print((1.0 < value).numpy(), (4 == value).numpy())
