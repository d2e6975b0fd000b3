"""Adam on two scalars."""

import paddle

x = paddle.to_tensor([4.0, 0.01], stop_gradient=False)
optimizer = paddle.optimizer.Adam(0.1, parameters=[x])
for _ in range(10):
    (x * x * x).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    print(x.numpy().round(4).tolist())
