"""Interpolation in every mode, adaptive pooling, pooling undone; and measures over several batches."""

import numpy
import paddle
from paddle import metric, nn
from paddle.nn import functional as F

x = paddle.to_tensor(numpy.cos(numpy.arange(40) * 1.3).reshape(1, 2, 5, 4).astype("float32"))


def slope(name, function, given=x):
    leaf = given.detach().clone()
    leaf.stop_gradient = False
    found = function(leaf)
    (found * paddle.arange(1.0, found.size + 1).reshape(found.shape)).sum().backward()
    values, slopes = ([round(one, 2) + 0.0 for one in each.flatten().tolist()[:12]] for each in (found, leaf.grad))
    print(name, found.shape, values, slopes)


for mode in ("nearest", "bilinear", "bicubic", "area"):
    for size in ([7, 6], [3, 2], [5, 4], [10, 2]):
        slope(mode, lambda a: F.interpolate(a, size=size, mode=mode))
        if mode in ("bilinear", "bicubic"):
            slope(mode, lambda a: F.interpolate(a, size=size, mode=mode, align_corners=True))
slope("factor", lambda a: F.interpolate(a, scale_factor=2))
slope("factors", lambda a: F.interpolate(a, scale_factor=[1.5, 0.6], mode="bilinear"))
slope("from 0", lambda a: F.interpolate(a, size=[7, 6], mode="bilinear", align_mode=1))
slope("channels last", lambda a: F.interpolate(a, size=[4, 3], mode="bilinear", data_format="NHWC"))
slope("line", lambda a: F.interpolate(a, size=[7], mode="linear", data_format="NCW"), x[:, 0])
slope("cube", lambda a: F.interpolate(a, size=[3, 7, 5], mode="trilinear", data_format="NCDHW"), x.unsqueeze(0))
slope("layer", nn.Upsample(scale_factor=2, mode="bilinear"))
slope("layer", nn.UpsamplingNearest2D(scale_factor=2))
slope("layer", nn.UpsamplingBilinear2D(size=[8, 8]))
for size in (1, 2, 3, [2, 3], (5, 2)):
    slope("largest", lambda a: F.adaptive_max_pool2d(a, size))
slope("largest", nn.AdaptiveMaxPool1D(3), x[:, 0])
slope("largest", nn.AdaptiveMaxPool3D(2), x.unsqueeze(0))
slope("mean", nn.AdaptiveAvgPool3D(2), x.unsqueeze(0))
print([one.flatten().tolist() for one in F.adaptive_max_pool2d(paddle.round(x * 8), [2, 3], return_mask=True)])
found, places = F.max_pool2d(paddle.round(x * 8), 2, 2, return_mask=True)
print(F.max_unpool2d(found, places, 2, 2).flatten().tolist())
print(F.max_unpool2d(found, places, 2, 2, output_size=[5, 4]).shape, nn.MaxUnPool2D(2)(found, places).shape)

rng = numpy.random.RandomState(0)
for measure in (metric.Precision(), metric.Recall()):
    for _ in range(3):
        measure.update(rng.rand(20).round(1).astype("float32"), rng.randint(0, 2, 20))
    print(measure.name(), round(measure.accumulate(), 6))
    measure.reset()
    print(measure.accumulate())
area = metric.Auc()
for _ in range(3):
    chances = rng.rand(30, 1).astype("float32")
    area.update(numpy.concatenate([1 - chances, chances], 1), rng.randint(0, 2, (30, 1)))
print(area.name(), round(area.accumulate(), 6))
F.interpolate(x, size=[2, 2], align_corners=True)
