"""Batch normalisation: by the batch while training, by the noted statistics in use, and what is noted."""

import warnings

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

warnings.simplefilter("ignore")


def filled(*shape):
    count = int(np.prod(shape))
    return paddle.to_tensor(
        np.cos(np.arange(count, dtype="float32") * 0.7).reshape(shape), stop_gradient=False
    )


def short(value):
    return (np.round(value.numpy().astype("float64"), 3) + 0.0).ravel()[:6].tolist()


def show(name, y, *leaves):
    weights = paddle.to_tensor(np.sin(np.arange(int(np.prod(y.shape)), dtype="float32")).reshape(y.shape))
    (y * weights).sum().backward()
    print(name, y.shape, short(y))
    for leaf in leaves:
        print("  ", short(leaf.grad))


for layer, shape in (
    (nn.BatchNorm2D(3), (4, 3, 2, 2)),
    (nn.BatchNorm2D(2, momentum=0.5, epsilon=1e-3, data_format="NHWC"), (4, 3, 2, 2)),
    (nn.BatchNorm1D(3), (5, 3)),
    (nn.BatchNorm1D(3), (5, 3, 4)),
    (nn.BatchNorm2D(3, weight_attr=False, bias_attr=False), (4, 3, 2, 2)),
    (nn.BatchNorm2D(3, use_global_stats=True), (4, 3, 2, 2)),
    (nn.BatchNorm(3, act="relu"), (4, 3, 2, 2)),
):
    x = filled(*shape)
    own = [one for one in layer.parameters() if not one.stop_gradient]
    show("training", layer(x), x, *own)
    show("again", layer(filled(*shape) * 2.0 + 1.0), *own)
    print("noted", short(layer._mean), short(layer._variance), layer._mean.stop_gradient)
    layer.eval()
    x = filled(*shape)
    show("in use", layer(x), x)
    print("noted", short(layer._mean), short(layer._variance), sorted(layer.state_dict()))

mean, variance = paddle.zeros([2]), paddle.ones([2])
x = filled(3, 2)
print(short(F.batch_norm(x, mean, variance)), short(mean))
print(short(F.batch_norm(x, mean, variance, training=True)), short(mean), short(variance))
print(short(F.batch_norm(x, mean, variance, use_global_stats=False)), short(mean))

layer = nn.GroupNorm(2, 4)
x = filled(2, 4, 3, 2)
show("groups", layer(x), x, layer.weight, layer.bias)
# Values alone: PaddlePaddle 3.3.1's gradient without a weight does not add up to 0 in each group, as it must.
print("group_norm", short(F.group_norm(filled(2, 4, 3), 4)))
layer = nn.LayerNorm([3, 2])
x = filled(2, 4, 3, 2)
show("layer", layer(x), x, layer.weight, layer.bias)

try:
    nn.BatchNorm2D(3)(paddle.ones([2, 3]))
except ValueError as error:
    print(str(error).split("\n")[0])
