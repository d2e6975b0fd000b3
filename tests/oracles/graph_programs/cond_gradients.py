import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.Variable(2.0)
flag = tf.placeholder(tf.bool, [])
loss = tf.cond(flag, lambda: w * w, lambda: 5.0 * w)
slope = tf.gradients(loss, w)[0]
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for value in (True, False):
        print(session.run(slope, {flag: value}))
        session.run(train, {flag: value})
        print(round(float(session.run(w)), 4))
