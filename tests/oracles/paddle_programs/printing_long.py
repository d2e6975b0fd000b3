"""Long tensors are cut, wide ones broken."""

import paddle

print(paddle.arange(30))
print(paddle.arange(2000))
print(paddle.arange(2000, dtype="float32").reshape([40, 50]) / 7)
print(paddle.ones([20, 20, 20]))
print(paddle.arange(25, dtype="float32") / 3)
