"""detach: identity forwards, a wall backwards."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
y = x * x.detach()
y.backward()
print(y.item(), x.grad.item())
d = x.detach()
print(d.stop_gradient, d.is_leaf)
