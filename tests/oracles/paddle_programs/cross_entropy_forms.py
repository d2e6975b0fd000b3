"""Labels as integers, with an axis, as probabilities; reductions, weights, marks to ignore."""

import paddle
import paddle.nn.functional as F

logits = paddle.to_tensor([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3]], stop_gradient=False)
labels = paddle.to_tensor([0, 2])
print(round(F.cross_entropy(logits, labels).item(), 6))
print(round(F.cross_entropy(logits, labels.reshape([2, 1])).item(), 6))
print(F.cross_entropy(logits, labels, reduction="none").shape)
print(F.cross_entropy(logits, labels.reshape([2, 1]), reduction="none").shape)
print(round(F.cross_entropy(logits, labels, reduction="sum").item(), 6))
soft = paddle.to_tensor([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
print(round(F.cross_entropy(logits, soft, soft_label=True).item(), 6))
print(round(F.cross_entropy(logits, labels, weight=paddle.to_tensor([1.0, 2.0, 3.0])).item(), 6))
print(round(F.cross_entropy(logits, paddle.to_tensor([0, -100])).item(), 6))
print(round(F.cross_entropy(logits, labels, label_smoothing=0.1).item(), 6))
F.cross_entropy(logits, labels).backward()
print(logits.grad.numpy().round(5).tolist())
print(round(paddle.nn.CrossEntropyLoss()(logits, labels).item(), 6))
