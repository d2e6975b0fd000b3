"""Groups with rates of their own."""

import paddle

x = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
y = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
optimizer = paddle.optimizer.SGD(
    0.1, parameters=[{"params": [x]}, {"params": [y], "learning_rate": 0.1}]
)
(x * x + y * y).backward()
optimizer.step()
print(x.item(), y.item())
