import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
mean = tf.Variable([0.0, 1.0])
normal = tf.distributions.Normal(mean, [1.0, 2.0])
other = tf.distributions.Normal(1.0, 0.5)
logits = tf.Variable([[0.0, 1.0, -1.0], [2.0, 0.0, 0.5]])
categorical = tf.distributions.Categorical(logits=logits)
uniform_one = tf.distributions.Categorical(probs=[[0.2, 0.3, 0.5]])
bernoulli = tf.distributions.Bernoulli(logits=[0.0, 2.0])
flat = tf.distributions.Uniform(-1.0, 3.0)
values = [
    normal.log_prob([0.5, 0.0]), normal.prob(0.0), normal.mean(), normal.stddev(), normal.variance(), normal.entropy(),
    normal.cdf(0.0), tf.distributions.kl_divergence(normal, other), categorical.log_prob([0, 2]), categorical.prob([1, 1]),
    categorical.entropy(), categorical.mode(), uniform_one.log_prob([2]), bernoulli.log_prob([1, 0]), bernoulli.mean(),
    bernoulli.entropy(), bernoulli.variance(), flat.log_prob(0.0), flat.mean(), flat.variance(), flat.entropy(),
    tf.distributions.kl_divergence(bernoulli, tf.distributions.Bernoulli(probs=[0.3, 0.3])),
]
loss = -tf.reduce_mean(categorical.log_prob([0, 1]) * [1.0, -2.0]) + tf.reduce_sum(normal.log_prob([1.0, 1.0]))
slopes = tf.gradients(loss, [logits, mean])
draws = [normal.sample(), normal.sample([3]), categorical.sample(), categorical.sample(4), bernoulli.sample(2), flat.sample([2])]
drawn = tf.multinomial(logits, 5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for one in sess.run(values):
        print(np.round(one, 4).tolist())
    for one in sess.run(slopes):
        print(np.round(one, 4).tolist())
    print([one.shape for one in sess.run(draws)], [one.dtype.name for one in draws])
    found = sess.run(drawn)
    print(found.shape, found.dtype, bool(np.all((found >= 0) & (found < 3))))
