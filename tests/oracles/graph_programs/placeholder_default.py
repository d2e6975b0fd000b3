import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder_with_default(5.0, shape=[], name="x")
with tf.Session() as session:
    print(x, session.run(x * 2.0), session.run(x * 2.0, {x: 1.0}))
