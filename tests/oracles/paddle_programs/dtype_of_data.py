"""What dtype data comes to."""

import numpy as np
import paddle

for data in (1, 1.5, True, [1, 2], [1, 2.5], np.float64(1.0), np.float32(1.0), np.arange(3), np.ones(2)):
    made = paddle.to_tensor(data)
    print(made.dtype, made.shape, made.numpy().tolist())
print(paddle.to_tensor([1, 2], dtype="float32").dtype, paddle.to_tensor(1.7, dtype="int64").item())
