"""Losses as layers that are given their inputs by name, and lists in what a static program is asked for."""

import numpy as np
import paddle
from paddle import nn

x = paddle.to_tensor([[0.2, 0.7], [0.9, 0.4]], stop_gradient=False)
y = paddle.to_tensor([[0.0, 1.0], [1.0, 1.0]])
for loss in (nn.MSELoss(), nn.L1Loss("sum"), nn.SmoothL1Loss(), nn.BCELoss()):
    print(round(float(loss(input=x, label=y)), 5), round(float(loss(x, label=y)), 5))
print(round(float(nn.CrossEntropyLoss()(input=x, label=paddle.to_tensor([0, 1]))), 5))
print(round(float(nn.KLDivLoss()(input=x, label=y)), 5))
nn.MSELoss()(label=y, input=x).backward()
print(x.grad.tolist())
paddle.enable_static()
data = paddle.static.data("data", [2, 2], "float32")
parts, total = paddle.split(data, 2, axis=1), data.sum()
executor = paddle.static.Executor()
found = executor.run(feed={"data": np.arange(4, dtype="float32").reshape(2, 2)}, fetch_list=[parts, total])
print([one.tolist() for one in found])
