"""nll_loss: labels are read in their order."""

import paddle

scores = paddle.arange(12.0).reshape([4, 3]) / 10.0
for labels in ([0, 2, 1, 1], [[0], [2], [1], [1]], [[0, 2], [1, 1], [0, 0], [0, 0]]):
    x = scores.clone()
    x.stop_gradient = False
    for reduction in ("none", "mean", "sum"):
        loss = paddle.nn.functional.nll_loss(x, paddle.to_tensor(labels), reduction=reduction)
        print(reduction, loss.shape, (loss + 0.0).tolist())
    loss.backward()
    print((x.grad + 0.0).tolist())
weight = paddle.to_tensor([1.0, 2.0, 3.0])
print(paddle.nn.NLLLoss(weight)(scores, paddle.to_tensor([[0], [2], [1], [1]])).item())
images = paddle.arange(24.0).reshape([2, 3, 2, 2]) / 10.0
wanted = paddle.to_tensor([[[0, 1], [2, 0]], [[1, 1], [0, 2]]])
print(paddle.nn.functional.nll_loss(images, wanted, reduction="none").tolist())
for x, labels in ((scores, [[0, 2], [1, 1]]), (images, [[[[0, 1], [2, 0]]], [[[1, 1], [0, 2]]]])):
    try:
        paddle.nn.functional.nll_loss(x, paddle.to_tensor(labels))
    except ValueError:
        print("refused")
