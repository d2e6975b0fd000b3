"""backward, then minimize."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
for _ in range(3):
    loss = (x * x).sum()
    loss.backward()
    optimizer.minimize(loss)
    optimizer.clear_grad()
print(x)
