"""How tensors of several shapes are written."""

import numpy as np
import paddle

print(paddle.to_tensor(1.5))
print(paddle.to_tensor([]))
print(paddle.to_tensor([[1, 2], [3, 4]]))
print(paddle.to_tensor(np.arange(12, dtype="float32").reshape(2, 3, 2) / 4))
print(paddle.to_tensor([True, False]))
print([paddle.to_tensor(1.0), paddle.to_tensor([2])])
print(repr(paddle.to_tensor([0.1])))
