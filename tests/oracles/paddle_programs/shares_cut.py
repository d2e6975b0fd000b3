"""Softmax and cross-entropy of scores that are far apart: the smallest share is exp(-64)."""

import numpy as np

import paddle
import paddle.nn.functional as F

scores = [[0.0, -50.0, -63.9, -64.0, -64.1, -100.0], [100.0, 0.0, 1.0, 2.0, 3.0, 50.0]]
labels = paddle.to_tensor([5, 1])


def show(*tensors):
    for one in tensors:
        print([f"{number:.4g}" for number in one.numpy().astype("float64").ravel()])


for kind in ("float32", "float64"):
    x = paddle.to_tensor(np.array(scores, kind), stop_gradient=False)
    show(F.softmax(x), F.softmax(x, axis=0), F.log_softmax(x), F.log_softmax(x, axis=0))
    even = paddle.full([2, 6], 1 / 6, kind)
    weight = paddle.arange(1, 7).astype(kind)
    for loss in (
        F.cross_entropy(x, labels, reduction="none"),
        F.cross_entropy(x.t(), labels, axis=0, reduction="none"),
        F.cross_entropy(x, even, soft_label=True, reduction="none"),
        F.cross_entropy(x, labels, weight=weight, reduction="none"),
        F.cross_entropy(x, labels, label_smoothing=0.1, reduction="none"),
        F.cross_entropy(F.softmax(x), labels, use_softmax=False, reduction="none"),
        F.cross_entropy(x, paddle.to_tensor([5, -100]), reduction="none"),
        F.nll_loss(F.log_softmax(x), labels, reduction="none"),
        F.log_softmax(x) * even,
    ):
        show(loss)
        loss.sum().backward()
        show(x.grad)
        x.clear_grad()
    chances = paddle.to_tensor(np.array([[0.0, 1.0], [0.5, 0.5]], kind))
    show(F.cross_entropy(chances, paddle.to_tensor([0, 1]), use_softmax=False, reduction="none"))
    masked = paddle.to_tensor(np.array([[-np.inf, 0.0, 1.0], [-1e9, 0.0, 1.0]], kind))
    show(F.softmax(masked), F.log_softmax(masked), paddle.nn.Softmax(0)(masked[:, 1:]))

for gap in (3.0, 12.0, 15.0, 16.0, 17.0):
    x = paddle.to_tensor([[gap, 0.0, -1.0]], stop_gradient=False)
    loss = F.cross_entropy(x, paddle.to_tensor([0]))
    loss.backward()
    show(loss, x.grad, F.log_softmax(x))
