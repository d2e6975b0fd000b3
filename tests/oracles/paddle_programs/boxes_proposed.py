"""Boxes: the loss of YOLOv3, matrix NMS, levels of a pyramid, proposals."""

import numpy as np
import paddle
from paddle.vision import ops

paddle.set_printoptions(precision=4)
draw = np.random.RandomState(5)
for smooth, scale in ((True, 1.0), (False, 1.2)):
    x = paddle.to_tensor(draw.randn(2, 21, 4, 4).astype("float32"), stop_gradient=False)
    place = draw.rand(2, 3, 4).astype("float32") * [0.9, 0.9, 0.5, 0.5]
    place[1, 2] = 0.0
    label = paddle.to_tensor(draw.randint(0, 2, (2, 3)).astype("int32"))
    loss = ops.yolo_loss(
        x, paddle.to_tensor(place.astype("float32")), label, [10, 13, 16, 30, 33, 23, 30, 61], [0, 1, 2], 2, 0.3,
        32, use_label_smooth=smooth, scale_x_y=scale,
    )
    print(np.round(loss.numpy(), 3).tolist())
    loss.sum().backward()
    print(np.round(x.grad.numpy().sum((2, 3)), 3).tolist())
x = paddle.to_tensor(draw.randn(1, 14, 3, 3).astype("float32"), stop_gradient=False)
place = paddle.to_tensor([[[0.4, 0.6, 0.2, 0.3], [0.81, 0.21, 0.3, 0.3]]])
loss = ops.yolo_loss(
    x, place, paddle.to_tensor([[1, 0]], dtype="int32"), [10, 13, 16, 30], [0, 1], 2, 0.7, 32,
    gt_score=paddle.to_tensor([[0.7, 0.4]]),
)
loss.backward()
print(np.round(loss.numpy(), 4).tolist(), np.round(x.grad.numpy()[0, :, 1, 1], 4).tolist())

boxes = draw.rand(2, 6, 4).astype("float32") * 10
boxes[..., 2:] += boxes[..., :2]
scores = draw.rand(2, 3, 6).astype("float32")
boxes, scores = paddle.to_tensor(boxes), paddle.to_tensor(scores)
for options in (
    {}, {"use_gaussian": True, "gaussian_sigma": 0.5}, {"normalized": False, "background_label": -1},
    {"return_rois_num": False},
):
    found = ops.matrix_nms(boxes, scores, 0.2, 0.1, 4, 5, return_index=True, **options)
    for one in found:
        print(None if one is None else (str(one.dtype), np.round(one.numpy(), 3).tolist()))

sizes = paddle.to_tensor([[0, 0, 10, 10], [5, 5, 300, 300], [0, 0, 112, 100], [3, 3, 700, 600]], dtype="float32")
for offset in (False, True):
    parts, order, counts = ops.distribute_fpn_proposals(
        sizes, 2, 5, 4, 224, offset, rois_num=paddle.to_tensor([1, 3], dtype="int32")
    )
    print([one.tolist() for one in parts], order.tolist(), [one.tolist() for one in counts])

anchors = draw.rand(3, 3, 2, 4).astype("float32") * 30
anchors[..., 2:] += anchors[..., :2] + 5
given = [draw.rand(2, 2, 3, 3), draw.randn(2, 8, 3, 3) * 0.3, [[60, 50], [40, 70]], anchors, np.full((3, 3, 2, 4), 0.5)]
given = [paddle.to_tensor(np.asarray(one, "float32")) for one in given]
for options in ({}, {"nms_thresh": 0.3, "pre_nms_top_n": 9}, {"eta": 0.8, "nms_thresh": 0.9}, {"pixel_offset": True}):
    found = ops.generate_proposals(*given, post_nms_top_n=4, min_size=3.0, return_rois_num=True, **options)
    print([np.round(one.numpy(), 2).tolist() for one in found])
