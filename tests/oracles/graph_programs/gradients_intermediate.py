import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant(2.0)
a = x * 3.0
b = tf.identity(a)
z = a * b
with tf.Session() as session:
    print(session.run(tf.gradients(z, [x, a, b])))
