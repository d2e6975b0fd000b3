"""Nothing is recorded inside no_grad."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
with paddle.no_grad():
    y = x * 2
    print(y.stop_gradient, paddle.is_grad_enabled())
z = x * y
print(z.stop_gradient, paddle.is_grad_enabled())
z.backward()
print(x.grad.item())
