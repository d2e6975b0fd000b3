"""Clipping by each norm, by the norm of all, by value."""

import paddle

for clip in (
    paddle.nn.ClipGradByNorm(1.0),
    paddle.nn.ClipGradByGlobalNorm(1.0),
    paddle.nn.ClipGradByValue(max=0.5),
    paddle.nn.ClipGradByGlobalNorm(1000.0),
):
    x = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    y = paddle.to_tensor([12.0], stop_gradient=False)
    optimizer = paddle.optimizer.SGD(1.0, parameters=[x, y], grad_clip=clip)
    ((x * x).sum() + (y * y).sum()).backward()
    optimizer.step()
    print(x.numpy().round(5).tolist(), y.numpy().round(5).tolist(), x.grad.tolist())
