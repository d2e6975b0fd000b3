"""Products with Jacobian matrices from both sides, and the matrices."""

import paddle
from paddle.incubate.autograd import Hessian, Jacobian, jvp, vjp

x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
y = paddle.to_tensor([[0.5, -1.0], [2.0, 1.0]])
v = paddle.to_tensor([[1.0, 0.0], [0.0, 2.0]])
print([one.tolist() for one in vjp(lambda x: x @ x, x)], vjp(lambda x: x @ x, x, v)[1].tolist())
print([one.tolist() for one in jvp(lambda x: x @ x, x)], jvp(lambda x: x @ x, x, v)[1].tolist())
found, parts = vjp(lambda x, y: x * y + x, [x, y])
print(found.tolist(), [one.tolist() for one in parts])
print(jvp(lambda x, y: x * y, [x, y], [v, v])[1].tolist())
j = Jacobian(lambda x, y: paddle.matmul(x, y), [x, y])
print(list(j.shape), j[:].tolist(), j[0].tolist(), j[:, 1].tolist(), j[1:3, 0].tolist())
b = Jacobian(lambda x: x * x + x, x, is_batched=True)
print(list(b.shape), b[:].tolist(), b[:, 0, :].tolist())
h = Hessian(lambda x: (x * x * x).sum(), x)
print(list(h.shape), h[:].tolist(), h[0, 0].tolist())
k = Hessian(lambda x: (x * x * x).sum(1, keepdim=True), x, is_batched=True)
print(list(k.shape), k[:].tolist())
