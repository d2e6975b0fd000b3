"""Pooling over parts of unequal lengths, the tree of a beam search, and distances between sequences."""

import numpy as np
import paddle
import paddle.nn.functional as F

rng = np.random.default_rng(0)
x = paddle.to_tensor(rng.normal(size=(2, 2, 7, 9)).astype("float32"))
for size in (3, [2, 4], [6, 3]):
    for shift in (0.3, 0.71):
        for kernel in (None, 2, [2, 3]):
            found, places = F.fractional_max_pool2d(x, size, kernel, shift, True)
            print(size, shift, kernel, found.shape, found.numpy().ravel()[:12].round(4).tolist())
            print("  ", places.numpy().ravel()[:12].tolist())
x = paddle.to_tensor(rng.normal(size=(1, 2, 7, 9, 5)).astype("float32"), stop_gradient=False)
found = F.fractional_max_pool3d(x, [3, 2, 2], 2, 0.3)
found.sum().backward()
print(found.numpy().ravel().round(4).tolist(), float(x.grad.sum()))

ids, parents = (
    paddle.to_tensor(rng.integers(0, 9, (4, 2, 3))),
    paddle.to_tensor(rng.integers(0, 3, (4, 2, 3))),
)
print(F.gather_tree(ids, parents).tolist())
one = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [4, 4, 4], [1, 1, 1]])
other = paddle.to_tensor([[1, 3, 4, 1], [4, 5, 8, 1], [7, 7, 7, 1], [1, 1, 1, 1]])
lengths = paddle.to_tensor([3, 3, 2, 1]), paddle.to_tensor([4, 3, 4, 4])
for normalized in (False, True):
    count, distance = F.loss.edit_distance(
        one, other, normalized, input_length=lengths[0], label_length=lengths[1]
    )
    print(count.numpy(), distance.numpy().round(4).tolist())
