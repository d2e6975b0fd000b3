import tensorflow as tf

left = tf.Variable(2.0)
right = tf.Variable(5.0)
with tf.GradientTape(persistent=True) as outer:
    with tf.GradientTape() as inner:
        value = left * left * right
    by_left, by_right = inner.gradient(value, [left, right])
print(by_left.numpy(), by_right.numpy())
print([part.numpy() for part in outer.gradient(by_left, [left, right])])
print(outer.gradient(by_right, [left, right]))
