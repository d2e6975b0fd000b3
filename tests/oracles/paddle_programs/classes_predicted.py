"""The classes that an adaptive softmax predicts are floats, unless all of them are rare."""

import numpy as np

import paddle

paddle.seed(1)
layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2, 5])
rows = paddle.to_tensor(np.random.default_rng(2).standard_normal((12, 4)).astype("float32"))
frequent = layer.predict(rows)
print(frequent.dtype, frequent.tolist())
for chosen in (frequent < 2, frequent >= 2):
    some = layer.predict(rows[chosen])
    print(some.dtype, some.tolist())
