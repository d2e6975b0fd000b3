"""Both tensors want gradients: one is moved by an optimizer, one by hand."""

import paddle


def distance(a, b):
    return (a - 2.0) ** 2 + (b - 3.0) ** 2


x = paddle.to_tensor(0.0, stop_gradient=False)
y = paddle.to_tensor(1.0)
y.stop_gradient = False
optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=[x])
for _ in range(10):
    distance(x, y).backward()
    optimizer.step()
    optimizer.clear_grad()
    (slope,) = paddle.grad(distance(x, y), y)
    y.set_value(y - 0.1 * slope)
print(x.item(), y.item())
print(x, y)
