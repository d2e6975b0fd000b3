"""Which boxes are kept where scores are equal; top_k counts for boxes of categories alone."""

import paddle

corners = [(i * 5 % 11, i * 3 % 7) for i in range(50)]
boxes = paddle.to_tensor([[float(a), float(b), a + 3.0, b + 4.0] for a, b in corners])
scores = paddle.to_tensor([float(i * i % 5) for i in range(50)])
kinds = paddle.to_tensor([i % 3 for i in range(50)])
print(paddle.vision.ops.nms(boxes, 0.3, scores).tolist())
print(paddle.vision.ops.nms(boxes, 0.3, scores, top_k=2).tolist())
for most in (None, 1, 7, 20):
    print(paddle.vision.ops.nms(boxes, 0.3, scores, kinds, [0, 1, 2], most).tolist())
