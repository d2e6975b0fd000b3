"""Values looked at between forward and backward change nothing."""

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
for _ in range(3):
    y = x * x
    print(y.numpy())
    loss = y.sum()
    print(float(loss))
    loss.backward()
    print(x.grad.numpy())
    optimizer.step()
    print(x.numpy())
    optimizer.clear_grad()
