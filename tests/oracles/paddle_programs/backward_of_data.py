"""A loss that nothing wants a gradient of: nothing happens."""

import paddle

x = paddle.to_tensor(3.0)
y = x * x
y.backward()
print(x.grad, y.stop_gradient)
