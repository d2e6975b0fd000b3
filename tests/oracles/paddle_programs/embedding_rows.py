"""Rows that were not read do not move under SGD."""

import numpy as np
import paddle

for sparse in (False, True):
    table = paddle.nn.Embedding(
        4, 2, sparse=sparse, weight_attr=paddle.nn.initializer.Assign(np.arange(8.0).reshape(4, 2))
    )
    optimizer = paddle.optimizer.SGD(0.5, parameters=table.parameters())
    (table(paddle.to_tensor([1, 3, 1])) ** 2).sum().backward()
    optimizer.step()
    print(table.weight.numpy().tolist())
