"""Draws of distributions after `paddle.seed`."""

import paddle
from paddle import distribution as d
from paddle import to_tensor as t


def shown(one, *shapes, soft=False):
    draws = [one.sample(shape) for shape in shapes or ([3], [])]
    if soft:
        draws.append(one.rsample([4]))
    rows = [draw.astype("float64").reshape([-1]).tolist() for draw in draws]
    texts = [" ".join(f"{n:.4f}" for n in row) for row in rows]
    print(type(one).__name__, *[draw.shape for draw in draws], *texts, f"{paddle.rand([1]).item():.6f}")


paddle.seed(11)
ends = t([0.0, 1.0]), t([1.0, 2.0])
for kind in (d.Normal, d.Laplace, d.Gumbel, d.Cauchy, d.LogNormal):
    shown(kind(*ends), soft=True)
shown(d.Normal(0.0, 1.0), [3])
shown(d.Uniform(*ends))
shown(d.Gamma(t([0.5, 1.0]), ends[1]), soft=True)
shown(d.Exponential(t([0.5, 1.0])), soft=True)
shown(d.Chi2(t([3.0, 4.0])))
shown(d.Beta(t([0.5, 1.0]), ends[1]))
shown(d.Dirichlet(t([0.5, 1.0, 2.0])))
shown(d.StudentT(t([5.0, 6.0]), *ends))
shown(d.Bernoulli(t([0.3, 0.6])), soft=True)
shown(d.Geometric(t([0.3, 0.6])))
shown(d.ContinuousBernoulli(t([0.3, 0.6])))
shown(d.Poisson(t([0.3, 6.0, 30.0])))
shown(d.Binomial(t([10.0, 100.0]), t([0.3, 0.6])))
shown(d.Categorical(t([0.3, 0.6, 0.1])), [5])
shown(d.Categorical(t([[0.3, 0.6, 0.1], [1.0, 2.0, 3.0]])), [3])
shown(d.Multinomial(5, t([0.3, 0.6, 0.1])), [3], [2])
shown(d.MultivariateNormal(ends[0], covariance_matrix=t([[2.0, 0.5], [0.5, 1.0]])))
