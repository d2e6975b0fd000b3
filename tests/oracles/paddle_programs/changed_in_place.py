"""Functions that change a tensor: values, versions, and gradients of what has been changed."""

import paddle
from paddle.nn import functional as F

names = """
    acos asin atan cos cosh erf exp expm1 log log10 log1p log2 neg reciprocal rsqrt sin sinh sqrt square tan
    tanh sigmoid frac lgamma digamma erfinv logit abs
"""
for name in names.split():
    x = paddle.to_tensor([0.25, 0.5], stop_gradient=False)
    y = x * 1.0
    found = getattr(paddle, f"{name}_")(y) if hasattr(paddle, f"{name}_") else getattr(y, f"{name}_")()
    (y * paddle.to_tensor([1.0, 2.0])).sum().backward()
    print(name, found is y, [[round(one, 4) + 0.0 for one in each.tolist()] for each in (y, x.grad)])
x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(paddle.reshape_(x, [3, 2]).shape, x.shape, paddle.transpose_(x, [1, 0]).tolist(), x.shape)
print(paddle.tril_(x).tolist(), x.cumsum_(1).tolist(), x.clip_(2.0, 9.0).tolist())
print(paddle.squeeze_(paddle.unsqueeze_(x, 0), 0).shape, paddle.flatten_(x).tolist())
x = paddle.to_tensor([6, 5])
print(x.bitwise_and_(paddle.to_tensor([3, 4])).tolist(), x.floor_divide_(paddle.to_tensor(2)).tolist())
x = paddle.to_tensor([1.0, -2.0]) * 1.0
print(F.relu_(x).tolist(), x.tolist(), F.softmax_(x).shape, F.tanh_(x).shape, F.leaky_relu_(x).shape)
x = paddle.zeros([3, 2])
print(x.index_add_(paddle.to_tensor([1]), 0, paddle.ones([1, 2])).tolist(), x.lerp_(paddle.ones([3, 2]), 0.5).tolist())
x = paddle.to_tensor([1.0])
for _ in range(3):
    x.add_(paddle.to_tensor([1.0]))
print(x.inplace_version, x.item())
leaf = paddle.to_tensor([1.0], stop_gradient=False)
try:
    leaf.exp_()
except ValueError:
    print("refused")
