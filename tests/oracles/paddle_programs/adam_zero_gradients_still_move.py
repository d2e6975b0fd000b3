"""Cleared to zeros, Adam's momentum still moves."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
optimizer = paddle.optimizer.Adam(0.1, parameters=[x])
(x * x).backward()
optimizer.step()
optimizer.clear_grad()
print(round(x.item(), 4))
optimizer.step()
print(round(x.item(), 4))
