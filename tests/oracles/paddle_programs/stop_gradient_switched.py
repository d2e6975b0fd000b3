"""The flag counts when it is computed with."""

import paddle

x = paddle.to_tensor(2.0)
before = x * 3
x.stop_gradient = False
after = x * 5
print(before.stop_gradient, after.stop_gradient)
(before + after).backward()
print(x.grad.item())
x.stop_gradient = True
print((x * 2).stop_gradient)
