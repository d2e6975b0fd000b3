"""Filled tensors and ranges."""

import paddle

for made in (
    paddle.zeros([2]), paddle.ones([2], dtype="int64"), paddle.full([2], 3), paddle.full([1], 2.5), paddle.arange(3),
    paddle.arange(1, 2, 0.5), paddle.linspace(0, 1, 5), paddle.eye(2), paddle.zeros_like(paddle.ones([1])),
    paddle.full_like(paddle.ones([2]), 7), paddle.to_tensor([1.0]).clone(), paddle.assign([1.0, 2.0]),
):
    print(made)
