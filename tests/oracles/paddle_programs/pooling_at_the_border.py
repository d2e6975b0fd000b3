"""Pooling whose last windows reach beyond the input, with and without padding; places of the largest."""

import paddle
from paddle import nn
from paddle.nn import functional as F

x = paddle.arange(25, dtype="float32").reshape([1, 1, 5, 5])


def rounded(tensor):
    return [round(one, 3) for one in tensor.flatten().tolist()]


for exclusive in (True, False):
    for ceil in (True, False):
        for pad in (0, 1):
            for window, stride in ((3, 2), (2, 2), (3, 3), (2, 1)):
                options = {"exclusive": exclusive, "ceil_mode": ceil}
                found = F.avg_pool2d(x, window, stride, pad, **options)
                line = F.avg_pool1d(x[0], window, stride, pad, **options)
                print(exclusive, ceil, pad, window, stride, rounded(found), rounded(line))
for ceil in (True, False):
    for pad in (0, 1):
        for window, stride in ((3, 2), (2, 2), (3, 3), (2, 1), ([2, 3], [1, 2])):
            leaf = (x * (-1) ** x).detach()
            leaf.stop_gradient = False
            if ceil and pad and window in (2, 3) and stride != 1 and (window, stride) != (3, 2):
                continue
            found, places = F.max_pool2d(leaf, window, stride, pad, return_mask=True, ceil_mode=ceil)
            (found * paddle.arange(1.0, found.numel() + 1.0).reshape(found.shape)).sum().backward()
            print(ceil, pad, window, stride, rounded(found), places.flatten().tolist(), leaf.grad.flatten().tolist())
line, places = nn.MaxPool1D(2, return_mask=True)(x[0])
print(line.flatten().tolist(), places.flatten().tolist(), str(places.dtype))
cube, places = F.max_pool3d(paddle.arange(27, dtype="float32").reshape([1, 1, 3, 3, 3]), 2, 1, return_mask=True)
print(cube.flatten().tolist(), places.flatten().tolist())
print(F.avg_pool2d(x, 2, 2, 1, divisor_override=3, ceil_mode=True, exclusive=False))
print(F.adaptive_avg_pool2d(paddle.ones([1, 1, 8, 8]), [paddle.to_tensor(2), 2]).shape)
