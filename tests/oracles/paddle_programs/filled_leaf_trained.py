"""A filled tensor becomes a leaf and is trained."""

import paddle

x = paddle.zeros([2])
x.stop_gradient = False
target = paddle.to_tensor([1.0, -2.0])
optimizer = paddle.optimizer.SGD(0.25, parameters=[x])
for _ in range(4):
    loss = ((x - target) ** 2).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(x.numpy(), loss.item())
