import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
session = tf.InteractiveSession()
w = tf.Variable([1.0, 2.0])
w.initializer.run()
print(w.eval(), (w * 2.0).eval())
x = tf.placeholder(tf.float32, [])
print((x * 2.0).eval(feed_dict={x: 3.0}))
session.close()
