import tensorflow as tf

print(tf.constant(1.0) is None)
print(tf.Variable(1.0) == None)  # noqa: E711
