import tensorflow as tf

left = tf.Variable([1.0, 2.0, 3.0])
right = tf.Variable([3.0, 2.0, 1.0])
with tf.GradientTape(persistent=True) as tape:
    larger = tf.maximum(left, right)
    smaller = tf.minimum(left, right)
    chosen = tf.where(left > right, left, right)
for value in (larger, smaller, chosen):
    print(value.numpy(), [slope.numpy().tolist() for slope in tape.gradient(value, [left, right])])
