import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [2], name="x")
y = x * 2.0
with tf.Session() as session:
    print(session.run(y, {x: [1.0, 2.0]}))
    session.run(y)
