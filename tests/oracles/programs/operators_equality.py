import tensorflow as tf

variable = tf.Variable(1.0)
other = tf.Variable(1.0)
print(variable == other, variable is other, variable != other)
print(tf.constant([1, 2]) == tf.constant([1, 2, 3]))
print(any(item is variable for item in [other, variable]))
