"""Triplet losses, and distances of pairs, where points are equal: the epsilon moves them apart."""

import paddle

F = paddle.nn.functional
points = [[0.5, -1.0, 2.0], [1.0, 0.25, -0.5]]
for swap in (False, True):
    for p in (1.0, 2.0):
        x, near, far = (paddle.to_tensor(points, stop_gradient=False) for _ in range(3))
        loss = F.triplet_margin_loss(x, near * 1.5, far, p=p, swap=swap, reduction="none")
        loss.sum().backward()
        print(swap, p, *[one.numpy().round(4).tolist() for one in (loss, x.grad, near.grad, far.grad)])
        x, near = (paddle.to_tensor(points, stop_gradient=False) for _ in range(2))
        F.pairwise_distance(x, near, p=p).sum().backward()
        print(x.grad.numpy().round(4).tolist())
