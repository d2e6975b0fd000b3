"""The first backward frees the graph."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
y = x * x
y.backward()
print(x.grad.item())
y.backward()
