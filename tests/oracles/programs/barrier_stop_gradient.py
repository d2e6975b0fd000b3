import tensorflow as tf

left = tf.Variable(2.0)
right = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    shut = tf.stop_gradient(left * right)
    half_open = left * right + tf.stop_gradient(left) * right
    shut_variable = tf.stop_gradient(left)
    straight_through = left + tf.stop_gradient(tf.round(left * 1.25) - left)
print(shut.numpy(), tape.gradient(shut, [left, right]))
print(half_open.numpy(), [part.numpy() for part in tape.gradient(half_open, [left, right])])
print(shut_variable.numpy(), tape.gradient(shut_variable, left))
print(straight_through.numpy(), tape.gradient(straight_through, left).numpy())
