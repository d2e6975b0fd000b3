"""One weight learns the product of two others, which a barrier keeps as they are: names of TensorFlow 1."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
draw = np.random.default_rng(11)


def weight(name):
    start = draw.standard_normal((5, 1)).astype("float32")
    return tf.get_variable(name, initializer=tf.constant(start))


learner, left, right = weight("learner"), weight("left"), weight("right")
points = tf.placeholder(tf.float32, shape=[None, 5], name="points")
wanted = tf.stop_gradient(tf.matmul(points, left * right))
cost = tf.reduce_mean(tf.square(tf.matmul(points, learner) - wanted))
descent = tf.train.GradientDescentOptimizer(learning_rate=0.1)
pairs = descent.compute_gradients(cost)
train = descent.apply_gradients(pairs)
print("gradients", [slope is not None for slope, _ in pairs])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = session.run([left, right])
    for turn in range(200):
        session.run(train, {points: draw.standard_normal((20, 5)).astype("float32")})
    found, *after = session.run([learner, left, right])
print("left and right unchanged:", all(np.array_equal(*pair) for pair in zip(before, after)))
print(f"largest distance of learner and product: {np.abs(found - after[0] * after[1]).max():.4f}")
