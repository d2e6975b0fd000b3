import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
count = tf.Variable(0, name="count")
step = tf.assign(count, count + 1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(step)
    print(session.run(count))
