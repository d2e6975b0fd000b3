"""x[i] = v."""

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0])
x[1] = 20.0
print(x)
x[0:2] = paddle.to_tensor([5.0, 6.0])
print(x)
m = paddle.zeros([2, 3])
m[1] = 1.0
m[:, 0] = paddle.to_tensor([8.0, 9.0])
print(m)
