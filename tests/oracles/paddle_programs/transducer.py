"""The loss of a transducer, whole and of parts of a batch, and its gradient with and without FastEmit."""

import numpy as np
import paddle
import paddle.nn.functional as F

rng = np.random.default_rng(0)
labels = paddle.to_tensor([[1, 2, 1], [3, 1, 2]], dtype="int32")
lengths = paddle.to_tensor([5, 4], dtype="int32"), paddle.to_tensor([3, 2], dtype="int32")
for way in ("mean", "sum", "none"):
    for share in (0.0, 0.3):
        x = paddle.to_tensor(rng.normal(size=(2, 5, 4, 4)).astype("float32"), stop_gradient=False)
        loss = F.rnnt_loss(x, labels, *lengths, fastemit_lambda=share, reduction=way)
        (loss * (paddle.to_tensor([1.0, 2.0]) if way == "none" else 3.0)).sum().backward()
        print(way, share, loss.numpy().round(4).tolist(), float((x.grad * x).sum().round(2)))
        print("  ", x.grad.numpy()[:, :2].ravel().round(3).tolist())
layer = paddle.nn.RNNTLoss(blank=3, fastemit_lambda=0.0)
others = paddle.to_tensor([[1, 2, 1], [0, 1, 2]], dtype="int32")
print(layer, layer(x, others, *lengths).numpy().round(4))
