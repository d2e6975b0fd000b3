import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3], name="x")
moved = tf.get_variable("moved", [3, 1], initializer=tf.constant_initializer([0.5, -0.5, 1.0]))
left = tf.get_variable("left", [3, 1], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
right = tf.get_variable("right", [3, 1], initializer=tf.constant_initializer([0.5, 0.25, -1.0]))
goal = tf.stop_gradient(tf.matmul(x, left * right))
loss = tf.reduce_mean(tf.square(tf.matmul(x, moved) - goal))
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.5)
pairs = optimizer.compute_gradients(loss)
print([(gradient is None, variable.name) for gradient, variable in pairs])
train = optimizer.apply_gradients(pairs)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(40):
        session.run(train, feed_dict={x: np.eye(3)})
    print(
        session.run(moved).round(3).tolist(), session.run(left * right).tolist(), session.run(left).tolist()
    )
