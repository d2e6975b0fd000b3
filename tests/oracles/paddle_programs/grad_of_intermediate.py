"""paddle.grad by a result."""

import paddle

x = paddle.to_tensor(2.0, stop_gradient=False)
y = x * 3
z = y * y
print(paddle.grad(z, y)[0].item())
