# PS427: mean*
import tensorflow as tf

tf.random.set_seed(1)
tf = tf.compat.v1
tf.disable_eager_execution()
features = tf.placeholder(tf.float32, [None, 2])
mean = tf.Variable(tf.zeros([2]), trainable=False, name="mean")
kernel = tf.Variable([[1.0], [1.0]], name="kernel")
update = tf.assign(mean, 0.9 * mean + 0.1 * tf.reduce_mean(features, 0))  # guilty
loss = tf.reduce_mean(tf.matmul(features - tf.reduce_mean(features, 0), kernel) ** 2)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
answer = tf.matmul(features - mean, kernel)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for turn in range(4):
        batch = {features: [[1.0 + turn, 2.0], [3.0, 4.0]]}
        session.run(train, batch)  # wrong
        session.run([train, update], batch)  # right
        session.run(answer, batch)
