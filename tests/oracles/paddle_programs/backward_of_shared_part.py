"""Two losses over one part: the second finds it freed."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
shared = x * x
first = shared * 2
second = shared * 3
first.backward()
print(x.grad.item())
try:
    second.backward()
except SystemError:
    print("freed")
print(x.grad.item())
