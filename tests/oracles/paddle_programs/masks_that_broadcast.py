"""masked_select broadcasts x and its mask, and adds up the gradients of an element taken several times."""

import paddle

SHAPES = (
    ([2, 3, 4], [2, 3, 1]), ([2, 3, 4], [4]), ([2, 3, 4], [1, 3, 1]), ([4], [3, 4]), ([2, 1], [1, 3]), ([1], [3]),
    ([2, 3], []), ([2, 3], [2, 3]),
)  # fmt: skip
for own, other in SHAPES:
    x = paddle.arange(paddle.zeros(own).size, dtype="float32").reshape(own)
    x.stop_gradient = False
    mask = paddle.arange(paddle.zeros(other).size).reshape(other) % 2 == 0
    taken = paddle.masked_select(x, mask)
    (taken * paddle.arange(taken.size, dtype="float32")).sum().backward()
    print(taken.tolist(), x.grad.tolist())
