"""A second backward adds to the gradient of the first."""

import paddle

x = paddle.to_tensor(2.0, stop_gradient=False)
for _ in range(3):
    (x * x).backward()
    print(x.grad)
x.clear_grad()
print(x.grad)
x.clear_gradient(False)
print(x.grad)
