"""Distributions that are drawn by way of gammas: probabilities, moments, divergences, gradients and draws."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
ds = tf.distributions
gamma = ds.Gamma([0.5, 2.0, 5.0], [1.0, 0.5, 2.0])
other = ds.Gamma([1.5, 2.0, 4.0], 3.0)
exponential = ds.Exponential([0.5, 2.0])
beta = ds.Beta([0.5, 2.0], [1.5, 3.0])
other_beta = ds.Beta(2.0, [1.0, 5.0])
dirichlet = ds.Dirichlet([[1.5, 2.0, 3.0], [0.5, 1.0, 4.0]])
other_dirichlet = ds.Dirichlet([1.5, 1.25, 2.0])
laplace = ds.Laplace([0.0, 1.0], [1.0, 2.0])
student = ds.StudentT([0.5, 1.5, 5.0], [1.0, 0.0, -1.0], 2.0)
multinomial = ds.Multinomial(4.0, logits=[[0.0, 1.0, -1.0], [2.0, 0.0, 0.5]])
of_probs = ds.Multinomial([3.0, 5.0], probs=[0.2, 0.3, 0.5])
mixed = ds.DirichletMultinomial(6.0, [[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]])
values = [
    gamma.log_prob([0.5, 1.0, 2.0]),
    gamma.prob(0.7),
    gamma.cdf(1.5),
    gamma.log_cdf(1.5),
    gamma.entropy(),
    gamma.mean(),
    gamma.variance(),
    gamma.stddev(),
    gamma.mode(),
    gamma.survival_function(1.0),
    ds.kl_divergence(gamma, other),
    gamma.cross_entropy(other),
    exponential.log_prob(0.3),
    exponential.cdf(0.3),
    exponential.mean(),
    exponential.stddev(),
    exponential.entropy(),
    ds.kl_divergence(exponential, exponential),
    beta.log_prob([0.25, 0.5]),
    beta.prob(0.5),
    beta.cdf([0.1, 0.6]),
    beta.entropy(),
    beta.mean(),
    beta.variance(),
    beta.mode(),
    beta.total_concentration,
    ds.kl_divergence(beta, other_beta),
    dirichlet.log_prob([0.2, 0.3, 0.5]),
    dirichlet.prob([0.2, 0.3, 0.5]),
    dirichlet.entropy(),
    dirichlet.mean(),
    dirichlet.variance(),
    dirichlet.covariance(),
    other_dirichlet.mode(),
    ds.kl_divergence(dirichlet, other_dirichlet),
    laplace.log_prob([0.5, -1.0]),
    laplace.cdf([0.5, -1.0]),
    laplace.entropy(),
    laplace.mean(),
    laplace.stddev(),
    laplace.mode(),
    laplace.variance(),
    student.log_prob([0.5, 1.0, 2.0]),
    student.cdf([0.5, 1.0, -3.0]),
    student.entropy(),
    student.mean(),
    student.variance(),
    student.stddev(),
    student.mode(),
    multinomial.log_prob([1.0, 2.0, 1.0]),
    multinomial.prob([4.0, 0.0, 0.0]),
    multinomial.mean(),
    multinomial.variance(),
    multinomial.covariance(),
    of_probs.mean(),
    of_probs.log_prob([[1.0, 1.0, 1.0], [0.0, 2.0, 3.0]]),
    mixed.log_prob([1.0, 2.0, 3.0]),
    mixed.mean(),
    mixed.variance(),
    mixed.covariance(),
]
rate = tf.Variable([1.0, 2.0])
slope = tf.gradients(
    ds.Gamma(2.0, rate).log_prob([0.5, 0.5]) + ds.StudentT(3.0, rate, 1.0).log_prob(0.2), rate
)[0]
seeded = [
    gamma.sample(2, seed=5),
    exponential.sample([2], seed=6),
    beta.sample(seed=7),
    dirichlet.sample(2, seed=8),
    laplace.sample([2, 1], seed=9),
    student.sample(2, seed=10),
]
counts = [multinomial.sample(3), mixed.sample([2, 2]), multinomial.sample()]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for one in session.run(values):
        print(np.round(np.float64(one), 4).tolist())
    print(np.round(np.float64(session.run(slope)), 4).tolist())
    for one in session.run(seeded):
        print(one.shape, np.round(np.float64(one), 3).tolist())
    for one in session.run(counts):
        print(one.shape, one.dtype.name, one.sum(-1).ravel().tolist(), bool((one >= 0.0).all()))
for one in (gamma, beta, dirichlet, laplace, student, multinomial, mixed):
    print(one.name.strip("/"), one.dtype.name, one.batch_shape, one.event_shape, one.reparameterization_type)


class Half(ds.Distribution):
    def __init__(self):
        pass


@ds.RegisterKL(Half, Half)
def divergence(a, b, name=None):
    return 0.5


print(ds.kl_divergence(Half(), Half()))
try:
    ds.kl_divergence(gamma, laplace)
except NotImplementedError as error:
    print(str(error)[:40])
