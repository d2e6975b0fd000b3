import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
for number, value in enumerate((0, 1.5, [1, 2], [1.0, 2], True)):
    variable = tf.get_variable("of_%d" % number, initializer=value)
    print(variable.dtype.base_dtype.name, variable.shape)
with tf.variable_scope("wide", dtype=tf.float64):
    print(tf.get_variable("whole", initializer=3).dtype.base_dtype.name)
    print(tf.get_variable("zeros", [2]).dtype.base_dtype.name)
print(tf.get_variable("same", initializer=2.5, dtype=tf.float32).dtype.base_dtype.name)
tf.get_variable("other", initializer=3, dtype=tf.float32)
