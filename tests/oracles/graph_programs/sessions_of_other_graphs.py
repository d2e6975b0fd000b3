import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
path = os.path.join(tempfile.mkdtemp(), "model")


class Net:
    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.step = tf.train.get_or_create_global_step()
            self.w = tf.get_variable("w", initializer=[[1.0], [2.0]])
            self.y = tf.matmul(self.x, self.w)
            loss = tf.reduce_mean((self.y - 1.0) ** 2)
            self.train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=self.step)
            self.begin = tf.global_variables_initializer()
            self.saver = tf.train.Saver()
        self.graph.finalize()

    def session(self):
        session = tf.Session(graph=self.graph)
        self.saver.restore(session, path)
        return session


net = Net()
first = tf.Session(graph=net.graph)
first.run(net.begin)
for _ in range(3):
    first.run(net.train, {net.x: [[1.0, 0.5]]})
net.saver.save(first, path)
first.run(net.train, {net.x: [[1.0, 0.5]]})
print(first.run(net.w).ravel())
second = net.session()
print(second.run(net.w).ravel(), net.w.eval(second).ravel(), tf.train.global_step(second, net.step))
net.w.load([[3.0], [4.0]], second)
print(second.run(net.y, {net.x: np.ones((1, 2))}), first.run(net.w).ravel())
second.run(net.train, {net.x: [[1.0, 0.5]]})
print(second.run(net.w).ravel(), second.run(net.step), len(tf.get_default_graph().get_operations()))
other = Net()
with tf.Session(graph=other.graph) as third:
    other.saver.restore(third, path)
    print(third.run(other.w).ravel())
