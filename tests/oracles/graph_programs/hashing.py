import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
a = tf.constant(1.0)
known = {a: "first"}
print(known[a], a in known, a in [tf.constant(1.0), a])
