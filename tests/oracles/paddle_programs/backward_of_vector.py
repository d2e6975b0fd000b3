"""A vector counts as the sum of its elements."""

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
(x * x).backward()
print(x.grad)
