"""x -= makes another tensor of the name."""

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
kept = x
(x * x).sum().backward()
x = x - 0.1 * x.grad
print(x is kept, x.is_leaf, kept.numpy(), x.numpy())
(x * x).sum().backward()
print(x.grad, kept.grad)
