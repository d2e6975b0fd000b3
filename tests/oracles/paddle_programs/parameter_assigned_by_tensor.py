"""A layer's parameter is not replaced by a tensor."""

import paddle

layer = paddle.nn.Linear(1, 1)
layer.weight = paddle.ones([1, 1])
