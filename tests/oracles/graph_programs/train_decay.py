import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
step = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(0.5, step, 2, 0.5, staircase=True)
smooth = tf.train.exponential_decay(0.5, step, 2, 0.5)
w = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(rate).minimize(tf.square(w), global_step=step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        print([round(float(v), 5) for v in session.run([rate, smooth])], session.run(train))
    print(session.run(step), round(float(session.run(w)), 5))
