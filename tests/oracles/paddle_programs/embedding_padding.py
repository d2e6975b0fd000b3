"""The row of padding is zero and stays."""

import numpy as np
import paddle

table = paddle.nn.Embedding(
    3, 2, padding_idx=0, weight_attr=paddle.nn.initializer.Assign(np.arange(6.0).reshape(3, 2))
)
out = table(paddle.to_tensor([0, 2]))
print(out)
out.sum().backward()
print(table.weight.grad)
