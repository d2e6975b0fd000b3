import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
value = tf.placeholder(tf.float32, [])
mean = tf.Variable(0.0, trainable=False)
update = tf.assign(mean, 0.9 * mean + 0.1 * value)
with tf.Session() as session:
    session.run(mean.initializer)
    for one in (1.0, 2.0, 3.0):
        print(round(float(session.run(update, {value: one})), 5))
