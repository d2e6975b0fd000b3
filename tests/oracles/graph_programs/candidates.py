"""Candidate samplers: what is expected of classes, and what holds of those drawn."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
true = tf.constant([[3, 0], [7, 1]], tf.int64)


def shown(values):
    return np.round(np.float64(values), 4).tolist()


with tf.Session() as session:
    for sampler in (tf.nn.uniform_candidate_sampler, tf.random.log_uniform_candidate_sampler):
        drawn, of_true, of_drawn = session.run(sampler(true, 2, 5, False, 10, seed=3))
        print(drawn.shape, drawn.dtype, bool(((drawn >= 0) & (drawn < 10)).all()), shown(of_true), of_drawn.dtype)
        chances = session.run(sampler(np.arange(10)[:, None], 1, 5, False, 10))[1].ravel()
        print(shown(chances), shown(chances[drawn] - of_drawn))
        drawn, of_true, of_drawn = session.run(sampler(true, 2, 10, True, 10))
        print(sorted(drawn.tolist()), of_true.shape, of_drawn.shape, bool((of_true <= 1.0).all()))
        several = sampler(true, 2, 3, True, 10)
        print(len({tuple(session.run(several[0]).tolist()) for _ in range(8)}) > 1)
    unigrams = [1.0, 2.0, 3.0, 4.0]
    drawn, of_true, of_drawn = session.run(
        tf.nn.fixed_unigram_candidate_sampler(
            [[0], [1], [4]], 1, 3, False, 5, distortion=0.5, num_reserved_ids=1, unigrams=unigrams
        )
    )
    print(shown(of_true), bool((drawn > 0).all()))
    print([shown(one) for one in session.run(tf.nn.all_candidate_sampler([[3, 0], [2, 1]], 2, 4, True))])
    weights, biases = tf.ones([10, 3]), tf.zeros([10])
    values = tf.nn.all_candidate_sampler([[1], [2]], 1, 10, True)
    loss = tf.nn.nce_loss(weights, biases, tf.constant([[1], [2]], tf.int64), tf.ones([2, 3]), 10, 10, sampled_values=values)
    print(shown(session.run(loss)))
    for wrong in (lambda: tf.nn.uniform_candidate_sampler(true, 2, 11, True, 10), lambda: tf.nn.uniform_candidate_sampler(true, 1, 2, True, 10)):
        try:
            session.run(wrong())
        except (ValueError, tf.errors.InvalidArgumentError) as error:
            print("refused")
