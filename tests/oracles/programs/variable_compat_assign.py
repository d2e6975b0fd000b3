import tensorflow as tf

weight = tf.Variable(2.0)
tf.compat.v1.assign(weight, 3.0)
tf.compat.v1.assign_add(weight, 0.5)
print(weight.numpy())
