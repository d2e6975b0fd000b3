import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
matrix = tf.constant([[2.0, 1.0], [1.0, 3.0]])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        value = tf.reduce_sum(weight * tf.linalg.matvec(matrix, weight))
    first = inner.gradient(value, weight)
    along = tf.reduce_sum(first * tf.constant([1.0, -1.0]))
print(first.numpy(), outer.gradient(along, weight).numpy())
