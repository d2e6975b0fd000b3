import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [])
y = tf.cond(x > 1.0, lambda: x * 10.0, lambda: x - 1.0)
pair = tf.cond(x > 1.0, lambda: (x, tf.constant(1)), lambda: (-x, tf.constant(2)))
print(y.shape, y.dtype)
with tf.Session() as session:
    for value in (0.5, 2.0):
        print(session.run(y, {x: value}), session.run(pair, {x: value}))
