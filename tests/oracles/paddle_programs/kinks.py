"""Values and slopes where functions have kinks."""

import paddle
from paddle.nn import functional as F

places = [-4.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, 7.0]
names = (
    "hardtanh leaky_relu hardswish selu elu relu relu6 celu hardsigmoid hardshrink softshrink "
    "thresholded_relu softsign tanhshrink silu mish"
)


def slope(name, function, *given):
    leaves = [paddle.to_tensor(one, stop_gradient=False) for one in given]
    found = function(*leaves)
    found.sum().backward()
    shown = [[round(n, 4) + 0.0 for n in one.flatten().tolist()] for one in [found, *(x.grad for x in leaves)]]
    print(name, *shown)


for name in names.split():
    slope(name, getattr(F, name), places)
slope("prelu", F.prelu, places, [0.25])
slope("selu", lambda x: F.selu(x, scale=2.0, alpha=3.0), places)
slope("abs", paddle.abs, places)
slope("clip", lambda x: paddle.clip(x, -1.0, 1.0), places)
slope("clip", lambda x: paddle.clip(x, min=-1.0), places)
slope("clip", lambda x: paddle.clip(x, max=1.0), places)
slope("maximum", paddle.maximum, [1.0, 2.0], [1.0, 3.0])
nan = float("nan")
print(paddle.fmax(paddle.to_tensor([1.0, nan, 3.0, nan]), paddle.to_tensor([nan, 1.0, 2.0, nan])))
slope("fmax", paddle.fmax, [1.0, 2.0, 2.0], [0.0, 3.0, 2.0])
slope("fmin", paddle.fmin, [[1.0, 2.0], [2.0, 0.0]], [1.5, 2.0])
print(paddle.fmin(paddle.to_tensor([1.0, nan]), paddle.to_tensor([nan, 2.0])))
print(paddle.fmax(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 0])))
print(paddle.std(paddle.ones([1])), paddle.var(paddle.ones([2, 1]), axis=1), paddle.var(paddle.ones([1]), unbiased=False))
F.softshrink(paddle.ones([1]), -1.0)
