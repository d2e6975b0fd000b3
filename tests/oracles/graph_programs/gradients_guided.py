import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import gen_nn_ops

tf.disable_eager_execution()


@ops.RegisterGradient("GuidedActivation")
def guided(op, grad):
    return tf.where(0.0 < grad, gen_nn_ops.relu_grad(grad, op.outputs[0]), tf.zeros_like(grad))


class FlipGradient:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, share=1.0):
        name = "FlipGradient%d" % self.calls

        @ops.RegisterGradient(name)
        def flipped(op, grad):
            return [tf.negative(grad) * share]

        self.calls += 1
        with tf.get_default_graph().gradient_override_map({"Identity": name}):
            return tf.identity(x)


flip = FlipGradient()
x = tf.placeholder(tf.float32, [None, 3])
share = tf.placeholder(tf.float32, [])
weights = [
    tf.get_variable("hidden", initializer=[[1.0, -1.0, 0.5, 1.0]] * 3),
    tf.get_variable("score", initializer=[[1.0], [-1.0], [2.0], [0.5]]),
    tf.get_variable("domain", initializer=[[1.0], [0.5], [-1.0], [1.0]]),
]
with tf.get_default_graph().gradient_override_map({"Relu": "GuidedActivation"}):
    hidden = tf.nn.relu(tf.matmul(x, weights[0]))
score = tf.matmul(hidden, weights[1])
domain = tf.matmul(flip(hidden, share), weights[2])
again = flip(x)
loss = tf.reduce_sum(score) + tf.reduce_sum(tf.square(domain))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
seen = tf.gradients(score, x)[0]
other = tf.gradients(again * 2.0, x)[0]
feed = {x: [[0.1, 0.2, 0.3], [-1.0, 0.5, 0.1]], share: 0.25}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(np.round(session.run(seen, feed), 4).tolist(), np.round(session.run(other, feed), 4).tolist())
    for _ in range(5):
        _, value = session.run([step, loss], feed)
        print(round(float(value), 4))
    for one in tf.trainable_variables():
        print(one.name, np.round(session.run(one), 3).tolist())
