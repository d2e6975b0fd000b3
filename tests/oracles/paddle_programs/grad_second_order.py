"""create_graph records the gradient."""

import paddle

x = paddle.to_tensor([3.0], stop_gradient=False)
(first,) = paddle.grad(x**3, x, create_graph=True)
(second,) = paddle.grad(first, x, create_graph=True)
(third,) = paddle.grad(second, x)
print(first, second, third)
