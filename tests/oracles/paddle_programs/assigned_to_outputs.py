"""The output of assign takes the shape, the dtype and the history of what is assigned."""

import paddle

for kept in (paddle.zeros([4]), paddle.to_tensor(5), paddle.to_tensor([1.0, 2.0])):
    given = paddle.assign(paddle.arange(0, 3), output=kept)
    print(kept.tolist(), kept.dtype, given is kept, (kept < 2).tolist())
x = paddle.ones([3])
x.stop_gradient = False
kept = paddle.zeros([2])
paddle.assign(x * 2, output=kept)
(kept * kept).sum().backward()
print(x.grad.tolist(), kept.shape, kept.stop_gradient)
