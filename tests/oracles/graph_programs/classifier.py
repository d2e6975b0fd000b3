import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.int64, [None])
kernel = tf.get_variable("kernel", initializer=np.float32([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]))
bias = tf.get_variable("bias", [3], initializer=tf.zeros_initializer())
logits = tf.nn.xw_plus_b(x, kernel, bias)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
hits = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
train = tf.train.AdamOptimizer(0.2).minimize(loss)
data = np.float32([[1, 0], [0, 1], [-1, -1], [2, 0.5]])
feed = {x: data, y: [0, 1, 2, 0]}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(10):
        session.run(train, feed)
        if step % 3 == 0:
            print([round(float(v), 3) for v in session.run([loss, hits], feed)])
