"""A sum that grows over many turns, looked at in each, is differentiated at the end."""

import paddle

x = paddle.to_tensor(0.5, stop_gradient=False)
total = paddle.zeros([])
for i in range(100):
    total = total + x**2 * i
    if i % 25 == 0:
        print(total.item())
total.backward()
print(x.grad.item())
