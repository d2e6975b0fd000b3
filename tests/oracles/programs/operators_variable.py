import tensorflow as tf

left = tf.Variable([7.0, -7.0])
right = tf.Variable([2.0, 4.0])
print((left + right).numpy(), (left - right).numpy(), (left * right).numpy(), (left / right).numpy())
print((left // right).numpy(), (left % right).numpy(), (right**left).numpy(), (left**2).numpy())
print((-left).numpy(), abs(left).numpy())
print((left < right).numpy(), (left <= 7.0).numpy(), (left > right).numpy(), (left >= -7.0).numpy())
print((left == right).numpy(), (left != right).numpy(), (left == [7.0, 7.0]).numpy())
print(type(left + right).__name__, (left + right).dtype)
