import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
weights = tf.Variable(tf.ones([2, 3]))
logits = tf.matmul(x, weights) * [1.0, 2.0, 3.0]
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
train = tf.train.AdamOptimizer(learning_rate=0.1).minimize(cost)
given = {x: np.array([[0.0, 1.0], [2.0, 1.0]]), y: np.array([[1, 0, 0], [0, 1, 1]])}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        print(round(float(session.run([train, cost], given)[1]), 4))
    print(session.run(weights).round(3).tolist())
