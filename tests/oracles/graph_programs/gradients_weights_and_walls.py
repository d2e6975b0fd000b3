import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant([1.0, 2.0])
a = x * 2.0
y = a * x
with tf.Session() as session:
    print(session.run(tf.gradients(y, x, grad_ys=[tf.constant([1.0, 10.0])])))
    print(session.run(tf.gradients(y, [a, x], stop_gradients=[a, x])))
    print(session.run(tf.gradients([y, a], x)))
