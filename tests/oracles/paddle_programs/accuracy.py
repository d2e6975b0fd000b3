"""Accuracy over batches."""

import paddle

metric = paddle.metric.Accuracy()
scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
labels = paddle.to_tensor([[1], [1], [1]])
metric.update(metric.compute(scores, labels))
print(round(metric.accumulate(), 5), round(paddle.metric.accuracy(scores, labels).item(), 5))
