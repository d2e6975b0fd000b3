import tensorflow as tf

variable = tf.Variable([1.0, 2.0], name="variable")
tensor = tf.constant([[1, 2], [3, 4]])
print(repr(variable))
print(repr(tensor))
print(str(variable) == repr(variable), str(tensor) == repr(tensor))
print([variable, tf.constant(0.5)])
print({"tensor": tf.constant(2)})
print(repr(tf.constant(0.1)), repr(tf.constant(True)))
