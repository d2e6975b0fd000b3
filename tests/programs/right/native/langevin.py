"""Stochastic gradient Langevin dynamics: noise is added to every step, samples are kept."""

import penstock as ps

ps.random.seed(4)
theta = ps.Variable(ps.zeros((2,)), name="theta")
step = 0.05
samples = []
for _ in range(20):
    with ps.GradientTape() as tape:
        energy = ps.sum((theta - ps.asarray([1.0, -1.0])) ** 2)
    theta.assign_sub(0.5 * step * tape.gradient(energy, theta) - step**0.5 * ps.random.normal((2,)))
    samples.append(theta.numpy())
print(sum(samples) / len(samples))
