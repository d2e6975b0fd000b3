"""Boxes in images: which to keep, their codes, and what lies in them; and the best path through tags."""

import numpy as np
import paddle
from paddle.vision import ops

rng = np.random.default_rng(0)
t = paddle.to_tensor
corners = rng.uniform(1.5, 6, size=(8, 2))
boxes = np.concatenate([corners, corners + rng.uniform(1, 4, size=(8, 2))], 1).astype("float32")
scores = rng.uniform(size=8).astype("float32")
kinds = np.array([0, 1, 0, 1, 2, 2, 0, 1])
print(ops.nms(t(boxes), 0.2).tolist(), ops.nms(t(boxes), 0.2, t(scores)).tolist())
print(ops.nms(t(boxes), 0.2, t(scores), t(kinds), [0, 1, 2], top_k=4).tolist())
variances = t(np.full((3, 4), 0.2, "float32"))
coded = ops.box_coder(t(boxes[:3]), variances, t(boxes[3:]))
print(list(coded.shape), np.round(coded.numpy()[1, 2], 3).tolist())
plain = ops.box_coder(t(boxes[:3]), [0.1, 0.1, 0.2, 0.2], coded, "decode_center_size", False)
print(list(plain.shape), np.round(plain.numpy()[1, 2], 3).tolist())
images = rng.normal(size=(2, 3, 14, 14)).astype("float32")
counts = t(np.array([2, 1], "int32"))
for options in ({}, {"aligned": False, "sampling_ratio": 2}, {"aligned": False}):
    x = t(images, stop_gradient=False)
    found = ops.roi_align(x, t(boxes[:3]), counts, (2, 3), **options)
    found.sum().backward()
    print(
        list(found.shape),
        np.round(found.numpy()[2, 1], 3).tolist(),
        np.round(x.grad.numpy()[0, 0].sum(0), 3).tolist(),
    )
print(np.round(ops.roi_align(t(images), t(boxes[:3]), counts, (2, 3), 0.5).numpy()[0, 1], 3).tolist())
pooled = ops.roi_pool(t(images), t(boxes[:3]), counts, 2, 0.7)
print(np.round(pooled.numpy()[1], 3).tolist())
print(list(ops.RoIAlign(2)(t(images), t(boxes[:3]), counts).shape))
tags, moves = t(rng.normal(size=(2, 4, 5)).astype("float32")), t(rng.normal(size=(5, 5)).astype("float32"))
for ends in (True, False):
    best, path = paddle.text.viterbi_decode(tags, moves, t(np.array([4, 2])), ends)
    print(np.round(best.numpy(), 3).tolist(), path.tolist())
