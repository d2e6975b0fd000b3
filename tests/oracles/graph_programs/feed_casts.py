import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.int32, [2])
y = tf.placeholder(tf.float32, [2])
with tf.Session() as session:
    print(session.run(x, {x: [1.5, 2.7]}), session.run(y, {y: [1, 2]}).dtype)
