import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
step = tf.placeholder(tf.int32, [])
rates = [
    tf.train.piecewise_constant(step, [2, 5], [1.0, 0.5, 0.1]),
    tf.train.piecewise_constant_decay(step, [3], [0.2, 0.1]),
    tf.train.natural_exp_decay(0.5, step, 4, 0.3),
    tf.train.natural_exp_decay(0.5, step, 4, 0.3, staircase=True),
    tf.train.cosine_decay(0.5, step, 6, alpha=0.1),
    tf.train.cosine_decay_restarts(0.5, step, 3, t_mul=2.0, m_mul=0.9, alpha=0.1),
    tf.train.cosine_decay_restarts(0.5, step, 4, t_mul=1.0),
    tf.train.linear_cosine_decay(0.5, step, 6),
    tf.train.polynomial_decay(0.5, step, 4, 0.1, power=2.0, cycle=True),
    tf.train.polynomial_decay(0.5, step, 4, 0.1, power=2.0),
]
with tf.Session() as sess:
    for number in range(10):
        print(np.round(sess.run(rates, {step: number}), 5).tolist())
losses = [
    tf.losses.cosine_distance([[0.6, 0.8], [1.0, 0.0]], [[0.8, 0.6], [0.0, 1.0]], axis=1),
    tf.losses.cosine_distance([[0.6, 0.8], [1.0, 0.0]], [[0.8, 0.6], [0.0, 1.0]], dim=0, weights=2.0),
    tf.losses.mean_pairwise_squared_error([[0.6, 0.8, 0.1], [1.0, 0.0, 0.3]], [[0.8, 0.6, 0.0], [0.0, 1.0, 0.5]]),
    tf.losses.mean_pairwise_squared_error([[0.6, 0.8], [1.0, 0.0]], [[0.8, 0.6], [0.5, 1.0]], weights=[[2.0], [0.0]]),
]
with tf.Session() as sess:
    print(np.round(sess.run(losses), 5).tolist(), len(tf.losses.get_losses()))
