"""grad_tensor weighs the elements."""

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
y = x * x
y.backward(paddle.to_tensor([1.0, 10.0, 100.0]))
print(x.grad)
