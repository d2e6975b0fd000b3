"""Running statistics of batch normalization: the momentum is a float32, and 1 - momentum is made of it."""

import numpy as np

import paddle

for kind in ("float32", "float64"):
    for momentum in (0.9, 0.99, 0.5, 0.3):
        x = paddle.to_tensor(np.random.RandomState(0).randn(6, 3).astype(kind))
        mean, variance = paddle.full([3], 0.7, kind), paddle.full([3], 1.3, kind)
        for _ in range(5):
            paddle.nn.functional.batch_norm(x, mean, variance, training=True, momentum=momentum)
        print(kind, momentum, [f"{one:.8g}" for one in mean.tolist() + variance.tolist()])
layer = paddle.nn.BatchNorm1D(3)
for _ in range(20):
    layer(x.astype("float32") * 3 + 1)
print([f"{one:.7g}" for one in layer._mean.tolist() + layer._variance.tolist()])
