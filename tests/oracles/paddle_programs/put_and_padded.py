"""Values brought together along an axis, middles of even numbers, and entries added to some axes."""

import numpy as np
import paddle
import paddle.nn.functional as F

rng = np.random.default_rng(0)
for kind in ("float32", "int64"):
    for reduce in ("assign", "add", "mul", "mean", "amax", "amin"):
        for whole in (True, False):
            x = paddle.to_tensor((rng.normal(size=(3, 4)) * 4).astype(kind))
            places = paddle.to_tensor([[0, 2, 1, 0], [0, 0, 1, 2]] if reduce != "assign" else [[0, 2, 1, 0]])
            values = paddle.to_tensor((rng.normal(size=places.shape) * 4).astype(kind))
            found = paddle.put_along_axis(x, places, values, 0, reduce, whole, False)
            print(kind, reduce, whole, np.round(found.numpy(), 4).tolist())
x = paddle.to_tensor(rng.normal(size=(3, 4)).astype("float32"))
values = paddle.to_tensor(rng.normal(size=(2, 4)).astype("float32"))
places = paddle.to_tensor([[0, 2, 1, 0], [0, 0, 1, 2]])
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    found = paddle.scatter_reduce(x, 0, places, values, reduce, include_self=False)
    print(reduce, np.round(found.numpy(), 4).tolist())

x = paddle.to_tensor([[3.0, 1.0, 2.0, 7.0], [5.0, 8.0, 4.0, 6.0]])
print(float(paddle.median(x, mode="min")), paddle.median(x, mode="min", keepdim=True).shape)
for axis in (0, 1):
    for keepdim in (False, True):
        found, places = paddle.median(x, axis, keepdim, mode="min")
        print(found.tolist(), places.tolist())
print(x.median(1).tolist(), float(paddle.median(paddle.to_tensor([3, 1, 2]), mode="min")))

x = paddle.to_tensor(np.arange(6.0).reshape(1, 2, 3).astype("float32"))
for widths in ([1, 0, 0, 1], [1, 2], [0, 1, 1, 0, 2, 0], [1, 0, 0, 1, 0, 0]):
    print(widths, F.pad(x, widths, value=9.0).tolist(), F.pad(x, widths, pad_from_left_axis=False).shape)
image = paddle.ones([2, 1, 2, 2])
print(F.pad(image, [1, 0]).shape, F.pad(image, [1, 0, 2, 0]).shape, F.pad(image, [1, 0, 2, 0, 0, 3]).shape)
print(F.pad(paddle.ones([2, 3]), [1, 2], value=5.0).tolist(), F.pad(paddle.ones([2]), [1, 2]).tolist())
