"""A value written between forward and backward does not change the gradient of a sum."""

import numpy as np
import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
y = (x + 3).sum()
x.set_value(np.array([100.0], dtype="float32"))
y.backward()
print(x.grad, x)
