"""A penalty on the slope, trained through backward."""

import paddle

w = paddle.to_tensor([2.0, -1.0], stop_gradient=False)
x = paddle.to_tensor([0.5, 1.5], stop_gradient=False)
out = paddle.tanh((w * x).sum())
(slope,) = paddle.grad(out, x, create_graph=True)
loss = ((slope.norm() - 1) ** 2).sum()
loss.backward()
print([round(one, 5) for one in w.grad.tolist()])
