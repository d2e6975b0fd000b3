import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
step = tf.train.get_or_create_global_step()
w = tf.Variable(1.0)
train = tf.train.AdamOptimizer(0.1).minimize(w * w, global_step=step)
print(step, tf.train.get_global_step() is step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        session.run(train)
    print(session.run(step), round(float(session.run(w)), 4))
