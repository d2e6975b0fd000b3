import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
count = tf.Variable(0)
flag = tf.placeholder(tf.bool, [])
step = tf.cond(flag, lambda: tf.assign_add(count, 1), lambda: tf.identity(count))
with tf.Session() as session:
    session.run(count.initializer)
    for value in (True, False, True):
        session.run(step, {flag: value})
        print(session.run(count))
