"""A linear layer with given weights, trained with Adam."""

import numpy as np
import paddle

layer = paddle.nn.Linear(
    2,
    1,
    weight_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(np.array([[0.5], [-0.5]]))),
)
x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
y = paddle.to_tensor([[1.0], [2.0], [0.0]])
optimizer = paddle.optimizer.Adam(0.05, parameters=layer.parameters())
for step in range(20):
    loss = paddle.nn.functional.mse_loss(layer(x), y)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    if step % 5 == 0:
        print(step, round(float(loss), 4))
print(layer.weight.numpy().round(3).tolist(), layer.bias.numpy().round(3).tolist())
