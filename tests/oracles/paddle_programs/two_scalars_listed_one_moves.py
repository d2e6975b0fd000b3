"""Only what the optimizer was given moves; the other keeps its value."""

import paddle

x = paddle.to_tensor([0.0], stop_gradient=False)
y = paddle.to_tensor([1.0])
optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=[x])
for _ in range(10):
    loss = (x - 2) ** 2 + (y - 3) ** 2
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
print(x.numpy(), y.numpy(), y.grad)
