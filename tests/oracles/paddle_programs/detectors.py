"""Convolutions that read beside their places, boxes that detectors begin with, and those they predict."""

import numpy as np
import paddle
from paddle.vision import ops

rng = np.random.default_rng(0)


def leaf(*shape, size=1.0):
    return paddle.to_tensor((rng.normal(size=shape) * size).astype("float32"), stop_gradient=False)


def shown(word, found, *leaves):
    total = (
        found * paddle.to_tensor(np.cos(np.arange(found.size)).reshape(found.shape).astype("float32"))
    ).sum()
    total.backward()
    slopes = [round(float((one.grad * one).sum()), 2) for one in leaves]
    print(
        word,
        found.shape,
        round(float(total), 2),
        slopes,
        leaves[0].grad.numpy().ravel()[:6].round(3).tolist(),
    )
    for one in leaves:
        one.clear_grad()


x, w, b = leaf(2, 4, 6, 5), leaf(6, 4, 3, 3), leaf(6)
offset, mask = leaf(2, 18, 4, 3), leaf(2, 9, 4, 3)
shown("plain", ops.deform_conv2d(x, offset, w, b), x, offset, w, b)
shown("weighed", ops.deform_conv2d(x, offset, w, b, mask=mask), x, offset, w, b, mask)
offset, mask, w = leaf(2, 36, 3, 3, size=3.0), leaf(2, 18, 3, 3), leaf(6, 2, 3, 3)
options = {"stride": 2, "padding": 1, "dilation": 1, "deformable_groups": 2, "groups": 2}
shown("parted", ops.deform_conv2d(x, offset, w, None, mask=mask, **options), x, offset, w, mask)
offset, w = leaf(2, 12, 6, 4), leaf(6, 4, 2, 3)
shown("uneven", ops.deform_conv2d(x, offset, w, None, [1, 2], [1, 2], [2, 1]), x, offset, w)
layer = ops.DeformConv2D(4, 6, [2, 3], deformable_groups=2, bias_attr=False)
print([one.shape for one in layer.parameters()], layer(x, leaf(2, 24, 5, 3)).shape)

feature, image = paddle.zeros([1, 3, 2, 3]), paddle.zeros([1, 3, 9, 10])
for options in (
    {"min_sizes": [2.0, 4.0], "clip": True, "flip": True},
    {"min_sizes": 3.0, "aspect_ratios": [1.0, 2.0, 0.5]},
    {"min_sizes": [2.0, 3.0], "max_sizes": [4.0, 5.0], "aspect_ratios": [2.0], "flip": True},
    {"min_sizes": [2.0], "max_sizes": [4.0], "aspect_ratios": [2.0], "min_max_aspect_ratios_order": True,
     "steps": [2.0, 3.0], "offset": 0.2, "variance": [0.1, 0.2, 0.3, 0.4]},
):  # fmt: skip
    boxes, spread = ops.prior_box(feature, image, **options)
    print(boxes.shape, boxes.numpy().round(4).tolist()[0][:2], spread.numpy()[0, 0, 0].round(3).tolist())

sizes = paddle.to_tensor([[60, 80], [33, 47]], dtype="int32")
for options in ({}, {"clip_bbox": False, "scale_x_y": 1.2}, {"iou_aware": True, "iou_aware_factor": 0.4}):
    x = leaf(2, 2 * 7 + (2 if options.get("iou_aware") else 0), 3, 4)
    boxes, scores = ops.yolo_box(x, sizes, [10, 13, 16, 30], 2, 0.4, 8, **options)
    print(boxes.shape, scores.shape, boxes.numpy()[:, :5].round(3).tolist(), float(boxes.sum().round(1)))
    print(scores.numpy()[:, :5].round(4).tolist(), float(scores.sum().round(2)))
