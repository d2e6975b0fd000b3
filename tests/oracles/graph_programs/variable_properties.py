import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(3.0)
v = tf.Variable([1.0, 2.0], name="v", trainable=False)
print(w, v, w.name, v.op.name, w.dtype, v.shape, v.get_shape().as_list())
print(tf.trainable_variables(), tf.global_variables())
print(tf.Variable(1).dtype, tf.Variable(1.0, name="v").name)
