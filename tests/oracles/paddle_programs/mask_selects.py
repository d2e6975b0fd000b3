"""A mask as an index."""

import paddle

x = paddle.to_tensor([1.0, -2.0, 3.0, -4.0])
print(x[x > 0])
print(paddle.where(x > 0, x, paddle.zeros_like(x)))
