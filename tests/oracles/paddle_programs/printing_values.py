"""How numbers are written."""

import numpy as np
import paddle

print(paddle.to_tensor([0.1, 1.0, 100.5]))
print(paddle.to_tensor([-1.5, 2.0, 0.25]))
print(paddle.to_tensor([1e-9, 1e9, 1.0]))
print(paddle.to_tensor([float("nan"), float("inf"), 1.0]))
print(paddle.to_tensor([1.0, 2.0], dtype="float64") / 3)
print(paddle.to_tensor([1.0, 2.0]).astype("float16") / 3)
print(paddle.to_tensor([1.0, 2.0]).astype("bfloat16") / 3)
print(paddle.to_tensor([-1, 10, 100]))
print(paddle.to_tensor([1 + 2j, 3 - 1j]))
print(paddle.to_tensor([123456.789, 0.001]))
