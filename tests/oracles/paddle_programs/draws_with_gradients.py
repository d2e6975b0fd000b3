"""Which draws of `sample` pass gradients to the parameters of their distribution, and which do not."""

import paddle
from paddle import distribution as D


def leaf(*values):
    made = paddle.to_tensor(list(values))
    made.stop_gradient = False
    return made


paddle.seed(1)
for make in (
    lambda a, b: D.Normal(a, b),
    lambda a, b: D.Uniform(a, a + b),
    lambda a, b: D.StudentT(paddle.to_tensor([3.0]), a, b),
    lambda a, b: D.LogNormal(a, b),
    lambda a, b: D.Independent(D.Normal(a, b), 1),
    lambda a, b: D.TransformedDistribution(D.Normal(a, b), [D.AffineTransform(a, b)]),
    lambda a, b: D.Beta(a, b),
    lambda a, b: D.Laplace(a, b),
    lambda a, b: D.Gumbel(a, b),
    lambda a, b: D.Gamma(a, b),
    lambda a, b: D.Cauchy(a, b),
):
    loc, scale = leaf(0.5), leaf(1.5)
    made = make(loc, scale)
    drawn = made.sample([2])
    print(type(made).__name__, drawn.stop_gradient)
    if type(made) in (D.Normal, D.Uniform, D.LogNormal):
        drawn.sum().backward()
        print([None if one.grad is None else one.grad.numpy().round(4).tolist() for one in (loc, scale)])

loc = leaf(0.5)
normal = D.Normal(loc, paddle.ones([1]))
action = normal.sample([3])
(paddle.tanh(action).sum() + normal.log_prob(action).sum()).backward()
print(loc.grad.numpy().round(4).tolist())
print(D.Normal(0.0, 1.0).sample([2]).stop_gradient, D.Uniform(0.0, 1.0).sample([2]).stop_gradient)
