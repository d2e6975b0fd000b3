"""paddle.grad by a list of tensors."""

import paddle

x = paddle.to_tensor(2.0, stop_gradient=False)
y = paddle.to_tensor(3.0, stop_gradient=False)
print(paddle.grad(x * x * y, [x, y]))
print(x.grad, y.grad)
