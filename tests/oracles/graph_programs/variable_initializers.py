import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
c = tf.get_variable("c", [2], initializer=tf.constant_initializer(3.0))
d = tf.get_variable("d", [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]))
z = tf.get_variable("z", [2], initializer=tf.zeros_initializer())
o = tf.get_variable("o", [2], dtype=tf.int32, initializer=tf.ones_initializer())
t = tf.get_variable("t", initializer=tf.constant([5.0, 6.0]))
n = tf.get_variable("n", initializer=np.array([[7.0]]))
s = tf.get_variable("s", initializer=8.0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for one in (c, d, z, o, t, n, s):
        print(one.name, one.dtype, session.run(one).tolist())
