import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2], name="x")
with tf.Session() as session:
    print(session.run(tf.reduce_sum(x), {x: [[1, 2], [3, 4]]}))
    session.run(x, {x: [1.0, 2.0, 3.0]})
