import warnings

warnings.simplefilter("ignore")
import numpy as np
import paddle
from paddle import distribution as D

paddle.enable_static()
x = paddle.static.data("x", [2], "float32")
x.stop_gradient = False
normal, wide = D.Normal(x, paddle.ones([2])), D.Normal(0.0, 2.0)
positive = paddle.exp(x)
kinds = {
    "normal": normal,
    "laplace": D.Laplace(x, paddle.full([2], 1.5)),
    "gumbel": D.Gumbel(x, paddle.ones([2])),
    "beta": D.Beta(positive, positive + 1.0),
    "gamma": D.Gamma(positive, paddle.ones([2])),
    "dirichlet": D.Dirichlet(positive),
    "bernoulli": D.Bernoulli(paddle.nn.functional.sigmoid(x)),
    "categorical": D.Categorical(x),
    "uniform": D.Uniform(paddle.zeros([2]), positive),
}
print(isinstance(normal, D.Normal), isinstance(normal, D.Beta), isinstance(wide, D.Distribution))
print(normal.batch_shape, normal.event_shape, kinds["dirichlet"].event_shape)
divergence = D.kl_divergence(normal, wide)
(slope,) = paddle.static.gradients(divergence.sum(), x)
value = paddle.full([2], 0.4)
asked = {"kl": divergence, "slope": slope, "method": normal.kl_divergence(wide)}
for name, one in kinds.items():
    if name in ("laplace", "gumbel", "beta", "gamma", "dirichlet"):
        asked[f"{name}.mean"] = one.mean
    asked[f"{name}.entropy"] = one.entropy()
for name in ("normal", "laplace", "gumbel", "beta", "uniform"):
    asked[f"{name}.log_prob"] = kinds[name].log_prob(value)
changes = {
    "affine": D.AffineTransform(x, paddle.full([1], 2.0)),
    "exp": D.ExpTransform(),
    "power": D.PowerTransform(paddle.full([1], 2.0)),
    "sigmoid": D.SigmoidTransform(),
    "tanh": D.TanhTransform(),
}
for name, one in changes.items():
    asked[f"{name}.forward"] = one.forward(value)
    asked[f"{name}.inverse"] = one.inverse(value)
    asked[f"{name}.slope"] = one.forward_log_det_jacobian(value)
asked["chain"] = D.ChainTransform([changes["affine"], changes["exp"]]).forward(x)
asked["transformed"] = D.TransformedDistribution(normal, [changes["exp"]]).log_prob(value)
asked["independent"] = D.Independent(normal, 1).log_prob(value)
draws = [
    normal.sample([5]),
    D.Normal(0.0, 1.0).sample([4]),
    D.TransformedDistribution(normal, [changes["exp"]]).sample([3]),
]
print([list(one.shape) for one in (*asked.values(), *draws)])

executor = paddle.static.Executor()
executor.run(paddle.static.default_startup_program())
for values in ([0.5, -0.25], [1.0, 2.0]):
    feed = {"x": np.array(values, "float32")}
    found = executor.run(feed=feed, fetch_list=list(asked.values()))
    for name, one in zip(asked, found):
        print(name, one.shape, [f"{n:.3f}" for n in one.ravel().tolist()])
first, second = (executor.run(feed=feed, fetch_list=draws) for _ in range(2))
print([bool((one == other).any()) for one, other in zip(first, second)])
print([one.shape for one in first])
paddle.disable_static()
# What was made in the static mode of numbers alone goes on in the dynamic mode.
print(
    np.round(
        D.StackTransform([changes["exp"], changes["tanh"]]).forward(paddle.ones([2])).numpy(), 3
    ).tolist()
)
print(D.Normal(0.0, 1.0).log_prob(paddle.zeros([1])).shape)
