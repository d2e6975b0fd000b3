"""Losses over many classes, transposed volumes, and entries added around: values and gradients."""

import contextlib
import io
import warnings

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
t = paddle.to_tensor


def leaf(*shape):
    return t(rng.normal(size=shape).astype("float32"), stop_gradient=False)


def shown(word, found, *leaves):
    total = (found * t(np.cos(np.arange(found.size)).reshape(found.shape).astype("float32"))).sum()
    total.backward()
    print(word, list(found.shape), round(float(total), 3))
    for one in leaves:
        print(
            "  ", np.round(one.grad.numpy(), 3).ravel()[:20].tolist(), round(float((one.grad * one).sum()), 3)
        )
        one.clear_grad()


x, w, b = leaf(3, 4), leaf(5, 4), leaf(5, 1)
shown("tree", F.hsigmoid_loss(x, t([[0], [3], [5]]), 6, w, b), x, w, b)
w = leaf(6, 4)
table, turns = t([[0, 2, -1], [0, 1, 4], [0, 3, -1]]), t([[1, 0, -1], [0, 1, 1], [1, 1, -1]])
shown("own tree", F.hsigmoid_loss(x, t([[0], [3], [5]]), 6, w, None, table, turns), x, w)
with contextlib.redirect_stdout(io.StringIO()):
    layer = nn.HSigmoidLoss(4, 6)
print([one.shape for one in layer.parameters()])

x, head = leaf(4, 5), leaf(5, 4)
tails = [[leaf(5, 2), leaf(2, 2)], [leaf(5, 1), leaf(1, 3)]]
every = [one for pair in tails for one in pair]
own, loss = F.adaptive_log_softmax_with_loss(x, t([0, 3, 5, 1]), head, tails, [2, 4, 7])
print(round(float(loss), 4))
shown("clusters", own, x, head, *every)
own, loss = F.adaptive_log_softmax_with_loss(x, t([0, 1, 1, 0]), head, tails, [2, 4, 7])
shown("frequent", own, x, head)
layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6])
print([one.shape for one in layer.parameters()], layer.log_prob(leaf(2, 8)).shape, layer.head_size)

x, labels = leaf(3, 4), t([[3, 0, -1, 1], [-1, 0, 1, 2], [1, 2, 3, 0]])
for way in ("mean", "sum", "none"):
    shown(way, F.multi_label_margin_loss(x, labels, way), x)

x, w = leaf(1, 2, 3, 3, 3), leaf(2, 3, 2, 2, 2)
shown("transposed", F.conv3d_transpose(x, w, stride=2, padding=1, output_padding=1), x, w)
x = leaf(1, 2, 4, 4, 4)
largest, places = F.max_pool3d(x, 2, 2, return_mask=True)
shown("unpooled", F.max_unpool3d(largest, places, 2, 2), x)
x = leaf(2, 3, 2, 3, 4)
shown("instance", nn.InstanceNorm3D(3)(x), x)

x = leaf(1, 1, 4, 4)
for layer in (
    nn.ConstantPad2D([1, 0, 2, 1], 0.5), nn.ReflectionPad2D([1, 2, 0, 1]), nn.ReplicationPad2D(1),
    nn.CircularPad2D([1, 1, 0, 2]),
):  # fmt: skip
    shown(type(layer).__name__, layer(x), x)
x = leaf(1, 2, 3)
for layer in (
    nn.ConstantPad1D([1, 0], 0.5), nn.ReflectionPad1D([1, 2]), nn.ReplicationPad1D(1),
    nn.CircularPad1D([1, 1]),
):  # fmt: skip
    shown(type(layer).__name__, layer(x), x)
