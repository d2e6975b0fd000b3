"""Parameters made of tensors and arrays, and class numbers that are not integers."""

import numpy as np
import paddle
from paddle import nn


class Scaled(nn.Layer):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(paddle.ones([3]))
        self.shift = nn.Parameter(paddle.zeros([3]), requires_grad=False)

    def forward(self, x):
        return x * self.scale + self.shift


layer = Scaled()
print([name for name, _ in layer.named_parameters()], layer.scale.trainable, layer.shift.stop_gradient)
print(nn.Parameter().shape, isinstance(paddle.create_parameter([1], "float32"), nn.Parameter))
optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(4, 3) / 10)
for _ in range(2):
    loss = nn.functional.cross_entropy(layer(x), paddle.to_tensor([0, 1, 2, 0]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(loss.numpy(), layer.scale.numpy(), layer.shift.numpy())
with paddle.no_grad():
    loss = nn.functional.cross_entropy(layer(x), paddle.to_tensor([0.0, 1.0, 2.0, 0.0]))
    print(round(float(loss), 5))
try:
    nn.functional.cross_entropy(layer(x), paddle.to_tensor([0, 1]))
except ValueError as error:
    print("in same shape in dimensions except axis" in str(error))
