"""Adam on a table that is read with `sparse=True`: what it averages is corrected one step ahead."""

import numpy as np
import paddle

start = paddle.nn.initializer.Constant(1.0)
for sparse, options in ((True, {}), (True, {"lazy_mode": True}), (False, {}), (True, {"beta1": 0.5})):
    table = paddle.nn.Embedding(4, 2, sparse=sparse, weight_attr=start)
    beside = paddle.nn.Linear(2, 1, weight_attr=start)
    optimizer = paddle.optimizer.Adam(0.1, parameters=[*table.parameters(), *beside.parameters()], **options)
    for places in ([0, 1], [1, 1], [2], [0]):
        rows = table(paddle.to_tensor(places)) * paddle.to_tensor([1.0, 2.0])
        beside(rows).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        print(np.round(table.weight.numpy(), 4).tolist(), np.round(beside.weight.numpy(), 3).tolist())
    kept = optimizer.state_dict()
    print([round(kept[name].item(), 6) for name in sorted(kept) if "pow" in name])
