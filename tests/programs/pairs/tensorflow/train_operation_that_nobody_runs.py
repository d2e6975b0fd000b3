# PS427: kernel
import tensorflow as tf

tf = tf.compat.v1
tf.disable_eager_execution()
features = tf.placeholder(tf.float32, [None, 2])
kernel = tf.Variable([[1.0], [1.0]], name="kernel")
loss = tf.reduce_mean((tf.matmul(features, kernel) - 1.0) ** 2)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)  # guilty
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for turn in range(4):
        batch = {features: [[1.0 + turn, 2.0], [3.0, 4.0]]}
        print(turn, session.run(loss, batch))  # wrong
        print(turn, session.run([loss, train], batch)[0])  # right
