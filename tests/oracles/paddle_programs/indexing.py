"""Parts of a tensor, and the gradient they send back."""

import paddle

x = paddle.arange(12, dtype="float32").reshape([3, 4])
x.stop_gradient = False
print(x[1])
print(x[1, 2].item(), x[-1, -1].item())
print(x[:, 1:3].shape, x[0:2, ::2].numpy())
print(x[paddle.to_tensor([0, 2])].numpy())
(x[1] * 2).sum().backward()
print(x.grad)
