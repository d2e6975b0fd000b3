import tensorflow as tf

left = tf.ones([2, 3])
right = tf.Variable(tf.ones([4, 5]))
print(tf.matmul(left, right))
