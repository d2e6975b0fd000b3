import tensorflow as tf

weight = tf.Variable(1.0, name="weight")
print(weight.assign(2.0))
print(weight.assign_add(1.0))
print(weight)
