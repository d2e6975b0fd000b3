import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rate = tf.placeholder(tf.float32, [])
w = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(rate).minimize(w * w)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for value in (0.1, 0.2, 0.3):
        session.run(train, {rate: value})
        print(round(float(session.run(w)), 5))
