"""Parts of boxes each in a channel of its own, flash attention by its module, and factors of correlations."""

import warnings

import numpy as np
import paddle
import paddle.nn.functional as F

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)


def shown(x):
    return (x.numpy() + 0.0).round(4).tolist()


boxes = paddle.to_tensor([[0.0, 0.0, 3.0, 4.0], [1.0, 2.0, 5.0, 5.0], [2.2, 0.5, 4.7, 3.1]], dtype="float64")
counts = paddle.to_tensor([1, 2], dtype="int32")
for size, scale in ((2, 1.0), ((2, 1), 0.5), ((1, 4), 1.5)):
    x = paddle.to_tensor(rng.normal(size=(2, 8, 6, 6)), stop_gradient=False)
    found = paddle.vision.ops.psroi_pool(x, boxes, counts, size, scale)
    print(found.shape, shown(found))
    (found * paddle.to_tensor(np.cos(np.arange(found.size)).reshape(found.shape))).sum().backward()
    print(shown(x.grad.sum([2, 3])), shown(x.grad[1, 3]))
    layer = paddle.vision.ops.PSRoIPool(size, scale)
    print(bool((layer(x, boxes, counts) == found).all()))

q = paddle.to_tensor(rng.normal(size=(1, 4, 2, 8)).astype("float32"))
for causal in (False, True):
    found, shares = F.flash_attention.flash_attention(q, q, q, causal=causal)
    print(shown(found.sum(-1)), shares)

for dim, concentration in ((2, 1.0), (3, 0.7), (4, [1.0, 2.5]), (5, 3.0)):
    if isinstance(concentration, list):
        concentration = paddle.to_tensor(concentration)
    for way in ("onion", "cvine"):
        d = paddle.distribution.LKJCholesky(dim, concentration, way)
        drawn = d.sample([3])
        product = drawn @ drawn.transpose([*range(drawn.ndim - 2), drawn.ndim - 1, drawn.ndim - 2])
        ones = paddle.diagonal(product, axis1=-2, axis2=-1)
        print(drawn.shape, bool((ones - 1).abs().max() < 1e-5), bool((drawn.triu(1) == 0).all()))
    factor = np.linalg.cholesky(np.full((dim, dim), 0.3) + 0.7 * np.eye(dim)).astype("float32")
    print(shown(d.log_prob(paddle.to_tensor(factor))))
for arguments in ((1,), (2, -1.0), (2, 1.0, "vine")):
    try:
        paddle.distribution.LKJCholesky(*arguments)
    except ValueError as error:
        print(error.args[0].split("\n")[0])
