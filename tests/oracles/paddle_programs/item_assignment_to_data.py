"""A tensor made of data takes a computed value, with its history."""

import paddle

w = paddle.to_tensor(2.0, stop_gradient=False)
x = paddle.to_tensor([1.0, 1.0])
x[0] = w * w
print(x)
x.sum().backward()
print(w.grad)
