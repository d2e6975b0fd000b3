"""The last loss of a loop can still be differentiated."""

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
for i in range(40):
    loss = (x * x * (i + 1)).sum()
    print(loss.item(), end=" ")
print()
loss.backward()
print(x.grad.item())
